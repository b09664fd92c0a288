// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons that say where the first mismatch is, both values, and how many there are.
#ifndef TESSERA_TESTS_SUPPORT_COMPARE_HPP
#define TESSERA_TESTS_SUPPORT_COMPARE_HPP

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "data.hpp"

namespace tessera::test {

/// Numbers with all their digits, anything else as hexadecimal bytes.
template <class T>
std::string printed(const T& value) {
  std::ostringstream text;
  if constexpr (std::is_floating_point_v<T>) {
    text.precision(std::numeric_limits<T>::max_digits10);
    text << value;
  } else if constexpr (std::is_integral_v<T>) {
    text << +value;
  } else {
    text << std::hex;
    const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
    for (std::size_t b = 0; b < sizeof(T); ++b) text << (b == 0 ? "0x" : " ") << static_cast<unsigned>(bytes[b]);
  }
  return text.str();
}

/// "" where every pair satisfies `same(index, got, expected)`, else the report.
template <class Got, class Expected, class Same>
std::string mismatch_report(const std::vector<Got>& got, const std::vector<Expected>& expected, const Same& same) {
  std::ostringstream text;
  if (got.size() != expected.size()) {
    text << "got " << got.size() << " elements, expected " << expected.size();
    return text.str();
  }
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (same(i, got[i], expected[i])) continue;
    if (count == 0) first = i;
    ++count;
  }
  if (count == 0) return {};
  text << count << " of " << got.size() << " differ, the first at index " << first << ": got " << printed(got[first])
       << ", expected " << printed(expected[first]);
  return text.str();
}

/// "" where all are equal bit for bit: the sign of a zero and a NaN's payload count.
template <class T>
std::string bits_report(const std::vector<T>& got, const std::vector<T>& expected) {
  const auto same = [](std::size_t, const T& a, const T& b) { return same_bits(a, b); };
  const bool equal = got.size() == expected.size() &&
                     (got.empty() || std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)) == 0);
  return equal ? std::string() : mismatch_report(got, expected, same);
}
template <class T>
void check_bits(const std::vector<T>& got, const std::vector<T>& expected) {
  CHECK(bits_report(got, expected) == "");
}

/// Equal values: any NaN equals any NaN, and a zero's sign counts.
template <class T>
bool same_value(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

template <class T>
void check_values(const std::vector<T>& got, const std::vector<T>& expected) {
  CHECK(mismatch_report(got, expected, [](std::size_t, T a, T b) { return same_value(a, b); }) == "");
}

/// Both NaN, the same infinity, or |got - expected| <= bound. The difference is taken in long double, with its sign.
template <class T>
bool within(T got, long double expected, long double bound) {
  const auto wide = static_cast<long double>(got);
  if (std::isnan(wide) || std::isnan(expected)) return std::isnan(wide) && std::isnan(expected);
  if (std::isinf(wide) || std::isinf(expected)) return wide == expected;
  return std::abs(wide - expected) <= bound;
}

/// bounds[i]: the error that got[i] may have.
template <class T>
void check_within(const std::vector<T>& got, const std::vector<long double>& expected,
                  const std::vector<long double>& bounds) {
  REQUIRE(bounds.size() == expected.size());
  CHECK(mismatch_report(got, expected, [&](std::size_t i, T a, long double b) { return within(a, b, bounds[i]); }) ==
        "");
}

}  // namespace tessera::test

#endif
