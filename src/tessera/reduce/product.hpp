// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products without overflow on the way.
#ifndef TESSERA_REDUCE_PRODUCT_HPP
#define TESSERA_REDUCE_PRODUCT_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/detail/exact_integer.hpp>
#include <tessera/detail/float_format.hpp>
#include <tessera/reduce/detail/narrow.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera {

namespace detail {

/// mantissa * 2^exponent with 1 <= |mantissa| < 2; or mantissa alone where it is 0, infinite or NaN.
struct ScaledDouble {
  double mantissa;
  std::int64_t exponent;

  KOKKOS_FUNCTION static ScaledDouble from(double value) {
    constexpr std::uint64_t fields = 0x7ff;
    std::int64_t exponent = -1023;
    auto bits = Kokkos::bit_cast<std::uint64_t>(value);
    if ((bits >> 52 & fields) == 0) {
      // Zero, or a subnormal number, made normal.
      if (value == 0) return {value, 0};
      bits = Kokkos::bit_cast<std::uint64_t>(value * 0x1p54);
      exponent -= 54;
    }
    const auto field = static_cast<std::int64_t>(bits >> 52 & fields);
    if (field == static_cast<std::int64_t>(fields)) return {value, 0};
    const std::uint64_t one = std::uint64_t{1023} << 52;
    return {Kokkos::bit_cast<double>((bits & ~(fields << 52)) | one), exponent + field};
  }

  KOKKOS_FUNCTION void multiply(const ScaledDouble& other) {
    mantissa *= other.mantissa;
    exponent += other.exponent;
    if (Kokkos::fabs(mantissa) >= 2) {
      mantissa *= 0.5;
      ++exponent;
    }
  }

  /// Rounded once; beyond the largest value an infinity.
  template <class T>
  [[nodiscard]] KOKKOS_FUNCTION T value() const {
    if (mantissa != mantissa) return Kokkos::Experimental::quiet_NaN_v<T>;
    if (mantissa == 0 || Kokkos::fabs(mantissa) >= 2) return static_cast<T>(mantissa);
    if (exponent > 1023) return static_cast<T>(mantissa * Kokkos::Experimental::infinity_v<double>);
    if (exponent < -1100) return static_cast<T>(mantissa * 0.0);
    if (exponent >= -1022) return static_cast<T>(mantissa * power_of_two(static_cast<int>(exponent)));
    // A subnormal double, below every float: rounded by the last multiplication.
    return static_cast<T>(mantissa * power_of_two(static_cast<int>(exponent + 200)) * power_of_two(-200));
  }
};

}  // namespace detail

/// Product. Floating elements: mantissas are multiplied in double apart from their exponents, so nothing overflows or
/// underflows on the way, and the error is at most n u; the same bits on every run with one plan; 0 * Inf is NaN.
/// Empty: 1.
template <class T>
struct Prod {
  static_assert(detail::is_floating_v<T>, "tessera::Prod: the element type must be an integer or a floating type");
  using element_type = T;
  using value_type = detail::ScaledDouble;
  using result_type = T;
  KOKKOS_FUNCTION value_type identity() const { return {1, 0}; }
  KOKKOS_FUNCTION value_type map(T element) const { return value_type::from(static_cast<double>(element)); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.multiply(from); }
  KOKKOS_FUNCTION result_type finalize(const value_type& value) const {
    using Computed = std::conditional_t<detail::is_short_float_v<T>, double, T>;
    return detail::narrowed<T>(value.template value<Computed>());
  }
  static constexpr std::string_view name() { return "prod"; }
};

/// Integers: the exact product, as int64 (uint64 for unsigned elements). Any zero gives 0; a product that does not fit
/// raises StatusKind::integer_overflow and gives 0. Empty: 1.
template <class T>
requires std::is_integral_v<T>
struct Prod<T> {
  using element_type = T;
  struct value_type {
    std::uint64_t magnitude;
    bool negative, overflow;  // overflow: beyond 64 bits, unless a zero follows
  };
  using result_type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

  KOKKOS_FUNCTION value_type identity() const { return {1, false, false}; }
  KOKKOS_FUNCTION value_type map(T element) const {
    return {detail::magnitude_of(element), detail::is_negative(element), false};
  }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    if (into.magnitude == 0 || from.magnitude == 0) {
      into = {0, false, false};
      return;
    }
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(into.magnitude) * from.magnitude;
    const bool beyond = into.overflow || from.overflow || (product >> 64) != 0;
    // A stand-in that is not zero, and never grows.
    into = {beyond ? 1 : static_cast<std::uint64_t>(product), into.negative != from.negative, beyond};
  }
  KOKKOS_FUNCTION result_type finalize(const value_type& value, const Status& status) const {
    constexpr std::uint64_t largest = ~std::uint64_t{0} >> (std::is_signed_v<T> ? 1 : 0);
    if (value.overflow || value.magnitude > largest + (value.negative ? 1 : 0)) {
      status.raise(StatusKind::integer_overflow);
      return 0;
    }
    return static_cast<result_type>(value.negative ? ~value.magnitude + 1 : value.magnitude);
  }
  static constexpr std::string_view name() { return "prod"; }
};

}  // namespace tessera

#endif
