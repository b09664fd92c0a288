// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements belong to which output of a reduction over axes, by plain loops over indices. Hand-checked in
// unit/reference/test_axes_reference.cpp.
#ifndef TESSERA_TESTS_REFERENCE_AXES_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_AXES_REFERENCE_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera::reference {

/// Row-major indices of the elements of each output, outputs and elements in row-major order.
std::vector<std::vector<std::size_t>> lines(const std::vector<std::size_t>& extents, const std::vector<bool>& reduced);

/// The values at such indices.
template <class T>
std::vector<T> gathered(const std::vector<T>& values, const std::vector<std::size_t>& indices) {
  std::vector<T> result(indices.size());
  std::transform(indices.begin(), indices.end(), result.begin(), [x = values.data()](std::size_t i) { return x[i]; });
  return result;
}

}  // namespace tessera::reference

#endif
