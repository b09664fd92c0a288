// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "axes_reference.hpp"

namespace tessera::reference {

std::vector<std::vector<std::size_t>> lines(const std::vector<std::size_t>& extents, const std::vector<bool>& reduced) {
  std::size_t size = 1, outputs = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    size *= extents[d];
    if (!reduced[d]) outputs *= extents[d];
  }
  std::vector<std::vector<std::size_t>> result(outputs, std::vector<std::size_t>(outputs == 0 ? 0 : size / outputs));
  std::vector<std::size_t*> next(outputs);
  for (std::size_t i = 0; i < outputs; ++i) next[i] = result[i].data();
  std::size_t** const places = next.data();
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t below = size, rest = i, output = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      below /= extents[d];
      if (!reduced[d]) output = output * extents[d] + rest / below;
      rest %= below;
    }
    *places[output]++ = i;
  }
  return result;
}

}  // namespace tessera::reference
