// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients and their roots in one rounding to nearest, ties to even: a guess is moved until exact comparisons with the
// points half way to its neighbours hold.
#ifndef TESSERA_APPS_REDUCE_EXACT_ROUNDING_HPP
#define TESSERA_APPS_REDUCE_EXACT_ROUNDING_HPP

#include "big_natural.hpp"

namespace tessera::apps {

enum class FloatFormat { float32, float64 };

/// numerator / denominator (not 0). What float32 is rounded to is given in a double.
[[nodiscard]] double rounded_quotient(const BigNatural& numerator, const BigNatural& denominator,
                                      FloatFormat format = FloatFormat::float64);
/// sqrt(numerator / denominator)
[[nodiscard]] double rounded_root(const BigNatural& numerator, const BigNatural& denominator,
                                  FloatFormat format = FloatFormat::float64);

}  // namespace tessera::apps

#endif
