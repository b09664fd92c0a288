// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients and their roots in one rounding to nearest, ties to even: a guess is moved until exact comparisons with the
// points half way to its neighbours hold.
#ifndef TESSERA_APPS_REDUCE_EXACT_ROUNDING_HPP
#define TESSERA_APPS_REDUCE_EXACT_ROUNDING_HPP

#include "big_natural.hpp"

namespace tessera::apps {

enum class RoundedTo { float32, float64, integer };

/// numerator / denominator (not 0), to a float. What float32 is rounded to is given in a double.
[[nodiscard]] double rounded_quotient(const BigNatural& numerator, const BigNatural& denominator,
                                      RoundedTo format = RoundedTo::float64);
/// sqrt(numerator / denominator), to a float
[[nodiscard]] double rounded_root(const BigNatural& numerator, const BigNatural& denominator,
                                  RoundedTo format = RoundedTo::float64);
/// The same to an integer; 2^64 - 1 where it is larger.
[[nodiscard]] std::uint64_t whole_quotient(const BigNatural& numerator, const BigNatural& denominator);
[[nodiscard]] std::uint64_t whole_root(const BigNatural& numerator, const BigNatural& denominator);

}  // namespace tessera::apps

#endif
