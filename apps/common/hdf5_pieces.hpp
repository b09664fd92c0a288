// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a selection is read: in boxes that end where chunks end, so that no chunk is decoded twice.
#ifndef TESSERA_APPS_COMMON_HDF5_PIECES_HPP
#define TESSERA_APPS_COMMON_HDF5_PIECES_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "selection.hpp"

namespace tessera::apps {

/// Selected elements first, first + 1, .. (count of them) along each stored axis.
struct Box {
  Shape first, count;
};

/// chunks: empty where the data is not chunked. target_bytes: a box holds about that, and at least one chunk.
/// visit is called in row-major order of the boxes, never for an empty selection.
void for_each_box(const ResolvedSelection& selection, const Shape& chunks, std::uint64_t element_bytes,
                  std::uint64_t target_bytes, const std::function<void(const Box&)>& visit);

/// Calls run(first element in the box, first element in the array, elements) for each stretch of a box that is dense in
/// both the box and the array that it is part of, both row-major.
void for_each_run(const Box& box, const Shape& array,
                  const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& run);

/// Keeps elements 0, stride, 2 stride, .. (count of them) of each of many lines of line elements, and closes the gaps.
void close_gaps(std::byte* data, std::uint64_t lines, std::uint64_t line, std::uint64_t stride, std::uint64_t count,
                std::uint64_t element_bytes);

/// Reverses the order along one axis of a dense row-major array that is not empty.
void reverse_axis(std::byte* data, const Shape& array, std::size_t axis, std::uint64_t element_bytes);

}  // namespace tessera::apps

#endif
