// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an extreme stands.
#ifndef TESSERA_REDUCE_ARG_EXTREMA_HPP
#define TESSERA_REDUCE_ARG_EXTREMA_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/detail/float_format.hpp>
#include <tessera/reduce/detail/arg_fold.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/widened_fold.hpp>
#include <tessera/reduce/extrema.hpp>

namespace tessera {

/// An element and its row-major position among those that are reduced.
template <class T>
struct ArgResult {
  T value;
  std::int64_t index;
  KOKKOS_FUNCTION static ArgResult spoiled() { return {detail::spoiled<T>(), -1}; }
};

namespace detail {

/// Sign 1: the smallest, -1: the largest; the last of equal ones, or the first. Zeros of both signs are equal. The
/// first (last) NaN beats every number.
template <class T, int Sign, bool Last>
struct ArgExtremum {
  using element_type = T;
  static_assert(is_number_v<T>, "tessera::ArgMin, tessera::ArgMax: the element type must be a number");
  using Wide = wide_t<T>;
  using value_type = ArgResult<Wide>;
  using result_type = ArgResult<T>;
  using fold_type = widened_fold_t<ArgFold<ArgExtremum, Wide>, T>;
  static constexpr bool needs_elements = true;
  static constexpr bool last = Last;
  static constexpr bool lowest = Sign > 0;

  KOKKOS_FUNCTION value_type identity() const {
    return {Extremum<T, Sign>::worst(), Last ? -1 : Kokkos::Experimental::finite_max_v<std::int64_t>};
  }
  KOKKOS_FUNCTION static bool better(const Wide& a, const Wide& b) { return Sign > 0 ? a < b : b < a; }
  KOKKOS_FUNCTION static bool earlier(std::int64_t a, std::int64_t b) { return Last ? a > b : a < b; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    const bool nan = from.value != from.value, other_nan = into.value != into.value;
    const bool equal = nan ? other_nan : from.value == into.value;
    const bool beats = nan ? !other_nan : better(from.value, into.value);
    if (beats || (equal && earlier(from.index, into.index))) into = from;
  }
};

}  // namespace detail

/// The smallest element and the lowest position that has it; the first NaN's where there is one. -0.0 equals 0.0.
/// Empty input is an error.
template <class T>
struct ArgMin : detail::ArgExtremum<T, 1, false> {
  static constexpr std::string_view name() { return "argmin"; }
};

/// The largest element and the lowest position that has it. Otherwise as ArgMin.
template <class T>
struct ArgMax : detail::ArgExtremum<T, -1, false> {
  static constexpr std::string_view name() { return "argmax"; }
};

/// The smallest element and the highest position that has it; the last NaN's where there is one.
template <class T>
struct ArgMinLast : detail::ArgExtremum<T, 1, true> {
  static constexpr std::string_view name() { return "argmin_last"; }
};

/// The largest element and the highest position that has it; the last NaN's where there is one.
template <class T>
struct ArgMaxLast : detail::ArgExtremum<T, -1, true> {
  static constexpr std::string_view name() { return "argmax_last"; }
};

}  // namespace tessera

#endif
