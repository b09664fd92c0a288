// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "bench_markdown.hpp"
#include "bench_plot.hpp"
#include "common/record.hpp"
#include "common/text.hpp"

namespace tessera::apps::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_columns = 8;  // of implementations

std::string cell_text(const Line& line, const std::string& name) {
  const auto found = line.find(name);
  if (found == line.end() || found->second.status == "skipped") return fmt::format("{:>9} {:>6} {:>6}", "-", "-", "-");
  const Cell& cell = found->second;
  if (cell.status == "wrong") return fmt::format("{:>9} {:>6} {:>6}", "WRONG", "-", "-");
  const double peer = best_peer(line, name).gb_per_s;
  return fmt::format("{:9.1f} {:>6} {:>6}", cell.gb_per_s, cell.fraction ? fmt::format("{:.2f}", *cell.fraction) : "-",
                     peer > 0 ? fmt::format("{:.2f}", cell.gb_per_s / peer) : "-");
}

using CellAt = std::function<std::string(std::size_t row, std::size_t column)>;

/// Aligned, with a head over each column.
std::string grid(const std::string& corner, const std::vector<std::string>& rows,
                 const std::vector<std::string>& columns, const CellAt& cell_at) {
  std::size_t row_width = corner.size();
  for (const auto& row : rows) row_width = std::max(row_width, row.size());
  std::string names(row_width, ' '), heads = fmt::format("{:>{}}", corner, row_width);
  std::vector<std::size_t> widths;
  for (const auto& column : columns) {
    widths.push_back(std::max<std::size_t>(23, column.size()));
    names += fmt::format("  {:>{}}", column, widths.back());
    heads += fmt::format("  {:>{}}", "GB/s   ceil   peer", widths.back());
  }
  std::string text = names + '\n' + heads + '\n';
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += fmt::format("{:>{}}", rows[r], row_width);
    for (std::size_t c = 0; c < columns.size(); ++c) text += fmt::format("  {:>{}}", cell_at(r, c), widths[c]);
    text += '\n';
  }
  return text;
}

std::string extremes_text(const Table& table) {
  std::string text;
  for (const auto& name : table.implementations) {
    const auto is_tessera = [&](const auto& entry) {
      const auto found = entry.second.find(name);
      return found != entry.second.end() && found->second.role == "tessera";
    };
    if (std::none_of(table.lines.begin(), table.lines.end(), is_tessera)) continue;
    if (const auto extremes = worst_and_best(table, name)) {
      text += fmt::format("{}: worst {:.2f} of the ceiling at {}, best {:.2f} at {}\n", name, extremes->first.fraction,
                          extremes->first.shape, extremes->second.fraction, extremes->second.shape);
    }
  }
  return text;
}

std::string table_text(const Table& table) {
  std::vector<std::string> sizes;
  std::vector<const Line*> lines;
  for (const auto& [key, line] : table.lines) {
    sizes.push_back(key.second);
    lines.push_back(&line);
  }
  const auto& names = table.implementations;
  const bool is_turned = names.size() > most_columns && names.size() > sizes.size();
  return fmt::format("{} on {}\n", table.title, table.device) +
         (is_turned
              ? grid("", names, sizes, [&](std::size_t r, std::size_t c) { return cell_text(*lines[c], names[r]); })
              : grid("size", sizes, names,
                     [&](std::size_t r, std::size_t c) { return cell_text(*lines[r], names[c]); })) +
         extremes_text(table);
}

/// The value behind names that lead to it; null where one is missing.
Json at(const Json& record, const std::vector<const char*>& names) {
  Json value = record;
  for (const char* name : names) {
    if (!value.is_object() || !value.contains(name)) return nullptr;
    Json next = value[name];
    value = std::move(next);
  }
  return value;
}

}  // namespace

std::string report_text(const Tables& tables) {
  std::string text;
  for (const auto& table : tables.get()) text += table_text(table) + '\n';
  if (tables.has_slow_card()) {
    text +=
        "An H200 whose ceilings at 1 GiB are below 4200 (copy) or 4500 (read) GB/s was measured: no claim rests on "
        "these figures.\n";
  }
  return text +
         "GB/s: median, compulsory bytes. ceil: share of the copy or read ceiling of the same size in the same run. "
         "peer: ratio to the best other peer.\n";
}

std::string report_csv(const Tables& tables) {
  const std::vector<std::pair<const char*, std::vector<const char*>>> fields{
      {"device", {"kokkos", "device"}},
      {"backend", {"kokkos", "backend"}},
      {"concurrency", {"kokkos", "concurrency"}},
      {"kokkos", {"kokkos", "version"}},
      {"git", {"git"}},
      {"host", {"host"}},
      {"time", {"time"}},
      {"op", {"op"}},
      {"type", {"type"}},
      {"taps", {"taps"}},
      {"size", {"size"}},
      {"implementation", {"implementation"}},
      {"role", {"role"}},
      {"variant", {"variant"}},
      {"summation", {"summation"}},
      {"league_size", {"plan", "league_size"}},
      {"team_size", {"plan", "team_size"}},
      {"status", {"status"}},
      {"reason", {"reason"}},
      {"bytes", {"bytes"}},
      {"repeats", {"repeats"}},
      {"min_seconds", {"seconds", "min"}},
      {"q1_seconds", {"seconds", "q1"}},
      {"median_seconds", {"seconds", "median"}},
      {"q3_seconds", {"seconds", "q3"}},
      {"max_seconds", {"seconds", "max"}},
      {"median_gb_per_s", {"gb_per_s", "median"}},
      {"cold_median_gb_per_s", {"cold", "gb_per_s", "median"}},
      {"fraction_of_ceiling", {"fraction_of_ceiling"}},
      {"result_bits", {"result_bits"}}};
  std::vector<std::string> cells;
  for (const auto& [name, path] : fields) cells.emplace_back(name);
  std::string text = join(cells, ",") + ",shape,ratio_to_best_peer\n";
  for (const auto& table : tables.get()) {
    for (const auto& [key, line] : table.lines) {
      for (const auto& name : table.implementations) {
        const auto found = line.find(name);
        if (found == line.end()) continue;
        cells.clear();
        for (const auto& [field, path] : fields) cells.push_back(csv_cell(at(found->second.record, path)));
        const double peer = best_peer(line, name).gb_per_s;
        const bool has_ratio = peer > 0 && found->second.is_measured();
        text += fmt::format("{},{},{}\n", join(cells, ","), csv_cell(key.second),
                            has_ratio ? fmt::format("{}", found->second.gb_per_s / peer) : "");
      }
    }
  }
  return text;
}

ExitStatus run_report(const BenchOptions& options) {
  if (!options.plot.empty()) check_writable("--plot", options.plot);
  if (!options.csv.empty()) check_writable("--csv", options.csv);
  const bool is_on_output = options.markdown == "-";
  if (!options.markdown.empty() && !is_on_output) check_writable("--markdown", options.markdown);
  for (const auto& file : options.files) {
    refuse_same_file("--plot", options.plot, file, "a file to report");
    refuse_same_file("--csv", options.csv, file, "a file to report");
    refuse_same_file("--markdown", options.markdown, file, "a file to report");
  }
  refuse_same_file("--csv", options.csv, options.plot, "the file of --plot");
  refuse_same_file("--markdown", options.markdown, options.plot, "the file of --plot");
  refuse_same_file("--markdown", options.markdown, options.csv, "the file of --csv");
  const Tables tables(options.files);
  if (!options.plot.empty()) write_whole(options.plot, report_plot(tables));
  if (!options.csv.empty()) write_whole(options.csv, report_csv(tables));
  const std::string markdown = options.markdown.empty() ? "" : report_markdown(tables, options.with_rates);
  if (!options.markdown.empty() && !is_on_output) write_whole(options.markdown, markdown);
  std::fputs((is_on_output ? markdown : report_text(tables)).c_str(), stdout);
  return ExitStatus::good;
}

}  // namespace tessera::apps::bench
