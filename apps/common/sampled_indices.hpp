// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_COMMON_SAMPLED_INDICES_HPP
#define TESSERA_APPS_COMMON_SAMPLED_INDICES_HPP

#include <cstdint>
#include <random>

namespace tessera::apps {

/// Calls visitor(index) for count indices below size, pseudo-random from a fixed seed, so that a run can be repeated.
template <class Visitor>
void for_sampled_indices(std::uint64_t size, std::uint64_t count, Visitor&& visitor) {
  std::mt19937_64 generator(20210613);
  std::uniform_int_distribution<std::uint64_t> index(0, size - 1);
  for (std::uint64_t i = 0; i < count; ++i) visitor(index(generator));
}

}  // namespace tessera::apps

#endif
