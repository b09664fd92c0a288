// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands for the elements beyond the ends of a line.
#ifndef TESSERA_FILTER_BOUNDARY_HPP
#define TESSERA_FILTER_BOUNDARY_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

namespace tessera {

/// A real number of any type, as it is: what stands beyond the ends under mode constant.
struct BoundaryValue : std::variant<double, std::int64_t, std::uint64_t> {
  BoundaryValue(const variant& number) : variant(number) {}
  template <class T>
  requires(std::floating_point<T> || std::integral<T>) constexpr BoundaryValue(T number) : variant(kept(number)) {}

 private:
  template <class T>
  static constexpr auto kept(T number) {
    if constexpr (std::floating_point<T>) {
      return static_cast<double>(number);
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<std::int64_t>(number);
    } else {
      return static_cast<std::uint64_t>(number);
    }
  }
};

/// Boundary modes. Each side of a line has its own; a window may be wider than the line.
enum class BoundaryMode {
  reflect,      ///< d c b a | a b c d | d c b a (SciPy's reflect, NumPy's symmetric)
  mirror,       ///< d c b | a b c d | c b a (SciPy's mirror, NumPy's reflect)
  nearest,      ///< a a a | a b c d | d d d
  wrap,         ///< b c d | a b c d | a b c
  constant,     ///< the value cval
  odd,          ///< 2a-d 2a-c 2a-b | a b c d | 2d-c 2d-b 2d-a (NumPy's odd reflect)
  renormalise,  ///< only taps inside count: their sum is scaled by (sum of all weights) / (sum of those inside)
  valid,        ///< no outputs whose window leaves the line
  keep,         ///< outputs whose window leaves the line are copies of the input
};
inline constexpr std::array boundary_modes{BoundaryMode::reflect,     BoundaryMode::mirror,   BoundaryMode::nearest,
                                           BoundaryMode::wrap,        BoundaryMode::constant, BoundaryMode::odd,
                                           BoundaryMode::renormalise, BoundaryMode::valid,    BoundaryMode::keep};

/// Those that put elements, or cval, beyond the line, or keep outputs: what windows that are not sums can have.
inline constexpr std::array element_modes{BoundaryMode::reflect, BoundaryMode::mirror,   BoundaryMode::nearest,
                                          BoundaryMode::wrap,    BoundaryMode::constant, BoundaryMode::keep};

constexpr std::string_view to_string(BoundaryMode mode) {
  switch (mode) {
    case BoundaryMode::reflect:
      return "reflect";
    case BoundaryMode::mirror:
      return "mirror";
    case BoundaryMode::nearest:
      return "nearest";
    case BoundaryMode::wrap:
      return "wrap";
    case BoundaryMode::constant:
      return "constant";
    case BoundaryMode::odd:
      return "odd";
    case BoundaryMode::renormalise:
      return "renormalise";
    case BoundaryMode::valid:
      return "valid";
    case BoundaryMode::keep:
      break;
  }
  return "keep";
}

namespace detail {

KOKKOS_INLINE_FUNCTION std::int64_t euclidean_remainder(std::int64_t j, std::int64_t period) {
  // Most are near, and divisions dear.
  if (j < 0 && j >= -period) return j + period;
  if (j >= period && j - period < period) return j - period;
  const std::int64_t remainder = j % period;
  return remainder < 0 ? remainder + period : remainder;
}

}  // namespace detail

/// The index, 0 <= result < n, of the element that stands for element j of a line of n >= 1 elements; -1 where none
/// does: beyond the line under the other modes. Callable in kernels.
KOKKOS_INLINE_FUNCTION std::int64_t boundary_index(BoundaryMode mode, std::int64_t j, std::int64_t n) {
  if (j >= 0 && j < n) return j;
  switch (mode) {
    case BoundaryMode::reflect: {
      const std::int64_t r = detail::euclidean_remainder(j, 2 * n);
      return r < n ? r : 2 * n - 1 - r;
    }
    case BoundaryMode::mirror: {
      if (n == 1) return 0;
      const std::int64_t r = detail::euclidean_remainder(j, 2 * (n - 1));
      return r < n ? r : 2 * (n - 1) - r;
    }
    case BoundaryMode::nearest:
      return j < 0 ? 0 : n - 1;
    case BoundaryMode::wrap:
      return detail::euclidean_remainder(j, n);
    case BoundaryMode::constant:
    case BoundaryMode::odd:
    case BoundaryMode::renormalise:
    case BoundaryMode::valid:
    case BoundaryMode::keep:
      break;
  }
  return -1;
}

}  // namespace tessera

#endif
