// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "placement.hpp"

#include <cstring>

namespace tessera::test {

namespace {

/// move(byte of the buffer, byte of the elements) for each element.
template <class Move>
void for_each_element(const Placement& view, const Move& move) {
  std::size_t size = 1;
  for (const std::size_t extent : view.extents) size *= extent;
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t rest = i, position = view.origin;
    for (std::size_t d = view.extents.size(); d-- > 0; rest /= view.extents[d]) {
      position += rest % view.extents[d] * view.strides[d];
    }
    move(position * view.bytes, i * view.bytes);
  }
}

}  // namespace

void gather(const Placement& view, const void* buffer, void* elements) {
  for_each_element(view, [&](std::size_t position, std::size_t i) {
    std::memcpy(static_cast<char*>(elements) + i, static_cast<const char*>(buffer) + position, view.bytes);
  });
}

void scatter(const Placement& view, const void* elements, void* buffer) {
  for_each_element(view, [&](std::size_t position, std::size_t i) {
    std::memcpy(static_cast<char*>(buffer) + position, static_cast<const char*>(elements) + i, view.bytes);
  });
}

}  // namespace tessera::test
