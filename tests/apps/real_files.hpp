// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of a folder of real files.
#ifndef TESSERA_TESTS_APPS_REAL_FILES_HPP
#define TESSERA_TESTS_APPS_REAL_FILES_HPP

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "common/text.hpp"

namespace tessera::apps::test {

/// A row of the table, by column.
using Row = std::map<std::string, std::string>;

inline std::vector<Row> manifest(const std::string& folder) {
  std::ifstream file(folder + "/MANIFEST.tsv");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> columns = split(line, '\t');
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line, '\t');
    Row row;
    for (std::size_t i = 0; i < std::min(cells.size(), columns.size()); ++i) row[columns[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

}  // namespace tessera::apps::test

#endif
