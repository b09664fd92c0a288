// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which reductions over axes a host does by panels of outputs.
#ifndef TESSERA_REDUCE_DETAIL_HOST_PANELS_PLAN_HPP
#define TESSERA_REDUCE_DETAIL_HOST_PANELS_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tessera/nan_policy.hpp>
#include <tessera/reduce/detail/axes_shape.hpp>
#include <tessera/reduce/detail/axes_teams.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/host_exact_panel.hpp>
#include <tessera/reduce/detail/host_panel.hpp>
#include <tessera/reduce/detail/host_value_panel.hpp>

namespace tessera::detail {

/// Outputs side by side from which on a host's panels are worth their set-up.
inline constexpr int panel_width_min = 8;
/// Columns up to which a host's panel takes several rows, if they follow each other in memory, as one.
inline constexpr int joined_columns = 512;
/// Those rows: of the longest reduced axis, which 16 such are of at least, and so many that they end with a vector.
template <class Fold>
int joined_rows(const AxesShape& shape, NanPolicy nan) {
  if constexpr (takes_panels<Fold>()) {
    if (shape.reduces_fastest() || shape.reduced == 0 || !HostPanel<Fold>::takes_copies(nan)) return 1;
    const AxesDim& inner = shape.dims[shape.kept - 1];
    AxesDim longest = shape.dims[shape.kept];
    for (int d = 1; d < shape.reduced; ++d) {
      if (shape.dims[shape.kept + d].extent > longest.extent) longest = shape.dims[shape.kept + d];
    }
    if (inner.in != 1 || longest.in != inner.extent) return 1;
    const std::int64_t most = std::min(joined_columns, HostPanel<Fold>::columns) / inner.extent;
    const std::int64_t joined = clamped(longest.extent / 16, 1, std::max<std::int64_t>(1, most));
    const std::int64_t whole = 16 / std::gcd(std::int64_t{16}, inner.extent);
    return static_cast<int>(joined > whole ? joined / whole * whole : joined);
  } else {
    return 1;
  }
}
/// Whether outputs are columns that panels take.
template <class Fold>
bool has_columns(const AxesShape& shape, NanPolicy nan) {
  return !shape.reduces_fastest() && shape.dims[shape.kept - 1].in == 1 &&
         shape.dims[shape.kept - 1].extent * joined_rows<Fold>(shape, nan) >= panel_width_min;
}
/// Whether what they make of a part of an output is its partial result: pairs seldom hold squares of doubles, so that
/// these would be summed once more.
template <class Fold>
constexpr bool panel_leaves_parts(std::size_t element_bytes) {
  return !sums_squares<Fold>() || element_bytes < sizeof(double);
}
/// Elements of a column that goes to a tile, at most, and so many side by side.
inline constexpr int turned_column_max = 64, turned_columns_max = 32;
/// Elements of a row that is turned into a column, at most: a tile holds 16 of the longest.
inline constexpr int turned_length_max = 128;
inline constexpr std::size_t host_tile_bytes = 16 << 10;
/// Whether outputs are short columns between other axes, of which a panel takes those of many places along the next
/// kept axis, copied to a tile.
template <class Fold>
bool turns_columns(const AxesShape& shape, std::size_t element_bytes, NanPolicy nan) {
  if constexpr (takes_panels<Fold>()) {
    if (shape.reduces_fastest() || shape.reduced != 1 || shape.kept < 2 || !HostPanel<Fold>::takes_copies(nan)) {
      return false;
    }
    const AxesDim &inner = shape.dims[shape.kept - 1], &line = shape.dims[shape.kept];
    return inner.in == 1 && line.extent <= turned_column_max && inner.extent <= turned_columns_max &&
           shape.dims[shape.kept - 2].extent >= panel_width_min &&
           static_cast<std::size_t>(line.extent * inner.extent) * element_bytes <= host_tile_bytes / 4;
  } else {
    return false;
  }
}
/// Whether outputs are rows that panels take: short ones, turned, as longer ones are as quick in vectors along them; or
/// such as are summed there.
template <class Fold>
bool turns_rows(const AxesShape& shape, std::size_t element_bytes) {
  if (!shape.reduces_fastest() || shape.run_size != shape.reduced_size || shape.kept == 0) return false;
  if constexpr (sums_rows<Fold>()) {
    if (HostPanel<Fold>::sums_row(shape.reduced_size)) return true;
  }
  const std::size_t longest = std::min<std::size_t>(turned_length_max, host_tile_bytes / 16 / element_bytes);
  return shape.reduced_size > 0 && static_cast<std::size_t>(shape.reduced_size) <= longest &&
         shape.dims[shape.kept - 1].extent >= panel_width_min;
}

}  // namespace tessera::detail

#endif
