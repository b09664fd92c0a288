// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "window_reference.hpp"

namespace tessera::reference {

std::vector<std::int64_t> window_places(std::int64_t n, std::int64_t i, std::int64_t size, std::int64_t origin,
                                        Edge left, Edge right) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(size));
  std::int64_t* const place = places.data();
  for (std::int64_t k = 0; k < size; ++k) {
    const std::int64_t j = i - (size / 2 + origin) + k;
    if ((j < 0 && left == Edge::keep) || (j >= n && right == Edge::keep)) return {};
    place[k] = element_for(left, right, j, n);
  }
  return places;
}

}  // namespace tessera::reference
