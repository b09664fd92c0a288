// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "common/failure.hpp"

namespace tessera::apps::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string title_of(const Json& row) {
  std::string title = fmt::format("{} {}", row.at("op").get<std::string>(), row.at("type").get<std::string>());
  if (!row.at("taps").is_null()) title += fmt::format(", {} taps", row.at("taps").get<std::int64_t>());
  return title;
}

/// Runs with other numbers of threads are not compared.
std::string device_of(const Json& kokkos) {
  const auto backend = kokkos.at("backend").get<std::string>();
  const auto concurrency = kokkos.find("concurrency");
  const auto threads = backend == "Cuda" || backend == "Serial" || concurrency == kokkos.end()
                           ? std::string{}
                           : fmt::format(" {} threads", concurrency->get<std::int64_t>());
  return fmt::format("{} ({}{}, Kokkos {})", kokkos.at("device").get<std::string>(), backend, threads,
                     kokkos.at("version").get<std::string>());
}

std::string shape_of(const Json& row) {
  auto shape = fmt::format("{}", fmt::join(row.at("shape").get<std::vector<std::uint64_t>>(), "x"));
  // Rows of earlier files have no such field.
  if (const auto axis = row.find("axis"); axis != row.end() && !axis->is_null()) {
    shape += fmt::format(" axis {}", axis->get<int>());
  }
  if (const auto axes = row.find("axes"); axes != row.end() && !axes->is_null()) {
    shape += fmt::format(" axes {}", fmt::join(axes->get<std::vector<int>>(), ","));
  }
  return shape;
}

bool is_slow_card(const Json& row) {
  const auto& ceiling = row.at("ceiling");
  return !ceiling.is_null() && row.at("kokkos").at("device").get<std::string>().find("H200") != std::string::npos &&
         ceiling.at("bytes").get<std::uint64_t>() == std::uint64_t{1} << 30 &&
         (ceiling.at("copy_gb_per_s").get<double>() < 4200 || ceiling.at("read_gb_per_s").get<double>() < 4500);
}

/// With the task, where the implementation's name does not have it.
std::string name_of(const std::string& implementation, const std::string& task) {
  return implementation.find(task) != std::string::npos ? implementation : implementation + ", " + task;
}

}  // namespace

Tables::Tables(const std::vector<std::string>& files) {
  for (const auto& file : files) read(file);
  // A shard may have had no cases.
  if (m_tables.empty()) refuse(fmt::format("{}: holds no records", fmt::join(files, ", ")));
}

void Tables::read(const std::string& name) {
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
    if (!good) refuse(fmt::format("{}: line {} is not a record of tessera-bench", name, number));
  }
  if (file.bad()) refuse(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
}

// Returns false for a record of something else.
bool Tables::add(Json record) {
  if (record.at("schema") != "tessera-bench/1") return false;
  Cell cell;
  cell.status = record.at("status").get<std::string>();
  cell.role = record.at("role").get<std::string>();
  // Rows of earlier files have no such field.
  if (const auto task = record.find("task"); task != record.end() && !task->is_null()) {
    cell.task = task->get<std::string>();
  }
  if (cell.is_measured()) {
    cell.gb_per_s = record.at("gb_per_s").at("median").get<double>();
    if (!record.at("fraction_of_ceiling").is_null()) cell.fraction = record.at("fraction_of_ceiling").get<double>();
  }
  const std::string implementation = name_of(record.at("implementation").get<std::string>(), cell.task);
  const auto key = std::make_pair(record.at("size").get<std::uint64_t>(), shape_of(record));
  m_slow_card |= is_slow_card(record);
  Table& table = table_of(title_of(record), device_of(record.at("kokkos")));
  Line& line = table.lines[key];
  if (cell.status == "skipped" && implementation == "all") return true;
  auto& names = table.implementations;
  if (std::find(names.begin(), names.end(), implementation) == names.end()) names.push_back(implementation);
  cell.record = std::move(record);
  line[implementation] = std::move(cell);
  return true;
}

Table& Tables::table_of(const std::string& title, const std::string& device) {
  for (auto& table : m_tables) {
    if (table.title == title && table.device == device) return table;
  }
  m_tables.push_back({title, device, {}, {}});
  return m_tables.back();
}

Peer best_peer(const Line& line, const std::string& implementation) {
  Peer best;
  const auto own = line.find(implementation);
  for (const auto& [name, cell] : line) {
    const bool is_peer = cell.role == "peer" && own != line.end() && name != implementation;
    if (is_peer && cell.task == own->second.task && cell.gb_per_s > best.gb_per_s) best = {name, cell.gb_per_s};
  }
  return best;
}

std::string rate_text(double gb_per_s) {
  return gb_per_s < 100 ? fmt::format("{:.3g}", gb_per_s) : fmt::format("{:.0f}", gb_per_s);
}

std::optional<std::pair<Place, Place>> worst_and_best(const Table& table, const std::string& implementation) {
  std::vector<Place> places;
  for (const auto& [key, line] : table.lines) {
    const auto found = line.find(implementation);
    if (found != line.end() && found->second.fraction) places.push_back({key.second, *found->second.fraction});
  }
  if (places.size() < 2) return std::nullopt;
  const auto [worst, best] = std::minmax_element(
      places.begin(), places.end(), [](const Place& a, const Place& b) { return a.fraction < b.fraction; });
  return std::make_pair(*worst, *best);
}

}  // namespace tessera::apps::bench
