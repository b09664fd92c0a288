// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host's accumulators of many neighbouring outputs, a panel: rows, an element of each output, are added in vectors.
#ifndef TESSERA_REDUCE_DETAIL_HOST_PANEL_HPP
#define TESSERA_REDUCE_DETAIL_HOST_PANEL_HPP

#include <cstdint>
#include <tessera/detail/host_vector.hpp>
#include <tessera/reduce/detail/axes_shape.hpp>

namespace tessera::detail {

/// Rows that a panel takes at once: the chains of its sums, and of each level of their joins.
inline constexpr int panel_rows = 64;

/// Rows behind one pointer: offsets of each, their columns, what a step along a row adds to the index in the input, and
/// the offset of the row after them; ahead: where what is read next is not the next row, but so far from each.
struct PanelRows {
  const AxesOffsets* at;
  int count, columns;
  std::int64_t first_input, input_step, next, ahead;

  /// From a row to what is read after it; step: rows that are read at once, no more than there are.
  [[nodiscard]] std::int64_t to_next(int row, int step) const {
    if (ahead != 0) return ahead;
    const int after = row + step;
    return (after < count ? at[after].in : next + at[after - count].in - at[0].in) - at[row].in;
  }
};

/// The panel of a fold: columns, the most it has; begin(fold, width, copies) for so many outputs, each of so many
/// columns, width apart; add(fold, from, rows, status) of at most panel_rows rows; close(), after which a column is an
/// output; totals(visit, alone) calls visit(column, total) with what the fold finalizes, or alone(column) where the
/// fold must see the elements itself. takes_copies(nan): whether there may be several.
template <class Fold>
struct HostPanel;

/// Calls join(into, from, count) until the first of so many groups of columns has all.
template <class Join>
void join_copies(int width, int copies, const Join& join) {
  for (int left = copies; left > 1; left -= left / 2) join(0, (left - left / 2) * width, left / 2 * width);
}

/// Whether there is one. Only where there are vectors, not in what nvcc compiles for hosts.
template <class Fold>
constexpr bool takes_panels() {
  return has_host_vectors && requires { HostPanel<Fold>::columns; };
}
/// Whether it has add_rows(), for rows of which sums_row(length).
template <class Fold>
constexpr bool sums_rows() {
  return has_host_vectors && requires { HostPanel<Fold>::summed_row_max; };
}

}  // namespace tessera::detail

#endif
