// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The course that the drivers share: from the command line to the exit status.
#ifndef TESSERA_APPS_COMMON_DRIVER_HPP
#define TESSERA_APPS_COMMON_DRIVER_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "dataset.hpp"
#include "device/session.hpp"
#include "failure.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "record.hpp"

namespace tessera::apps {

/// Runs body and turns whatever it throws into one line on standard error and the documented status.
[[nodiscard]] int run_driver(const std::string& program, const std::function<ExitStatus()>& body);

/// The variants that --variant asks for; of `all` automatic's comes last, so that the results are its own.
[[nodiscard]] std::vector<std::string> variants_to_run(const std::string& requested,
                                                       const std::vector<std::string>& names,
                                                       const std::string& automatic);

/// One run over one INPUT, or over data that the program makes: its parts in the order in which a driver calls them.
class DriverRun {
 public:
  explicit DriverRun(const CommandLine& command_line);

  /// Answers --list. Returns false where the run is to go on.
  [[nodiscard]] bool list() const;

  /// Opens INPUT: metadata only.
  const Dataset& open_input(int rank_max = computed_rank_max);
  /// In place of it, for a program that makes its data itself.
  void make_input(const Shape& shape, const std::string& type, std::uint64_t element_bytes);
  /// Runs f; what it refuses is refused in the name of the input.
  template <class F>
  decltype(auto) for_input(F&& f) const {
    try {
      return f();
    } catch (const Failure& failure) {
      throw Failure(failure.status(), input_name() + ": " + failure.what());
    }
  }

  /// Refuses what this process cannot hold in host memory.
  void check_host_memory(std::uint64_t bytes) const;
  /// Opens the target where output is not empty, and asks the disk for room.
  void open_output(const std::string& output, const std::vector<std::string>& suffixes, std::uint64_t bytes);
  /// Starts Kokkos; refuses what a device with memory of its own cannot hold.
  void start(std::uint64_t device_bytes);
  /// Whether the space has memory of its own; Kokkos must have started.
  [[nodiscard]] bool has_own_memory() const { return m_session->has_own_memory(); }
  /// The common options with the space that was chosen.
  [[nodiscard]] RunOptions run_options() const;

  /// \throws Failure (bad_input) where a record would go to a file that holds the data of an input beside INPUT.
  void refuse_records_over(const Dataset& input) const;

  [[nodiscard]] HostArray read_input();
  [[nodiscard]] HostBuffer read_raw_input();

  /// --plot draws the first lines of both along axis in place of the runs' bars; the output's begins at the index
  /// first_output. Called behind the runs.
  void plot_lines(const HostArray& input, const HostArray& output, std::size_t axis, std::uint64_t first_output);

  using WriteResults = std::function<void(OutputFile&, const Provenance&)>;
  /// Measures the ceilings, writes the output (bytes in all) with write where every run verified, and hands out the
  /// record, the rows and the report. Returns not_verified, after a line on standard error, where one did not.
  [[nodiscard]] ExitStatus finish(std::uint64_t bytes, const WriteResults& write);

  Record& record() { return m_record; }
  Progress& progress() { return m_progress; }

 private:
  [[nodiscard]] std::string input_name() const;
  [[nodiscard]] Provenance provenance() const;
  void check_record_files() const;
  void refuse_record_over(const std::string& data) const;
  /// The files of the record and the plot, not yet in place, and the appended rows.
  [[nodiscard]] std::vector<WholeFile> record_files() const;
  void print_report() const;

  const CommandLine& m_command_line;
  std::chrono::steady_clock::time_point m_begin;
  Progress m_progress;
  Record m_record;
  std::string m_plot;  // the picture, where it is not the bars
  std::optional<Dataset> m_input;
  std::optional<OutputFile> m_output;
  std::optional<Session> m_session;
};

}  // namespace tessera::apps

#endif
