// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose_reference.hpp"

#include <cstring>

namespace tessera::reference {

void permute_bytes(const void* in, void* out, const std::vector<std::size_t>& extents,
                   const std::vector<std::size_t>& axes, std::size_t bytes) {
  const std::size_t rank = extents.size();
  std::size_t size = 1;
  for (const std::size_t extent : extents) size *= extent;
  std::vector<std::size_t> index(rank);
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t rest = i;
    for (std::size_t d = rank; d-- > 0; rest /= extents[d]) index[d] = rest % extents[d];
    std::size_t position = 0;
    for (const std::size_t axis : axes) position = position * extents[axis] + index[axis];
    std::memcpy(static_cast<char*>(out) + position * bytes, static_cast<const char*>(in) + i * bytes, bytes);
  }
}

}  // namespace tessera::reference
