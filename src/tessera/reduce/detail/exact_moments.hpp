// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums of elements, of their magnitudes and of their squares, in one read, and what follows from them with one
// rounding.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_MOMENTS_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_MOMENTS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/exact_integer.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_digits.hpp>
#include <tessera/reduce/detail/exact_rounding.hpp>
#include <tessera/reduce/detail/exact_window.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// Which sums a reducer wants.
struct Moments {
  bool sum = false, magnitude = false, squares = false;
};

/// Of an element type: the digits of sums of elements and of products, and the words of their windows.
template <class T>
struct ExactFormat {
  using sum_digits = ExactDigits<0, 8>;
  using product_digits = ExactDigits<0, 8>;
};
template <>
struct ExactFormat<float> {
  using sum_digits = ExactDigits<-149, 12>;
  using product_digits = ExactDigits<-298, 20>;
  static constexpr int sum_words = 2;      // 66 binades, 21 of them in one word
  static constexpr int product_words = 2;  // 20 binades of elements
  static constexpr int product_bits = 48;  // a product is a multiple of its leading bit / 2^(product_bits - 1)
};
template <>
struct ExactFormat<double> {
  using sum_digits = ExactDigits<-1074, 68>;
  using product_digits = ExactDigits<-2148, 134>;
  static constexpr int sum_words = 3;      // 36 binades in two words, 81 in three
  static constexpr int product_words = 4;  // 13 binades of elements in three words, 36 in four
  static constexpr int product_bits = 106;
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

/// A finite value to the digits.
template <class T, int LowBit, int Count>
TESSERA_NOINLINE KOKKOS_FUNCTION void deposit_value(ExactDigits<LowBit, Count>& digits, T value) {
  const FloatParts<T> parts(value);
  digits.deposit(parts.negative() ? -parts.mantissa() : parts.mantissa(), parts.position());
}

/// A product of finite values to the digits.
template <class T, int LowBit, int Count>
TESSERA_NOINLINE KOKKOS_FUNCTION void deposit_product(ExactDigits<LowBit, Count>& digits, T a, T b) {
  const FloatParts<T> x(a), y(b);
  const UInt128 product = static_cast<UInt128>(x.mantissa()) * static_cast<std::uint64_t>(y.mantissa());
  const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(product) & 0x3ffffffffffffffu);
  const auto high = static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 58));
  const bool negative = x.negative() != y.negative();
  const int position = x.position() + y.position();
  digits.deposit(negative ? -low : low, position);
  digits.deposit(negative ? -high : high, position + 58);
}

/// The range of exponents of a group of terms; zeros fit anywhere.
struct ExponentRange {
  int lowest, highest;  // exponents of normal terms
  bool empty;           // all zero
  bool ordinary;        // neither NaN, infinite nor subnormal
};

/// High words of doubles, or floats, without their signs: they compare as magnitudes.
KOKKOS_INLINE_FUNCTION std::uint32_t magnitude_word(float x) {
  return Kokkos::bit_cast<std::uint32_t>(x) & 0x7fffffffu;
}
KOKKOS_INLINE_FUNCTION std::uint32_t magnitude_word(double x) {
  return static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(x) >> 32) & 0x7fffffffu;
}

template <class T, int N>
KOKKOS_INLINE_FUNCTION ExponentRange exponent_range(const T (&terms)[N]) {
  constexpr int shift = std::is_same_v<T, float> ? 23 : 20;
  constexpr std::uint32_t normal = 1u << shift;
  constexpr std::uint32_t infinite = static_cast<std::uint32_t>(2 * FloatFormat<T>::exponent_max + 1) << shift;
  std::uint32_t largest = 0;
  std::uint32_t smallest = ~0u;
  TESSERA_UNROLL
  for (int k = 0; k < N; ++k) {
    const std::uint32_t word = magnitude_word(terms[k]);
    largest = word > largest ? word : largest;
    smallest = word < smallest ? word : smallest;
  }
  bool ordinary = largest < infinite;
  bool empty = false;
  if (smallest < normal) {
    // Zeros do not count, subnormals do.
    smallest = ~0u;
    empty = true;
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const std::uint32_t word = magnitude_word(terms[k]);
      const bool zero = FloatParts<T>(terms[k]).magnitude() == 0;
      empty = empty && zero;
      ordinary = ordinary && (zero || word >= normal);
      smallest = !zero && word < smallest ? word : smallest;
    }
  }
  return {static_cast<int>(smallest >> shift) - FloatFormat<T>::exponent_max,
          static_cast<int>(largest >> shift) - FloatFormat<T>::exponent_max, empty, ordinary};
}

/// Rounded by fma, which no compiler contracts with the addition that follows.
KOKKOS_INLINE_FUNCTION double rounded_product(double a, double b) { return Kokkos::fma(a, b, -0.0); }

/// Floating elements.
template <class T, Moments Wanted>
class ExactMoments {
  using Format = ExactFormat<T>;
  using SumWindow = ExactWindow<Format::sum_words, Format::sum_digits::low_bit>;
  using ProductWindow = ExactWindow<Format::product_words, Format::product_digits::low_bit>;
  struct Nothing {};
  template <bool Used, class Type>
  using If = std::conditional_t<Used, Type, Nothing>;
  static constexpr bool narrow = std::is_same_v<T, float>;

 public:
  struct thread_type {
    If<Wanted.sum, SumWindow> sum;
    If<Wanted.magnitude, SumWindow> magnitude;
    If<Wanted.squares, ProductWindow> squares;
  };
  struct digits_type {
    If<Wanted.sum, typename Format::sum_digits> sum;
    If<Wanted.magnitude, typename Format::sum_digits> magnitude;
    If<Wanted.squares, typename Format::product_digits> squares;
    Specials specials;
  };

  KOKKOS_FUNCTION static void clear(digits_type& digits) {
    if constexpr (Wanted.sum) digits.sum.clear();
    if constexpr (Wanted.magnitude) digits.magnitude.clear();
    if constexpr (Wanted.squares) digits.squares.clear();
    digits.specials = {0, 0, 0};
  }
  KOKKOS_FORCEINLINE_FUNCTION static void clear(thread_type& thread) {
    if constexpr (Wanted.sum) thread.sum.clear();
    if constexpr (Wanted.magnitude) thread.magnitude.clear();
    if constexpr (Wanted.squares) thread.squares.clear();
  }

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const FoldContext& context, thread_type& thread, digits_type& digits,
                                              const T (&elements)[N], const Index& index, const Status& status) {
    const ExponentRange range = exponent_range(elements);
    if (range.empty) return;
    if constexpr (Wanted.sum) {
      if (!range.ordinary || !add_sum<false>(thread.sum, digits.sum, elements, range)) {
        add_sum_slowly<false>(thread.sum, digits.sum, elements);
      }
    }
    if constexpr (Wanted.magnitude) {
      if (!range.ordinary || !add_sum<true>(thread.magnitude, digits.magnitude, elements, range)) {
        add_sum_slowly<true>(thread.magnitude, digits.magnitude, elements);
      }
    }
    if constexpr (Wanted.squares) {
      if (!range.ordinary || !add_squares(thread.squares, digits.squares, elements, range)) {
        TESSERA_UNROLL
        for (int k = 0; k < N; ++k) {
          if (FloatParts<T>(elements[k]).finite()) deposit_product(digits.squares, elements[k], elements[k]);
        }
      }
    }
    if (!range.ordinary) {
      TESSERA_UNROLL
      for (int k = 0; k < N; ++k) {
        if (!FloatParts<T>(elements[k]).finite())
          note(context.nan, digits.specials, elements[k], input_index(index, k), status);
      }
    }
  }

  KOKKOS_FUNCTION static void absorb(digits_type& digits, const digits_type& part) {
    if constexpr (Wanted.sum) digits.sum.add(part.sum);
    if constexpr (Wanted.magnitude) digits.magnitude.add(part.magnitude);
    if constexpr (Wanted.squares) digits.squares.add(part.squares);
    digits.specials.flags |= part.specials.flags;
    digits.specials.nans += part.specials.nans;
    digits.specials.infinities += part.specials.infinities;
  }

  /// Leaves the sums of one thread in its digits.
  KOKKOS_FORCEINLINE_FUNCTION static void close_alone(thread_type& thread, digits_type& digits) {
    if constexpr (Wanted.sum) thread.sum.empty(digits.sum);
    if constexpr (Wanted.magnitude) thread.magnitude.empty(digits.magnitude);
    if constexpr (Wanted.squares) thread.squares.empty(digits.squares);
  }

  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION static void close(const Member& team, thread_type& thread, digits_type& digits,
                                                digits_type& result, std::int64_t* tree) {
    if (team.team_rank() == 0) result.specials = {0, 0, 0};
    close_alone(thread, digits);
    if constexpr (Wanted.sum) close_digits(team, digits.sum, result.sum, tree);
    if constexpr (Wanted.magnitude) close_digits(team, digits.magnitude, result.magnitude, tree);
    if constexpr (Wanted.squares) close_digits(team, digits.squares, result.squares, tree);
    const Specials& specials = digits.specials;
    if (specials.flags != 0) Kokkos::atomic_or(&result.specials.flags, specials.flags);
    if (specials.nans != 0) Kokkos::atomic_add(&result.specials.nans, specials.nans);
    if (specials.infinities != 0) Kokkos::atomic_add(&result.specials.infinities, specials.infinities);
    team.team_barrier();
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const digits_type& from, digits_type& to) {
    if constexpr (Wanted.sum) store_digits(team, from.sum, to.sum);
    if constexpr (Wanted.magnitude) store_digits(team, from.magnitude, to.magnitude);
    if constexpr (Wanted.squares) store_digits(team, from.squares, to.squares);
    if (team.team_rank() == 0) to.specials = from.specials;
  }

 private:
  template <bool Magnitude, int Level, int N>
  KOKKOS_FORCEINLINE_FUNCTION static void add_level(SumWindow& window, const T (&elements)[N]) {
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const double x = static_cast<double>(elements[k]);
      window.template add<Level>(Magnitude ? Kokkos::fabs(x) : x);
    }
  }

  template <bool Magnitude, int N>
  KOKKOS_FORCEINLINE_FUNCTION static bool add_sum(SumWindow& window, typename Format::sum_digits& digits,
                                                  const T (&elements)[N], const ExponentRange& range) {
    if (range.highest > SumWindow::exponent_max) return false;
    const int level = window.fit(range.highest, range.lowest - (FloatFormat<T>::mantissa - 1), digits);
    if (level == 0) return false;
    window.count(N, digits);
    if (narrow && level == 1) {
      add_level<Magnitude, 1>(window, elements);
    } else if (level <= 2) {
      add_level<Magnitude, 2>(window, elements);
    } else {
      add_level<Magnitude, Format::sum_words>(window, elements);
    }
    return true;
  }

  template <bool Magnitude, int N>
  KOKKOS_FORCEINLINE_FUNCTION static void add_sum_slowly(SumWindow& window, typename Format::sum_digits& digits,
                                                         const T (&elements)[N]) {
    window.count(N, digits);
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const FloatParts<T> parts(elements[k]);
      const T element = Magnitude ? Kokkos::fabs(elements[k]) : elements[k];
      const bool normal = parts.field() > 0 && parts.finite();
      if (normal && window.below_top(parts.exponent()) &&
          window.level(parts.exponent() - (FloatFormat<T>::mantissa - 1)) != 0) {
        window.template add<Format::sum_words>(static_cast<double>(element));
      } else if (parts.finite()) {
        deposit_value(digits, element);
      }
    }
  }

  template <int Level, int N>
  KOKKOS_FORCEINLINE_FUNCTION static void add_squares_level(ProductWindow& window, const T (&elements)[N]) {
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const double x = static_cast<double>(elements[k]);
      const double p = rounded_product(x, x);
      window.template add<Level>(p);
      if constexpr (!narrow) window.template add_low<Level>(Kokkos::fma(x, x, -p));
    }
  }

  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION static bool add_squares(ProductWindow& window, typename Format::product_digits& digits,
                                                      const T (&elements)[N], const ExponentRange& range) {
    // Below, the error of a square would be subnormal.
    if (2 * range.highest + 1 > ProductWindow::exponent_max || 2 * range.lowest < -918) return false;
    const int level = window.fit(2 * range.highest + 1, 2 * range.lowest - 2 * (FloatFormat<T>::mantissa - 1), digits);
    if (level == 0) return false;
    window.count(narrow ? N : 2 * N, digits);
    if (!narrow && level <= 3) {
      add_squares_level<3>(window, elements);
    } else {
      add_squares_level<Format::product_words>(window, elements);
    }
    return true;
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION static void note(NanPolicy nan, Specials& specials, T element, std::int64_t index,
                                                    Status status) {
    const FloatParts<T> parts(element);
    if (!parts.is_nan()) {
      specials.flags |= parts.negative() ? Specials::minus_infinity : Specials::plus_infinity;
      ++specials.infinities;
      return;
    }
    ++specials.nans;
    if (nan != NanPolicy::omit) specials.flags |= Specials::nan;
    if (nan == NanPolicy::error) status.raise(StatusKind::nan_found, static_cast<std::uint64_t>(index));
  }
};

/// Integer elements: plain integer sums of halves, emptied long before they could overflow.
template <class T, Moments Wanted>
requires std::is_integral_v<T>
class ExactMoments<T, Wanted> {
  using Digits = typename ExactFormat<T>::sum_digits;
  static constexpr bool wide = sizeof(T) == 8;

  struct Squares {
    SplitSum<std::uint64_t> low, high;
  };

 public:
  struct thread_type {
    SplitSum<std::int64_t> sum;  // narrow elements: the high word is all
    SplitSum<std::uint64_t> magnitude;
    Squares squares;
    std::int64_t terms;
  };
  struct digits_type {
    Digits sum, magnitude, squares;
    Specials specials;
  };

  KOKKOS_FUNCTION static void clear(digits_type& digits) {
    digits.sum.clear();
    digits.magnitude.clear();
    digits.squares.clear();
    digits.specials = {0, 0, 0};
  }
  KOKKOS_FORCEINLINE_FUNCTION static void clear(thread_type& thread) { thread = {}; }

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const FoldContext&, thread_type& thread, digits_type& digits,
                                              const T (&elements)[N], const Index&, const Status&) {
    thread.terms += N;
    if (thread.terms > terms_max) {
      empty(thread, digits);
      thread.terms = N;
    }
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const T x = elements[k];
      const std::uint64_t size = magnitude_of(x);
      if constexpr (Wanted.sum && wide) {
        thread.sum.low += static_cast<std::uint64_t>(x) & 0xffffffffu;
        thread.sum.high += static_cast<std::int64_t>(x >> 32);
      } else if constexpr (Wanted.sum) {
        thread.sum.high += x;
      }
      if constexpr (Wanted.magnitude) thread.magnitude.add(size);
      if constexpr (Wanted.squares) {
        if constexpr (wide) {
          const UInt128 square = static_cast<UInt128>(size) * size;
          thread.squares.low.add(static_cast<std::uint64_t>(square));
          thread.squares.high.add(static_cast<std::uint64_t>(square >> 64));
        } else {
          thread.squares.low.add(size * size);
        }
      }
    }
  }

  KOKKOS_FUNCTION static void absorb(digits_type& digits, const digits_type& part) {
    if constexpr (Wanted.sum) digits.sum.add(part.sum);
    if constexpr (Wanted.magnitude) digits.magnitude.add(part.magnitude);
    if constexpr (Wanted.squares) digits.squares.add(part.squares);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void close_alone(thread_type& thread, digits_type& digits) {
    empty(thread, digits);
  }

  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION static void close(const Member& team, thread_type& thread, digits_type& digits,
                                                digits_type& result, std::int64_t* tree) {
    empty(thread, digits);
    if (team.team_rank() == 0) result.specials = {0, 0, 0};
    if constexpr (Wanted.sum) close_digits(team, digits.sum, result.sum, tree);
    if constexpr (Wanted.magnitude) close_digits(team, digits.magnitude, result.magnitude, tree);
    if constexpr (Wanted.squares) close_digits(team, digits.squares, result.squares, tree);
    team.team_barrier();
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const digits_type& from, digits_type& to) {
    if constexpr (Wanted.sum) store_digits(team, from.sum, to.sum);
    if constexpr (Wanted.magnitude) store_digits(team, from.magnitude, to.magnitude);
    if constexpr (Wanted.squares) store_digits(team, from.squares, to.squares);
    if (team.team_rank() == 0) to.specials = {0, 0, 0};
  }

 private:
  static constexpr std::int64_t terms_max = std::int64_t{1} << 30;

  KOKKOS_FUNCTION static void deposit(Digits& digits, const SplitSum<std::uint64_t>& sum, int position) {
    digits.deposit(static_cast<std::int64_t>(sum.low), position);  // both below 2^62
    digits.deposit(static_cast<std::int64_t>(sum.high), position + 32);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void empty(thread_type& thread, digits_type& digits) {
    if constexpr (Wanted.sum) {
      digits.sum.deposit(static_cast<std::int64_t>(thread.sum.low), 0);
      digits.sum.deposit(thread.sum.high, wide ? 32 : 0);
    }
    if constexpr (Wanted.magnitude) deposit(digits.magnitude, thread.magnitude, 0);
    if constexpr (Wanted.squares) deposit(digits.squares, thread.squares.low, 0);
    if constexpr (Wanted.squares && wide) deposit(digits.squares, thread.squares.high, 64);
    thread = {};
  }
};

}  // namespace tessera::detail

#endif
