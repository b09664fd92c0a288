// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::apps {
namespace {

/// Non-negative values of a binary format: significand * 2^exponent, subnormal where the exponent is the lowest.
struct Position {
  std::uint64_t significand = 0;
  std::int64_t exponent = 0;
};

struct FormatLimits {
  int digits;
  std::int64_t lowest, highest;  // exponents of the last digit
};

constexpr FormatLimits limits_of(RoundedTo format) {
  return format == RoundedTo::float32 ? FormatLimits{24, -149, 104} : FormatLimits{53, -1074, 971};
}

void step_up(Position& at, const FormatLimits& limits) {
  if (++at.significand == std::uint64_t{1} << limits.digits) {
    at.significand >>= 1;
    ++at.exponent;
  }
}

void step_down(Position& at, const FormatLimits& limits) {
  if (--at.significand < std::uint64_t{1} << (limits.digits - 1) && at.exponent > limits.lowest) {
    at.significand = (std::uint64_t{1} << limits.digits) - 1;
    --at.exponent;
  }
}

/// The point half way to the next value above, or below.
Position half_way(const Position& at, bool above, const FormatLimits& limits) {
  if (above) return {2 * at.significand + 1, at.exponent - 1};
  const bool power = at.significand == std::uint64_t{1} << (limits.digits - 1) && at.exponent > limits.lowest;
  return power ? Position{4 * at.significand - 1, at.exponent - 2} : Position{2 * at.significand - 1, at.exponent - 1};
}

/// Whether a guess, in units of the last digit, is that far from half-way points that its error cannot matter.
bool decides(long double fraction) {
  // Guesses come from 64 leading bits: less than 2^-60 of error, 2^-7 of a unit.
  return std::numeric_limits<long double>::digits >= 64 && std::abs(fraction - 0.5L) > 0x1p-6L && fraction > 0x1p-6L &&
         fraction < 1 - 0x1p-6L;
}

/// guess: near the value. compare(p): the sign of the value less p.
template <class Compare>
double nearest(long double guess, RoundedTo format, Compare&& compare) {
  const FormatLimits limits = limits_of(format);
  Position at{0, limits.lowest};
  if (guess > 0) {
    int exponent = 0;
    (void)std::frexp(guess, &exponent);
    at.exponent = std::clamp<std::int64_t>(exponent - limits.digits, limits.lowest, limits.highest + 1);
    const long double scaled = std::ldexp(guess, static_cast<int>(-at.exponent));
    const auto most = (std::uint64_t{1} << limits.digits) - 1;
    at.significand = scaled < static_cast<long double>(most) ? static_cast<std::uint64_t>(scaled) : most;
    const long double fraction = scaled - static_cast<long double>(at.significand);
    if (at.significand > 0 && at.significand < most && at.exponent <= limits.highest && decides(fraction)) {
      if (fraction > 0.5L) step_up(at, limits);
      return std::ldexp(static_cast<double>(at.significand), static_cast<int>(at.exponent));
    }
  }
  const auto beyond = [&](bool above) {  // the value lies past the half-way point, or on it beside an odd significand
    const int side = compare(half_way(at, above, limits));
    return side == 0 ? at.significand % 2 == 1 : (side > 0) == above;
  };
  while (at.exponent <= limits.highest && beyond(true)) step_up(at, limits);
  while (at.significand > 0 && beyond(false)) step_down(at, limits);
  if (at.exponent > limits.highest) return std::numeric_limits<double>::infinity();
  return std::ldexp(static_cast<double>(at.significand), static_cast<int>(at.exponent));
}

/// compare(half): the sign of the value less half.
template <class Compare>
std::uint64_t nearest_whole(Compare&& compare) {
  std::uint64_t whole = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
    const std::uint64_t larger = whole | bit;
    const int side = compare(BigNatural(2 * Uint128{larger} - 1, -1));
    if (side > 0 || (side == 0 && larger % 2 == 0)) whole = larger;
  }
  return whole;
}

/// numerator / denominator to about 62 bits, as mantissa * 2^exponent.
void estimate(const BigNatural& numerator, const BigNatural& denominator, long double& mantissa,
              std::int64_t& exponent) {
  std::uint64_t above = 0, below = 0;
  std::int64_t above_exponent = 0, below_exponent = 0;
  numerator.leading(above, above_exponent);
  denominator.leading(below, below_exponent);
  mantissa = static_cast<long double>(above) / static_cast<long double>(below);
  exponent = above_exponent - below_exponent;
}

long double scaled(long double mantissa, std::int64_t exponent) {
  return std::ldexp(mantissa, static_cast<int>(std::clamp<std::int64_t>(exponent, -8000, 8000)));
}

}  // namespace

double rounded_quotient(const BigNatural& numerator, const BigNatural& denominator, RoundedTo format) {
  if (numerator.is_zero()) return 0;
  long double mantissa = 0;
  std::int64_t exponent = 0;
  estimate(numerator, denominator, mantissa, exponent);
  return nearest(scaled(mantissa, exponent), format, [&](const Position& point) {
    return numerator.compare(BigNatural(point.significand, point.exponent).times(denominator));
  });
}

double rounded_root(const BigNatural& numerator, const BigNatural& denominator, RoundedTo format) {
  if (numerator.is_zero()) return 0;
  long double mantissa = 0;
  std::int64_t exponent = 0;
  estimate(numerator, denominator, mantissa, exponent);
  const std::int64_t odd = exponent & 1;
  const long double guess = scaled(std::sqrt(std::ldexp(mantissa, static_cast<int>(odd))), (exponent - odd) / 2);
  return nearest(guess, format, [&](const Position& point) {
    const Uint128 square = static_cast<Uint128>(point.significand) * point.significand;
    return numerator.compare(BigNatural(square, 2 * point.exponent).times(denominator));
  });
}

std::uint64_t whole_quotient(const BigNatural& numerator, const BigNatural& denominator) {
  return nearest_whole([&](const BigNatural& half) { return numerator.compare(half.times(denominator)); });
}

std::uint64_t whole_root(const BigNatural& numerator, const BigNatural& denominator) {
  return nearest_whole([&](const BigNatural& half) { return numerator.compare(half.times(half).times(denominator)); });
}

}  // namespace tessera::apps
