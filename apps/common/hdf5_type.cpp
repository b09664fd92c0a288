// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tessera::apps {
namespace {

Handle member_type(hid_t type, unsigned member) { return {H5Tget_member_type(type, member), H5Tclose}; }
Handle base_type(hid_t type) { return {H5Tget_super(type), H5Tclose}; }

std::string member_name(hid_t type, unsigned member) {
  char* text = H5Tget_member_name(type, member);
  const std::string name = text != nullptr ? printable(text) : "?";
  H5free_memory(text);
  return name;
}

std::string order_suffix(const StoredType& type) { return type.big_endian ? " big-endian" : ""; }

/// Byte order and bit range of an integer, bit field or enum's base.
void fill_integer(hid_t type, std::string_view stem, StoredType& out) {
  const H5T_order_t order = H5Tget_order(type);
  out.big_endian = order == H5T_ORDER_BE && out.bytes > 1;
  out.offset = static_cast<unsigned>(H5Tget_offset(type));
  out.precision = static_cast<unsigned>(H5Tget_precision(type));
  const bool whole = out.precision == 8 * out.bytes;
  out.name = fmt::format("{}{}{}{}", stem, out.precision, whole ? "" : fmt::format(" in {} bytes", out.bytes),
                         order_suffix(out));
  if (out.precision >= 1 && out.precision <= 64 && out.bytes <= 16) out.kind = StoredType::Kind::integer;
}

std::string float_name(const StoredType& type) {
  const auto is = [&](std::uint64_t bytes, unsigned exponent_bits, unsigned mantissa_bits, std::int64_t bias) {
    return type.bytes == bytes && type.exponent_bits == exponent_bits && type.mantissa_bits == mantissa_bits &&
           type.exponent_bias == bias && type.mantissa_bit == 0 && type.exponent_bit == mantissa_bits &&
           type.sign_bit == mantissa_bits + exponent_bits;
  };
  if (type.implied_one) {
    if (is(2, 5, 10, 15)) return "float16";
    if (is(2, 8, 7, 127)) return "bfloat16";
    if (is(4, 8, 23, 127)) return "float32";
    if (is(8, 11, 52, 1023)) return "float64";
    if (is(16, 15, 112, 16383)) return "float128";
  } else if (is(16, 15, 64, 16383) || is(12, 15, 64, 16383) || is(10, 15, 64, 16383)) {
    return fmt::format("float80 in {} bytes", type.bytes);
  }
  return fmt::format("float of {} byte{} with {} exponent and {} mantissa bits", type.bytes, type.bytes == 1 ? "" : "s",
                     type.exponent_bits, type.mantissa_bits);
}

void fill_float(hid_t type, StoredType& out) {
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
  H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits);
  out.sign_bit = static_cast<unsigned>(sign);
  out.exponent_bit = static_cast<unsigned>(exponent);
  out.exponent_bits = static_cast<unsigned>(exponent_bits);
  out.mantissa_bit = static_cast<unsigned>(mantissa);
  out.mantissa_bits = static_cast<unsigned>(mantissa_bits);
  out.exponent_bias = static_cast<std::int64_t>(H5Tget_ebias(type));
  out.implied_one = H5Tget_norm(type) == H5T_NORM_IMPLIED;
  const H5T_order_t order = H5Tget_order(type);
  out.big_endian = order == H5T_ORDER_BE && out.bytes > 1;
  out.name = float_name(out) + order_suffix(out);
  if (order == H5T_ORDER_VAX) {
    out.name += " in VAX byte order";
    return;
  }
  const bool usable = exponent_bits >= 2 && exponent_bits <= 30 && mantissa_bits >= 2 && mantissa_bits <= 120;
  if (usable && out.bytes <= 16) out.kind = StoredType::Kind::floating;
}

/// Of finite elements, and of the last digit of the least ones.
std::int64_t largest_exponent(const StoredType& type) {
  return (std::int64_t{1} << type.exponent_bits) - 2 - type.exponent_bias;
}
std::int64_t least_exponent(const StoredType& type) {
  return 1 - type.exponent_bias - static_cast<std::int64_t>(type.fraction_bits());
}

/// NumPy's bool, as h5py and others store it.
bool is_boolean_enum(hid_t type) {
  return H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2 && member_name(type, 0) == "FALSE" &&
         member_name(type, 1) == "TRUE";
}

void fill_enum(hid_t type, StoredType& out) {
  const Handle base = base_type(type);
  out.is_signed = H5Tget_sign(base.get()) == H5T_SGN_2;
  fill_integer(base.get(), out.is_signed ? "int" : "uint", out);
  if (is_boolean_enum(type)) {
    out.name = "bool";
    out.is_signed = false;
  } else {
    out.name = "enum of " + out.name;
  }
}

/// Two floats of one IEEE type, one behind the other, by the names that h5py and others give them.
bool holds_complex(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return false;
  const auto named = [&](const char* real, const char* imaginary) {
    return member_name(type, 0) == real && member_name(type, 1) == imaginary;
  };
  if (!named("r", "i") && !named("re", "im") && !named("real", "imag")) return false;
  const StoredType real = stored_type(member_type(type, 0).get()), imaginary = stored_type(member_type(type, 1).get());
  const bool is_ieee = real.name.starts_with("float32") || real.name.starts_with("float64");
  return is_ieee && real.kind == StoredType::Kind::floating && imaginary.kind == real.kind &&
         imaginary.name == real.name && H5Tget_member_offset(type, 0) == 0 &&
         H5Tget_member_offset(type, 1) == real.bytes && H5Tget_size(type) == 2 * real.bytes;
}

void fill_complex(hid_t type, StoredType& out) {
  out = stored_type(member_type(type, 0).get());
  out.bytes *= 2;
  out.parts = 2;
  out.name = fmt::format("complex{}{}", 8 * out.bytes, order_suffix(out));
}

void fill_compound(hid_t type, StoredType& out) {
  const int members = H5Tget_nmembers(type);
  std::string list;
  for (int i = 0; i < members; ++i) {
    const Handle member = member_type(type, static_cast<unsigned>(i));
    const StoredType inner = stored_type(member.get());
    out.variable_length = out.variable_length || inner.variable_length;
    out.reference = out.reference || inner.reference;
    if (i < 4)
      list += fmt::format("{}{}: {}", i > 0 ? ", " : "", member_name(type, static_cast<unsigned>(i)), inner.name);
  }
  if (members > 4) list += ", ..";
  const bool complex = members == 2 && member_name(type, 0).starts_with('r') && member_name(type, 1).starts_with('i');
  out.name = fmt::format("{}compound {{{}}} of {} bytes", complex ? "complex numbers, " : "", list, out.bytes);
}

}  // namespace

StoredType stored_type(hid_t type) {
  StoredType out;
  out.bytes = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      out.is_signed = H5Tget_sign(type) == H5T_SGN_2;
      fill_integer(type, out.is_signed ? "int" : "uint", out);
      break;
    case H5T_BITFIELD:
      fill_integer(type, "bitfield", out);
      break;  // what PyTables stores its booleans in
    case H5T_FLOAT:
      fill_float(type, out);
      break;
    case H5T_ENUM:
      fill_enum(type, out);
      break;
    case H5T_COMPOUND:
      holds_complex(type) ? fill_complex(type, out) : fill_compound(type, out);
      break;
    case H5T_STRING:
      out.variable_length = H5Tis_variable_str(type) > 0;
      out.name = out.variable_length ? "strings of variable length" : fmt::format("strings of {} bytes", out.bytes);
      break;
    case H5T_VLEN:
      out.variable_length = true;
      out.name = "sequences of variable length of " + stored_type(base_type(type).get()).name;
      break;
    case H5T_ARRAY: {
      const StoredType base = stored_type(base_type(type).get());
      out.variable_length = base.variable_length;
      out.reference = base.reference;
      out.name = fmt::format("arrays of {}, {} bytes each", base.name, out.bytes);
      break;
    }
    case H5T_REFERENCE:
      out.reference = true;
      out.name = fmt::format("references of {} bytes", out.bytes);
      break;
    case H5T_OPAQUE:
      out.name = fmt::format("opaque data of {} bytes", out.bytes);
      break;
    case H5T_TIME:
      out.name = fmt::format("times of {} bytes", out.bytes);
      break;
    default:
      out.name = fmt::format("an unknown type of {} bytes", out.bytes);
      break;
  }
  return out;
}

ElementType compute_type_of(const StoredType& type) {
  if (type.kind == StoredType::Kind::floating) {
    return type.fraction_bits() <= 23 && largest_exponent(type) <= 127 && least_exponent(type) >= -149
               ? ElementType::float32
               : ElementType::float64;
  }
  const unsigned bits = type.precision + (type.is_signed ? 0 : 1);  // with a sign
  return bits <= 32 ? ElementType::int32 : bits <= 64 ? ElementType::int64 : ElementType::uint64;
}

bool wider_than_float64(const StoredType& type) {
  if (type.kind != StoredType::Kind::floating) return false;
  return type.fraction_bits() > 52 || largest_exponent(type) > 1023 || least_exponent(type) < -1074;
}

std::optional<Number> nearest_element(const StoredType& type, const Number& value) {
  if (const double* floating = std::get_if<double>(&value)) {
    if (*floating == 0 || !std::isfinite(*floating)) return value;
    const auto last_digit = static_cast<int>(std::max<std::int64_t>(
        std::ilogb(*floating) - static_cast<std::int64_t>(type.fraction_bits()), least_exponent(type)));
    const double nearest = std::ldexp(std::nearbyint(std::ldexp(*floating, -last_digit)), last_digit);
    if (nearest != 0 && std::ilogb(nearest) > largest_exponent(type)) return std::nullopt;
    return nearest;
  }
  const unsigned bits = type.name == "bool" ? 1 : type.precision - (type.is_signed ? 1 : 0);  // without a sign
  const std::uint64_t most = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
  const auto* with_sign = std::get_if<std::int64_t>(&value);
  const bool is_negative = with_sign != nullptr && *with_sign < 0;
  const std::uint64_t size = is_negative            ? static_cast<std::uint64_t>(-1 - *with_sign)
                             : with_sign != nullptr ? static_cast<std::uint64_t>(*with_sign)
                                                    : std::get<std::uint64_t>(value);
  return size <= most && (type.is_signed || !is_negative) ? std::optional(value) : std::nullopt;
}

}  // namespace tessera::apps
