// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_compare.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <utility>

#include "bench_table.hpp"
#include "common/text.hpp"

namespace tessera::apps::bench {
namespace {

/// Another version of Kokkos is a change to be seen, not another row.
std::string machine_of(const nlohmann::ordered_json& record) {
  const auto& kokkos = record["kokkos"];
  return kokkos["device"].dump() + kokkos["backend"].dump() +
         std::to_string(kokkos.value("concurrency", std::int64_t{0}));
}

struct Named {
  std::string name;
  Cell cell;
};
using Rows = std::map<std::string, Named>;

/// Of the median; all times where a record of an earlier file has none.
std::pair<double, double> interval_of(const Cell& cell) {
  const auto& seconds = cell.record.at("seconds");
  const auto found = seconds.find("median_ci95");
  if (found == seconds.end()) return {seconds.at("min").get<double>(), seconds.at("max").get<double>()};
  return {found->at(0).get<double>(), found->at(1).get<double>()};
}

double median_of(const Cell& cell) { return cell.record.at("seconds").at("median").get<double>(); }

void require_times(const std::string& file, const std::string& name, const Cell& cell) {
  try {
    (void)interval_of(cell);
    (void)median_of(cell);
  } catch (const nlohmann::json::exception&) {
    refuse(fmt::format("{}: the record of {} has no times", file, name));
  }
}

Rows rows_of(const std::string& file) {
  Rows rows;
  const Tables tables({file});
  for (const auto& table : tables.get()) {
    for (const auto& [key, line] : table.lines) {
      for (const auto& [implementation, cell] : line) {
        const std::string name = fmt::format("{} {}  {}", table.title, key.second, implementation);
        if (cell.is_measured()) require_times(file, name, cell);
        rows[name + machine_of(cell.record)] = {name, cell};
      }
    }
  }
  return rows;
}

class Comparison {
 public:
  explicit Comparison(double tolerance) : m_tolerance(tolerance) {}

  void add(const std::string& name, const Cell& before, const Cell& after) {
    ++m_rows;
    if (before.status != after.status) {
      m_is_worse |= after.status == "skipped" || after.status == "wrong";
      fmt::print("{:<9} {}: was {}\n", after.status == "wrong" ? "WRONG" : after.status, name, before.status);
      return;
    }
    if (after.status == "wrong") {
      m_is_worse = true;
      fmt::print("{:<9} {}: as before\n", "WRONG", name);
    }
    if (!before.is_measured()) return;
    const auto [old_low, old_high] = interval_of(before);
    const auto [new_low, new_high] = interval_of(after);
    if (new_low <= old_high && old_low <= new_high) return;
    // Positive where it takes longer.
    const double change = 100 * (median_of(after) / median_of(before) - 1);
    const bool is_slower = change > 0;
    ++(is_slower ? m_slower : m_faster);
    m_is_worse |= change > m_tolerance;
    fmt::print("{:<9} {}: {} -> {}, {:+.1f} % time{}\n", is_slower ? "slower" : "faster", name,
               format_seconds(median_of(before)), format_seconds(median_of(after)), change,
               change > m_tolerance ? ", beyond the tolerance" : "");
  }
  /// is_lost: the second file lacks it.
  void only_in(const std::string& file, const std::string& name, bool is_lost) {
    ++m_alone;
    m_is_worse |= is_lost;
    fmt::print("only in {}: {}\n", file, name);
  }

  [[nodiscard]] ExitStatus finish() const {
    fmt::print("{} rows in both: {} slower, {} faster, the others as before within their intervals{}\n", m_rows,
               m_slower, m_faster, m_alone == 0 ? "" : fmt::format("; {} in one file alone", m_alone));
    return m_is_worse ? ExitStatus::not_verified : ExitStatus::good;
  }

 private:
  double m_tolerance;  // percent
  int m_rows = 0, m_slower = 0, m_faster = 0, m_alone = 0;
  bool m_is_worse = false;
};

}  // namespace

ExitStatus run_compare(const BenchOptions& options) {
  const std::string &old_file = options.files[0], &new_file = options.files[1];
  const Rows before = rows_of(old_file), after = rows_of(new_file);
  Comparison comparison(options.tolerance_percent);
  for (const auto& [key, row] : before) {
    const auto found = after.find(key);
    if (found == after.end()) {
      comparison.only_in(old_file, row.name, true);
    } else {
      comparison.add(row.name, row.cell, found->second.cell);
    }
  }
  for (const auto& [key, row] : after) {
    if (!before.contains(key)) comparison.only_in(new_file, row.name, false);
  }
  return comparison.finish();
}

}  // namespace tessera::apps::bench
