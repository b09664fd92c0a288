// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The terms of exact sums: their bits, their exponents, and the way of single ones to the digits.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_TERMS_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_TERMS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_counters.hpp>
#include <tessera/reduce/detail/exact_digits.hpp>
#include <tessera/reduce/detail/exact_rounding.hpp>
#include <type_traits>

namespace tessera::detail {

/// Of an element type: the digits of sums of elements and of products.
template <class T>
struct ExactFormat {
  using sum_digits = ExactDigits<0, 8>;
  using product_digits = ExactDigits<0, 8>;
};
template <>
struct ExactFormat<float> {
  using sum_digits = ExactDigits<-149, 12>;
  using product_digits = ExactDigits<-298, 20>;
  static constexpr std::uint32_t unusual_word = 0x7f800000u;  // from here on elements go alone: infinite, NaN
};
template <>
struct ExactFormat<double> {
  using sum_digits = ExactDigits<-1074, 68>;
  using product_digits = ExactDigits<-2148, 134>;
  static constexpr std::uint32_t unusual_word = 2036u << 20;  // 2^1013: sums of a few could overflow
};

/// What the digits do not show. Kept in slow memory, as is everything whose address a rare path takes.
struct Specials {
  static constexpr std::uint32_t nan = 1, plus_infinity = 2, minus_infinity = 4;
  std::uint32_t flags;
  std::int64_t nans, infinities;
};

/// The bits of an element: exponent field and mantissa, as integers.
template <class T>
struct FloatParts {
  using Format = FloatFormat<T>;
  using Bits = typename Format::bits_type;
  Bits bits;

  KOKKOS_INLINE_FUNCTION explicit FloatParts(T value) : bits(Kokkos::bit_cast<Bits>(value)) {}
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool negative() const { return (bits >> (8 * sizeof(T) - 1)) != 0; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Bits magnitude() const { return static_cast<Bits>(bits << 1) >> 1; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int field() const {
    return static_cast<int>(magnitude() >> (Format::mantissa - 1));
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool finite() const { return field() <= 2 * Format::exponent_max; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_nan() const {
    return magnitude() > (static_cast<Bits>(2 * Format::exponent_max + 1) << (Format::mantissa - 1));
  }
  /// value = +-mantissa() * 2^(position() + lowest bit of the format)
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t mantissa() const {
    constexpr Bits hidden = Bits{1} << (Format::mantissa - 1);
    return static_cast<std::int64_t>((bits & (hidden - 1)) | (field() > 0 ? hidden : Bits{0}));
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int position() const { return field() > 0 ? field() - 1 : 0; }
  /// Of a normal number: 2^exponent() <= |value|.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int exponent() const { return field() - Format::exponent_max; }
};

/// A finite value, in units of the least one.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION DigitTerm term_of_value(T value) {
  const FloatParts<T> parts(value);
  return {parts.negative() ? -parts.mantissa() : parts.mantissa(), parts.position()};
}
/// A double that is a multiple of the unit 2^LowBit; zero has an exponent far below any.
template <int LowBit>
KOKKOS_FORCEINLINE_FUNCTION DigitTerm term_of_multiple(double value) {
  const FloatParts<double> parts(value);
  const int position = parts.position() - 1074 - LowBit;
  const std::int64_t mantissa = position < 0 ? parts.mantissa() >> Kokkos::min(-position, 63) : parts.mantissa();
  return {parts.negative() ? -mantissa : mantissa, position < 0 ? 0 : position};
}

/// A finite value to digits, or counters.
template <class T, class Digits>
TESSERA_NOINLINE KOKKOS_FUNCTION void deposit_value(Digits& digits, T value) {
  const DigitTerm term = term_of_value(value);
  digits.deposit(term.value, term.position);
}

/// A double that is a multiple of the digits' unit, as sums of their terms are.
template <class Digits>
TESSERA_NOINLINE KOKKOS_FUNCTION void deposit_multiple(Digits& digits, double value) {
  if (value == 0) return;
  const DigitTerm term = term_of_multiple<Digits::low_bit>(value);
  digits.deposit(term.value, term.position);
}

/// A product of finite values, in units of the least one: its low 58 bits, and the others.
struct ProductTerms {
  DigitTerm low, high;
};
template <class T>
KOKKOS_FORCEINLINE_FUNCTION ProductTerms terms_of_product(T a, T b) {
  const FloatParts<T> x(a), y(b);
  const UInt128 product = static_cast<UInt128>(x.mantissa()) * static_cast<std::uint64_t>(y.mantissa());
  const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(product) & 0x3ffffffffffffffu);
  const auto high = static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 58));
  const bool negative = x.negative() != y.negative();
  const int position = x.position() + y.position();
  return {{negative ? -low : low, position}, {negative ? -high : high, position + 58}};
}

/// A product of finite values to digits, or counters.
template <class T, class Digits>
TESSERA_NOINLINE KOKKOS_FUNCTION void deposit_product(Digits& digits, T a, T b) {
  const ProductTerms terms = terms_of_product(a, b);
  digits.deposit(terms.low.value, terms.low.position);
  digits.deposit(terms.high.value, terms.high.position);
}

/// Elements that a host takes at once, so that there are vectors to make of them, and groups whose sums are one sum.
inline constexpr int host_group = 128, host_block = 4 * host_group;

/// Elements in memory, for loops over rare ones: unrolled, these would be most of a kernel.
template <class Element, int N>
struct Kept {
  Element values[N];
  KOKKOS_FORCEINLINE_FUNCTION explicit Kept(const Element (&elements)[N]) {
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) values[k] = elements[k];
  }
};

/// High words of doubles, or floats, without their signs: they compare as magnitudes.
KOKKOS_INLINE_FUNCTION std::uint32_t magnitude_word(float x) {
  return Kokkos::bit_cast<std::uint32_t>(x) & 0x7fffffffu;
}
KOKKOS_INLINE_FUNCTION std::uint32_t magnitude_word(double x) {
  return static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(x) >> 32) & 0x7fffffffu;
}

/// Of a group: of doubles quicker to see than exponents are.
struct WordRange {
  std::uint32_t smallest, largest;
};
#if defined(TESSERA_HOST_VECTORS)
/// Terms that a host adds at once, and how many such sums it has under way.
inline constexpr int host_terms = host_vector_bytes / static_cast<int>(sizeof(double));
inline constexpr int host_chains = host_terms == 8 ? 2 : 4;

/// Of each lane the largest magnitude, and the smallest of the bits less one, of zeros the largest there is. Compared
/// in words of 32 bits, as every processor can in vectors: the low words of doubles say nothing.
template <class T>
class LaneRange {
 public:
  static constexpr int lanes = host_vector_bytes / static_cast<int>(sizeof(T));
  using Terms = HostVector<T, lanes>;

  void take(const Terms& terms) {
    const Bits magnitudes = (Bits)terms & no_sign;
    const auto high = (Words)magnitudes;
    const auto less = (Words)((magnitudes - 1) & no_sign);
    m_largest = GreaterOf{}(high, m_largest);
    m_smallest = LesserOf{}(less, m_smallest);
  }
  void join(const LaneRange& from) {
    m_largest = GreaterOf{}(from.m_largest, m_largest);
    m_smallest = LesserOf{}(from.m_smallest, m_smallest);
  }
  [[nodiscard]] WordRange words() const { return {total(m_smallest, LesserOf{}), total(m_largest, GreaterOf{})}; }

 private:
  using Bit = std::make_signed_t<typename FloatFormat<T>::bits_type>;
  using Bits = HostVector<Bit, lanes>;
  static constexpr int word_count = host_vector_bytes / 4;
  using Words = HostVector<std::int32_t, word_count>;
  static constexpr Bit no_sign = Kokkos::Experimental::finite_max_v<Bit>;

  template <class Op>
  [[nodiscard]] static std::uint32_t total(const Words& words, const Op& op) {
    if constexpr (sizeof(T) == 4) {
      return static_cast<std::uint32_t>(across<std::int32_t, word_count>(words, op));
    } else {
      const HostVector<std::uint64_t, lanes> high = (HostVector<std::uint64_t, lanes>)words >> 32;
      return static_cast<std::uint32_t>(across<std::uint64_t, lanes>(high, op));
    }
  }

  Words m_largest = {}, m_smallest = m_largest + Kokkos::Experimental::finite_max_v<std::int32_t>;
};

/// Of what a host takes at once.
template <int N>
WordRange word_range_of(const double (&terms)[N]) {
  LaneRange<double> range[host_chains];
  TESSERA_KEEP_LOOP
  for (int first = 0; first < N; first += host_chains * host_terms) {
    for (int c = 0; c < host_chains; ++c) {
      HostVector<double, host_terms> loaded;
      load_vector(terms + first + c * host_terms, loaded);
      range[c].take(loaded);
    }
  }
  for (int c = 1; c < host_chains; ++c) range[0].join(range[c]);
  return range[0].words();
}
#endif

template <class T, int N>
KOKKOS_INLINE_FUNCTION WordRange word_range(const T (&terms)[N]) {
#if defined(TESSERA_HOST_VECTORS)
  if constexpr (N >= host_group) return word_range_of(terms);
#endif
  WordRange range{~0u, 0};
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) {
    const std::uint32_t word = magnitude_word(terms[k]);
    range.largest = word > range.largest ? word : range.largest;
    range.smallest = word < range.smallest ? word : range.smallest;
  }
  return range;
}

/// Exponent fields of a group of terms: finite ones are multiples of 2^(lowest - bias - mantissa + 1) and below
/// 2^(highest - bias + 1). Zeros fit anywhere, and a power of two counts as if it were lower.
struct FieldRange {
  int lowest, highest;
};
template <class T, int N>
KOKKOS_INLINE_FUNCTION FieldRange field_range(const T (&terms)[N]) {
  using Bits = typename FloatFormat<T>::bits_type;
  Bits largest = 0;
  Bits smallest = ~Bits{0};
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) {
    const Bits twice = static_cast<Bits>(Kokkos::bit_cast<Bits>(terms[k]) << 1);  // without its sign
    const auto less = static_cast<Bits>(twice - 2);                               // of a zero the largest there is
    largest = twice > largest ? twice : largest;
    smallest = less < smallest ? less : smallest;
  }
  constexpr int shift = FloatFormat<T>::mantissa;
  return {static_cast<int>(smallest >> shift), static_cast<int>(largest >> shift)};
}

/// Exponent fields of doubles whose squares, what these are off, and powers of two near are normal numbers.
inline constexpr int square_field_min = 565, square_field_max = 1528;

/// Doubles that are multiples of the digits' unit to the digits.
template <int LowBit, int Count, int N>
TESSERA_NOINLINE KOKKOS_FUNCTION void deposit_all(ExactDigits<LowBit, Count>& digits, const Kept<double, N>& values) {
  TESSERA_NO_UNROLL
  for (int k = 0; k < N; ++k) deposit_multiple(digits, values.values[k]);
}

/// Rounded by fma, which no compiler contracts with the addition that follows.
KOKKOS_INLINE_FUNCTION double rounded_product(double a, double b) { return Kokkos::fma(a, b, -0.0); }

/// Whether the error of a product of doubles is a double too, and sums of a few such products cannot overflow.
KOKKOS_INLINE_FUNCTION bool is_usual_product(double product) {
  constexpr std::uint32_t low = static_cast<std::uint32_t>(1023 - 917) << 20;
  return magnitude_word(product) - low < ExactFormat<double>::unusual_word - low;
}

}  // namespace tessera::detail

#endif
