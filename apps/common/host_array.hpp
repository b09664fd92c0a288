// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_COMMON_HOST_ARRAY_HPP
#define TESSERA_APPS_COMMON_HOST_ARRAY_HPP

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::apps {

/// The types the drivers compute in. Stored types are converted to the smallest of these that holds them.
enum class ElementType { int32, int64, uint64, float32, float64 };

[[nodiscard]] std::string to_string(ElementType type);  // "int32", .. as in JSON
[[nodiscard]] std::size_t size_of(ElementType type);    // bytes
[[nodiscard]] inline bool is_floating(ElementType type) {
  return type == ElementType::float32 || type == ElementType::float64;
}

using Shape = std::vector<std::uint64_t>;

/// Product of the extents; 1 for rank 0. \throws Failure (no_resource) where it does not fit 64 bits.
[[nodiscard]] std::uint64_t element_count(const Shape& shape);
[[nodiscard]] std::string to_string(const Shape& shape);  // "(3, 4)"

/// Uninitialised 64-byte aligned bytes, owned. \throws Failure (no_resource) naming the size where there is no room.
class HostBuffer {
 public:
  HostBuffer() = default;
  explicit HostBuffer(std::uint64_t bytes);
  ~HostBuffer();
  HostBuffer(HostBuffer&& other) noexcept;
  HostBuffer& operator=(HostBuffer&& other) noexcept;
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  [[nodiscard]] void* data() { return m_data; }
  [[nodiscard]] const void* data() const { return m_data; }
  [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
  template <class T>
  [[nodiscard]] T* as() {
    return static_cast<T*>(m_data);
  }
  template <class T>
  [[nodiscard]] const T* as() const {
    return static_cast<const T*>(m_data);
  }

 private:
  void* m_data = nullptr;
  std::uint64_t m_bytes = 0;
};

/// A dense row-major array in host memory.
struct HostArray {
  ElementType type = ElementType::float64;  // of complex elements that of their parts, which alternate
  Shape shape;
  HostBuffer buffer;
  bool is_complex = false;
};

/// Calls visitor(T{}) with the C++ type that stands for the element type.
template <class Visitor>
decltype(auto) visit_type(ElementType type, Visitor&& visitor) {
  switch (type) {
    case ElementType::int32:
      return visitor(std::int32_t{});
    case ElementType::int64:
      return visitor(std::int64_t{});
    case ElementType::uint64:
      return visitor(std::uint64_t{});
    case ElementType::float32:
      return visitor(float{});
    case ElementType::float64:
      break;
  }
  return visitor(double{});
}

/// The same for the elements of an array, which may be complex.
template <class Visitor>
decltype(auto) visit_elements(const HostArray& array, Visitor&& visitor) {
  if (!array.is_complex) return visit_type(array.type, visitor);
  if (array.type == ElementType::float32) return visitor(std::complex<float>{});
  return visitor(std::complex<double>{});
}

}  // namespace tessera::apps

#endif
