// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "number_type.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace tessera::apps {
namespace {

constexpr std::array<const char*, 13> names{"bool",    "int8",      "int16",     "int32",  "int64",
                                            "uint8",   "uint16",    "uint32",    "uint64", "float32",
                                            "float64", "complex64", "complex128"};
constexpr std::ptrdiff_t real_names = 11;

/// Calls visitor(T{}) with the C++ type; of a complex one with that of its parts.

template <class Visitor>
decltype(auto) visit_number_type(NumberType type, Visitor&& visitor) {
  switch (type) {
    case NumberType::int8:
      return visitor(std::int8_t{});
    case NumberType::int16:
      return visitor(std::int16_t{});
    case NumberType::int32:
      return visitor(std::int32_t{});
    case NumberType::int64:
      return visitor(std::int64_t{});
    case NumberType::boolean:
    case NumberType::uint8:
      return visitor(std::uint8_t{});
    case NumberType::uint16:
      return visitor(std::uint16_t{});
    case NumberType::uint32:
      return visitor(std::uint32_t{});
    case NumberType::uint64:
      return visitor(std::uint64_t{});
    case NumberType::float32:
    case NumberType::complex64:
      return visitor(float{});
    case NumberType::float64:
    case NumberType::complex128:
      break;
  }
  return visitor(double{});
}

template <class To, class From>
To converted(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else {
    constexpr To least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
    if constexpr (std::is_floating_point_v<From>) {
      if (std::isnan(value)) return 0;
      const double whole = std::nearbyint(value);                         // ties to even
      constexpr double beyond = 2.0 * static_cast<double>(most / 2 + 1);  // a power of two
      return whole >= beyond ? most : whole <= static_cast<double>(least) ? least : static_cast<To>(whole);
    } else {
      return std::cmp_greater(value, most) ? most : std::cmp_less(value, least) ? least : static_cast<To>(value);
    }
  }
}

template <class To, class From>
void encode_elements(const From* elements, std::uint64_t count, std::byte* out) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const To value = converted<To>(elements[i]);
    std::memcpy(out + i * sizeof(To), &value, sizeof(To));
  }
}

}  // namespace

std::string to_string(NumberType type) { return names[static_cast<std::size_t>(type)]; }

std::size_t size_of(NumberType type) {
  return visit_number_type(type, [](auto value) { return sizeof(value); }) * (is_complex(type) ? 2 : 1);
}

NumberType complex_of(NumberType part) {
  return part == NumberType::float32 ? NumberType::complex64 : NumberType::complex128;
}

NumberType part_of(NumberType complex) {
  return complex == NumberType::complex64 ? NumberType::float32 : NumberType::float64;
}

NumberType number_type_of(ElementType type) { return *number_type_named(to_string(type)); }

std::vector<std::string> output_type_names() { return {names.begin() + 1, names.begin() + real_names}; }

std::optional<NumberType> number_type_named(const std::string& name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return static_cast<NumberType>(i);
  }
  return std::nullopt;
}

std::vector<std::byte> encoded(const Numbers& values, NumberType type) {
  return visit_number_type(type, [&](auto zero) {
    using To = decltype(zero);
    return std::visit(
        [](const auto& list) {
          std::vector<std::byte> bytes(list.size() * sizeof(To));
          encode_elements<To>(list.data(), list.size(), bytes.data());
          return bytes;
        },
        values);
  });
}

void encode(const HostArray& array, NumberType type, std::byte* out) {
  visit_number_type(type, [&](auto zero) {
    visit_type(array.type, [&](const auto value) {
      using From = std::decay_t<decltype(value)>;
      encode_elements<decltype(zero)>(array.buffer.as<From>(), array.buffer.bytes() / sizeof(From), out);
    });
  });
}

}  // namespace tessera::apps
