// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes and permutations of row-major arrays by their definition, element after element of the input.
#ifndef TESSERA_TESTS_REFERENCE_TRANSPOSE_REFERENCE_HPP
#define TESSERA_TESTS_REFERENCE_TRANSPOSE_REFERENCE_HPP

#include <cstddef>
#include <vector>

namespace tessera::reference {

/// out(i) = in(j) with j[axes[d]] = i[d]; axes: each of 0 to rank - 1 once; elements of `bytes` bytes.
void permute_bytes(const void* in, void* out, const std::vector<std::size_t>& extents,
                   const std::vector<std::size_t>& axes, std::size_t bytes);

template <class T>
std::vector<T> permuted(const std::vector<T>& in, const std::vector<std::size_t>& extents,
                        const std::vector<std::size_t>& axes) {
  std::vector<T> out(in.size());
  permute_bytes(in.data(), out.data(), extents, axes, sizeof(T));
  return out;
}

/// in: rows x columns; the result: columns x rows.
template <class T>
std::vector<T> transposed(const std::vector<T>& in, std::size_t rows, std::size_t columns) {
  return permuted(in, {rows, columns}, {1, 0});
}

}  // namespace tessera::reference

#endif
