// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes and permutations of row-major arrays by their definition, element after element of the input.
#ifndef TESSERA_TESTS_REFERENCE_TRANSPOSE_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_TRANSPOSE_REFERENCE_HPP

#include <cstddef>
#include <cstring>
#include <vector>

namespace tessera::reference {

/// in: rows x columns; the result: columns x rows. Elements move as bytes.
template <class T>
std::vector<T> transposed(const std::vector<T>& in, std::size_t rows, std::size_t columns) {
  std::vector<T> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    std::memcpy(static_cast<void*>(&out[column * rows + row]), &in[i], sizeof(T));
  }
  return out;
}

/// out(i) = in(j) with j[axes[d]] = i[d]; axes: each of 0 to rank - 1 once. Elements move as bytes.
template <class T>
std::vector<T> permuted(const std::vector<T>& in, const std::vector<std::size_t>& extents,
                        const std::vector<std::size_t>& axes) {
  const std::size_t rank = extents.size();
  std::vector<T> out(in.size());
  std::vector<std::size_t> index(rank);
  for (std::size_t i = 0; i < in.size(); ++i) {
    std::size_t rest = i;
    for (std::size_t d = rank; d-- > 0; rest /= extents[d]) index[d] = rest % extents[d];
    std::size_t position = 0;
    for (const std::size_t axis : axes) position = position * extents[axis] + index[axis];
    std::memcpy(static_cast<void*>(&out[position]), &in[i], sizeof(T));
  }
  return out;
}

}  // namespace tessera::reference

#endif
