// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "in_place_request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/failure.hpp"

namespace tessera::apps {
namespace {

/// The same permutation without axes of one element, which can be anywhere.
TransposeRequest without_ones(const TransposeRequest& request) {
  TransposeRequest kept{{}, {}, request.element_bytes};
  std::vector<std::size_t> number(request.shape.size());
  for (std::size_t axis = 0; axis < request.shape.size(); ++axis) {
    number[axis] = kept.shape.size();
    if (request.shape[axis] != 1) kept.shape.push_back(request.shape[axis]);
  }
  for (const std::size_t axis : request.axes) {
    if (request.shape[axis] != 1) kept.axes.push_back(number[axis]);
  }
  return kept;
}

std::uint64_t elements_of(const Shape& shape, std::size_t first, std::size_t last) {
  return element_count(
      {shape.begin() + static_cast<std::ptrdiff_t>(first), shape.begin() + static_cast<std::ptrdiff_t>(last)});
}

}  // namespace

InPlaceMatrices in_place_matrices(const TransposeRequest& request) {
  if (element_count(request.shape) == 0) {  // nothing to move
    return {1, 0, 0, std::clamp<std::uint64_t>(request.element_bytes, 1, 16)};
  }
  const auto& [shape, axes, element_bytes, ignored] = without_ones(request);
  const std::size_t rank = shape.size();
  std::size_t first = 0, last = rank;  // of the axes that move
  while (first < rank && axes[first] == first) ++first;
  while (last > first && axes[last - 1] == last - 1) --last;
  if (first == rank) first = 0;  // all stay: a matrix of one row
  const std::size_t moving = last - first, row_axes = moving > 0 ? axes[first] - first : 0;
  bool turns = true;
  for (std::size_t i = 0; i < moving; ++i) turns = turns && axes[first + i] == first + (i + row_axes) % moving;
  const InPlaceMatrices matrices{elements_of(shape, 0, first), elements_of(shape, first, first + row_axes),
                                 elements_of(shape, first + row_axes, last),
                                 element_bytes * elements_of(shape, last, rank)};
  if (!turns || (matrices.batches != 1 && matrices.rows != matrices.columns)) {
    const Shape asked(request.axes.begin(), request.axes.end());
    refuse(
        fmt::format("--in-place: axes {} of shape {} are not the transpose of one matrix, nor of square ones each "
                    "by itself; leave it out",
                    to_string(asked), to_string(request.shape)));
  }
  if (matrices.element_bytes > 16) {
    refuse(fmt::format("--in-place: elements of {} bytes; those of 1 to 16 can be moved in place; leave it out",
                       matrices.element_bytes));
  }
  return matrices;
}

}  // namespace tessera::apps
