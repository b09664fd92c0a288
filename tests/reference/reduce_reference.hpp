// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions by plain serial loops: what the library's kernels are compared with. Hand-checked in
// unit/reference/test_reduce_reference.cpp.
#ifndef TESSERA_TESTS_REFERENCE_REDUCE_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_REDUCE_REFERENCE_HPP

#include <algorithm>
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

template <class T>
bool is_nan(T x) {
  return x != x;
}

/// An element and its position; -1 where there is none.
template <class T>
struct Located {
  T value = {};
  std::int64_t index = -1;
};

/// The first (last) smallest or largest element in the order of positions; the first (last) NaN unless NaN are omitted.
template <class T>
Located<T> extreme_at(const std::vector<T>& values, bool largest, bool last, bool omit_nan) {
  Located<T> best;
  for (std::size_t step = 0; step < values.size(); ++step) {
    const std::size_t i = last ? values.size() - 1 - step : step;
    const T x = values[i];
    if (is_nan(x) && omit_nan) continue;
    if (is_nan(x)) return {x, static_cast<std::int64_t>(i)};
    if (best.index < 0 || (largest ? x > best.value : x < best.value)) best = {x, static_cast<std::int64_t>(i)};
  }
  return best;
}

/// mantissa * 2^exponent, mantissa in (-1, 1), and how far a product of doubles may be off.
struct FloatProduct {
  long double mantissa = 1;
  std::int64_t exponent = 0;
  [[nodiscard]] long double value() const {
    return std::ldexp(mantissa, static_cast<int>(std::clamp<std::int64_t>(exponent, -30000, 30000)));
  }
};

template <class T>
FloatProduct float_product(const std::vector<T>& values) {
  FloatProduct product;
  for (const T x : values) {
    int up = 0, down = 0;
    product.mantissa = std::frexp(product.mantissa * std::frexp(static_cast<long double>(x), &up), &down);
    if (std::isfinite(x)) product.exponent += up + down;
  }
  return product;
}

/// The exact product as int64 (uint64 for unsigned elements), and whether it fits.
template <class T>
IntegerSum integer_product(const std::vector<T>& values) {
  if (std::find(values.begin(), values.end(), T(0)) != values.end()) return {0, true};
  constexpr wide_int beyond = wide_int{1} << 64;
  wide_int product = 1;
  for (const T x : values) {
    if (product > -beyond && product < beyond && x != T(1)) product *= wide_int{x} % beyond;
    if (product <= -beyond || product >= beyond) return {0, false};
  }
  const wide_int lowest = std::is_signed_v<T> ? wide_int{std::numeric_limits<std::int64_t>::min()} : wide_int{0};
  const wide_int highest = std::is_signed_v<T> ? wide_int{std::numeric_limits<std::int64_t>::max()}
                                               : wide_int{std::numeric_limits<std::uint64_t>::max()};
  return {product, lowest <= product && product <= highest};
}

/// A reduction's answer. long double holds every int64, uint64 and double.
struct Reduced {
  bool defined = true;  // false: too few elements, or an integer that does not fit
  long double value = 0;
  long double bound = 0;   // how far off the answer may be; 0: not a bit
  long double second = 0;  // the maximum of minmax
  std::int64_t index = -1;
};

/// By the reducer's name(), with the value in type Result.
template <class Result, class T>
Reduced reduced(std::string_view name, const std::vector<T>& all, bool omit_nan = false) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  const auto answer = [](auto value) { return Reduced{true, static_cast<long double>(value)}; };
  const auto count = [&](auto predicate) { return answer(std::count_if(all.begin(), all.end(), predicate)); };
  if (name == "count_zero") return count([](T x) { return x == T(0); });
  if (name == "count_nan") return count([](T x) { return is_nan(x); });
  if (name == "count_inf") return count([](T x) { return std::isinf(static_cast<long double>(x)); });
  if (name.starts_with("arg")) {
    const Located<T> at = extreme_at(all, name.starts_with("argmax"), name.ends_with("_last"), omit_nan);
    return {at.index >= 0, static_cast<long double>(at.value), 0, 0, at.index};
  }

  std::vector<T> values = all;
  if (omit_nan) values.erase(std::remove_if(values.begin(), values.end(), is_nan<T>), values.end());
  if (name == "any") return answer(std::any_of(values.begin(), values.end(), [](T x) { return x != T(0); }));
  if (name == "all") return answer(std::all_of(values.begin(), values.end(), [](T x) { return x != T(0); }));
  if constexpr (std::is_integral_v<T>) {
    T common = static_cast<T>(~T(0)), any = 0, odd = 0;
    for (const T x : values) {
      common = static_cast<T>(common & x);
      any = static_cast<T>(any | x);
      odd = static_cast<T>(odd ^ x);
    }
    if (name == "bit_and") return answer(common);
    if (name == "bit_or") return answer(any);
    if (name == "bit_xor") return answer(odd);
  }
  if (name == "prod") {
    if constexpr (std::is_integral_v<T>) {
      const IntegerSum product = integer_product(values);
      return {product.fits, static_cast<long double>(product.sum)};
    } else {
      // n multiplications in double, one rounding to the result, which may be subnormal.
      const long double product = float_product(values).value();
      if (!std::isfinite(static_cast<Result>(product))) return answer(static_cast<Result>(product));
      const long double relative =
          static_cast<long double>(values.size()) * 0x1p-53L + std::numeric_limits<Result>::epsilon() / 2.0L;
      return {true, product, std::abs(product) * relative + std::numeric_limits<Result>::denorm_min()};
    }
  }
  if (name == "linf") {
    long double largest = 0;
    for (const T x : values) {
      const long double magnitude = std::abs(static_cast<long double>(x));
      if (is_nan(magnitude) || magnitude > largest) largest = magnitude;
      if (is_nan(magnitude)) break;
    }
    return answer(largest);
  }
  if (values.empty()) {
    if (name == "sum" || name == "l1" || name == "l2") return answer(0);
    return {.defined = false};
  }
  if (name == "min") return answer(minimum(values));
  if (name == "max") return answer(maximum(values));
  if (name == "minmax") {
    return {true, static_cast<long double>(minimum(values)), 0, static_cast<long double>(maximum(values))};
  }
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
