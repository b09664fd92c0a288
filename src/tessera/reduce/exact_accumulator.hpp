// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums as values: to be merged across arrays, ranks and runs, and kept in files.
#ifndef TESSERA_REDUCE_EXACT_ACCUMULATOR_HPP
#define TESSERA_REDUCE_EXACT_ACCUMULATOR_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tessera/detail/exact_integer.hpp>
#include <tessera/error.hpp>
#include <tessera/reduce/detail/exact_moments.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/moments_fold.hpp>
#include <type_traits>

namespace tessera {

/// What an ExactAccumulator sums.
enum class AccumulatedTerm : std::uint32_t { value = 1, magnitude = 2, square = 3 };

/// The exact sum of the terms of n elements of T, a value of fixed size. Merging in any order and any grouping gives
/// the same accumulator, and equal multisets of elements give equal bytes. On the host; a reduction of
/// AccumulateExactly<T, Term> fills one on any space.
///
/// Bytes, all little-endian: "TSRA", version 1 (u32), term (u32), element type (u32: kind in the high 16 bits, 1
/// signed, 2 unsigned, 3 floating; size in bytes in the low ones), n (u64), flags (u32: 1 NaN, 2 +Inf, 4 -Inf), 0
/// (u32), then the digits (u32 each, lowest first), the whole a two's complement number in units of 2^low_bit.
template <class T, AccumulatedTerm Term = AccumulatedTerm::value>
class ExactAccumulator {
  static_assert(!detail::is_short_float_v<T>,
                "tessera::ExactAccumulator: floating elements of 16 bits are not taken; copy them to views of float");
  static constexpr bool squares = Term == AccumulatedTerm::square;
  using Digits = std::conditional_t<squares, typename detail::ExactFormat<T>::product_digits,
                                    typename detail::ExactFormat<T>::sum_digits>;

 public:
  static constexpr int low_bit = Digits::low_bit;
  static constexpr std::size_t header_bytes = 32;
  static constexpr std::size_t bytes_size = header_bytes + 4 * static_cast<std::size_t>(Digits::count);
  using bytes_type = std::array<std::byte, bytes_size>;

  /// The accumulator of nothing.
  KOKKOS_FUNCTION ExactAccumulator() { m_digits.clear(); }

  void add(T element) {
    ++m_count;
    if constexpr (std::is_floating_point_v<T>) {
      const detail::FloatParts<T> parts(element);
      if (!parts.finite()) {
        const bool minus = parts.negative() && Term == AccumulatedTerm::value;
        m_flags |= parts.is_nan() ? detail::Specials::nan
                   : minus        ? detail::Specials::minus_infinity
                                  : detail::Specials::plus_infinity;
      } else if constexpr (squares) {
        detail::deposit_product(m_digits, element, element);
      } else {
        detail::deposit_value(m_digits, Term == AccumulatedTerm::magnitude ? Kokkos::fabs(element) : element);
      }
    } else {
      const std::uint64_t size = detail::magnitude_of(element);
      const bool negative = Term == AccumulatedTerm::value && detail::is_negative(element);
      const detail::UInt128 term = squares ? static_cast<detail::UInt128>(size) * size : size;
      for (int piece = 0; piece < 4; ++piece) {
        const auto part = static_cast<std::int64_t>(static_cast<std::uint64_t>(term >> (32 * piece)) & 0xffffffffu);
        m_digits.deposit(negative ? -part : part, 32 * piece);
      }
    }
  }

  /// Adds another accumulator of the same kind: the sum of both multisets.
  void merge(const ExactAccumulator& other) {
    Digits copy = other.m_digits;
    copy.carry();
    m_digits.carry();
    m_digits.add(copy);
    m_flags |= other.m_flags;
    m_count += other.m_count;
  }

  /// Elements that were added.
  [[nodiscard]] std::uint64_t count() const { return m_count; }

  /// The sum, rounded once to nearest, ties to even; NaN and infinities as by addition.
  template <class Result>
  [[nodiscard]] Result round() const {
    static_assert(std::is_floating_point_v<Result>, "tessera::ExactAccumulator::round: to a floating type");
    if (m_flags != 0) return detail::special_total<Result>(m_flags, Term != AccumulatedTerm::value);
    Digits copy = m_digits;
    return detail::rounded<Result>(detail::leading_bits(detail::magnitude(copy)));
  }

  [[nodiscard]] bytes_type to_bytes() const {
    bytes_type bytes{};
    put(bytes, 0, magic);
    put(bytes, 4, version);
    put(bytes, 8, static_cast<std::uint32_t>(Term));
    put(bytes, 12, type_code);
    put(bytes, 16, static_cast<std::uint32_t>(m_count));
    put(bytes, 20, static_cast<std::uint32_t>(m_count >> 32));
    put(bytes, 24, m_flags);
    Digits copy = m_digits;
    copy.carry();
    std::int64_t over = 0;
    for (int j = 0; j < Digits::count; ++j) {
      const std::int64_t value = over + (copy.begin <= j && j < copy.end ? copy.digit[j] : 0);
      put(bytes, header_bytes + 4 * static_cast<std::size_t>(j), static_cast<std::uint32_t>(value & 0xffffffff));
      over = value >> 32;
    }
    return bytes;
  }

  /// \throws InvalidArgument for bytes that are not those of an accumulator of T, Term and this version
  static ExactAccumulator from_bytes(std::span<const std::byte> bytes) {
    const auto require = [](bool good, const std::string& actual, const std::string& expected) {
      TESSERA_REQUIRE_ARGUMENT(good, "tessera::ExactAccumulator::from_bytes", "bytes", actual, expected,
                               "pass what to_bytes() of the same type gave");
    };
    require(bytes.size() == bytes_size, std::to_string(bytes.size()) + " bytes", std::to_string(bytes_size) + " bytes");
    require(get(bytes, 0) == magic, "no accumulator", "one that begins with TSRA");
    require(get(bytes, 4) == version, "version " + std::to_string(get(bytes, 4)), "version 1");
    require(get(bytes, 8) == static_cast<std::uint32_t>(Term), "term " + std::to_string(get(bytes, 8)),
            "term " + std::to_string(static_cast<std::uint32_t>(Term)));
    require(get(bytes, 12) == type_code, "element type " + std::to_string(get(bytes, 12)),
            "element type " + std::to_string(type_code));
    require(get(bytes, 24) < 8 && get(bytes, 28) == 0, "flags that are none", "NaN, +Inf and -Inf only");
    ExactAccumulator result;
    result.m_count = get(bytes, 16) | static_cast<std::uint64_t>(get(bytes, 20)) << 32;
    result.m_flags = get(bytes, 24);
    result.m_digits.reserve(0, Digits::count);
    for (int j = 0; j < Digits::count; ++j) {
      const std::uint32_t digit = get(bytes, header_bytes + 4 * static_cast<std::size_t>(j));
      const bool top = j + 1 == Digits::count;
      result.m_digits.digit[j] = top ? static_cast<std::int32_t>(digit) : static_cast<std::int64_t>(digit);
    }
    result.m_digits.carry();
    return result;
  }

  /// Of a reduction's digits; part of AccumulateExactly.
  KOKKOS_FUNCTION ExactAccumulator(const Digits& digits, std::uint32_t flags, std::uint64_t count)
      : m_flags(flags), m_count(count) {
    m_digits.clear();
    m_digits.add(digits);
  }
  KOKKOS_FUNCTION static ExactAccumulator spoiled() { return {}; }

 private:
  static constexpr std::uint32_t magic = 0x41525354;  // "TSRA"
  static constexpr std::uint32_t version = 1;
  static constexpr std::uint32_t kind = std::is_floating_point_v<T> ? 3 : std::is_signed_v<T> ? 1 : 2;
  static constexpr std::uint32_t type_code = kind << 16 | static_cast<std::uint32_t>(sizeof(T));

  static void put(bytes_type& bytes, std::size_t at, std::uint32_t word) {
    for (std::size_t b = 0; b < 4; ++b) bytes[at + b] = static_cast<std::byte>(word >> (8 * b) & 0xffu);
  }
  static std::uint32_t get(std::span<const std::byte> bytes, std::size_t at) {
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 4; ++b) word |= static_cast<std::uint32_t>(bytes[at + b]) << (8 * b);
    return word;
  }

  Digits m_digits;
  std::uint32_t m_flags = 0;
  std::uint64_t m_count = 0;
};

template <class T, AccumulatedTerm Term>
struct AccumulateExactly;

namespace detail {

/// The fold of AccumulateExactly: the digits themselves are the result.
template <class T, AccumulatedTerm Term>
class AccumulatorFold : public MomentsFold<AccumulateExactly<T, Term>, T> {
  using Base = MomentsFold<AccumulateExactly<T, Term>, T>;

 public:
  using team_type = typename Base::team_type;

  KOKKOS_FUNCTION AccumulatorFold(const AccumulateExactly<T, Term>& reducer, const FoldContext& context)
      : Base(reducer, context), m_omits(context.nan == NanPolicy::omit) {}

  template <class Result>
  KOKKOS_FUNCTION Result finalize(team_type& total, std::int64_t size, const Status&) const {
    const auto n = static_cast<std::uint64_t>(m_omits ? size - total.specials.nans : size);
    std::uint32_t flags = total.specials.flags;
    if constexpr (Term == AccumulatedTerm::value) {
      return Result(total.sum, flags, n);
    } else {
      // Magnitudes and squares of -Inf are +Inf.
      if ((flags & Specials::minus_infinity) != 0) {
        flags = (flags & ~Specials::minus_infinity) | Specials::plus_infinity;
      }
      if constexpr (Term == AccumulatedTerm::magnitude) {
        return Result(total.magnitude, flags, n);
      } else {
        return Result(total.squares, flags, n);
      }
    }
  }

 private:
  bool m_omits;
};

}  // namespace detail

/// Reduces to an ExactAccumulator. A NaN element sets its flag, or under NanPolicy::omit does not count.
template <class T, AccumulatedTerm Term = AccumulatedTerm::value>
struct AccumulateExactly {
  using result_type = ExactAccumulator<T, Term>;
  using fold_type = detail::AccumulatorFold<T, Term>;
  static constexpr detail::Moments wanted{.sum = Term == AccumulatedTerm::value,
                                          .magnitude = Term == AccumulatedTerm::magnitude,
                                          .squares = Term == AccumulatedTerm::square};
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 0; }
  static constexpr std::string_view name() { return "accumulate"; }
};

}  // namespace tessera

#endif
