// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host's reductions of short columns between other axes: those of many places along the next kept axis lie side by
// side in a tile, a panel of outputs.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_TURNED_COLUMNS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_TURNED_COLUMNS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/detail/host_buffer.hpp>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/host_panels_plan.hpp>
#include <tessera/reduce/detail/reduce_groups.hpp>
#include <tessera/reduce/detail/reduce_panels.hpp>
#include <type_traits>

namespace tessera::detail {

/// Copies, for places `step` apart, `length` pieces of Width neighbours, `pitch` apart, into rows of a tile; Width 0:
/// of `width`.
template <int Width, class T>
void copy_pieces(const T* from, std::int64_t step, int places, std::int64_t pitch, int length, int width, T* tile,
                 int tile_pitch) {
  const int count = Width > 0 ? Width : width;
  for (int place = 0; place < places; ++place, from += step, tile += count) {
    const T* piece = from;
    T* to = tile;
    for (int k = 0; k < length; ++k, piece += pitch, to += tile_pitch) {
      for (int j = 0; j < count; ++j) to[j] = piece[j];
    }
  }
}

template <ExecutionSpace Space, class Problem>
struct ReduceTurnedColumns {
  using Fold = typename Problem::fold_type;
  using T = typename Problem::element_type;
  using Panel = HostPanel<Fold>;
  using policy_type = AxesPolicy<Space, Problem::teams_at_once>;
  using Member = typename policy_type::member_type;
  static constexpr const char* label = "tessera::reduce_axes::turned_columns";
  static constexpr int tile_size = static_cast<int>(host_tile_bytes / sizeof(T));

  /// Whether results lie where the panel's columns follow each other.
  static bool fits(const AxesShape& shape) {
    const AxesDim &inner = shape.dims[shape.kept - 1], &outer = shape.dims[shape.kept - 2];
    return outer.out == inner.extent * inner.out && outer.position == inner.extent * inner.position;
  }

  Problem problem;

  void operator()(const Member& team) const {
    const AxesDim inner = problem.dims[problem.kept - 1], line = problem.lane;
    const int length = static_cast<int>(line.extent), width = static_cast<int>(inner.extent);
    Problem places = problem;  // without the fastest axis
    --places.kept;
    places.kept_size /= inner.extent;
    const auto threads = std::int64_t{team.league_size()} * team.team_size();
    const std::int64_t along = places.dims[places.kept - 1].extent;
    const int most = std::min(Panel::columns, tile_size / length) / width;
    const PanelGrid grid(places, static_cast<int>(std::min<std::int64_t>(most, ceil_div(along, threads))));
    PanelGrid columns = grid;
    columns.inner = inner;
    const int pitch = grid.width * width;
    Panel panel;
    HostBuffer<T, tile_size> tile;
    AxesOffsets at[turned_column_max];
    for (int k = 0; k < length; ++k) at[k] = {std::int64_t{k} * pitch, 0, k * line.position, 0};
    const Status status(problem.status_word);
    const IndexRange items =
        items_of(grid.count, std::int64_t{team.league_rank()} * team.team_size() + team.team_rank(), threads);
    for (std::int64_t item = items.begin; item < items.end; ++item) {
      const PanelOutputs outputs = grid(places, item);
      const T* const from = problem.in + outputs.base.in;
      const auto copy = [&]<int Width>(std::integral_constant<int, Width>) {
        copy_pieces<Width>(from, grid.inner.in, outputs.width, line.in, length, width, tile.elements(), pitch);
      };
      width == 2   ? copy(std::integral_constant<int, 2>{})
      : width == 3 ? copy(std::integral_constant<int, 3>{})
      : width == 4 ? copy(std::integral_constant<int, 4>{})
                   : copy(std::integral_constant<int, 0>{});
      panel.begin(problem.fold, outputs.width * width, 1);
      const std::int64_t ahead =
          item + 1 < items.end ? elements_between(tile.elements(), problem.in + grid(places, item + 1).base.in) : 0;
      const PanelRows rows{at, length, outputs.width * width, 0, 0, 0, ahead};
      panel.add(problem.fold, static_cast<const T*>(tile.elements()), rows, status);
      finish_panel(team, problem, panel, columns, outputs, 0, [&](int c, auto& thread, auto& spill) {
        const std::int64_t place = c / width, column = c % width;
        const AxesOffsets first{outputs.base.in + place * grid.inner.in + column, 0, 0,
                                outputs.base.input + place * grid.inner.input + column * inner.input};
        for (std::int64_t l = 0; l < length; ++l) add_of_line<1>(problem, first, l, 1, thread, spill, status);
      });
    }
  }
};

}  // namespace tessera::detail

#endif
