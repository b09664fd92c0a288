// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements belong to which output of a reduction over axes, by plain loops over indices. Hand-checked in
// unit/reference/test_axes_reference.cpp.
#ifndef TESSERA_TESTS_REFERENCE_AXES_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_AXES_REFERENCE_HPP

#include <cstddef>
#include <vector>

namespace tessera::reference {

/// Row-major indices of the elements of each output, outputs and elements in row-major order.
inline std::vector<std::vector<std::size_t>> lines(const std::vector<std::size_t>& extents,
                                                   const std::vector<bool>& reduced) {
  std::size_t size = 1, outputs = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    size *= extents[d];
    if (!reduced[d]) outputs *= extents[d];
  }
  std::vector<std::vector<std::size_t>> result(outputs);
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t below = size, rest = i, output = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      below /= extents[d];
      if (!reduced[d]) output = output * extents[d] + rest / below;
      rest %= below;
    }
    result[output].push_back(i);
  }
  return result;
}

/// The values at such indices.
template <class T>
std::vector<T> gathered(const std::vector<T>& values, const std::vector<std::size_t>& indices) {
  std::vector<T> result;
  result.reserve(indices.size());
  for (const std::size_t i : indices) result.push_back(values[i]);
  return result;
}

}  // namespace tessera::reference

#endif
