// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest or largest element of a window: an operation of the window kernels.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_EXTREMUM_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_EXTREMUM_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/reduce/extrema.hpp>
#include <type_traits>

namespace tessera::detail {

/// An operation of the window kernels has the types of elements, values and results, and value(), join(), identity()
/// and result(). Joins here compare integers that are in the order of the elements, NaN first: their order is free.
template <class T, bool IsMin>
struct WindowExtremum {
  using Reducer = std::conditional_t<IsMin, Min<T>, Max<T>>;
  using in_type = T;
  using out_type = T;
  using value_type = typename Reducer::chain_type;
  static constexpr bool is_idempotent = true;

  KOKKOS_FUNCTION value_type identity() const { return Reducer{}.chain_identity(); }
  KOKKOS_FUNCTION value_type value(T element) const {
    value_type key = identity();
    Reducer{}.chain(key, element);
    return key;
  }
  KOKKOS_FUNCTION value_type join(value_type a, value_type b) const {
    return IsMin ? Kokkos::min(a, b) : Kokkos::max(a, b);
  }
  KOKKOS_FUNCTION T result(value_type key) const { return Reducer{}.unchain(key); }
};

}  // namespace tessera::detail

#endif
