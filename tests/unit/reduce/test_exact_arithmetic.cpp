// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums refuse arithmetic that they cannot trust; how values and quotients round, which is private code.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <tessera/reduce/detail/exact_pair_rounding.hpp>
#include <tessera/reduce/detail/narrow.hpp>

#include "reduce_check.hpp"
#include "reference/half_reference.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
namespace reference = tessera::reference;
using HalfLayout = tessera::detail::HalfFormat;
using BrainLayout = tessera::detail::BrainFormat;
using tessera::detail::UInt128;

TEST_CASE("an exact sum needs rounding to nearest", "[reduce][errors]") {
  const Kokkos::View<double*> in("in", 3);
  const auto sum = [&] { tessera::reduce(Kokkos::DefaultExecutionSpace(), in, tessera::Sum<double>{}); };
  std::fesetround(FE_UPWARD);
  const std::string text = test::message_of<tessera::InvalidArgument>(sum);
  std::fesetround(FE_TONEAREST);
  test::check_message(text, {"tessera::reduce", "rounding mode", "not to nearest", "expected", "FE_TONEAREST", ";"});
  CHECK_NOTHROW(sum());
}

template <class Layout>
void check_narrowed(const reference::BinaryFormat& format, double value) {
  INFO("value " << value);
  CHECK(tessera::detail::narrowed_bits<Layout>(value) ==
        reference::encoded(format, reference::nearest(format, static_cast<long double>(value))));
}

template <class Layout>
void check_rounding(const reference::BinaryFormat& format) {
  std::size_t wrong = 0;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto value = static_cast<double>(reference::decoded(format, bits));
    const std::uint32_t expected = std::isnan(value) ? std::uint32_t{Layout::quiet_nan} : bits;
    wrong += tessera::detail::narrowed_bits<Layout>(value) != expected ? 1 : 0;
    if (!std::isfinite(value)) continue;
    // Halfway to the next one, away from zero, and its neighbours among doubles.
    const double unit = std::ldexp(
        1.0, std::max(value == 0 ? format.exponent_min : std::ilogb(value), format.exponent_min) - format.digits + 1);
    const double middle = value + std::copysign(unit / 2, value);
    for (const double x : {std::nextafter(middle, 0.0), middle, std::nextafter(middle, 2 * middle)}) {
      const std::uint32_t nearest = reference::encoded(format, reference::nearest(format, x));
      wrong += tessera::detail::narrowed_bits<Layout>(x) != nearest ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  for (const double value : {0x1p-1074, -0x1p-1074, 1e300, -1e300, 0x1.ffp15, 65504.0, 65519.9, 65520.0, 0x1.fep127,
                             0x1.ffp127, 0x1p-25, -0x1.000001p-25, 0x1p-134, -0x1.000001p-134, 1.0 / 3}) {
    check_narrowed<Layout>(format, value);
  }
}

TEST_CASE("private: rounding of doubles to float16 and bfloat16", "[reduce][half]") {
  CHECK(HalfLayout::quiet_nan == 0x7e00);
  CHECK(BrainLayout::quiet_nan == 0x7fc0);
  CHECK(reference::encoded(reference::half_format, 1) == 0x3c00);
  CHECK(reference::encoded(reference::brain_format, -1) == 0xbf80);
  check_rounding<HalfLayout>(reference::half_format);
  check_rounding<BrainLayout>(reference::brain_format);
}

template <class Layout>
std::uint16_t rounded_to(const tessera::detail::WideValue& value) {
  return tessera::detail::rounded<std::uint16_t, Layout>(value);
}

TEST_CASE("private: rounding of wide values to float16 and bfloat16", "[reduce][half]") {
  using tessera::detail::WideValue;
  const UInt128 top = UInt128{1} << 127;
  // 1 and half a unit: a tie, unless more follows, in the head or beyond it.
  CHECK(rounded_to<HalfLayout>(WideValue{top | top >> 11, -127, false, false}) == 0x3c00);
  CHECK(rounded_to<HalfLayout>(WideValue{top | top >> 11, -127, true, false}) == 0x3c01);
  CHECK(rounded_to<HalfLayout>(WideValue{top | top >> 11 | 1, -127, false, true}) == 0xbc01);
  CHECK(rounded_to<BrainLayout>(WideValue{top | top >> 8, -127, false, false}) == 0x3f80);
  CHECK(rounded_to<BrainLayout>(WideValue{top | top >> 8, -127, true, true}) == 0xbf81);
  // Half the smallest subnormal, and a bit more.
  CHECK(rounded_to<HalfLayout>(WideValue{top, -127 - 25, false, true}) == 0x8000);
  CHECK(rounded_to<HalfLayout>(WideValue{top, -127 - 25, true, true}) == 0x8001);
  CHECK(rounded_to<BrainLayout>(WideValue{top, -127 - 134, false, false}) == 0);
  CHECK(rounded_to<BrainLayout>(WideValue{top, -127 - 134, true, false}) == 1);
  CHECK(rounded_to<HalfLayout>(WideValue{top, -127 + 16, false, false}) == 0x7c00);
  CHECK(rounded_to<BrainLayout>(WideValue{top, -127 + 128, false, true}) == 0xff80);
}

/// whole * 2^exponent over a divisor, from integers alone.
template <class Result>
Result quotient_of(UInt128 whole, int exponent, std::int64_t divisor, bool negative) {
  const int shift = 126 - tessera::detail::bit_width_of(whole);
  const UInt128 dividend = whole << shift;
  const auto by = static_cast<UInt128>(divisor);
  return tessera::detail::rounded<Result>(
      tessera::detail::normalised({dividend / by, exponent - shift, dividend % by != 0, negative}));
}

/// A whole number of at most 106 bits, times a power of two, as a pair.
tessera::detail::ExactPair pair_of(UInt128 whole, int exponent) {
  const auto high = static_cast<double>(whole);
  const auto back = static_cast<UInt128>(high);
  const double low = back > whole ? -static_cast<double>(back - whole) : static_cast<double>(whole - back);
  return {std::ldexp(high, exponent), std::ldexp(low, exponent)};
}

/// Whether the pair that is whole * 2^exponent, of at most 106 bits, has the right quotients.
bool divides(UInt128 whole, int exponent, std::int64_t divisor) {
  const tessera::detail::ExactPair magnitude = pair_of(whole, exponent);
  bool right = true;
  for (const double sign : {1.0, -1.0}) {
    const tessera::detail::ExactPair pair{sign * magnitude.high, sign * magnitude.low};
    const auto exact = quotient_of<double>(whole, exponent, divisor, sign < 0);
    const auto single = quotient_of<float>(whole, exponent, divisor, sign < 0);
    right = right && test::same_bits(tessera::detail::rounded_quotient<double>(pair, divisor), exact) &&
            test::same_bits(tessera::detail::rounded_quotient<float>(pair, divisor), single);
  }
  return right;
}

TEST_CASE("private: quotients of two doubles by whole numbers are rounded once", "[reduce][exact]") {
  std::size_t wrong = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const std::int64_t divisor = 1 + static_cast<std::int64_t>(test::mixed(i, 1) >> (15 + test::mixed(i, 2) % 48));
    // Dividends of any length; multiples of the middle between two doubles, or floats, and their neighbours.
    const std::uint64_t low = test::mixed(i, 3) >> test::mixed(i, 4) % 64;
    const auto any = (static_cast<UInt128>(test::mixed(i, 5) >> 22) << 64 | low) >> test::mixed(i, 6) % 64;
    const auto middle = static_cast<UInt128>(test::mixed(i, 7) >> (i % 2 == 0 ? 10 : 39) | 1);
    const auto multiple = middle * static_cast<UInt128>(divisor);
    for (const int exponent : {0, -1074, -160, 800}) {
      wrong += divides(any + 1, exponent, divisor) ? 0 : 1;
      if (multiple >> 105 != 0) continue;
      for (const UInt128& whole : {multiple - 1, multiple, multiple + 1}) {
        if (whole != 0) wrong += divides(whole, exponent, divisor) ? 0 : 1;
      }
    }
  }
  CHECK(wrong == 0);
  for (std::uint64_t whole = 1; whole < 300; ++whole) {
    for (std::int64_t divisor = 1; divisor < 300; ++divisor) wrong += divides(whole, -1074, divisor) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(test::same_bits(tessera::detail::rounded_quotient<double>({0, 0}, 7), 0.0));
}

TEST_CASE("private: roots of two doubles are rounded once", "[reduce][exact]") {
  std::size_t wrong = 0;
  const auto check = [&](UInt128 whole, int exponent) {
    if (whole >> 106 != 0) return;
    const auto exact = square_root(tessera::detail::normalised({whole, exponent, false, false}));
    const tessera::detail::ExactPair pair = pair_of(whole, exponent);
    wrong +=
        test::same_bits(tessera::detail::rounded_root<float>(pair), tessera::detail::rounded<float>(exact)) &&
                test::same_bits(tessera::detail::rounded_root<double>(pair), tessera::detail::rounded<double>(exact))
            ? 0
            : 1;
  };
  for (std::uint64_t i = 0; i < 100000; ++i) {
    // Of any length; squares of the middle between two floats, and their neighbours.
    const auto any =
        (static_cast<UInt128>(test::mixed(i, 1) >> 22) << 64 | test::mixed(i, 2)) >> test::mixed(i, 3) % 106;
    const auto middle = static_cast<UInt128>(test::mixed(i, 4) >> 39 | 1);
    const int far = static_cast<int>(test::mixed(i, 5) % 56);
    for (const int exponent : {0, -298, -51, 101}) {
      check(any, exponent);
      for (const UInt128& whole :
           {(middle * middle << far) - 1, middle * middle << far, (middle * middle << far) + 1}) {
        check(whole, exponent - far);
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(test::same_bits(tessera::detail::rounded_root<float>({0, 0}), 0.0F));
}

TEST_CASE("private: two doubles in 128 bits", "[reduce][exact]") {
  using tessera::detail::ExactPair;
  using tessera::detail::WideValue;
  const auto same = [](const WideValue& a, const WideValue& b) {
    return a.head == b.head && (a.head == 0 || a.exponent == b.exponent) && a.more == b.more;
  };
  std::size_t wrong = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const std::uint64_t low = test::mixed(i, 1) >> test::mixed(i, 2) % 64;
    const auto whole = (static_cast<UInt128>(test::mixed(i, 3) >> 22) << 64 | low) >> test::mixed(i, 4) % 106;
    for (const int exponent : {0, -1074, -500, 700}) {
      wrong += same(wide_value(pair_of(whole, exponent)), tessera::detail::normalised({whole, exponent, false, false}))
                   ? 0
                   : 1;
    }
  }
  CHECK(wrong == 0);
  // A low part far below: what comes after 128 bits.
  for (const int far : {76, 100, 127, 300, 1000}) {
    const double tiny = std::ldexp(1.5, -far);
    const WideValue over = wide_value(ExactPair{1, tiny}), under = wide_value(ExactPair{1, -tiny});
    INFO(far);
    CHECK(over.more == (far > 125));
    CHECK((tessera::detail::rounded<double>(over) == 1.0 && tessera::detail::rounded<double>(under) == 1.0));
    CHECK((over.head == UInt128{1} << 127) == (far > 125));
    CHECK(under.head >> 100 == (UInt128{1} << 28) - 1);
    // Beside the middle between two floats.
    CHECK(tessera::detail::rounded<float>(wide_value(ExactPair{1 + 0x1p-24, tiny})) == 1 + 0x1p-23f);
    CHECK(tessera::detail::rounded<float>(wide_value(ExactPair{1 + 0x3p-24, -tiny})) == 1 + 0x1p-23f);
  }
}

}  // namespace
