// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Totals of integers that tell whether they fit.
#ifndef TESSERA_REDUCE_FITTING_TOTAL_HPP
#define TESSERA_REDUCE_FITTING_TOTAL_HPP

namespace tessera {

/// An exact total of integers where Integer holds it, else 0.
template <class Integer>
struct FittingTotal {
  Integer value;
  bool fits;
};

}  // namespace tessera

#endif
