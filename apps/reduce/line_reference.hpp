// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain definition of every operation on one sequence of elements, for the verification.
#ifndef TESSERA_APPS_REDUCE_LINE_REFERENCE_HPP
#define TESSERA_APPS_REDUCE_LINE_REFERENCE_HPP

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "big_sum.hpp"
#include "reduce_pass.hpp"

namespace tessera::apps {

/// An element as (-1)^negative * magnitude * 2^exponent.
struct Term {
  std::uint64_t magnitude;
  std::int64_t exponent;
  bool negative;
};

/// element: finite
template <class T>
Term term_of(T element) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int fraction = std::numeric_limits<T>::digits - 1;
    const Bits bits = std::bit_cast<Bits>(element);
    const auto biased = static_cast<std::int64_t>(bits >> fraction & ((Bits{1} << (8 * sizeof(T) - 1 - fraction)) - 1));
    const Bits low = bits & ((Bits{1} << fraction) - 1);
    return {biased == 0 ? low : low | Bits{1} << fraction,
            std::max<std::int64_t>(biased, 1) - std::numeric_limits<T>::max_exponent + 1 - fraction,
            bits >> (8 * sizeof(T) - 1) != 0};
  } else {
    const auto bits = static_cast<std::uint64_t>(element);
    const bool negative = element < 0;
    return {negative ? 0 - bits : bits, 0, negative};
  }
}

/// Which of the sums a pass needs.
struct WantedSums {
  bool order = false, plain = false, magnitudes = false, squares = false, product = false, bits = false;
};
[[nodiscard]] WantedSums wanted_sums(const ReducePass& pass);

/// A sum of terms that may be NaN or infinite.
struct TermSum {
  BigSum finite;
  bool nan = false, plus_infinity = false, minus_infinity = false;
  void clear() {
    finite.clear();
    nan = plus_infinity = minus_infinity = false;
  }
  void add_special(double term) {
    nan |= std::isnan(term);
    plus_infinity |= term > 0 && std::isinf(term);
    minus_infinity |= term < 0 && std::isinf(term);
  }
};

/// What has been seen of a sequence.
template <class T>
struct LineSums {
  std::int64_t position = 0;  // elements seen, NaN included
  std::uint64_t nans = 0, infinities = 0, zeros = 0;
  std::int64_t first_nan = -1, last_nan = -1;
  std::int64_t argmin = -1, argmax = -1, argmin_last = -1, argmax_last = -1;  // among those that are no NaN
  T min{}, max{}, min_element{}, max_element{}, min_element_last{}, max_element_last{};
  TermSum plain, magnitudes, squares, products, product_magnitudes;
  // The product: integers up to 64 bits, floating values as mantissa * 2^exponent.
  Uint128 integer_product = 1;
  long double mantissa = 1;
  std::int64_t exponent = 0;
  bool negative_product = false, zero_factor = false, infinite_factor = false;
  T bit_and{}, bit_or{}, bit_xor{};
};

/// The sums of one sequence after another.
template <class T>
class LineReference {
 public:
  explicit LineReference(const ReducePass& pass) : m_wanted(wanted_sums(pass)), m_omit(pass.nan == "omit") {
    constexpr bool floating = std::is_floating_point_v<T>;
    constexpr std::int64_t low = floating ? std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits : 0;
    constexpr std::int64_t high = floating ? std::numeric_limits<T>::max_exponent : 0;
    m_sums.plain.finite = BigSum(low, high);
    m_sums.magnitudes.finite = BigSum(low, high);
    for (auto* sum : {&m_sums.squares, &m_sums.products, &m_sums.product_magnitudes}) {
      sum->finite = BigSum(2 * low, 2 * high + 64);
    }
    clear();
  }

  void clear() {
    LineSums<T>& s = m_sums;
    for (auto* sum : {&s.plain, &s.magnitudes, &s.squares, &s.products, &s.product_magnitudes}) sum->clear();
    s.position = 0;
    s.nans = s.infinities = s.zeros = 0;
    s.first_nan = s.last_nan = s.argmin = s.argmax = s.argmin_last = s.argmax_last = -1;
    s.integer_product = 1;
    s.mantissa = 1;
    s.exponent = 0;
    s.negative_product = s.zero_factor = s.infinite_factor = false;
    s.bit_or = s.bit_xor = 0;
    if constexpr (std::is_integral_v<T>) s.bit_and = static_cast<T>(~T{0});
  }

  void add(T element) {
    LineSums<T>& s = m_sums;
    const std::int64_t index = s.position++;
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(element)) {
        if (s.nans++ == 0) s.first_nan = index;
        s.last_nan = index;
        return;
      }
    }
    if (m_wanted.order) add_order(element, index);
    s.zeros += element == 0;
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isinf(element)) {
        ++s.infinities;
        s.plain.add_special(element);
        s.magnitudes.add_special(std::abs(element));
        s.infinite_factor = true;
        s.negative_product ^= element < 0;
        return;
      }
    }
    add_finite(term_of(element));
    if constexpr (std::is_integral_v<T>) {
      if (!m_wanted.bits) return;
      s.bit_and = static_cast<T>(s.bit_and & element);
      s.bit_or = static_cast<T>(s.bit_or | element);
      s.bit_xor = static_cast<T>(s.bit_xor ^ element);
    }
  }

  /// A pair of a dot product.
  void add(T left, T right) {
    LineSums<T>& s = m_sums;
    const std::int64_t index = s.position++;
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(left) || std::isnan(right)) {
        if (s.nans++ == 0) s.first_nan = index;
        return;
      }
      if (std::isinf(left) || std::isinf(right)) return s.products.add_special(double{left} * double{right});
    }
    const Term a = term_of(left), b = term_of(right);
    const Uint128 magnitude = Uint128{a.magnitude} * b.magnitude;
    s.products.finite.add(magnitude, a.exponent + b.exponent, a.negative != b.negative);
    if (m_wanted.magnitudes) s.product_magnitudes.finite.add(magnitude, a.exponent + b.exponent, false);
  }

  [[nodiscard]] const LineSums<T>& sums() const { return m_sums; }
  /// Whether the NaN make every result of numbers NaN.
  [[nodiscard]] bool spoiled() const { return !m_omit && m_sums.nans > 0; }
  /// Elements that count.
  [[nodiscard]] std::uint64_t count() const {
    return static_cast<std::uint64_t>(m_sums.position) - (m_omit ? m_sums.nans : 0);
  }

 private:
  void add_order(T element, std::int64_t index) {
    LineSums<T>& s = m_sums;
    const bool first = s.argmin < 0;
    if (first || element < s.min) s.argmin = index, s.min_element = element;
    if (first || element > s.max) s.argmax = index, s.max_element = element;
    if (first || element <= s.min) s.argmin_last = index, s.min_element_last = element;
    if (first || element >= s.max) s.argmax_last = index, s.max_element_last = element;
    bool less = first || element < s.min, greater = first || element > s.max;
    if constexpr (std::is_floating_point_v<T>) {  // of the zeros the negative one is the smaller
      less |= element == s.min && std::signbit(element);
      greater |= element == s.max && !std::signbit(element);
    }
    if (less) s.min = element;
    if (greater) s.max = element;
  }

  void add_finite(const Term& term) {
    LineSums<T>& s = m_sums;
    if (m_wanted.plain) s.plain.finite.add(term.magnitude, term.exponent, term.negative);
    if (m_wanted.magnitudes) s.magnitudes.finite.add(term.magnitude, term.exponent, false);
    if (m_wanted.squares) s.squares.finite.add(Uint128{term.magnitude} * term.magnitude, 2 * term.exponent, false);
    if (m_wanted.product) multiply(term);
  }

  void multiply(const Term& term) {
    LineSums<T>& s = m_sums;
    s.zero_factor |= term.magnitude == 0;
    s.negative_product ^= term.negative;
    if constexpr (std::is_integral_v<T>) {
      constexpr Uint128 too_large = Uint128{1} << 64;  // and so it stays
      if (s.integer_product < too_large) s.integer_product *= term.magnitude;
    } else if (term.magnitude != 0) {
      s.mantissa *= static_cast<long double>(term.magnitude);
      s.exponent += term.exponent;
      if (s.mantissa > 0x1p10000L) {
        int shift = 0;
        s.mantissa = std::frexp(s.mantissa, &shift);
        s.exponent += shift;
      }
    }
  }

  WantedSums m_wanted;
  bool m_omit;
  LineSums<T> m_sums;
};

}  // namespace tessera::apps

#endif
