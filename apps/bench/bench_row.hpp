// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line of the bench's output.
#ifndef TESSERA_APPS_BENCH_BENCH_ROW_HPP
#define TESSERA_APPS_BENCH_BENCH_ROW_HPP

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench_options.hpp"
#include "common/descriptor.hpp"
#include "common/machine_state.hpp"
#include "common/measurement.hpp"
#include "common/record.hpp"
#include "common/temporary_file.hpp"

namespace tessera::apps::bench {

enum class RowStatus { measured, wrong, skipped };
[[nodiscard]] std::string to_string(RowStatus status);
[[nodiscard]] std::string to_string(Role role);

struct Row {
  RowStatus status = RowStatus::measured;
  std::string reason;  // of wrong and skipped
  NumberType type = NumberType::float32;
  Shape shape;
  std::optional<int> axis;  // that is reduced; none: all
  std::vector<int> axes;    // the input's in the output's order; empty: not permuted
  std::int64_t taps = 0;
  std::string implementation;
  Role role = Role::peer;
  std::string task;    // of contenders that do different things
  std::string kernel;  // of a ceiling: the fastest
  std::optional<std::uint64_t> result_bits;
  Measurement measurement;  // no seconds unless measured
  std::vector<double> cold_seconds;
  MachineState machine;
  std::optional<Ceiling> ceiling;
};

/// The record of a row. provenance: app, command, time and kokkos are taken from it.
[[nodiscard]] nlohmann::ordered_json to_json(const Row& row, const Record& provenance, const Shard& shard);

/// A file of one JSON object a line. It appears under its name, or what is new in it, with commit(); what is no regular
/// file (a pipe, /dev/stdout) gets each row at once.
class RowFile {
 public:
  /// \throws Failure (bad_input) where it cannot be written, or ends in the middle of a line.
  explicit RowFile(const std::string& name);

  /// \throws Failure (no_resource) where the disk is full; rows before stay whole.
  void append(const nlohmann::ordered_json& record);
  /// \throws Failure where the file was changed meanwhile, or the disk is full.
  void commit();

 private:
  std::string m_name;
  std::optional<TemporaryFile> m_file;
  std::optional<Descriptor> m_target;
};

}  // namespace tessera::apps::bench

#endif
