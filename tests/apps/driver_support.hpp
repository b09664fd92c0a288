// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the end-to-end tests of the drivers share: running a program, and small inputs.
#ifndef TESSERA_TESTS_APPS_DRIVER_SUPPORT_HPP
#define TESSERA_TESTS_APPS_DRIVER_SUPPORT_HPP

#include <catch2/catch_test_macros.hpp>
#include <chrono>
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

/// Runs a driver on the arguments, quickly: serial, one repeat, no warm-up; the arguments come after and may add to it.
[[nodiscard]] ProgramEnd run_quickly(const std::string& program, std::vector<std::string> arguments,
                                     const ProgramSetting& setting = {});

/// What every refusal must be: the status, nothing on standard output, one line on standard error, from the program.
/// Returns that line without "<program>: error: ".
[[nodiscard]] std::string refusal_line(const ProgramEnd& end, int status, const std::string& program);

/// The record that `--json -` printed.
[[nodiscard]] nlohmann::json record_of(const ProgramEnd& end);

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

/// A dataset of the values; shape: {values.size()} where empty.
template <class T>
void add_values(hid_t file, const std::string& name, const std::vector<T>& values, Shape shape = {}) {
  if (shape.empty()) shape = {values.size()};
  add_dataset(file, name, StoredType<T>::id(), shape, StoredType<T>::id(), values.data());
}

}  // namespace tessera::apps::test

#endif
