// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "hdf5_type.hpp"

namespace tessera::apps {
namespace {

__extension__ typedef unsigned __int128 Bits;  // an element of up to 16 bytes

constexpr bool host_is_big_endian = std::endian::native == std::endian::big;

Bits load_bits(const std::byte* in, const StoredType& type) {
  std::array<std::byte, sizeof(Bits)> element{};  // as the host orders bytes
  std::byte* const first = element.data() + (host_is_big_endian ? element.size() - type.bytes : 0);
  if (type.big_endian == host_is_big_endian || type.bytes == 1) {
    std::memcpy(first, in, type.bytes);
  } else {
    std::reverse_copy(in, in + type.bytes, first);
  }
  return std::bit_cast<Bits>(element);
}

Bits field(Bits bits, unsigned position, unsigned width) { return bits >> position & ((Bits{1} << width) - 1); }

unsigned bit_length(Bits value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 64 + static_cast<unsigned>(std::bit_width(high))
                   : static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(value)));
}

/// mantissa * 2^exponent in one rounding to nearest, ties to even, subnormals included.
double round_to_double(Bits mantissa, std::int64_t exponent) {
  if (mantissa == 0) return 0.0;
  const auto length = static_cast<std::int64_t>(bit_length(mantissa));
  const std::int64_t top = exponent + length - 1;  // exponent of the leading bit
  if (top > 1023) return std::numeric_limits<double>::infinity();
  if (top < -1075) return 0.0;
  const std::int64_t kept = top >= -1022 ? 53 : top + 1075;
  const std::int64_t dropped = length - kept;
  if (dropped <= 0)
    return std::ldexp(static_cast<double>(static_cast<std::uint64_t>(mantissa)), static_cast<int>(exponent));
  auto quotient = dropped < 128 ? static_cast<std::uint64_t>(mantissa >> dropped) : 0;
  const Bits half = Bits{1} << (dropped - 1), rest = mantissa & (half | (half - 1));
  if (rest > half || (rest == half && quotient % 2 == 1)) ++quotient;
  return std::ldexp(static_cast<double>(quotient), static_cast<int>(exponent + dropped));
}

double decode_float(const std::byte* in, const StoredType& type) {
  const Bits bits = load_bits(in, type);
  const auto exponent = static_cast<std::int64_t>(field(bits, type.exponent_bit, type.exponent_bits));
  Bits mantissa = field(bits, type.mantissa_bit, type.mantissa_bits);
  const bool negative = field(bits, type.sign_bit, 1) != 0;
  const auto fraction_bits = static_cast<std::int64_t>(type.fraction_bits());
  double magnitude = 0;
  if (exponent == (std::int64_t{1} << type.exponent_bits) - 1) {
    const bool infinite = (mantissa & ((Bits{1} << fraction_bits) - 1)) == 0;
    magnitude = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else {
    if (type.implied_one && exponent > 0) mantissa |= Bits{1} << fraction_bits;
    magnitude = round_to_double(mantissa, (exponent > 0 ? exponent : 1) - type.exponent_bias - fraction_bits);
  }
  return negative ? -magnitude : magnitude;
}

std::uint64_t decode_integer(const std::byte* in, const StoredType& type) {
  const auto value = static_cast<std::uint64_t>(field(load_bits(in, type), type.offset, type.precision));
  if (!type.is_signed || type.precision == 64 || (value >> (type.precision - 1)) == 0) return value;
  return value | ~std::uint64_t{0} << type.precision;  // sign extension
}

template <class Unsigned>
Unsigned swap_bytes(Unsigned value) {
  if constexpr (sizeof(value) == 1) return value;
  if constexpr (sizeof(value) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(value) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(value) == 8) return __builtin_bswap64(value);
}

/// Elements that are a C++ type but for their byte order.
template <class Stored, class Target>
void convert(const std::byte* in, std::uint64_t count, bool swapped, std::byte* out) {
  using Unsigned =
      std::conditional_t<sizeof(Stored) == 1, std::uint8_t,
                         std::conditional_t<sizeof(Stored) == 2, std::uint16_t,
                                            std::conditional_t<sizeof(Stored) == 4, std::uint32_t, std::uint64_t>>>;
  for (std::uint64_t i = 0; i < count; ++i) {
    Unsigned bits;
    std::memcpy(&bits, in + i * sizeof(Stored), sizeof(Stored));
    const auto value = static_cast<Target>(std::bit_cast<Stored>(swapped ? swap_bytes(bits) : bits));
    std::memcpy(out + i * sizeof(Target), &value, sizeof(Target));
  }
}

/// Any integer or float, element by element.
template <class Target>
void convert_any(const std::byte* in, std::uint64_t count, const StoredType& type, std::byte* out) {
  for (std::uint64_t i = 0; i < count; ++i) {
    Target value;
    if constexpr (std::is_floating_point_v<Target>) {
      value = static_cast<Target>(decode_float(in + i * type.bytes, type));
    } else {
      value = static_cast<Target>(decode_integer(in + i * type.bytes, type));
    }
    std::memcpy(out + i * sizeof(Target), &value, sizeof(Target));
  }
}

/// Whether a type is one of C++'s but for the byte order.
bool is_common(const StoredType& type) {
  if (type.kind == StoredType::Kind::integer)
    return type.precision == 8 * type.bytes && std::has_single_bit(type.bytes);
  return type.is_complex() || type.name.starts_with("float32") || type.name.starts_with("float64");
}

}  // namespace

Decoder::Decoder(const StoredType& type) : m_type(type), m_target(compute_type_of(type)) {
  m_type.bytes /= type.parts;
  const bool swapped = type.bytes > 1 && type.big_endian != host_is_big_endian;
  m_copy = is_common(type) && m_type.bytes == size_of(m_target) && !swapped;
  if (m_target == ElementType::float32 && type.bytes == 2) {
    m_table.resize(65536);
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
      const auto pattern = static_cast<std::uint16_t>(bits);
      std::byte element[2];
      std::memcpy(element, &pattern, sizeof(element));
      m_table[bits] = static_cast<float>(decode_float(element, type));
    }
  }
}

void Decoder::decode(const std::byte* in, std::uint64_t count, std::byte* out) const {
  const bool swapped = m_type.big_endian != host_is_big_endian;
  count *= m_type.parts;
  if (m_copy) {
    std::memcpy(out, in, count * m_type.bytes);
  } else if (!m_table.empty()) {
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint16_t pattern;
      std::memcpy(&pattern, in + 2 * i, 2);
      std::memcpy(out + sizeof(float) * i, &m_table[pattern], sizeof(float));
    }
  } else if (!is_common(m_type)) {
    visit_type(m_target, [&](auto target) { convert_any<decltype(target)>(in, count, m_type, out); });
  } else if (m_type.kind == StoredType::Kind::floating) {
    m_type.bytes == 4 ? convert<float, float>(in, count, swapped, out)
                      : convert<double, double>(in, count, swapped, out);
  } else if (m_type.is_signed) {
    switch (m_type.bytes) {
      case 1:
        convert<std::int8_t, std::int32_t>(in, count, swapped, out);
        break;
      case 2:
        convert<std::int16_t, std::int32_t>(in, count, swapped, out);
        break;
      case 4:
        convert<std::int32_t, std::int32_t>(in, count, swapped, out);
        break;
      default:
        convert<std::int64_t, std::int64_t>(in, count, swapped, out);
        break;
    }
  } else {
    switch (m_type.bytes) {
      case 1:
        convert<std::uint8_t, std::int32_t>(in, count, swapped, out);
        break;
      case 2:
        convert<std::uint16_t, std::int32_t>(in, count, swapped, out);
        break;
      case 4:
        convert<std::uint32_t, std::int64_t>(in, count, swapped, out);
        break;
      default:
        convert<std::uint64_t, std::uint64_t>(in, count, swapped, out);
        break;
    }
  }
}

}  // namespace tessera::apps
