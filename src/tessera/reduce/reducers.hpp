// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The built-in reducers, written as a user would write one (concept Reducer in concepts.hpp).
#ifndef TESSERA_REDUCE_REDUCERS_HPP
#define TESSERA_REDUCE_REDUCERS_HPP

#include <tessera/detail/complex.hpp>
#include <tessera/reduce/arg_extrema.hpp>
#include <tessera/reduce/bits.hpp>
#include <tessera/reduce/complex_sums.hpp>
#include <tessera/reduce/counts.hpp>
#include <tessera/reduce/extrema.hpp>
#include <tessera/reduce/product.hpp>
#include <tessera/reduce/sums.hpp>
#include <type_traits>

namespace tessera {

/// The built-in reducers of an element type, in the order of the documentation. Tests and drivers walk this list.
struct BuiltInReducers {
  /// Calls visitor(R<T>{}) for each that takes elements of T: sums are exact, ddof is 0.
  template <class T, class Visitor>
  static void for_each(Visitor&& visitor) {
    if constexpr (detail::is_complex_v<T>) {
      visit<T, Sum<T>, Prod<T>, Mean<T>, L1<T>, L2<T>>(visitor);
    } else {
      visit<T, Sum<T>, Prod<T>, Mean<T>, Var<T>, Std<T>, L1<T>, L2<T>, LInf<T>>(visitor);
      visit<T, Min<T>, Max<T>, MinMax<T>, ArgMin<T>, ArgMax<T>, ArgMinLast<T>, ArgMaxLast<T>>(visitor);
      visit<T, CountZero<T>, CountNan<T>, CountInf<T>, Any<T>, All<T>>(visitor);
    }
    if constexpr (std::is_integral_v<T>) visit<T, BitAnd<T>, BitOr<T>, BitXor<T>>(visitor);
  }

 private:
  template <class T, class... R, class Visitor>
  static void visit(Visitor& visitor) {
    (visitor(R{}), ...);
  }
};

}  // namespace tessera

#endif
