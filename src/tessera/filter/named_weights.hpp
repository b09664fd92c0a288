// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of linear filters with a name: Gaussian and its derivatives, binomial, Savitzky and Golay's. On the host.
#ifndef TESSERA_FILTER_NAMED_WEIGHTS_HPP
#define TESSERA_FILTER_NAMED_WEIGHTS_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tessera/error.hpp>
#include <tessera/filter/detail/gram_polynomials.hpp>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// The most taps that a named filter has: beyond them the weights alone are 16 GiB.
inline constexpr std::int64_t named_taps_max = (std::int64_t{1} << 31) - 1;

/// The shortest text that reads back to the same value.
inline std::string number_text(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// The weights whose right half, from the middle on, is half: mirrored to the left, negated there where odd.
inline std::vector<double> mirrored_weights(const std::vector<long double>& half, std::int64_t taps, bool odd) {
  const auto left = static_cast<std::size_t>((taps - 1) / 2), right = static_cast<std::size_t>(taps / 2);
  std::vector<double> weights(static_cast<std::size_t>(taps));
  for (std::size_t d = 0; d < half.size(); ++d) {
    weights[left - d] = static_cast<double>(odd ? -half[d] : half[d]);
    weights[right + d] = static_cast<double>(half[d]);
  }
  return weights;
}

inline void require_representable(const std::vector<long double>& half, std::string_view function,
                                  std::string_view argument, const std::string& actual) {
  constexpr long double largest = std::numeric_limits<double>::max();
  const bool fine =
      std::all_of(half.begin(), half.end(), [](long double weight) { return std::abs(weight) <= largest; });
  TESSERA_REQUIRE_ARGUMENT(fine, function, argument, actual, "weights that float64 can hold",
                           "ask for a lower derivative, or measure in other units");
}

/// The sum of half[0] and twice the others, compensated (W. Kahan, 1965).
inline long double mirrored_sum(const std::vector<long double>& half) {
  long double sum = 0, lost = 0;
  for (std::size_t d = half.size(); d-- > 0;) {
    const long double term = (d == 0 ? half[d] : 2 * half[d]) - lost;
    const long double next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return sum;
}

}  // namespace detail

/// The radius of gaussian_weights(sigma, .., truncate): int(truncate * sigma + 0.5), in float64 as SciPy has it.
/// \throws InvalidArgument  where sigma or truncate is negative or not finite, or the radius is 2^30 or more
inline std::int64_t gaussian_radius(double sigma, double truncate = 4.0) {
  constexpr std::string_view function = "tessera::gaussian_weights";
  TESSERA_REQUIRE_ARGUMENT(std::isfinite(sigma) && sigma >= 0, function, "sigma", detail::number_text(sigma),
                           "0 or more, and finite", "pass the standard deviation in elements");
  TESSERA_REQUIRE_ARGUMENT(std::isfinite(truncate) && truncate >= 0, function, "truncate",
                           detail::number_text(truncate), "0 or more, and finite",
                           "pass the radius in standard deviations");
  const volatile double product = truncate * sigma;  // a fused multiply and add would round once, to other radii
  const double radius = std::trunc(product + 0.5);
  TESSERA_REQUIRE_ARGUMENT(radius <= detail::named_taps_max / 2, function, "sigma",
                           detail::number_text(sigma) + " with truncate " + detail::number_text(truncate),
                           "a radius below 2^30 elements", "lower sigma or truncate");
  return static_cast<std::int64_t>(radius);
}

/// Weights of a Gaussian or one of its derivatives, for convolve(): w(x) = exp(-x^2 / (2 sigma^2)), normalised to sum
/// 1, times q_k(x), where q_0 = 1 and q_{k+1} = q_k' - x q_k / sigma^2 (scipy.ndimage.gaussian_filter1d). Pure, in long
/// double, each weight rounded once; 2 gaussian_radius(sigma, truncate) + 1 of them.
///
/// \param[in] sigma     standard deviation in elements; 0 gives the identity, {1}, for order 0
/// \param[in] order     of the derivative, 0 to 1000
/// \param[in] truncate  the radius in standard deviations
/// \throws InvalidArgument  as gaussian_radius(); for another order, an order above 0 with sigma 0, weights beyond
///                          the range of float64
inline std::vector<double> gaussian_weights(double sigma, std::int64_t order = 0, double truncate = 4.0) {
  constexpr std::string_view function = "tessera::gaussian_weights";
  const std::int64_t radius = gaussian_radius(sigma, truncate);
  TESSERA_REQUIRE_ARGUMENT(order >= 0 && order <= 1000, function, "order", std::to_string(order), "0 to 1000",
                           "pass which derivative is meant");
  const std::string request = std::to_string(order) + " with sigma " + detail::number_text(sigma);
  TESSERA_REQUIRE_ARGUMENT(order == 0 || sigma > 0, function, "order", request, "order 0 where sigma is 0",
                           "pass a sigma above 0");
  if (radius == 0 && order == 0) return {1.0};

  const long double variance = static_cast<long double>(sigma) * sigma;
  std::vector<long double> half(static_cast<std::size_t>(radius) + 1);
  for (std::size_t d = 0; d < half.size(); ++d) {
    const auto x = static_cast<long double>(d);
    half[d] = std::exp(-x * x / (2 * variance));
  }
  const long double scale = detail::mirrored_sum(half) * std::pow(variance, static_cast<long double>(order));
  for (std::size_t d = 0; d < half.size(); ++d) {
    // p_k = sigma^(2k) q_k, without q_k': p_{k+1} = -(x p_k + k sigma^2 p_{k-1}). Exact, also where it vanishes, as
    // long as its terms fit 64 bits.
    long double before = 0, p = 1;
    for (std::int64_t k = 0; k < order; ++k) {
      before = std::exchange(p, -(static_cast<long double>(d) * p + static_cast<long double>(k) * variance * before));
    }
    half[d] *= p / scale;
  }
  detail::require_representable(half, function, "order", request);
  return detail::mirrored_weights(half, 2 * radius + 1, order % 2 != 0);
}

/// Weights of the binomial filter for convolve() (or correlate(): they are symmetric): C(taps - 1, k) / 2^(taps - 1).
/// Those below the range of float64, at the ends of more than 1075 taps, are 0. Pure; in long double, from the largest
/// weight outwards, each rounded once; exact up to 54 taps.
/// \param[in] taps  1 to 2^31 - 1; 1 gives the identity, {1}
/// \throws InvalidArgument  for other numbers of taps
inline std::vector<double> binomial_weights(std::int64_t taps) {
  TESSERA_REQUIRE_ARGUMENT(taps >= 1 && taps <= detail::named_taps_max, "tessera::binomial_weights", "taps",
                           std::to_string(taps), "1 to 2^31 - 1", "pass the width of the window");
  const std::int64_t n = taps - 1;
  // right[d] belongs to k = n - n / 2 + d; the two in the middle of an even number of taps are equal.
  std::vector<long double> right(static_cast<std::size_t>(n / 2) + 1, 1);
  for (std::size_t d = 1; d < right.size(); ++d) {
    const std::int64_t k = n - n / 2 + static_cast<std::int64_t>(d);
    right[d] = right[d - 1] * static_cast<long double>(n + 1 - k) / static_cast<long double>(k);
  }
  const long double sum = detail::mirrored_sum(right) + (n % 2 != 0 ? 1 : 0);
  for (auto& weight : right) weight /= sum;
  return detail::mirrored_weights(right, taps, false);
}

/// Weights of the filter of A. Savitzky and M. J. E. Golay (1964), for convolve(): the derivative at the middle of the
/// polynomial that fits the window in the least squares (scipy.signal.savgol_coeffs). Pure, in long double by
/// orthogonal polynomials: of any window and degree, within a few 2^-53 of the largest weight.
///
/// \param[in] window      taps, odd, at most 2^31 - 1
/// \param[in] polynomial  its degree, 0 to window - 1
/// \param[in] derivative  which one; above the polynomial's degree all weights are 0
/// \param[in] delta       distance of the elements, in whose units the derivative is
/// \throws InvalidArgument  for other values, a delta that is not positive and finite, weights beyond the range of
///                          float64
inline std::vector<double> savgol_weights(std::int64_t window, std::int64_t polynomial, std::int64_t derivative = 0,
                                          double delta = 1.0) {
  constexpr std::string_view function = "tessera::savgol_weights";
  TESSERA_REQUIRE_ARGUMENT(window >= 1 && window <= detail::named_taps_max && window % 2 != 0, function, "window",
                           std::to_string(window), "an odd number, 1 to 2^31 - 1", "the window needs a middle");
  TESSERA_REQUIRE_ARGUMENT(polynomial >= 0 && polynomial < window, function, "polynomial", std::to_string(polynomial),
                           "0 to " + std::to_string(window - 1), "the window must determine the polynomial");
  TESSERA_REQUIRE_ARGUMENT(derivative >= 0, function, "derivative", std::to_string(derivative), "0 or more",
                           "0 smooths");
  TESSERA_REQUIRE_ARGUMENT(std::isfinite(delta) && delta > 0, function, "delta", detail::number_text(delta),
                           "more than 0, and finite", "pass the distance of neighbouring elements");
  if (derivative > polynomial) return std::vector<double>(static_cast<std::size_t>(window));

  detail::GramPolynomials basis(window, derivative);
  std::vector<long double> half(basis.values().size());
  for (std::int64_t k = 0;; ++k) {
    const long double factor = basis.derivative_at_0();
    for (std::size_t x = 0; x < half.size(); ++x) half[x] += factor * basis.values()[x];
    if (k == polynomial) break;
    basis.advance();
  }
  // A convolution's weight at distance x belongs to the element at -x.
  const bool odd = derivative % 2 != 0;
  const long double scale = std::pow(static_cast<long double>(delta), static_cast<long double>(derivative));
  for (auto& weight : half) weight /= odd ? -scale : scale;
  detail::require_representable(half, function, "derivative",
                                std::to_string(derivative) + " with delta " + detail::number_text(delta));
  return detail::mirrored_weights(half, window, odd);
}

}  // namespace tessera

#endif
