// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which stored types are read, as what, and that each value arrives.
#include <algorithm>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/hdf5_type.hpp"
#include "io_support.hpp"

namespace tessera::apps::test {
namespace {

/// Writes elements as they stand in memory under a type that HDF5 is told is theirs.
template <class Stored>
std::string stored_as(const Folder& folder, hid_t type, const std::vector<Stored>& values) {
  // A new file each time: one that is still open cannot be made again.
  const std::string path = folder / (std::to_string(folder.names().size()) + ".h5");
  const Handle file = create_file(path);
  add_dataset(file.get(), "x", type, {values.size()}, type, values.data());
  return path + ":/x";
}

template <class Result, class Stored>
void check_integers(hid_t stored_type, const std::string& name, ElementType type) {
  const Folder folder;
  using Limits = std::numeric_limits<Stored>;
  const std::vector<Stored> values{Limits::min(), 0, 1, static_cast<Stored>(Limits::max() - 1), Limits::max(), 77};
  const std::string path = folder / "int.h5";
  {
    const Handle file = create_file(path), native(H5Tcopy(stored_type), H5Tclose);
    H5Tset_order(native.get(), std::endian::native == std::endian::little ? H5T_ORDER_LE : H5T_ORDER_BE);
    add_dataset(file.get(), "x", stored_type, {values.size()}, native.get(), values.data());
  }
  const Dataset dataset(path + ":/x");
  CHECK(dataset.info().stored_type == name);
  CHECK(dataset.compute_type() == type);
  CHECK(dataset.notice().empty());
  CHECK(values_of<Result>(dataset.read()) == std::vector<Result>(values.begin(), values.end()));
}

struct FloatFormat {
  std::size_t bytes, sign, exponent, exponent_bits, mantissa, mantissa_bits, bias;
};

Handle float_type(const FloatFormat& format, H5T_order_t order = H5T_ORDER_LE, bool implied = true) {
  Handle type(H5Tcopy(H5T_IEEE_F64LE), H5Tclose);
  if (format.bytes > 8) REQUIRE(H5Tset_size(type.get(), format.bytes) >= 0);
  REQUIRE(H5Tset_precision(type.get(), format.bytes > 8 ? format.bytes * 8 : 64) >= 0);
  REQUIRE(H5Tset_fields(type.get(), format.sign, format.exponent, format.exponent_bits, format.mantissa,
                        format.mantissa_bits) >= 0);
  REQUIRE(H5Tset_ebias(type.get(), format.bias) >= 0);
  if (format.bytes < 8) {
    REQUIRE(H5Tset_precision(type.get(), format.bytes * 8) >= 0);
    REQUIRE(H5Tset_size(type.get(), format.bytes) >= 0);
  }
  REQUIRE(H5Tset_order(type.get(), order) >= 0);
  REQUIRE(H5Tset_norm(type.get(), implied ? H5T_NORM_IMPLIED : H5T_NORM_NONE) >= 0);
  return type;
}

constexpr FloatFormat float16_format{2, 15, 10, 5, 0, 10, 15};
constexpr FloatFormat bfloat16_format{2, 15, 7, 8, 0, 7, 127};
constexpr FloatFormat float128_format{16, 127, 112, 15, 0, 112, 16383};
constexpr FloatFormat float80_format{16, 79, 64, 15, 0, 64, 16383};

/// Sixteen bytes, low half first.
struct Wide {
  std::uint64_t low, high;
};

double as_double(std::uint64_t bits) { return std::bit_cast<double>(bits); }

}  // namespace

TEST_CASE("integers of each size, sign and byte order are read in the next type that holds them") {
  check_integers<std::int32_t, std::int8_t>(H5T_STD_I8LE, "int8", ElementType::int32);
  check_integers<std::int32_t, std::int8_t>(H5T_STD_I8BE, "int8", ElementType::int32);
  check_integers<std::int32_t, std::uint8_t>(H5T_STD_U8LE, "uint8", ElementType::int32);
  check_integers<std::int32_t, std::int16_t>(H5T_STD_I16LE, "int16", ElementType::int32);
  check_integers<std::int32_t, std::int16_t>(H5T_STD_I16BE, "int16 big-endian", ElementType::int32);
  check_integers<std::int32_t, std::uint16_t>(H5T_STD_U16LE, "uint16", ElementType::int32);
  check_integers<std::int32_t, std::uint16_t>(H5T_STD_U16BE, "uint16 big-endian", ElementType::int32);
  check_integers<std::int32_t, std::int32_t>(H5T_STD_I32LE, "int32", ElementType::int32);
  check_integers<std::int32_t, std::int32_t>(H5T_STD_I32BE, "int32 big-endian", ElementType::int32);
  check_integers<std::int64_t, std::uint32_t>(H5T_STD_U32LE, "uint32", ElementType::int64);
  check_integers<std::int64_t, std::uint32_t>(H5T_STD_U32BE, "uint32 big-endian", ElementType::int64);
  check_integers<std::int64_t, std::int64_t>(H5T_STD_I64LE, "int64", ElementType::int64);
  check_integers<std::int64_t, std::int64_t>(H5T_STD_I64BE, "int64 big-endian", ElementType::int64);
  check_integers<std::uint64_t, std::uint64_t>(H5T_STD_U64LE, "uint64", ElementType::uint64);
  check_integers<std::uint64_t, std::uint64_t>(H5T_STD_U64BE, "uint64 big-endian", ElementType::uint64);
}

TEST_CASE("integers of odd precision are taken from their bits") {
  const Folder folder;
  const Handle type(H5Tcopy(H5T_STD_I16LE), H5Tclose);
  REQUIRE(H5Tset_precision(type.get(), 12) >= 0);
  REQUIRE(H5Tset_offset(type.get(), 3) >= 0);
  // 12 bits from bit 3 on: 5, -1, the lowest, the highest; the other bits are set to show that they do not count.
  const std::vector<std::uint16_t> stored{5U << 3 | 7U, 0xffff, 0x800U << 3 | 0x8000U, 0x7ffU << 3};
  const Dataset dataset(stored_as(folder, type.get(), stored));
  CHECK(dataset.info().stored_type == "int12 in 2 bytes");
  CHECK(values_of<std::int32_t>(dataset.read()) == std::vector<std::int32_t>{5, -1, -2048, 2047});

  const Handle narrow(H5Tcopy(H5T_STD_U64BE), H5Tclose);
  REQUIRE(H5Tset_precision(narrow.get(), 63) >= 0);
  const std::vector<std::uint64_t> all{~std::uint64_t{0}};
  const Dataset other(stored_as(folder, narrow.get(), all));
  CHECK(other.compute_type() == ElementType::int64);
  CHECK(values_of<std::int64_t>(other.read()) == std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()});
}

TEST_CASE("booleans, enums and bit fields are read as their integers") {
  const Folder folder;
  const std::vector<std::int8_t> truths{0, 1, 1, 0};
  const Handle boolean(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  const std::int8_t no = 0, yes = 1;
  REQUIRE(H5Tenum_insert(boolean.get(), "FALSE", &no) >= 0);
  REQUIRE(H5Tenum_insert(boolean.get(), "TRUE", &yes) >= 0);
  {
    const Dataset dataset(stored_as(folder, boolean.get(), truths));
    CHECK(dataset.info().stored_type == "bool");
    CHECK(dataset.compute_type() == ElementType::int32);
    CHECK(values_of<std::int32_t>(dataset.read()) == std::vector<std::int32_t>{0, 1, 1, 0});
  }
  const Handle colours(H5Tenum_create(H5T_STD_I16BE), H5Tclose);
  const std::int16_t red = std::int16_t(0x0100), blue = std::int16_t(0xffff);  // 1 and -1, big-endian
  REQUIRE(H5Tenum_insert(colours.get(), "RED", &red) >= 0);
  REQUIRE(H5Tenum_insert(colours.get(), "BLUE", &blue) >= 0);
  {
    const Dataset dataset(stored_as(folder, colours.get(), std::vector<std::int16_t>{red, blue}));
    CHECK(dataset.info().stored_type == "enum of int16 big-endian");
    CHECK(values_of<std::int32_t>(dataset.read()) == std::vector<std::int32_t>{1, -1});
  }
  {
    const Dataset dataset(stored_as(folder, H5T_STD_B8LE, std::vector<std::uint8_t>{0, 1, 255}));
    CHECK(dataset.info().stored_type == "bitfield8");
    CHECK(values_of<std::int32_t>(dataset.read()) == std::vector<std::int32_t>{0, 1, 255});
  }
}

TEST_CASE("float32 and float64 keep every bit, NaN payloads included") {
  const Folder folder;
  const std::vector<std::uint32_t> bits{0x3f800000, 0x80000000, 0x00000001, 0x7f800000,
                                        0xff800000, 0x7fc01234, 0x7f7fffff};
  const auto arrived = [](const HostArray& array) {
    std::vector<std::uint32_t> result(element_count(array.shape));
    std::memcpy(result.data(), array.buffer.data(), array.buffer.bytes());
    return result;
  };
  CHECK(arrived(Dataset(stored_as(folder, H5T_IEEE_F32LE, bits)).read()) == bits);
  std::vector<std::uint32_t> swapped;
  for (const std::uint32_t value : bits) swapped.push_back(__builtin_bswap32(value));
  const Dataset big(stored_as(folder, H5T_IEEE_F32BE, swapped));
  CHECK(big.info().stored_type == "float32 big-endian");
  CHECK(big.compute_type() == ElementType::float32);
  CHECK(arrived(big.read()) == bits);

  const Dataset wide(
      stored_as(folder, H5T_IEEE_F64BE, std::vector<std::uint64_t>{__builtin_bswap64(0x3ff8000000000001)}));
  CHECK(wide.compute_type() == ElementType::float64);
  CHECK(values_of<double>(wide.read()) == std::vector<double>{as_double(0x3ff8000000000001)});
}

TEST_CASE("every float16 and bfloat16 arrives as the float32 of the same value") {
  const Folder folder;
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  {
    const Dataset dataset(stored_as(folder, float_type(bfloat16_format).get(), all));
    CHECK(dataset.info().stored_type == "bfloat16");
    CHECK(dataset.compute_type() == ElementType::float32);
    const auto values = values_of<float>(dataset.read());
    std::size_t wrong = 0;
    for (std::uint32_t i = 0; i < all.size(); ++i) {  // bfloat16 is the upper half of a float32
      const auto expected = std::bit_cast<float>(i << 16);
      const bool same =
          std::isnan(expected) ? std::isnan(values[i]) : std::bit_cast<std::uint32_t>(values[i]) == i << 16;
      wrong += same ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
  const Dataset dataset(stored_as(folder, float_type(float16_format).get(), all));
  CHECK(dataset.info().stored_type == "float16");
  const auto values = values_of<float>(dataset.read());
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const int exponent = static_cast<int>(i >> 10 & 31), mantissa = static_cast<int>(i & 1023);
    const float sign = i >> 15 != 0 ? -1.0F : 1.0F;
    float expected =
        sign * std::ldexp(static_cast<float>(mantissa + (exponent > 0 ? 1024 : 0)), std::max(exponent, 1) - 25);
    if (exponent == 31) expected = mantissa == 0 ? sign * INFINITY : NAN;
    const bool same = std::isnan(expected) ? std::isnan(values[i])
                                           : values[i] == expected && std::signbit(values[i]) == std::signbit(expected);
    wrong += same ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("floats wider than float64 are rounded once, ties to even, with a notice") {
  const Folder folder;
  // Quadruple precision: exponent 0x3fff is 2^0; 112 bits of fraction, the upper 48 of them in high.
  const std::uint64_t one = 0x3fff000000000000;
  const std::vector<Wide> stored{
      {0, one},                                   // 1
      {0, one | std::uint64_t{1} << 63},          // -1
      {std::uint64_t{1} << 59, one},              // 1 + 2^-53: a tie, to even: 1
      {(std::uint64_t{1} << 59) + 1, one},        // just above the tie: 1 + 2^-52
      {std::uint64_t{3} << 59, one},              // 1 + 3 * 2^-53: a tie, to even: 1 + 2^-51
      {~std::uint64_t{0}, one | 0xffffffffffff},  // just below 2: rounds to 2
      {0, 0x7fff000000000000},                    // infinity
      {1, 0x7fff000000000000},                    // NaN
      {0, 0x43ff000000000000},                    // 2^1024: infinity
      {~std::uint64_t{0}, 0x43feffffffffffff},    // just below 2^1024: infinity
      {0, 0x3bcd000000000000},                    // 2^-1074, the smallest subnormal
      {0, 0x3bcc000000000000},                    // 2^-1075: a tie between 0 and that: 0
      {1, 0x3bcc000000000000},                    // just above it: 2^-1074
      {0, 0x3bcb000000000000},                    // 2^-1076: 0
      {0, 0},                                     // 0
      {7, 0},                                     // a subnormal of the wide type: 0
  };
  const std::vector<double> expected{1,
                                     -1,
                                     1,
                                     as_double(0x3ff0000000000001),
                                     as_double(0x3ff0000000000002),
                                     2,
                                     INFINITY,
                                     NAN,
                                     INFINITY,
                                     INFINITY,
                                     as_double(1),
                                     0,
                                     as_double(1),
                                     0,
                                     0,
                                     0};
  const auto check = [&](const std::vector<double>& values) {
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      INFO("element " << i);
      CHECK((std::isnan(expected[i]) ? std::isnan(values[i]) : values[i] == expected[i]));
    }
  };
  const Dataset dataset(stored_as(folder, float_type(float128_format).get(), stored));
  CHECK(dataset.info().stored_type == "float128");
  CHECK(dataset.compute_type() == ElementType::float64);
  CHECK(dataset.notice() == folder / "0.h5:/x: float128 is rounded to float64");
  check(values_of<double>(dataset.read()));

  std::vector<Wide> swapped;
  for (const Wide& value : stored) swapped.push_back({__builtin_bswap64(value.high), __builtin_bswap64(value.low)});
  check(values_of<double>(Dataset(stored_as(folder, float_type(float128_format, H5T_ORDER_BE).get(), swapped)).read()));
}

TEST_CASE("x87 floats, whose leading one is stored, are rounded to float64") {
  const Folder folder;
  const std::uint64_t lead = std::uint64_t{1} << 63;
  // High halves: sign and exponent in the low 16 bits.
  const std::vector<Wide> stored{{lead, 0x3fff},
                                 {lead, 0xbfff},
                                 {lead | 1U << 10, 0x3fff},
                                 {lead | 3U << 10, 0x3fff},
                                 {lead | 1U << 10 | 1, 0x3fff},
                                 {lead, 0x7fff},
                                 {lead | 1, 0x7fff},
                                 {~std::uint64_t{0}, 0x7ffe},
                                 {0, 0},
                                 {lead, 0x4000}};
  const Dataset dataset(stored_as(folder, float_type(float80_format, H5T_ORDER_LE, false).get(), stored));
  CHECK(dataset.info().stored_type == "float80 in 16 bytes");
  CHECK(dataset.notice() == folder / "0.h5:/x: float80 in 16 bytes is rounded to float64");
  const auto values = values_of<double>(dataset.read());
  const std::vector<double> expected{
      1, -1, 1, as_double(0x3ff0000000000002), as_double(0x3ff0000000000001), INFINITY, NAN, INFINITY, 0, 2};
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    INFO("element " << i);
    CHECK((std::isnan(expected[i]) ? std::isnan(values[i]) : values[i] == expected[i]));
  }
}

TEST_CASE("floats of other formats are named by their bits") {
  const Folder folder;
  const Handle type = float_type({4, 26, 20, 6, 7, 13, 31});
  const std::vector<std::uint32_t> stored{31U << 20, 32U << 20 | 1U << 19 | 0x7fU, 1U << 26 | 31U << 20};
  const Dataset dataset(stored_as(folder, type.get(), stored));
  CHECK(dataset.info().stored_type == "float of 4 bytes with 6 exponent and 13 mantissa bits");
  CHECK(values_of<float>(dataset.read()) == std::vector<float>{1, 3, -1});
}

TEMPLATE_TEST_CASE("complex numbers are pairs of floats of one type", "", float, double) {
  const Folder folder;
  const std::string path = folder / "complex.h5", name = sizeof(TestType) == 4 ? "complex64" : "complex128";
  std::vector<TestType> parts(2 * 7 * 5);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = static_cast<TestType>(i) / 8 - 3;
  parts[11] = -std::numeric_limits<TestType>::infinity();
  parts[14] = std::numeric_limits<TestType>::denorm_min();
  const hid_t native = sizeof(TestType) == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  const hid_t big = sizeof(TestType) == 4 ? H5T_IEEE_F32BE : H5T_IEEE_F64BE;
  {
    const Handle file = create_file(path), chunks = chunked_list({3, 2});
    REQUIRE(H5Pset_deflate(chunks.get(), 4) >= 0);
    const auto add = [&](const char* dataset, const char* real, const char* imaginary, hid_t part, hid_t creation) {
      add_dataset(file.get(), dataset, complex_type(part, real, imaginary).get(), {7, 5},
                  complex_type(native, real, imaginary).get(), parts.data(), creation);
    };
    add("little", "r", "i", native, H5P_DEFAULT);
    add("big", "re", "im", big, H5P_DEFAULT);
    add("chunked", "real", "imag", big, chunks.get());
  }
  for (const char* dataset : {"little", "big", "chunked"}) {
    INFO(dataset);
    const Dataset input(path + ":/" + dataset);
    CHECK(input.info().stored_type == name + (dataset == std::string("little") ? "" : " big-endian"));
    CHECK(input.is_complex());
    CHECK(to_string(input.element_type()) == name);
    CHECK(input.read_bytes() == sizeof(TestType) * parts.size());
    const HostArray array = input.read();
    CHECK(array.is_complex);
    CHECK(array.shape == Shape{7, 5});
    REQUIRE(array.buffer.bytes() == sizeof(TestType) * parts.size());
    CHECK(std::equal(parts.begin(), parts.end(), array.buffer.template as<TestType>()));
    // Every second column of the last rows, from behind.
    const HostArray some = Dataset(path + ":/" + dataset + "[:4:-1, ::2]").read();
    REQUIRE(some.shape == Shape{2, 3});
    const std::vector<TestType> selected{parts[60], parts[61], parts[64], parts[65], parts[68], parts[69],
                                         parts[50], parts[51], parts[54], parts[55], parts[58], parts[59]};
    CHECK(std::equal(selected.begin(), selected.end(), some.buffer.template as<TestType>()));
  }
  const std::vector<ListedDataset> listed = list_datasets(path);
  REQUIRE(listed.size() == 3);
  CHECK(listed[2].type == name);
}

TEST_CASE("what is not a number is refused with what was found") {
  const Folder folder;
  const std::string path = folder / "other.h5";
  {
    const Handle file = create_file(path);
    const auto add = [&](const char* name, const Handle& type) {
      add_dataset(file.get(), name, type.get(), {2}, type.get(), nullptr);
    };
    Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(text.get(), 12);
    add("text", text);
    H5Tset_size(text.get(), H5T_VARIABLE);
    add("words", text);
    const auto pair_of = [](const char* first, hid_t first_type, const char* second, hid_t second_type, std::size_t at,
                            std::size_t bytes) {
      Handle pair(H5Tcreate(H5T_COMPOUND, bytes), H5Tclose);
      H5Tinsert(pair.get(), first, 0, first_type);
      H5Tinsert(pair.get(), second, at, second_type);
      return pair;
    };
    add("complex", pair_of("r", H5T_IEEE_F64LE, "i", H5T_IEEE_F64LE, 8, 16));
    add("apart", pair_of("r", H5T_IEEE_F32LE, "i", H5T_IEEE_F32LE, 8, 12));
    add("padded", pair_of("r", H5T_IEEE_F32LE, "i", H5T_IEEE_F32LE, 4, 12));
    add("orders", pair_of("r", H5T_IEEE_F64LE, "i", H5T_IEEE_F64BE, 8, 16));
    add("widths", pair_of("re", H5T_IEEE_F32LE, "im", H5T_IEEE_F64LE, 4, 12));
    add("whole", pair_of("r", H5T_STD_I32LE, "i", H5T_STD_I32LE, 4, 8));
    add("vax_pair", pair_of("r", H5T_VAX_F32, "i", H5T_VAX_F32, 4, 8));
    add("point", pair_of("x", H5T_IEEE_F64LE, "y", H5T_IEEE_F64LE, 8, 16));
    Handle rows(H5Tcreate(H5T_COMPOUND, 24), H5Tclose);
    std::size_t offset = 0;
    for (const char* name : {"m0", "m1", "m2", "m3", "m4", "m5"}) {
      H5Tinsert(rows.get(), name, offset, H5T_STD_I32LE);
      offset += 4;
    }
    add("rows", rows);
    add("opaque", Handle(H5Tcreate(H5T_OPAQUE, 5), H5Tclose));
    add("reference", Handle(H5Tcopy(H5T_STD_REF_OBJ), H5Tclose));
    add("ragged", Handle(H5Tvlen_create(H5T_STD_I16LE), H5Tclose));
    const hsize_t three = 3;
    add("array", Handle(H5Tarray_create2(H5T_STD_I32LE, 1, &three), H5Tclose));
    add("time", Handle(H5Tcopy(H5T_UNIX_D32LE), H5Tclose));
    Handle huge(H5Tcopy(H5T_STD_I64LE), H5Tclose);
    H5Tset_size(huge.get(), 16);
    H5Tset_precision(huge.get(), 128);
    add("huge", huge);
    add("vax", Handle(H5Tcopy(H5T_VAX_F32), H5Tclose));
  }
  const auto found = [&](const std::string& name) {
    const std::string message = bad_input([&] { static_cast<void>(Dataset(path + ":/" + name).compute_type()); });
    const std::string before = path + ":/" + name + ": holds ";
    const std::string after = "; only integers, booleans, enums and floating-point numbers can be computed with";
    REQUIRE(message.starts_with(before));
    REQUIRE(message.ends_with(after));
    return message.substr(before.size(), message.size() - before.size() - after.size());
  };
  CHECK(found("text") == "strings of 12 bytes");
  CHECK(found("words") == "strings of variable length");
  CHECK(found("apart") == "complex numbers, compound {r: float32, i: float32} of 12 bytes");
  CHECK(found("padded") == "complex numbers, compound {r: float32, i: float32} of 12 bytes");
  CHECK(found("orders") == "complex numbers, compound {r: float64, i: float64 big-endian} of 16 bytes");
  CHECK(found("widths") == "complex numbers, compound {re: float32, im: float64} of 12 bytes");
  CHECK(found("whole") == "complex numbers, compound {r: int32, i: int32} of 8 bytes");
  CHECK(found("vax_pair").find("in VAX byte order") != std::string::npos);
  CHECK(found("point") == "compound {x: float64, y: float64} of 16 bytes");
  CHECK(bad_input([&] { static_cast<void>(Dataset(path + ":/complex").compute_type()); }) ==
        path + ":/complex: holds complex128; only real numbers can be computed with here");
  CHECK(found("rows") == "compound {m0: int32, m1: int32, m2: int32, m3: int32, ..} of 24 bytes");
  CHECK(found("opaque") == "opaque data of 5 bytes");
  CHECK(found("reference") == "references of 8 bytes");
  CHECK(found("ragged") == "sequences of variable length of int16");
  CHECK(found("array") == "arrays of int32, 12 bytes each");
  CHECK(found("time") == "times of 4 bytes");
  CHECK(found("huge") == "int128");
  CHECK(found("vax").ends_with("in VAX byte order"));
  CHECK(bad_input([&] { static_cast<void>(Dataset(path + ":/text").read_bytes()); }).find("strings of 12 bytes") !=
        std::string::npos);

  // Bytes can be moved where their number is fixed.
  CHECK(Dataset(path + ":/complex").raw_bytes() == 32);
  CHECK(Dataset(path + ":/text").raw_bytes() == 24);
  CHECK(Dataset(path + ":/array").raw_bytes() == 24);
  CHECK(Dataset(path + ":/opaque").raw_bytes() == 10);
  CHECK(Dataset(path + ":/rows").raw_bytes() == 48);
  for (const char* name : {"words", "ragged"}) {
    const std::string message = bad_input([&] { static_cast<void>(Dataset(path + ":/" + name).raw_bytes()); });
    CHECK(message.ends_with("; only types of a fixed size can be moved"));
  }
}

}  // namespace tessera::apps::test
