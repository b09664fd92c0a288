// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_TESTS_APPS_REDUCE_DRIVER_SUPPORT_HPP
#define TESSERA_TESTS_APPS_REDUCE_DRIVER_SUPPORT_HPP

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "apps/driver_support.hpp"

namespace tessera::apps::test {

inline const std::string program = TESSERA_REDUCE;

inline ProgramEnd reduce(const std::vector<std::string>& arguments, const ProgramSetting& setting = {}) {
  return run_quickly(program, arguments, setting);
}

inline std::string refused(const std::vector<std::string>& arguments, int status = 2) {
  return refusal_line(reduce(arguments), status, "tessera-reduce");
}

/// The record's results.
inline nlohmann::json results_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json=-", "--quiet"});
  return record_of(reduce(arguments))["results"];
}

/// As a record has them.
inline std::string bits_of(double value) {
  char text[17];
  (void)std::snprintf(text, sizeof(text), "%016llx",
                      static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(value)));
  return text;
}

/// in.h5 with the arrays that the tests use.
struct Inputs {
  Folder folder;
  std::string file = folder / "in.h5";
  std::vector<double> x;

  Inputs() {
    const auto in = create_file(file);
    for (int i = 0; i < 5000; ++i) x.push_back(std::ldexp(i * 7919 % 4001 - 2000, i % 5));  // sums of these are exact
    add_values(in.get(), "x", x, {50, 100});
    add_values<float>(in.get(), "f", {0.5F, 0.25F, -8.0F});
    add_values<std::int32_t>(in.get(), "i", {2147483647, 2147483647, -5});
    add_values<std::int64_t>(in.get(), "l", {9007199254740993, -1, 0});
    add_values<std::uint64_t>(in.get(), "u", {18446744073709551615U});
    add_values<std::uint64_t>(in.get(), "too_much", {18446744073709551615U, 1});
    add_values<std::int64_t>(in.get(), "low", {-1, -1, -1, -9223372036854775807, 0, -9223372036854775807}, {2, 3});
    add_values<double>(in.get(), "odd", {1, std::nan(""), std::numeric_limits<double>::infinity()});
    add_values<double>(in.get(), "none", {}, {0});
    add_values<double>(in.get(), "one", {-0.0}, {1});
    add_values<std::int8_t>(in.get(), "s", {-128, 3, 5, 3}, {2, 2});
    add_values<std::uint8_t>(in.get(), "b", {255, 255, 255, 255, 255, 255, 255, 254}, {2, 4});
    add_values<std::uint32_t>(in.get(), "w", {4294967295U, 1});
    add_values<double>(in.get(), "cancel", {1e308, 1e308, -1e308, 0.1, -1e308});
    add_values<float>(in.get(), "near_tie", {1, 0x1p-24F, 0x1p-60F});
    add_values<double>(in.get(), "gaps", {std::nan(""), 2, 4, std::nan(""), std::nan(""), std::nan("")}, {2, 3});
  }
  [[nodiscard]] std::string operator()(const std::string& name) const { return file + ":/" + name; }
};

}  // namespace tessera::apps::test

#endif
