// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions by plain serial loops: what the library's kernels are compared with. Hand-checked in
// unit/reference/test_reduce_reference.cpp.
#ifndef TESSERA_TESTS_REFERENCE_REDUCE_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_REDUCE_REFERENCE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "exact_reference.hpp"

namespace tessera::reference {

__extension__ using wide_int = __int128;

/// A float sum and the sum of the magnitudes that its error bound needs.
struct FloatSum {
  long double sum = 0, sum_abs = 0;
};

/// Neumaier's compensated sum in long double: its error is far below any bound for float and double data.
template <class T>
FloatSum float_sum(const std::vector<T>& values) {
  static_assert(std::is_floating_point_v<T>);
  long double sum = 0, lost = 0, sum_abs = 0;
  for (const T value : values) {
    const long double x = value, next = sum + x;
    if (std::isfinite(next)) lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
    sum_abs += std::abs(x);
  }
  return {sum + lost, sum_abs};
}

/// The error that a sum of semantics "fast" may have: chains of at most `chain` adds, then pairwise over
/// `accumulators`.
template <class T>
long double fast_sum_bound(long double sum_abs, std::size_t accumulators, int chain = 512) {
  constexpr long double unit_roundoff = std::numeric_limits<T>::epsilon() / 2;
  int levels = 0;
  while ((std::size_t{1} << levels) < accumulators) ++levels;
  return 1.01L * (chain + levels + 2) * unit_roundoff * sum_abs;
}

/// The exact sum, and whether it fits the result type (int64 for signed elements, uint64 for unsigned ones).
struct IntegerSum {
  wide_int sum = 0;
  bool fits = true;
};

template <class T>
IntegerSum integer_sum(const std::vector<T>& values) {
  static_assert(std::is_integral_v<T>);
  wide_int sum = 0;
  for (const T value : values) sum += value;
  const wide_int lowest = std::is_signed_v<T> ? wide_int{std::numeric_limits<std::int64_t>::min()} : wide_int{0};
  const wide_int highest = std::is_signed_v<T> ? wide_int{std::numeric_limits<std::int64_t>::max()}
                                               : wide_int{std::numeric_limits<std::uint64_t>::max()};
  return {sum, lowest <= sum && sum <= highest};
}

/// The smallest element; NaN if any is NaN; -0.0 is below 0.0. values must not be empty.
template <class T>
T minimum(const std::vector<T>& values) {
  T best = values.at(0);
  for (const T x : values) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return std::numeric_limits<T>::quiet_NaN();
      if (x == 0 && best == 0 && std::signbit(x)) best = x;
    }
    if (x < best) best = x;
  }
  return best;
}

/// The largest element; NaN if any is NaN; 0.0 is above -0.0. values must not be empty.
template <class T>
T maximum(const std::vector<T>& values) {
  T best = values.at(0);
  for (const T x : values) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return std::numeric_limits<T>::quiet_NaN();
      if (x == 0 && best == 0 && !std::signbit(x)) best = x;
    }
    if (x > best) best = x;
  }
  return best;
}

/// A reduction's answer. long double holds every int64, uint64 and double.
struct Reduced {
  bool defined = true;  // false: too few elements, or an integer that does not fit
  long double value = 0;
};

/// By the reducer's name(), in the type of its result.
template <class Result, class T>
Reduced reduced(std::string_view name, const std::vector<T>& values) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  const auto answer = [](auto value) { return Reduced{true, static_cast<long double>(value)}; };
  if (values.empty()) {
    if (name == "sum" || name == "l1" || name == "l2") return answer(0);
    return {false, 0};
  }
  if (name == "min") return answer(minimum(values));
  if (name == "max") return answer(maximum(values));
  const ExactSums sums(values);
  if constexpr (std::is_integral_v<Result>) {
    bool fits = false;
    const Result value = name == "sum" ? sums.integer_sum<Result>(fits) : sums.integer_l1<Result>(fits);
    if (name == "sum" || name == "l1") return {fits, static_cast<long double>(value)};
  } else {
    if (name == "sum") return answer(sums.sum<Result>());
    if (name == "mean") return answer(sums.mean<Result>());
    if (name == "l1") return answer(sums.l1<Result>());
    if (name == "l2") return answer(sums.l2<Result>());
    if (name == "var") return answer(sums.variance<Result>(0));
    if (name == "std") return answer(sums.deviation<Result>(0));
  }
  throw std::invalid_argument("no reference for " + std::string(name));
}

}  // namespace tessera::reference

#endif
