// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements beyond the ends of lines that the caller gives: those of a neighbouring block, or of another rank.
#ifndef TESSERA_FILTER_HALO_HPP
#define TESSERA_FILTER_HALO_HPP

#include <Kokkos_Core.hpp>

namespace tessera {

/// For a side whose boundary mode holds.
struct NoHalo {};

/// Views of the elements before and after every line. Each has the extents of the input but for the axis of the lines,
/// along which it has at least as many elements as windows reach beyond that end (others lie farther from the line and
/// are not read), in the order of the line: element j < 0 of a line is left(.., extent + j, ..), element n + j is
/// right(.., j, ..). One of them may be NoHalo. Ghost cells that lie in one array with the line need no halo: filter
/// that array under mode valid.
template <class Left, class Right>
struct Halo {
  Left left;
  Right right;
};
template <class Left, class Right>
Halo(Left, Right) -> Halo<Left, Right>;

}  // namespace tessera

#endif
