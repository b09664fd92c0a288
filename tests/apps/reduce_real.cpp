// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver on files as other programs wrote them; see io_real.cpp for the folder and its table. Sums in it are
// correctly rounded.
#include <cstdlib>

#include "apps/reduce_driver_support.hpp"
#include "real_files.hpp"

namespace tessera::apps::test {
namespace {

double number(const Row& row, const std::string& column) { return std::strtod(row.at(column).c_str(), nullptr); }

bool close(double got, double expected) { return std::abs(got - expected) <= 1e-13 * std::abs(expected); }

}  // namespace

TEST_CASE("tessera-reduce: real files give the values of their table") {
  const std::string folder = TESSERA_REAL_DATA;
  const std::vector<Row> rows = manifest(folder);
  REQUIRE_FALSE(rows.empty());
  for (const Row& row : rows) {
    INFO(row.at("file") << ":" << row.at("dataset"));
    const auto results = results_of({folder + "/" + row.at("file") + ":" + row.at("dataset"), "--verify=full"});
    std::map<std::string, nlohmann::json> by_name;
    for (const auto& entry : results) by_name[entry["op"]] = entry;
    const auto value = [&](const char* op) { return by_name[op]["value"].get<double>(); };
    CHECK(std::to_string(by_name["count"]["value"].get<std::uint64_t>()) == row.at("n"));
    CHECK(std::to_string(by_name["count_nan"]["value"].get<std::uint64_t>()) == row.at("n_nan"));
    CHECK(std::to_string(by_name["argmin"]["index"].get<std::int64_t>()) == row.at("argmin"));
    CHECK(std::to_string(by_name["argmax"]["index"].get<std::int64_t>()) == row.at("argmax"));
    CHECK(value("min") == number(row, "min"));
    CHECK(value("max") == number(row, "max"));
    CHECK(value("sum") == number(row, "sum_hex"));
    CHECK(close(value("l1"), number(row, "sum_abs")));
    CHECK(close(value("mean"), number(row, "mean")));
    CHECK(close(value("l2"), number(row, "l2")));
    CHECK(std::abs(value("var") - number(row, "var0")) <= 1e-12 * std::abs(number(row, "var0")));
  }
}

}  // namespace tessera::apps::test
