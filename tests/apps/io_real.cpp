// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files as other programs wrote them, against statistics that were computed elsewhere. They lie in the folder that the
// environment variable TESSERA_REAL_DATA names when CMake runs, with a table MANIFEST.tsv; without it this program is
// not built.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "io_support.hpp"
#include "real_files.hpp"

namespace tessera::apps::test {
namespace {

template <class T>
void check_row(const Row& row, const HostArray& array) {
  const std::vector<T> values = values_of<T>(array);
  REQUIRE(std::to_string(values.size()) == row.at("n"));
  const auto least = std::min_element(values.begin(), values.end()),
             most = std::max_element(values.begin(), values.end());
  CHECK(std::to_string(least - values.begin()) == row.at("argmin"));
  CHECK(std::to_string(most - values.begin()) == row.at("argmax"));
  CHECK(static_cast<double>(*least) == std::strtod(row.at("min").c_str(), nullptr));
  CHECK(static_cast<double>(*most) == std::strtod(row.at("max").c_str(), nullptr));
  long double sum = 0, lost = 0, magnitude = 0;
  for (const T value : values) {  // Neumaier's compensated sum
    const auto term = static_cast<long double>(value), next = sum + term;
    lost += std::fabs(sum) >= std::fabs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
    magnitude += std::fabs(term);
  }
  const double expected = std::strtod(row.at("sum_hex").c_str(), nullptr);
  CHECK(std::fabs(sum + lost - static_cast<long double>(expected)) <= 1.2e-16L * magnitude);
}

}  // namespace

TEST_CASE("real files give the values of their table") {
  const std::string folder = TESSERA_REAL_DATA;
  const std::vector<Row> rows = manifest(folder);
  REQUIRE_FALSE(rows.empty());
  for (const Row& row : rows) {
    INFO(row.at("file") << ":" << row.at("dataset"));
    const std::string path = folder + "/" + row.at("file");
    const Dataset dataset(path + ":" + row.at("dataset"));
    std::string shape = to_string(dataset.info().shape);
    std::erase(shape, ' ');
    CHECK(shape == row.at("shape"));
    CHECK(dataset.info().layout == row.at("layout"));
    CHECK(dataset.info().filters.empty() == (row.at("filters") == "-"));
    visit_type(dataset.compute_type(), [&](auto value) { check_row<decltype(value)>(row, dataset.read()); });
    const std::vector<ListedDataset> listed = list_datasets(path);
    CHECK(
        std::any_of(listed.begin(), listed.end(), [&](const auto& entry) { return entry.path == row.at("dataset"); }));
  }
}

}  // namespace tessera::apps::test
