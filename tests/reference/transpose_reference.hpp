// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transpose of a row-major array by its definition, element after element of the input.
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

}  // namespace tessera::reference

#endif
