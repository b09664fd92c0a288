// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the end-to-end tests of the drivers share: running a program, and small inputs.
#ifndef TESSERA_TESTS_APPS_DRIVER_SUPPORT_HPP
#define TESSERA_TESTS_APPS_DRIVER_SUPPORT_HPP

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <complex>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/io_support.hpp"

namespace tessera::apps::test {

struct ProgramEnd {
  int status = -1;  // -1 where a signal ended it
  int signal = 0;
  std::string out, err;
};

struct ProgramSetting {
  std::string out_file;                  // standard output goes there instead of into ProgramEnd::out
  std::vector<std::string> environment;  // NAME=VALUE, added
  std::chrono::milliseconds terminate_after{0};
};

[[nodiscard]] ProgramEnd run_program(const std::string& program, const std::vector<std::string>& arguments,
                                     const ProgramSetting& setting = {});

/// Names the simplest of the spaces that are built in: serial, but under sanitizers.
[[nodiscard]] std::string simplest_space();

/// Runs a driver on the arguments, quickly: in the simplest space, one repeat, no warm-up, where they name none.
[[nodiscard]] ProgramEnd run_quickly(const std::string& program, std::vector<std::string> arguments,
                                     const ProgramSetting& setting = {});

/// What every refusal must be: the status, nothing on standard output, one line on standard error, from the program.
/// Returns that line without "<program>: error: ".
[[nodiscard]] std::string refusal_line(const ProgramEnd& end, int status, const std::string& program);

/// The record that `--json -` printed.
[[nodiscard]] nlohmann::json record_of(const ProgramEnd& end);

/// The records in a file, one a line.
[[nodiscard]] std::vector<nlohmann::json> rows_of(const std::string& file);

template <class T>
struct StoredType;
template <>
struct StoredType<std::int8_t> {
  static hid_t id() { return H5T_NATIVE_INT8; }
};
template <>
struct StoredType<std::uint8_t> {
  static hid_t id() { return H5T_NATIVE_UINT8; }
};
template <>
struct StoredType<std::uint32_t> {
  static hid_t id() { return H5T_NATIVE_UINT32; }
};
template <>
struct StoredType<std::int32_t> {
  static hid_t id() { return H5T_NATIVE_INT32; }
};
template <>
struct StoredType<std::int64_t> {
  static hid_t id() { return H5T_NATIVE_INT64; }
};
template <>
struct StoredType<std::uint64_t> {
  static hid_t id() { return H5T_NATIVE_UINT64; }
};
template <>
struct StoredType<float> {
  static hid_t id() { return H5T_NATIVE_FLOAT; }
};
template <>
struct StoredType<double> {
  static hid_t id() { return H5T_NATIVE_DOUBLE; }
};

/// Type and shape: "float32 (3, 4)".
[[nodiscard]] inline std::string stored(const std::string& spec) {
  const Dataset dataset(spec);
  return to_string(dataset.element_type()) + ' ' + to_string(dataset.info().shape);
}

/// A dataset of the values; shape: {values.size()} where empty.
template <class T>
void add_values(hid_t file, const std::string& name, const std::vector<T>& values, Shape shape = {}) {
  if (shape.empty()) shape = {values.size()};
  add_dataset(file, name, StoredType<T>::id(), shape, StoredType<T>::id(), values.data());
}

template <class Real>
void add_complex(hid_t file, const std::string& name, const std::vector<std::complex<Real>>& values, Shape shape = {}) {
  const Handle type = complex_type(StoredType<Real>::id());
  add_dataset(file, name, type.get(), shape.empty() ? Shape{values.size()} : shape, type.get(), values.data());
}

template <class Real>
std::vector<std::complex<Real>> read_complex(const std::string& spec) {
  const HostArray array = Dataset(spec).read();
  REQUIRE(array.is_complex);
  REQUIRE(array.buffer.bytes() == element_count(array.shape) * sizeof(std::complex<Real>));
  const auto* first = array.buffer.as<std::complex<Real>>();
  return {first, first + element_count(array.shape)};
}

}  // namespace tessera::apps::test

#endif
