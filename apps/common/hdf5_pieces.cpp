// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5_pieces.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tessera::apps {
namespace {

std::uint64_t product(const Shape& shape, std::size_t first) {
  std::uint64_t value = 1;
  for (std::size_t axis = first; axis < shape.size(); ++axis) value *= shape[axis];
  return value;
}

/// The cuts of one axis, as numbers of selected elements: 0, .., count, each group of chunks in a part of its own.
/// chunk 1 stands for data without chunks.
std::vector<std::uint64_t> cuts(const SelectedAxis& axis, std::uint64_t chunk, std::uint64_t chunks_in_group) {
  std::vector<std::uint64_t> at{0};
  while (at.back() < axis.count) {
    const std::uint64_t position = axis.start + at.back() * axis.stride;
    const std::uint64_t remaining = axis.count - at.back();
    const std::uint64_t last_chunk = position / chunk + (chunks_in_group - 1);
    const std::uint64_t span = (last_chunk + 1) * chunk - position;  // stored elements up to the end of the group
    at.push_back(at.back() + std::min(remaining, (span - 1) / axis.stride + 1));
  }
  return at;
}

/// Steps a row-major counter; false after its last state.
bool advance(Shape& counter, const Shape& limits) {
  for (std::size_t axis = limits.size(); axis-- > 0;) {
    if (++counter[axis] < limits[axis]) return true;
    counter[axis] = 0;
  }
  return false;
}

template <std::size_t Bytes>
struct Element {
  std::byte bytes[Bytes];
};

/// Calls work(element pointer to data) with a type of that size, for the sizes worth it; false for others.
template <class Work>
bool with_elements(std::byte* data, std::uint64_t bytes, Work&& work) {
  switch (bytes) {
    case 1:
      work(reinterpret_cast<Element<1>*>(data));
      return true;
    case 2:
      work(reinterpret_cast<Element<2>*>(data));
      return true;
    case 4:
      work(reinterpret_cast<Element<4>*>(data));
      return true;
    case 8:
      work(reinterpret_cast<Element<8>*>(data));
      return true;
    default:
      return false;
  }
}

void reverse_line(std::byte* line, std::uint64_t count, std::uint64_t bytes) {
  if (with_elements(line, bytes, [&](auto* first) { std::reverse(first, first + count); })) return;
  for (std::uint64_t low = 0, high = count - 1; low < high; ++low, --high) {
    std::swap_ranges(line + low * bytes, line + (low + 1) * bytes, line + high * bytes);
  }
}

}  // namespace

void for_each_box(const ResolvedSelection& selection, const Shape& chunks, std::uint64_t element_bytes,
                  std::uint64_t target_bytes, const std::function<void(const Box&)>& visit) {
  const std::size_t rank = selection.axes.size();
  Shape chunk(rank, 1), group(rank, 1);
  std::uint64_t box_bytes = element_bytes;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const SelectedAxis& selected = selection.axes[axis];
    if (selected.count == 0) return;
    // Without chunks, one selected element is the unit, whatever the stride.
    chunk[axis] = chunks.empty() ? selected.stride : chunks[axis];
    box_bytes *= std::min(selected.count, (chunk[axis] - 1) / selected.stride + 1);
  }
  // Grow from the fastest axis on: boxes are then as dense in the array as they can be.
  for (std::size_t axis = rank; axis-- > 0;) {
    const SelectedAxis& selected = selection.axes[axis];
    const std::uint64_t last = selected.start + (selected.count - 1) * selected.stride;
    const std::uint64_t available = last / chunk[axis] - selected.start / chunk[axis] + 1;
    group[axis] = std::clamp<std::uint64_t>(target_bytes / box_bytes, 1, available);
    box_bytes *= group[axis];
    if (group[axis] < available) break;
  }
  std::vector<std::vector<std::uint64_t>> parts;
  Shape limits, counter(rank, 0);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    parts.push_back(cuts(selection.axes[axis], chunk[axis], group[axis]));
    limits.push_back(parts.back().size() - 1);
  }
  do {
    Box box{Shape(rank), Shape(rank)};
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const auto part = counter[axis];
      box.first[axis] = parts[axis][part];
      box.count[axis] = parts[axis][part + 1] - parts[axis][part];
    }
    visit(box);
  } while (advance(counter, limits));
}

void for_each_run(const Box& box, const Shape& array,
                  const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& run) {
  const std::size_t rank = array.size();
  std::size_t outer = rank;  // axes before this one are stepped, the rest are one stretch
  while (outer > 0 && (outer == rank || box.count[outer] == array[outer])) --outer;
  const std::uint64_t stretch = product(box.count, outer);
  const Shape limits(box.count.begin(), box.count.begin() + static_cast<std::ptrdiff_t>(outer));
  Shape counter(outer, 0);
  std::uint64_t in_box = 0;
  do {
    std::uint64_t position = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      position = position * array[axis] + box.first[axis] + (axis < outer ? counter[axis] : 0);
    }
    run(in_box, position, stretch);
    in_box += stretch;
  } while (advance(counter, limits));
}

void close_gaps(std::byte* data, std::uint64_t lines, std::uint64_t line, std::uint64_t stride, std::uint64_t count,
                std::uint64_t element_bytes) {
  // Elements only move towards the front, so that one pass in place does.
  const auto gather = [&](auto&& move) {
    for (std::uint64_t row = 0; row < lines; ++row) {
      for (std::uint64_t i = 0; i < count; ++i) move(row * count + i, row * line + i * stride);
    }
  };
  const bool done = with_elements(data, element_bytes, [&](auto* first) {
    gather([first](std::uint64_t to, std::uint64_t from) { first[to] = first[from]; });
  });
  if (done) return;
  gather([&](std::uint64_t to, std::uint64_t from) {
    std::memmove(data + to * element_bytes, data + from * element_bytes, element_bytes);
  });
}

void reverse_axis(std::byte* data, const Shape& array, std::size_t axis, std::uint64_t element_bytes) {
  const std::uint64_t inner = product(array, axis + 1) * element_bytes, extent = array[axis];
  std::uint64_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= array[i];
  for (std::uint64_t block = 0; block < outer; ++block) {
    reverse_line(data + block * extent * inner, extent, inner);
  }
}

}  // namespace tessera::apps
