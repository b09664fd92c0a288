// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <filesystem>
#include <set>

#include "common/text.hpp"

namespace tessera::apps::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_lines = 8;  // of an implementation; of more the worst, the median and the best stand for all

struct Entry {
  std::string shape;
  const Line* line;
  const Cell* cell;
};

/// "2^24", "32000000", "4096 x 4096"
std::string shape_text(const std::string& shape) {
  const auto size = parse_uint64(shape);
  constexpr std::uint64_t shortest = 1024;
  if (size && *size >= shortest && (*size & (*size - 1)) == 0) {
    return fmt::format("2^{}", std::bit_width(*size) - 1);
  }
  std::string text;
  for (const char c : shape) {
    const bool is_between = c == 'x' && !text.empty() && std::isdigit(static_cast<unsigned char>(text.back())) != 0;
    text += is_between ? " x " : std::string(1, c);
  }
  return text;
}

/// What stands in the table of an implementation: its lines, or the worst, the median and the best.
std::vector<Entry> entries_of(const Table& table, const std::string& name) {
  std::vector<Entry> entries;
  for (const auto& [key, line] : table.lines) {
    const auto found = line.find(name);
    if (found == line.end() || found->second.role != "tessera" || found->second.status == "skipped") continue;
    entries.push_back({shape_text(key.second), &line, &found->second});
  }
  if (entries.size() <= most_lines) return entries;
  // A wrong one has no share, and is the worst.
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.cell->fraction.value_or(0) < b.cell->fraction.value_or(0);
  });
  const auto as = [&](const char* place, const Entry& entry) {
    return Entry{fmt::format("{} of {} shapes: {}", place, entries.size(), entry.shape), entry.line, entry.cell};
  };
  return {as("worst", entries.front()), as("median", entries[(entries.size() - 1) / 2]), as("best", entries.back())};
}

std::string entry_text(const std::string& title, const std::string& name, const Entry& entry, bool with_rates) {
  const Cell& cell = *entry.cell;
  std::vector<std::string> columns{title, name, entry.shape};
  const Peer peer = best_peer(*entry.line, name);
  const bool has_peer = peer.gb_per_s > 0;
  const std::string share = cell.fraction ? fmt::format("{:.2f}", *cell.fraction) : "-";
  columns.push_back(!cell.is_measured() ? "WRONG" : with_rates ? rate_text(cell.gb_per_s) : share);
  if (with_rates) columns.push_back(share);
  columns.push_back(has_peer ? peer.name : "-");
  if (with_rates) columns.push_back(has_peer ? rate_text(peer.gb_per_s) : "-");
  columns.push_back(has_peer && cell.is_measured() ? fmt::format("{:.2f}", cell.gb_per_s / peer.gb_per_s) : "-");
  return fmt::format("| {} |\n", join(columns, " | "));
}

/// When, at which commit and with which driver the rows of a device were measured, and the commands.
std::string provenance_text(const Tables& tables, const std::string& device) {
  std::set<std::string> dates, commits, drivers, commands;
  for (const auto& table : tables.get()) {
    if (table.device != device) continue;
    for (const auto& [key, line] : table.lines) {
      for (const auto& [name, cell] : line) {
        const Json& record = cell.record;
        if (const auto time = record.value("time", ""); !time.empty()) dates.insert(time.substr(0, time.find('T')));
        const auto git = record.find("git");
        if (git != record.end() && git->is_string()) commits.insert(git->get<std::string>().substr(0, 10));
        const auto driver = record.value("/machine/gpu/driver"_json_pointer, Json());
        if (driver.is_string()) drivers.insert(driver.get<std::string>());
        auto command = record.value("command", std::vector<std::string>{});
        if (command.empty()) continue;
        command[0] = std::filesystem::path(command[0]).filename().string();
        commands.insert(join(command, " "));
      }
    }
  }
  const auto all = [](const char* before, const std::set<std::string>& values) {
    return values.empty() ? "" : before + join({values.begin(), values.end()});
  };
  std::string text = device + all(", driver ", drivers) + all(", ", dates) + all(", at ", commits);
  for (const auto& command : commands) text += fmt::format("{}`{}`", text.ends_with('`') ? ", " : ": ", command);
  return text + '\n';
}

}  // namespace

std::string report_markdown(const Tables& tables, bool with_rates) {
  std::vector<std::string> devices;
  for (const auto& table : tables.get()) {
    if (std::find(devices.begin(), devices.end(), table.device) == devices.end()) devices.push_back(table.device);
  }
  std::string text;
  for (const auto& device : devices) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", provenance_text(tables, device));
    text += with_rates ? "| operation | by | size | GB/s | of ceiling | best peer | GB/s | ratio |\n"
                         "|---|---|---|---:|---:|---|---:|---:|\n"
                       : "| operation | by | size | of ceiling | best peer | ratio |\n"
                         "|---|---|---|---:|---|---:|\n";
    for (const auto& table : tables.get()) {
      if (table.device != device) continue;
      for (const auto& name : table.implementations) {
        for (const auto& entry : entries_of(table, name)) text += entry_text(table.title, name, entry, with_rates);
      }
    }
  }
  return text;
}

}  // namespace tessera::apps::bench
