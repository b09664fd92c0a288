// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: transposes in the memory of the matrix itself. Of any shape by B. Catanzaro, A. Keller, M. Garland, "A
// decomposition for in-place matrix transposition", PPoPP 2014.
#ifndef TESSERA_TRANSPOSE_TRANSPOSE_IN_PLACE_HPP
#define TESSERA_TRANSPOSE_TRANSPOSE_IN_PLACE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/transpose/detail/carrier.hpp>
#include <tessera/transpose/detail/in_place_blocks.hpp>
#include <tessera/transpose/detail/in_place_chunks.hpp>
#include <tessera/transpose/detail/in_place_columns.hpp>
#include <tessera/transpose/detail/in_place_maps.hpp>
#include <tessera/transpose/detail/in_place_rows.hpp>
#include <tessera/transpose/detail/in_place_square.hpp>
#include <tessera/transpose/detail/make_in_place_plan.hpp>
#include <tessera/transpose/in_place_options.hpp>
#include <tessera/transpose/in_place_plan.hpp>
#include <tessera/workspace.hpp>
#include <type_traits>
#include <utility>

namespace tessera {

namespace detail {

inline constexpr std::string_view in_place_function = "tessera::transpose_in_place";

template <View V, ExecutionSpace Space>
constexpr void require_in_place_view() {
  using T = typename V::value_type;
  static_assert(AccessibleFrom<V, Space>,
                "tessera::transpose_in_place: the view must be in memory that the space can access");
  static_assert(!std::is_const_v<T>, "tessera::transpose_in_place: the elements must not be const");
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16,
                "tessera::transpose_in_place: the element type must be trivially copyable and of 1 to 16 bytes");
}

/// Calls launch(data) with the elements as carriers, each one access where they lie on such boundaries.
template <class T, class Launch>
void with_carriers(T* data, const Launch& launch) {
  constexpr std::size_t size = sizeof(T);
  if constexpr (is_access_size(size) && alignof(T) < size) {
    if (reinterpret_cast<std::uintptr_t>(data) % size == 0) {
      return launch(reinterpret_cast<carrier_of<size, size>*>(data));
    }
  }
  launch(reinterpret_cast<carrier_of<size, alignof(T)>*>(data));
}

/// The same with numbers where these have the elements' size and boundaries: hosts turn them in vectors.
template <class T, class Launch>
void with_numbers(T* data, const Launch& launch) {
  constexpr std::size_t size = sizeof(T);
  if constexpr (is_access_size(size) && size <= sizeof(std::uint64_t)) {
    if (reinterpret_cast<std::uintptr_t>(data) % size == 0) return launch(reinterpret_cast<word_of<size>*>(data));
  }
  launch(reinterpret_cast<carrier_of<size, alignof(T)>*>(data));
}

/// The last two axes as rows and columns, the column index the one of the smaller stride.
template <class C, View V>
SquareMatrices<C> square_matrices(C* data, const V& view) {
  constexpr std::size_t rank = V::rank();
  SquareMatrices<C> matrices{data,
                             static_cast<std::int64_t>(view.extent(rank - 1)),
                             static_cast<std::int64_t>(view.stride(rank - 2)),
                             static_cast<std::int64_t>(view.stride(rank - 1)),
                             1,
                             0};
  if (matrices.row_stride < matrices.column_stride) std::swap(matrices.row_stride, matrices.column_stride);
  if constexpr (rank == 3) {
    matrices.batches = static_cast<std::int64_t>(view.extent(0));
    matrices.batch_row_stride = static_cast<std::int64_t>(view.stride(0));
  }
  return matrices;
}

template <ExecutionSpace Space, View V>
void swap_in_place(const Space& space, const V& view, const InPlacePlan& plan, int asked_team_size) {
  require_scratch(in_place_function, plan.scratch_bytes, device_limits(space));
  if (plan.passes == 0) return;
  const auto launch = [&](auto* data) {
    launch_swap_tiles(in_place_function, space, square_matrices(data, view), plan.tile_rows, plan.league_size,
                      asked_team_size);
  };
  if constexpr (is_host_space<Space>) {
    with_numbers(view.data(), launch);
  } else {
    with_carriers(view.data(), launch);
  }
}

/// The passes of c2r, or of r2c: the same backwards.
template <ExecutionSpace Space, class T>
void run_passes(const Space& space, const InPlacePlan& plan, const InPlaceShape& shape, T* data, std::byte* workspace,
                int asked_team_size) {
  const bool is_inverse = plan.variant == InPlaceVariant::r2c;
  const auto columns = [&](const ColumnShuffle& shuffle) {
    launch_columns(space, plan, shape, shuffle, data, workspace, asked_team_size);
  };
  if (is_inverse) columns(column_shuffle(shape, true));
  if (!is_inverse && shape.c > 1) columns(column_rotation(shape, false));
  launch_rows(space, plan, shape, data, workspace, asked_team_size);
  if (is_inverse && shape.c > 1) columns(column_rotation(shape, true));
  if (!is_inverse) columns(column_shuffle(shape, false));
}

template <View Memory>
void require_matrix(const Memory& memory, std::size_t rows, std::size_t columns) {
  static_assert(Memory::rank() == 1, "tessera::transpose_in_place: `memory` must have rank 1");
  TESSERA_REQUIRE_ARGUMENT(memory.extent(0) < 2 || memory.stride(0) == 1, in_place_function, "memory",
                           "stride " + std::to_string(memory.stride(0)), "contiguous memory",
                           "pass a view without gaps");
  const bool is_countable = rows == 0 || columns <= std::numeric_limits<std::int64_t>::max() / rows;
  TESSERA_REQUIRE_ARGUMENT(is_countable && memory.extent(0) == rows * columns, in_place_function, "memory",
                           std::to_string(memory.extent(0)) + " elements",
                           std::to_string(rows) + " x " + std::to_string(columns) + " of them",
                           "pass the whole matrix");
}

template <ExecutionSpace Space, View Memory>
void transpose_memory(const Space& space, const Memory& memory, std::size_t rows, std::size_t columns,
                      const InPlacePlan& plan, std::byte* workspace, int asked_team_size) {
  if (plan.passes == 0) return;
  using T = typename Memory::value_type;
  if (plan.variant == InPlaceVariant::swapped_tiles) {
    const Kokkos::View<T**, Kokkos::LayoutRight, typename Memory::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
        square(memory.data(), rows, columns);
    return swap_in_place(space, square, plan, asked_team_size);
  }
  if (plan.variant == InPlaceVariant::blocks) {
    return with_carriers(memory.data(), [&](auto* data) {
      transpose_blocks(space, plan, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), data,
                       workspace, asked_team_size);
    });
  }
  if constexpr (is_host_space<Space>) {
    if (plan.variant == InPlaceVariant::chunks) {
      return with_numbers(memory.data(), [&](auto* data) {
        launch_chunks(space, plan, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), data, workspace,
                      asked_team_size);
      });
    }
  }
  const InPlaceShape shape =
      in_place_shape(plan.variant, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns));
  with_carriers(memory.data(), [&](auto* data) { run_passes(space, plan, shape, data, workspace, asked_team_size); });
}

}  // namespace detail

/// The plan that transpose_in_place() will follow for a matrix of rows x columns elements of T. Pure: it launches and
/// allocates nothing.
/// \throws InvalidArgument for sizes of league or team that cannot be, and variant swapped_tiles where rows != columns.
template <class T, ExecutionSpace Space>
InPlacePlan in_place_plan(const Space& space, std::uint64_t rows, std::uint64_t columns,
                          const InPlaceOptions& options = {}) {
  return detail::make_in_place_plan(detail::device_limits(space), static_cast<std::int64_t>(rows),
                                    static_cast<std::int64_t>(columns), sizeof(T), options);
}

/// Transposes square matrices in place: view(j, i) and view(i, j) change places. Asynchronous on the instance, one
/// kernel, no allocation, no fence.
///
/// \param[in] space     the instance that runs it
/// \param[in,out] view  n x n, or batches x n x n; any extents (64-bit sizes, 0 included), any layout without zero
///                      strides and any alignment
/// \param[in] options   sizes of league and team; variant automatic or swapped_tiles
///
/// Elements are any trivially copyable type of 1 to 16 bytes and move as bytes. Deterministic. Scratch: two tiles a
/// team, of 32 x 33 elements, of 64 x 65 in large matrices of 3 or 4 bytes each, on hosts of 16 x 17 above 8 bytes.
/// Compulsory bytes: 2 batches n n sizeof(element).
/// \throws InvalidArgument  for matrices that are not square, zero strides, another variant, sizes of league or team
///                          that the space cannot have
/// \throws ResourceError    where the tiles exceed the scratch that a team can have
template <ExecutionSpace Space, View V>
void transpose_in_place(const Space& space, const V& view, const InPlaceOptions& options = {}) {
  detail::require_in_place_view<V, Space>();
  constexpr std::size_t rank = V::rank();
  static_assert(rank == 2 || rank == 3, "tessera::transpose_in_place: `view` must have rank 2 or 3");
  const Kokkos::Profiling::ScopedRegion region("tessera::transpose_in_place");

  const std::size_t extent = view.extent(rank - 1);
  TESSERA_REQUIRE_ARGUMENT(view.extent(rank - 2) == extent, detail::in_place_function, "view",
                           "extents " + detail::extents_text(view), "square matrices in the last two axes",
                           "pass contiguous memory with rows and columns");
  detail::require_own_elements(detail::in_place_function, view, "view");
  TESSERA_REQUIRE_ARGUMENT(
      options.variant == InPlaceVariant::automatic || options.variant == InPlaceVariant::swapped_tiles,
      detail::in_place_function, "options", "variant " + std::string(to_string(options.variant)) + " for a view",
      "automatic or swapped_tiles", "pass contiguous memory with rows and columns");
  const auto n = static_cast<std::int64_t>(extent);
  const std::int64_t batches = rank == 3 ? static_cast<std::int64_t>(view.extent(0)) : 1;
  const InPlacePlan plan =
      detail::make_in_place_plan(detail::device_limits(space), n, n, sizeof(typename V::value_type), options, batches);
  detail::swap_in_place(space, view, plan, options.team_size);
}

/// Transposes a matrix of any shape in place: before, element (i, j) stands at i columns + j, after at j rows + i.
/// Asynchronous on the instance; no allocation, no fence.
///
/// \param[in] space      the instance that runs it
/// \param[in,out] memory contiguous, of rank 1, rows x columns elements (64-bit sizes, 0 included), any alignment
/// \param[in] rows       before, columns after
/// \param[in] columns    before, rows after
/// \param[in] options    variant, sizes of league and team, the budget for batches
/// \param[in] workspace  at least in_place_plan(..).workspace_bytes; shared only by calls that are ordered
///
/// Elements are any trivially copyable type of 1 to 16 bytes and move as bytes. Deterministic. Square matrices are
/// swapped in tiles: one pass, no workspace. Others take two passes over the matrix on hosts: bands of rows are turned
/// through a buffer, then the pieces of their columns, of several cache lines, change places. On devices they mostly
/// take two in blocks: squares of the extents' common factor are transposed where they stand, or blocks of all columns
/// (rows) in scratch, then the rows of the blocks, as runs, change places along the cycles of their permutation, in
/// pieces that begin where a run was saved before; a third pass packs or spreads the rest where a few rows or columns
/// are set aside so that the others have such blocks (its teams wait for each other, by flags in the workspace). Where
/// no such blocks are near, and for small matrices and budgets, lines are shuffled: two passes where the extents have
/// no common factor, else three, over rows and once or twice over columns. Rows stand in team scratch or, on devices,
/// in registers where they fit (about 40 and 96 KB of a GPU's team, 32 KB of a host's), columns in scratch where it
/// holds several; others pass through the workspace in batches, with counts: a batch is put back when all of it was
/// fetched. One kernel a pass, and small ones that set counts and flags to zero and lines aside; on hosts a kernel or
/// two for each 4 MiB. Workspace: none where all fit, else at most the larger of options.batch_bytes and max(rows,
/// columns) sizeof(element), and 3 KiB; the longer lines of a thin matrix are a good part of it, but not on hosts
/// (variant chunks, where it is asked for: some 320 bytes for each of the shorter extent and a bit for 64 bytes of the
/// matrix at least, whatever the budget). Bytes: 2 rows columns sizeof(element) a pass, and as many again in passes
/// through the workspace, as far as no cache holds it. A matrix of one row or column is left as it is.
///
/// \throws InvalidArgument  for memory that has gaps or another size, a workspace that is too small, variant
///                          swapped_tiles for a matrix that is not square, sizes of league or team that the space
///                          cannot have
template <ExecutionSpace Space, View Memory>
void transpose_in_place(const Space& space, const Memory& memory, std::size_t rows, std::size_t columns,
                        const InPlaceOptions& options, const Workspace<Space>& workspace) {
  detail::require_in_place_view<Memory, Space>();
  const Kokkos::Profiling::ScopedRegion region("tessera::transpose_in_place");
  detail::require_matrix(memory, rows, columns);
  const InPlacePlan plan = in_place_plan<typename Memory::value_type>(space, rows, columns, options);
  TESSERA_REQUIRE_ARGUMENT(workspace.bytes() >= plan.workspace_bytes, detail::in_place_function, "workspace",
                           std::to_string(workspace.bytes()) + " bytes",
                           "at least " + std::to_string(plan.workspace_bytes) + " bytes",
                           "make it with in_place_plan(..).workspace_bytes");
  detail::transpose_memory(space, memory, rows, columns, plan, static_cast<std::byte*>(workspace.partials()),
                           options.team_size);
}

/// The same with a workspace of its own, where it needs one: then it allocates, and fences before that is freed.
/// \throws ResourceError without memory
template <ExecutionSpace Space, View Memory>
void transpose_in_place(const Space& space, const Memory& memory, std::size_t rows, std::size_t columns,
                        const InPlaceOptions& options = {}) {
  detail::require_in_place_view<Memory, Space>();
  detail::require_matrix(memory, rows, columns);
  const InPlacePlan plan = in_place_plan<typename Memory::value_type>(space, rows, columns, options);
  if (plan.workspace_bytes == 0) {
    const Kokkos::Profiling::ScopedRegion region("tessera::transpose_in_place");
    return detail::transpose_memory(space, memory, rows, columns, plan, nullptr, options.team_size);
  }
  const Workspace<Space> workspace(space, plan.workspace_bytes);
  transpose_in_place(space, memory, rows, columns, options, workspace);
  space.fence("tessera::transpose_in_place::workspace");
}

}  // namespace tessera

#endif
