// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strided view's elements to and from row-major order, as bytes.
#ifndef TESSERA_TESTS_SUPPORT_PLACEMENT_HPP
#define TESSERA_TESTS_SUPPORT_PLACEMENT_HPP

#include <cstddef>
#include <vector>

namespace tessera::test {

/// Where a view's elements of `bytes` bytes lie in a buffer: strides and origin in elements.
struct Placement {
  std::vector<std::size_t> extents, strides;
  std::size_t origin, bytes;
};

/// elements: as many as the view has, in row-major order of the index.
void gather(const Placement& view, const void* buffer, void* elements);
void scatter(const Placement& view, const void* elements, void* buffer);

}  // namespace tessera::test

#endif
