// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/failure.hpp"

namespace tessera::apps::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Cell {
  std::string status;
  double gb_per_s = 0;
  std::optional<double> fraction;
};

/// What a table is of; ordered as it is printed.
struct Table {
  std::string title;
  std::vector<std::string> implementations;
  std::map<std::string, bool> is_peer;
  std::map<std::pair<std::uint64_t, std::string>, std::map<std::string, Cell>> lines;  // by size and shape
};

class Report {
 public:
  void read(const std::string& name) {
    std::ifstream file(name);
    if (!file) refuse(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (line.empty()) continue;
      bool good = false;
      try {
        good = add(Json::parse(line));
      } catch (const Json::exception&) {  // not JSON, or without a field that records have
      }
      if (!good) {
        refuse(fmt::format("{}: line {} is not a record of tessera-bench", name, number));
      }
    }
    if (file.bad()) refuse(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
  }

  [[nodiscard]] bool is_empty() const { return m_tables.empty(); }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& table : m_tables) text += table_text(table) + '\n';
    if (m_slow_card) {
      text +=
          "An H200 whose ceilings at 1 GiB are below 4200 (copy) or 4500 (read) GB/s was measured: no claim rests on "
          "these figures.\n";
    }
    return text;
  }

 private:
  // Returns false for a record of something else.
  [[nodiscard]] bool add(const Json& row) {
    if (row.at("schema") != "tessera-bench/1") return false;
    const auto& kokkos = row.at("kokkos");
    std::string title = fmt::format("{} {}", row.at("op").get<std::string>(), row.at("type").get<std::string>());
    if (!row.at("taps").is_null()) title += fmt::format(", {} taps", row.at("taps").get<std::int64_t>());
    title += fmt::format(" on {} ({}, Kokkos {})", kokkos.at("device").get<std::string>(),
                         kokkos.at("backend").get<std::string>(), kokkos.at("version").get<std::string>());
    if (!row.at("ceiling").is_null()) {
      const auto& ceiling = row.at("ceiling");
      m_slow_card |=
          kokkos.at("device").get<std::string>().find("H200") != std::string::npos &&
          ceiling.at("bytes").get<std::uint64_t>() == std::uint64_t{1} << 30 &&
          (ceiling.at("copy_gb_per_s").get<double>() < 4200 || ceiling.at("read_gb_per_s").get<double>() < 4500);
    }
    Table& table = table_named(title);
    const auto implementation = row.at("implementation").get<std::string>();
    Cell cell;
    cell.status = row.at("status").get<std::string>();
    if (cell.status == "measured") {
      cell.gb_per_s = row.at("gb_per_s").at("median").get<double>();
      if (!row.at("fraction_of_ceiling").is_null()) cell.fraction = row.at("fraction_of_ceiling").get<double>();
    }
    auto shape = fmt::format("{}", fmt::join(row.at("shape").get<std::vector<std::uint64_t>>(), "x"));
    // Rows of earlier files have no such field.
    if (const auto axis = row.find("axis"); axis != row.end() && !axis->is_null()) {
      shape += fmt::format(" axis {}", axis->get<int>());
    }
    if (const auto axes = row.find("axes"); axes != row.end() && !axes->is_null()) {
      shape += fmt::format(" axes {}", fmt::join(axes->get<std::vector<int>>(), ","));
    }
    auto& line = table.lines[{row.at("size").get<std::uint64_t>(), shape}];
    if (cell.status == "skipped" && implementation == "all") return true;
    auto& names = table.implementations;
    if (std::find(names.begin(), names.end(), implementation) == names.end()) names.push_back(implementation);
    table.is_peer[implementation] = row.at("role").get<std::string>() == "peer";
    line[implementation] = cell;
    return true;
  }

  Table& table_named(const std::string& title) {
    for (auto& table : m_tables) {
      if (table.title == title) return table;
    }
    m_tables.push_back({title, {}, {}, {}});
    return m_tables.back();
  }

  static double best_peer(const Table& table, const std::map<std::string, Cell>& line, const std::string& but) {
    double best = 0;
    for (const auto& [name, cell] : line) {
      if (name != but && table.is_peer.at(name)) best = std::max(best, cell.gb_per_s);
    }
    return best;
  }
  static std::string cell_text(const Table& table, const std::map<std::string, Cell>& line, const std::string& name) {
    const auto found = line.find(name);
    if (found == line.end() || found->second.status == "skipped")
      return fmt::format("{:>9} {:>6} {:>6}", "-", "-", "-");
    const Cell& cell = found->second;
    if (cell.status == "wrong") return fmt::format("{:>9} {:>6} {:>6}", "WRONG", "-", "-");
    const double peer = best_peer(table, line, name);
    return fmt::format("{:9.1f} {:>6} {:>6}", cell.gb_per_s,
                       cell.fraction ? fmt::format("{:.2f}", *cell.fraction) : "-",
                       peer > 0 ? fmt::format("{:.2f}", cell.gb_per_s / peer) : "-");
  }
  static std::string table_text(const Table& table) {
    std::size_t size_width = 4;
    for (const auto& [key, line] : table.lines) size_width = std::max(size_width, key.second.size());
    const std::string indent(size_width, ' ');
    std::string names = indent, heads = fmt::format("{:>{}}", "size", size_width);
    std::vector<std::size_t> widths;
    for (const auto& name : table.implementations) {
      widths.push_back(std::max<std::size_t>(23, name.size()));
      names += fmt::format("  {:>{}}", name, widths.back());
      heads += fmt::format("  {:>{}}", "GB/s   ceil   peer", widths.back());
    }
    std::string text = table.title + '\n' + names + '\n' + heads + '\n';
    for (const auto& [key, line] : table.lines) {
      text += fmt::format("{:>{}}", key.second, size_width);
      for (std::size_t i = 0; i < widths.size(); ++i) {
        text += fmt::format("  {:>{}}", cell_text(table, line, table.implementations[i]), widths[i]);
      }
      text += '\n';
    }
    return text;
  }

  std::vector<Table> m_tables;
  bool m_slow_card = false;
};

}  // namespace

std::string report_tables(const std::vector<std::string>& files) {
  Report report;
  for (const auto& file : files) report.read(file);
  // A shard may have had no cases.
  if (report.is_empty()) refuse(fmt::format("{}: holds no records", fmt::join(files, ", ")));
  return report.text() +
         "GB/s: median, compulsory bytes. ceil: share of the copy or read ceiling of the same size in the same run. "
         "peer: ratio to the best other peer.\n";
}

}  // namespace tessera::apps::bench
