// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that depend on their position (so that a wrong index shows), and poison for memory nobody may read or write.
#ifndef TESSERA_TESTS_SUPPORT_DATA_HPP
#define TESSERA_TESTS_SUPPORT_DATA_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace tessera::test {

/// SplitMix64 (Steele, Lea, Flood 2014): a different well-mixed word for each position and seed.
inline std::uint64_t mixed(std::uint64_t position, std::uint64_t seed = 1) {
  std::uint64_t z = position * 0x9e3779b97f4a7c15u + seed * 0xd1342543de82ef95u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Floats in (-1, 1), no two neighbours alike; signed integers in [-1000, 1000], unsigned in [0, 2000].
/// Other types: mixed bytes.
template <class T>
T value_at(std::uint64_t position, std::uint64_t seed = 1) {
  const std::uint64_t word = mixed(position, seed);
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(word >> 11)) * 0x1p-52 - 1.0);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
    const auto offset = static_cast<std::int64_t>(word % 2001);
    return static_cast<T>(std::is_signed_v<T> ? offset - 1000 : offset);
  } else {
    T value;
    auto* bytes = reinterpret_cast<unsigned char*>(&value);
    for (std::size_t b = 0; b < sizeof(T); ++b) bytes[b] = static_cast<unsigned char>(mixed(position * 31 + b, seed));
    return value;
  }
}

template <class T>
std::vector<T> values(std::size_t size, std::uint64_t seed = 1) {
  std::vector<T> result;
  result.reserve(size);
  for (std::size_t i = 0; i < size; ++i) result.push_back(value_at<T>(i, seed));
  return result;
}
// Optimised in every build.
extern template std::vector<float> values(std::size_t, std::uint64_t);
extern template std::vector<double> values(std::size_t, std::uint64_t);
extern template std::vector<std::int8_t> values(std::size_t, std::uint64_t);
extern template std::vector<std::uint8_t> values(std::size_t, std::uint64_t);
extern template std::vector<std::int16_t> values(std::size_t, std::uint64_t);
extern template std::vector<std::uint16_t> values(std::size_t, std::uint64_t);
extern template std::vector<std::int32_t> values(std::size_t, std::uint64_t);
extern template std::vector<std::int64_t> values(std::size_t, std::uint64_t);

/// What outputs and guards hold before a call: a NaN with a payload of its own, or a value far from any test data.
template <class T>
T poison() {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(0x7fc5a5a5u);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(std::uint64_t{0x7ff8a5a5a5a5a5a5u});
  } else if constexpr (requires(T complex) { complex.imag(); }) {
    return T(poison<typename T::value_type>(), poison<typename T::value_type>());
  } else {
    T value;
    std::memset(static_cast<void*>(&value), 0xa5, sizeof(T));
    return value;
  }
}

template <class T>
bool same_bits(const T& a, const T& b) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// 0, 1, around T, around 2 T, a prime.
inline std::vector<std::size_t> sizes_around(std::size_t tile) {
  std::vector<std::size_t> sizes{0, 1, 2, 3, 1009};
  for (const std::size_t size : {tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1}) {
    if (size > 3 && size < std::numeric_limits<std::size_t>::max() - 1) sizes.push_back(size);
  }
  return sizes;
}

}  // namespace tessera::test

#endif
