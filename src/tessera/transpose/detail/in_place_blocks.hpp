// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a matrix that are transposed where they stand, and rows that move together or apart.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_BLOCKS_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_BLOCKS_HPP

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/detail/in_place_cycles.hpp>
#include <tessera/transpose/detail/in_place_layout.hpp>
#include <tessera/transpose/detail/in_place_move.hpp>
#include <tessera/transpose/detail/in_place_square.hpp>
#include <tessera/transpose/in_place_plan.hpp>

namespace tessera::detail {

/// Blocks of rows x columns elements, each transposed in scratch: squares in any matrix, or blocks without gaps.
template <ExecutionSpace Space, class T>
struct TurnBlocks {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<in_place_team_size, 4>>;
  using member_type = typename policy_type::member_type;
  static constexpr int ahead = in_place_ahead<Space>;

  T* data;
  Divisor rows, columns;
  std::int64_t load_pitch, store_pitch;
  std::int64_t across, blocks;  // blocks side by side, and all
  std::int64_t block_row_stride, block_stride;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const auto m = static_cast<int>(rows.value()), n = static_cast<int>(columns.value());
    auto* scratch = reinterpret_cast<T*>(team_scratch(team, block_scratch_bytes(m, n, sizeof(T))));
    const int pitch = n | 1;
    const TileWalk walk = tile_walk(team, blocks);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const QuotientRemainder split = divide(index, across);
      T* block = data + split.quotient * block_row_stride + split.remainder * block_stride;
      int from = team.team_rank(), staged = team.team_rank();
      const auto load = [&] {
        const auto i = static_cast<int>(columns.quotient(static_cast<std::uint32_t>(from)));
        const T value = block[i * load_pitch + (from - i * n)];
        from += team.team_size();
        return value;
      };
      const auto stage = [&](const T& value) {
        const auto i = static_cast<int>(columns.quotient(static_cast<std::uint32_t>(staged)));
        scratch[i * pitch + (staged - i * n)] = value;
        staged += team.team_size();
      };
      move_ahead<ahead, T>(thread_share(team, m * n), load, stage);
      team.team_barrier();
      int to = team.team_rank();
      const auto store = [&](const T& value) {
        const auto j = static_cast<int>(rows.quotient(static_cast<std::uint32_t>(to)));
        block[j * store_pitch + (to - j * m)] = value;
        to += team.team_size();
      };
      int turned = team.team_rank();
      const auto load_turned = [&] {
        const auto j = static_cast<int>(rows.quotient(static_cast<std::uint32_t>(turned)));
        const T value = scratch[(turned - j * m) * pitch + j];
        turned += team.team_size();
        return value;
      };
      move_ahead<ahead, T>(thread_share(team, m * n), load_turned, store);
      if (index + walk.step < walk.end) team.team_barrier();  // scratch is staged anew
    }
  }
};

/// Rows of `length` elements, packed or `gap` elements apart: chunks in the order in which they make room for each
/// other. A chunk is written when those that stood there have been read; these have been drawn before, and reads wait
/// for nothing.
template <ExecutionSpace Space, class T>
struct SpreadRows {
  static constexpr int team_size = is_host_space<Space> ? 1 : spread_team_size;
  static constexpr int each = spread_registers(is_host_space<Space>, sizeof(T));
  static constexpr int chunk = team_size * each;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<spread_team_size, 2>>;
  using member_type = typename policy_type::member_type;

  T* data;
  std::int64_t rows, length, gap;
  std::int64_t chunks;
  bool packs;
  std::int32_t* next;     // chunk to be drawn
  std::int32_t* is_read;  // of each chunk

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    auto* drawn = reinterpret_cast<std::int64_t*>(team_scratch(team, sizeof(std::int64_t)));
    if (team.team_rank() == 0) {
      const std::int64_t number = Kokkos::atomic_fetch_add(next, 1);
      *drawn = packs ? number : chunks - 1 - number;
    }
    team.team_barrier();
    const std::int64_t index = *drawn;
    T values[each];
    if (packs) {
      visit_spread(team, index, [&](int k, T& element) { values[k] = element; });
    } else {
      visit_packed(team, index, [&](int k, T& element) { values[k] = element; });
    }
    team.team_barrier();
    if (team.team_rank() == 0) {
      Kokkos::memory_fence();
      Kokkos::atomic_store(is_read + index, 1);
      wait_for_readers(index);
      Kokkos::memory_fence();
    }
    team.team_barrier();
    if (packs) {
      visit_packed(team, index, [&](int k, T& element) { element = values[k]; });
    } else {
      visit_spread(team, index, [&](int k, T& element) { element = values[k]; });
    }
  }

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t spread_of(std::int64_t packed) const {
    return packed + divide(packed, length).quotient * gap;
  }
  /// The first packed element that is spread to `spread` or behind it.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t packed_of(std::int64_t spread) const {
    const QuotientRemainder split = divide(spread, length + gap);
    return split.quotient * length + Kokkos::min(split.remainder, length);
  }

  /// Of the places that the chunk will be written to.
  KOKKOS_FUNCTION void wait_for_readers(std::int64_t index) const {
    const std::int64_t first = index * chunk, last = Kokkos::min(first + chunk, rows * length) - 1;
    const std::int64_t first_read = packs ? packed_of(first) : spread_of(first);
    const std::int64_t last_read = packs ? packed_of(last) : spread_of(last);
    const std::int64_t end = Kokkos::min(chunks, last_read / chunk + 1);
    for (std::int64_t reader = first_read / chunk; reader < end; ++reader) {
      while (Kokkos::atomic_load(is_read + reader) == 0) {
      }
    }
  }

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void visit_packed(const member_type& team, std::int64_t index, const Visit& visit) const {
    const std::int64_t first = index * chunk + team.team_rank();
    const std::int64_t left = rows * length - first;
    T* memory = data + first;
    TESSERA_UNROLL_ON_DEVICE
    for (int k = 0; k < each; ++k) {
      if (k * team_size < left) visit(k, memory[k * team_size]);
    }
  }

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void visit_spread(const member_type& team, std::int64_t index, const Visit& visit) const {
    const std::int64_t first = index * chunk + team.team_rank();
    const std::int64_t left = rows * length - first;
    const QuotientRemainder split = divide(first, length);
    T* memory = data + first + split.quotient * gap;
    std::int64_t row_left = length - split.remainder;
    TESSERA_UNROLL_ON_DEVICE
    for (int k = 0; k < each; ++k) {
      if (k * team_size < left) visit(k, *memory);
      memory += team_size;
      row_left -= team_size;
      while (row_left <= 0) {
        row_left += length;
        memory += gap;
      }
    }
  }
};

/// to[i x to_row + j x to_column] = from[likewise], j < columns.
template <class T>
struct CopyPart {
  const T* from;
  std::int64_t from_row, from_column;
  T* to;
  std::int64_t to_row, to_column;
  std::int64_t columns;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto [i, j] = divide(index, columns);
    to[i * to_row + j * to_column] = from[i * from_row + j * from_column];
  }
};

template <ExecutionSpace Space, class T>
void launch_copy(const Space& space, std::int64_t rows, const CopyPart<T>& copy) {
  if (rows * copy.columns == 0) return;
  Kokkos::parallel_for("tessera::transpose_in_place::set_aside",
                       Kokkos::RangePolicy<Space>(space, 0, rows * copy.columns), copy);
}

struct ZeroFlags {
  std::int32_t* flags;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { flags[i] = 0; }
};

template <ExecutionSpace Space, class T>
void launch_spread(const Space& space, std::int64_t rows, std::int64_t length, std::int64_t gap, bool packs, T* data,
                   std::int32_t* flags) {
  using Functor = SpreadRows<Space, T>;
  const std::int64_t chunks = ceil_div(rows * length, Functor::chunk);
  Kokkos::parallel_for("tessera::transpose_in_place::counts", Kokkos::RangePolicy<Space>(space, 0, 1 + chunks),
                       ZeroFlags{flags});
  const Functor functor{data, rows, length, gap, chunks, packs, flags, flags + 1};
  typename Functor::policy_type policy(space, static_cast<int>(chunks), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(sizeof(std::int64_t)))));
  Kokkos::parallel_for("tessera::transpose_in_place::spread_rows", policy, functor);
}

/// The blocks of rows x columns elements, in the plan's shape, each where it stands.
template <ExecutionSpace Space, class T>
void launch_blocks(const Space& space, const InPlacePlan& plan, std::int64_t rows, std::int64_t columns, T* data,
                   int asked_team_size) {
  const std::int64_t m = plan.blocks.rows, n = plan.blocks.columns;
  const std::int64_t down = rows / m, across = columns / n;
  if (!plan.blocks.in_scratch) {
    const SquareMatrices<T> squares{data, m, columns, 1, down * across, m * columns, across, n};
    return launch_swap_tiles("tessera::transpose_in_place", space, squares, plan.tile_rows, plan.league_size,
                             asked_team_size);
  }
  const TurnBlocks<Space, T> functor{data,
                                     Divisor(static_cast<std::uint32_t>(m)),
                                     Divisor(static_cast<std::uint32_t>(n)),
                                     columns,
                                     m == n ? columns : m,
                                     across,
                                     down * across,
                                     m * columns,
                                     n};
  launch_pass("tessera::transpose_in_place::blocks", space, plan, plan.team_size, down * across,
              block_scratch_bytes(m, n, sizeof(T)), functor, asked_team_size);
}

/// Runs as 16 bytes where they are a multiple of these.
template <ExecutionSpace Space, class T>
void launch_whole_runs(const Space& space, const InPlacePlan& plan, const RunOrder& order, std::int64_t run, T* data,
                       std::byte* saved, int asked_team_size) {
  const auto bytes = static_cast<std::size_t>(run) * sizeof(T);
  if (bytes % packed_bytes == 0 && reinterpret_cast<std::uintptr_t>(data) % packed_bytes == 0) {
    return launch_runs(space, plan, order, plan.blocks.cuts, static_cast<std::int64_t>(bytes / packed_bytes),
                       reinterpret_cast<Whole16*>(data), reinterpret_cast<Whole16*>(saved), asked_team_size);
  }
  launch_runs(space, plan, order, plan.blocks.cuts, run, data, reinterpret_cast<T*>(saved), asked_team_size);
}

/// Blocks, then their rows, as runs, to their places; with wide blocks the other way round.
template <ExecutionSpace Space, class T>
void run_blocks(const Space& space, const InPlacePlan& plan, std::int64_t rows, std::int64_t columns, T* data,
                std::byte* saved, int asked_team_size) {
  const std::int64_t m = plan.blocks.rows, n = plan.blocks.columns;
  const std::int64_t down = rows / m, across = columns / n;
  const auto runs = [&](std::int64_t a, std::int64_t h, std::int64_t b, std::int64_t run) {
    if (a * b == 1 || (h == 1 && (a == 1 || b == 1))) return;
    const RunOrder order{Divisor(static_cast<std::uint32_t>(a)), Divisor(static_cast<std::uint32_t>(h)),
                         static_cast<std::uint32_t>(b)};
    launch_whole_runs(space, plan, order, run, data, saved, asked_team_size);
  };
  if (m != n && plan.blocks.run == n) {
    runs(1, m, across, n);
    return launch_blocks(space, plan, m * across, n, data, asked_team_size);
  }
  launch_blocks(space, plan, rows, columns, data, asked_team_size);
  runs(down, n, across, m);
}

/// Rows and columns set aside meanwhile: the matrix without them is packed before, and the result made apart after.
template <ExecutionSpace Space, class T>
void transpose_blocks(const Space& space, const InPlacePlan& plan, std::int64_t rows, std::int64_t columns, T* data,
                      std::byte* workspace, int asked_team_size) {
  const std::int64_t y = plan.blocks.rows_aside, x = plan.blocks.columns_aside;
  const std::int64_t m = rows - y, n = columns - x;
  auto* flags = reinterpret_cast<std::int32_t*>(workspace);
  std::byte* aside = workspace + spread_flag_bytes(is_host_space<Space>, x + y == 0 ? 0 : m * n, sizeof(T));
  auto* columns_aside = reinterpret_cast<T*>(aside);  // x x rows
  auto* rows_aside = columns_aside + x * rows;        // n x y
  std::byte* saved = aside + buffer_bytes(x * rows + n * y, sizeof(T));
  launch_copy(space, rows, CopyPart<T>{data + n, columns, 1, columns_aside, 1, rows, x});
  launch_copy(space, y, CopyPart<T>{data + m * columns, columns, 1, rows_aside, 1, y, n});
  if (x != 0) launch_spread(space, m, n, x, true, data, flags);
  run_blocks(space, plan, m, n, data, saved, asked_team_size);
  if (y != 0) launch_spread(space, n, m, y, false, data, flags);
  launch_copy(space, n, CopyPart<T>{rows_aside, y, 1, data + m, rows, 1, y});
  launch_copy(space, x, CopyPart<T>{columns_aside, rows, 1, data + n * rows, rows, 1, rows});
}

}  // namespace tessera::detail

#endif
