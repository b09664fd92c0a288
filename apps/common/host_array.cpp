// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_array.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <limits>
#include <utility>

#include "failure.hpp"
#include "text.hpp"

namespace tessera::apps {

std::string to_string(ElementType type) {
  switch (type) {
    case ElementType::int32:
      return "int32";
    case ElementType::int64:
      return "int64";
    case ElementType::uint64:
      return "uint64";
    case ElementType::float32:
      return "float32";
    case ElementType::float64:
      break;
  }
  return "float64";
}

std::size_t size_of(ElementType type) {
  return visit_type(type, [](auto value) { return sizeof(value); });
}

std::uint64_t element_count(const Shape& shape) {
  for (const std::uint64_t extent : shape) {
    if (extent == 0) return 0;
  }
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (count > std::numeric_limits<std::uint64_t>::max() / extent) {
      out_of_resource("an array of shape " + to_string(shape) + " has more elements than 64 bits can count");
    }
    count *= extent;
  }
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += (axis > 0 ? ", " : "") + std::to_string(shape[axis]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

HostBuffer::HostBuffer(std::uint64_t bytes) : m_bytes(bytes) {
  if (bytes == 0) return;
  constexpr std::uint64_t huge_page = std::uint64_t{1} << 21;
  const std::uint64_t alignment = bytes >= 4 * huge_page ? huge_page : 64;
  if (bytes <= std::numeric_limits<std::size_t>::max() - alignment) {
    m_data = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  if (m_data == nullptr) out_of_resource("no memory for an array of " + format_bytes(bytes) + " on the host");
  // Fewer page faults at the first touch; only advice, so that its result does not matter.
  if (alignment == huge_page) madvise(m_data, bytes, MADV_HUGEPAGE);
}

HostBuffer::~HostBuffer() { std::free(m_data); }

HostBuffer::HostBuffer(HostBuffer&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr)), m_bytes(std::exchange(other.m_bytes, 0)) {}

HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept {
  std::swap(m_data, other.m_data);
  std::swap(m_bytes, other.m_bytes);
  return *this;
}

}  // namespace tessera::apps
