// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one run of a driver was and gave, and its machine-readable forms: a JSON record and CSV rows.
#ifndef TESSERA_APPS_COMMON_RECORD_HPP
#define TESSERA_APPS_COMMON_RECORD_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset.hpp"
#include "device/session.hpp"
#include "host_array.hpp"
#include "measurement.hpp"
#include "result.hpp"
#include "signals.hpp"

namespace tessera::apps {

struct Record {
  std::string app;
  std::vector<std::string> command;
  std::chrono::system_clock::time_point time;
  KokkosInfo kokkos;
  DatasetInfo input;              // without a file where the program made it
  std::uint64_t input_bytes = 0;  // of the selected elements, as stored
  std::vector<Measurement> runs;
  std::vector<std::string> left_out;  // "two_stage: why", of --variant all: for the report
  std::vector<std::string> remarks;   // more of its lines
  std::optional<Ceiling> ceiling;
  Transfer read, to_device, from_device;
  std::optional<Transfer> write;
  double seconds_total = 0;
  std::vector<Result> results;
};

[[nodiscard]] nlohmann::ordered_json to_json(const Record& record);

/// The share of the rate that bounds the run, by its median; nothing without a ceiling.
[[nodiscard]] std::optional<double> fraction_of_ceiling(const Measurement& run, const std::optional<Ceiling>& ceiling);
/// Compulsory bytes over the time, in GB/s (1e9).
[[nodiscard]] double gb_per_s(std::uint64_t bytes, double seconds);
/// \throws Failure (bad_input) where the file that an option names is the other one, be it there yet or not: what is
/// written to the one would be the end of the other. what: the other one, "the file of the data". No file: nothing.
void refuse_same_file(const std::string& option, const std::string& file, const std::string& other,
                      const std::string& what);
/// What becomes of a file that exists: one that is replaced as a whole needs a folder that can be written to as well.
enum class Rewriting { replaces, appends };
/// \throws Failure (bad_input) unless a file of this name can be written; made and extended by the functions below.
void check_writable(const std::string& option, const std::string& file, Rewriting rewriting = Rewriting::replaces);
/// A file that is replaced as a whole: its text is on disk, under a temporary name beside it, until commit() renames
/// it. What is no regular file (a pipe, /dev/stdout) gets the text at once.
class WholeFile {
 public:
  /// \throws Failure
  WholeFile(const std::string& file, std::string_view text);
  /// \throws Failure
  void commit();

 private:
  std::string m_file, m_target, m_temporary;
  std::unique_ptr<TemporaryPath> m_guard;  // none of what is no regular file
};
/// Both at once. \throws Failure
void write_whole(const std::string& file, std::string_view text);
/// A record as its file has it.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& record);
/// A cell as CSV has it: quoted where it must be, empty for null.
[[nodiscard]] std::string csv_cell(const nlohmann::ordered_json& value);
/// Appends a row for each run in one write under a lock, behind a header where the file is new. \throws Failure
void append_csv(const std::string& file, const Record& record);

}  // namespace tessera::apps

#endif
