// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of lines for tessera-filter, and its whole outputs.
#ifndef TESSERA_TESTS_APPS_FILTER_INPUTS_HPP
#define TESSERA_TESTS_APPS_FILTER_INPUTS_HPP

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "apps/driver_support.hpp"

namespace tessera::apps::test {

inline constexpr std::size_t lines = 3, extent = 37;

struct FilterInputs {
  Folder folder;
  std::string file = folder / "in.h5", out = folder / "out.h5";
  std::vector<double> x;
  std::vector<std::int32_t> i;

  FilterInputs() {
    std::vector<float> f;
    for (std::size_t k = 0; k < lines * extent; ++k) {
      x.push_back(std::sin(static_cast<double>(k * k)) * 3 + static_cast<double>(k % 7));
      f.push_back(static_cast<float>(x.back()));
      i.push_back(static_cast<std::int32_t>(k * k * k % 1009) - 400);
    }
    const auto in = create_file(file);
    add_values(in.get(), "x", x, {lines, extent});
    add_values(in.get(), "f", f, {lines, extent});
    add_values(in.get(), "i", i, {lines, extent});
    add_values<std::uint64_t>(in.get(), "u", {3, 1, 4, 1, 5, 9, 2, 6});
    add_values<std::int8_t>(in.get(), "bytes", {-128, 3, 127, 5, -6});
    add_values<std::uint32_t>(in.get(), "words", {4294967295U, 3, 7, 0});
    add_values<double>(in.get(), "nan_last", {1, 2, 4, std::nan("")});
    add_values<float>(in.get(), "inf_last", {1, 2, 4, std::numeric_limits<float>::infinity()});
    add_values<std::int64_t>(in.get(), "impulse", {0, 0, 0, 0, 1, 0, 0, 0, 0});
  }

  [[nodiscard]] ProgramEnd filter(const std::string& dataset, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), dataset);
    arguments.insert(arguments.end(), {"--verify=full"});
    return run_quickly(TESSERA_FILTER, arguments);
  }
  /// Stores the result of a filter that must be good in OUT of the output file.
  void store(const std::string& dataset, std::vector<std::string> arguments, const std::string& name) const {
    arguments.insert(arguments.end(), {"--output", out + ":/" + name, "--force", "--quiet"});
    const ProgramEnd end = filter(dataset, arguments);
    INFO(end.err);
    REQUIRE(end.status == 0);
  }
  template <class T>
  [[nodiscard]] std::vector<T> filtered(const std::string& name, const std::vector<std::string>& arguments) const {
    store(file + ":/" + name, arguments, "r");
    return read_values<T>(out + ":/r");
  }
  [[nodiscard]] std::string refused(const std::vector<std::string>& arguments, const std::string& name = "x") const {
    return refusal_line(filter(file + ":/" + name, arguments), 2, "tessera-filter");
  }
};

}  // namespace tessera::apps::test

#endif
