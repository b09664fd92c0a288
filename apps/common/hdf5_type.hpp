// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a stored HDF5 type is, and how its bytes become the type that is computed in. Numbers are decoded here rather
// than by HDF5: its own conversion of formats that no processor has is slow and does not always round correctly.
#ifndef TESSERA_APPS_COMMON_HDF5_TYPE_HPP
#define TESSERA_APPS_COMMON_HDF5_TYPE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hdf5_handle.hpp"
#include "host_array.hpp"
#include "measurement.hpp"

namespace tessera::apps {

/// A stored type, read from HDF5 once.
struct StoredType {
  enum class Kind { integer, floating, other };

  std::string name;  ///< "int16 big-endian", "complex128", "compound {x: float64, y: float64} of 16 bytes"
  Kind kind = Kind::other;
  std::uint64_t bytes = 0;
  unsigned parts = 1;  ///< 2 of complex numbers, real and imaginary; what follows is then said of a part
  bool big_endian = false;
  bool variable_length = false;  ///< elements, or parts of them, lie elsewhere in the file
  bool reference = false;        ///< elements, or parts of them, point into the file

  bool is_signed = false;              ///< integer
  unsigned offset = 0, precision = 0;  ///< integer: the bits that count, from the least significant
  unsigned sign_bit = 0;               ///< floating; positions count from the least significant bit
  unsigned exponent_bit = 0, exponent_bits = 0;
  unsigned mantissa_bit = 0, mantissa_bits = 0;
  std::int64_t exponent_bias = 0;
  bool implied_one = true;  ///< floating: the leading one of the mantissa is not stored

  [[nodiscard]] bool numeric() const { return kind != Kind::other; }
  [[nodiscard]] bool is_complex() const { return parts == 2; }
  /// Bits of the mantissa behind the point.
  [[nodiscard]] unsigned fraction_bits() const { return implied_one ? mantissa_bits : mantissa_bits - 1; }
};

[[nodiscard]] StoredType stored_type(hid_t type);

/// The smallest of the five types that holds all values of a numeric one, or of its parts; float64 for wider floats.
[[nodiscard]] ElementType compute_type_of(const StoredType& type);

/// Whether float64 does not hold all values: reading rounds.
[[nodiscard]] bool wider_than_float64(const StoredType& type);

/// What a numeric type, of complex ones a part, has for a value of compute_type_of(type): the nearest float, ties to
/// even, or that very integer; nothing where it has none.
[[nodiscard]] std::optional<Number> nearest_element(const StoredType& type, const Number& value);

/// Turns stored elements into elements of compute_type_of(type), of complex numbers two each.
class Decoder {
 public:
  explicit Decoder(const StoredType& type);

  /// Whether the stored bytes are the result already.
  [[nodiscard]] bool is_copy() const { return m_copy; }
  /// count elements, densely packed on both sides.
  void decode(const std::byte* in, std::uint64_t count, std::byte* out) const;

 private:
  StoredType m_type;  // of complex numbers that of a part, but for the name
  ElementType m_target;
  bool m_copy = false;
  std::vector<float> m_table;  // for floats of two bytes: every value
};

}  // namespace tessera::apps

#endif
