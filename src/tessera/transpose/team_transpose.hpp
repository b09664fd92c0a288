// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Team level: transpose a tile inside a user's own TeamPolicy kernel.
#ifndef TESSERA_TRANSPOSE_TEAM_TRANSPOSE_HPP
#define TESSERA_TRANSPOSE_TEAM_TRANSPOSE_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/transpose_plan.hpp>

namespace tessera {

namespace detail {

/// A tile of rows x columns elements in memory, a stride for each index.
template <class T>
struct StridedTile {
  T* data;
  std::int64_t row_stride, column_stride;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T* row(int i) const { return data + i * row_stride; }
};

/// What moves elements as they are.
struct Unchanged {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION const T& operator()(const T& value) const {
    return value;
  }
};

/// Whole tiles with the planned team: the counts are constants, and a pointer stepped by a constant keeps the registers
/// low (an index expression an element halved the rate on an H200).
template <int TeamSize, TeamMember Member, class In, class Out, class Function>
KOKKOS_FUNCTION void team_transpose_whole(const Member& team, const StridedTile<const In>& in,
                                          const StridedTile<Out>& out, int pitch, const Function& function,
                                          Out* scratch) {
  constexpr int rows = transpose_tile_rows;
  constexpr int columns = transpose_tile_columns;
  constexpr int each = rows * columns / TeamSize;
  const int rank = team.team_rank();
  In values[each];
  const In* source = in.data + rank / columns * in.row_stride + rank % columns * in.column_stride;
  const std::int64_t source_step = TeamSize / columns * in.row_stride;
  TESSERA_UNROLL
  for (int k = 0; k < each; ++k, source += source_step) values[k] = *source;
  Out* stage = scratch + rank / columns * pitch + rank % columns;
  const int stage_step = TeamSize / columns * pitch;
  TESSERA_UNROLL
  for (int k = 0; k < each; ++k, stage += stage_step) *stage = function(values[k]);
  team.team_barrier();
  Out* target = out.data + rank / rows * out.row_stride + rank % rows * out.column_stride;
  const std::int64_t target_step = TeamSize / rows * out.row_stride;
  const Out* staged = scratch + rank % rows * pitch + rank / rows;
  TESSERA_UNROLL
  for (int k = 0; k < each; ++k, target += target_step) *target = staged[k * (TeamSize / rows)];
}

/// Calls visit(slow, fast) for all 0 <= slow < slow_extent, 0 <= fast < fast_extent: neighbouring GPU threads get
/// neighbouring fast indices, a host thread whole rows.
template <TeamMember Member, class Visit>
KOKKOS_FUNCTION void team_for_each_pair(const Member& team, int slow_extent, int fast_extent, const Visit& visit) {
  if constexpr (is_host_space<typename Member::execution_space>) {
    for (int slow = team.team_rank(); slow < slow_extent; slow += team.team_size()) {
      for (int fast = 0; fast < fast_extent; ++fast) visit(slow, fast);
    }
  } else {
    TESSERA_NO_UNROLL
    for (int e = team.team_rank(); e < slow_extent * fast_extent; e += team.team_size()) {
      const int slow = e / fast_extent;
      visit(slow, e - slow * fast_extent);
    }
  }
}

/// Any part of a tile, any team. out_by_rows: the input's row index is the fast one of the output.
template <TeamMember Member, class In, class Out, class Function>
KOKKOS_FUNCTION void team_transpose_part(const Member& team, const StridedTile<const In>& in,
                                         const StridedTile<Out>& out, int rows, int columns, bool out_by_rows,
                                         int pitch, const Function& function, Out* scratch) {
  team_for_each_pair(team, rows, columns, [&](int row, int column) {
    scratch[row * pitch + column] = function(in.data[row * in.row_stride + column * in.column_stride]);
  });
  team.team_barrier();
  const auto store = [&](int row, int column) {
    out.data[column * out.row_stride + row * out.column_stride] = scratch[row * pitch + column];
  };
  if (out_by_rows) {
    team_for_each_pair(team, columns, rows, [&](int column, int row) { store(row, column); });
  } else {
    team_for_each_pair(team, rows, columns, store);
  }
}

}  // namespace detail

/// Scratch of team_transpose for elements of T: 64 x 33 of them.
template <class T>
KOKKOS_FUNCTION constexpr std::size_t team_transpose_scratch_bytes() {
  return detail::transpose_scratch_bytes(detail::transpose_tile_rows, sizeof(T));
}

/// Transposes a tile through scratch with all threads of a team: out(j, i) = in(i, j).
///
/// \param[in] team     every thread of the team must call, with the same arguments
/// \param[in] in       rows x columns, rows <= 64, columns <= 32, any layout
/// \param[out] out     columns x rows, any layout, disjoint from in
/// \param[in] scratch  team_transpose_scratch_bytes<T>() bytes of team scratch, aligned for T
///
/// Ends without a barrier: use team_barrier before other threads read out, and before scratch is used again.
template <TeamMember Member, View InView, View OutView>
KOKKOS_FUNCTION void team_transpose(const Member& team, const InView& in, const OutView& out, void* scratch) {
  static_assert(InView::rank() == 2 && OutView::rank() == 2, "tessera::team_transpose: both views must have rank 2");
  using T = typename OutView::value_type;
  static_assert(std::is_same_v<typename InView::non_const_value_type, T>,
                "tessera::team_transpose: both views must have the same element type");
  const detail::StridedTile<const T> source{in.data(), static_cast<std::int64_t>(in.stride(0)),
                                            static_cast<std::int64_t>(in.stride(1))};
  const detail::StridedTile<T> target{out.data(), static_cast<std::int64_t>(out.stride(0)),
                                      static_cast<std::int64_t>(out.stride(1))};
  detail::team_transpose_part(team, source, target, static_cast<int>(in.extent(0)), static_cast<int>(in.extent(1)),
                              target.column_stride <= target.row_stride,
                              detail::transpose_tile_columns + detail::transpose_pad, detail::Unchanged{},
                              static_cast<T*>(scratch));
}

}  // namespace tessera

#endif
