// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of the bench, read back, and the tables they make.
#ifndef TESSERA_APPS_BENCH_BENCH_TABLE_HPP
#define TESSERA_APPS_BENCH_BENCH_TABLE_HPP

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::apps::bench {

/// What is shown of a row.
struct Cell {
  std::string status, role;
  std::string task;  // compared with peers of the same
  double gb_per_s = 0;
  std::optional<double> fraction;  // of the ceiling
  nlohmann::ordered_json record;
  /// What bounds it, in GB/s; 0 where that is unknown.
  [[nodiscard]] double ceiling() const { return fraction && *fraction > 0 ? gb_per_s / *fraction : 0; }
  [[nodiscard]] bool is_measured() const { return status == "measured"; }
};

/// The cells of one size and shape, by implementation.
using Line = std::map<std::string, Cell>;

/// One operation, type and width on one device.
struct Table {
  std::string title, device;                                    // "reduce float32", "NVIDIA H200 (Cuda, Kokkos 4.5.1)"
  std::vector<std::string> implementations;                     // as they come
  std::map<std::pair<std::uint64_t, std::string>, Line> lines;  // by size and shape
};

/// A line of a table and the share of the ceiling that an implementation reaches there.
struct Place {
  std::string shape;
  double fraction = 0;
};

class Tables {
 public:
  /// Of rows that measure the same, the last counts. \throws Failure (bad_input) naming file and line for what is no
  /// record of the bench, and where there are none at all.
  explicit Tables(const std::vector<std::string>& files);
  [[nodiscard]] const std::vector<Table>& get() const { return m_tables; }
  /// An H200 was measured whose ceilings are too low for claims.
  [[nodiscard]] bool has_slow_card() const { return m_slow_card; }

 private:
  void read(const std::string& file);
  [[nodiscard]] bool add(nlohmann::ordered_json record);
  Table& table_of(const std::string& title, const std::string& device);

  std::vector<Table> m_tables;
  bool m_slow_card = false;
};

struct Peer {
  std::string name;
  double gb_per_s = 0;
};

/// The fastest peer of an implementation's task but for itself; of no rate where there is none.
[[nodiscard]] Peer best_peer(const Line& line, const std::string& implementation);

/// "0.123", "45.6", "4567": three digits, of large rates all before the point.
[[nodiscard]] std::string rate_text(double gb_per_s);

/// The worst and the best shape; nothing where fewer than two are known.
[[nodiscard]] std::optional<std::pair<Place, Place>> worst_and_best(const Table& table,
                                                                    const std::string& implementation);

}  // namespace tessera::apps::bench

#endif
