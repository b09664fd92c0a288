// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types that results are reported and written in.
#ifndef TESSERA_APPS_COMMON_NUMBER_TYPE_HPP
#define TESSERA_APPS_COMMON_NUMBER_TYPE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host_array.hpp"
#include "measurement.hpp"

namespace tessera::apps {

enum class NumberType {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  complex64,
  complex128
};

[[nodiscard]] std::string to_string(NumberType type);  // "bool", "int8", .. as in JSON
[[nodiscard]] std::size_t size_of(NumberType type);    // bytes; a boolean is written as uint8
[[nodiscard]] NumberType number_type_of(ElementType type);
[[nodiscard]] inline bool is_complex(NumberType type) { return type >= NumberType::complex64; }
/// Whether its elements, or their parts, are floating.
[[nodiscard]] inline bool is_floating(NumberType type) { return type >= NumberType::float32; }
/// The complex type with parts of a floating one, and that of the parts of a complex one.
[[nodiscard]] NumberType complex_of(NumberType part);
[[nodiscard]] NumberType part_of(NumberType complex);
[[nodiscard]] inline bool is_unsigned(NumberType type) {
  return type >= NumberType::uint8 && type <= NumberType::uint64;
}

/// Names of the types that results, or their parts, can be written in.
[[nodiscard]] std::vector<std::string> output_type_names();
[[nodiscard]] std::optional<NumberType> number_type_named(const std::string& name);

/// The values as elements of type, densely: floats round to nearest; integers take the nearest value they hold, of a
/// tie the even one, of NaN 0. For a complex type values has both parts of each, one behind the other.
[[nodiscard]] std::vector<std::byte> encoded(const Numbers& values, NumberType type);
/// The elements of an array likewise, into out, which has room for them; a complex type goes with a complex array.
void encode(const HostArray& array, NumberType type, std::byte* out);

}  // namespace tessera::apps

#endif
