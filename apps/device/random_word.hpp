// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_DEVICE_RANDOM_WORD_HPP
#define TESSERA_APPS_DEVICE_RANDOM_WORD_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace tessera::apps {

/// The same 64 pseudo-random bits for an index on every machine: splitmix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast
/// splittable pseudorandom number generators", 2014) at that place of its sequence.
KOKKOS_INLINE_FUNCTION std::uint64_t random_word(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace tessera::apps

#endif
