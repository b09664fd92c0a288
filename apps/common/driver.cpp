// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>

#include "hdf5_handle.hpp"
#include "hdf5_spec.hpp"
#include "memory_limit.hpp"
#include "plot.hpp"
#include "report.hpp"
#include "signals.hpp"
#include "text.hpp"
#include "version.hpp"

namespace tessera::apps {
namespace {

void print_line(const std::string& program, const std::string& kind, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::fputs(fmt::format("{}: {}: {}\n", program, kind, text).c_str(), stderr);
}

void write_standard_output(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0 ||
      std::ferror(stdout) != 0) {
    out_of_resource(fmt::format("standard output: cannot be written: {}", std::strerror(errno)));
  }
}

void check_record_file(const std::string& option, const std::string& file, Rewriting rewriting = Rewriting::replaces) {
  if (!file.empty()) check_writable(option, file, rewriting);
}

template <class Read>
auto timed(Transfer& transfer, std::uint64_t bytes, Read&& read) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = read();
  transfer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  transfer.bytes = bytes;
  return result;
}

}  // namespace

int run_driver(const std::string& program, const std::function<ExitStatus()>& body) {
  silence_hdf5();
  install_signal_handlers();
  try {
    const ExitStatus status = body();
    write_standard_output("");  // what was printed without a look at errors
    return static_cast<int>(status);
  } catch (const Failure& failure) {
    print_line(program, "error", failure.what());
    return static_cast<int>(failure.status());
  } catch (const std::bad_alloc&) {
    print_line(program, "error", "not enough memory on the host");
    return static_cast<int>(ExitStatus::no_resource);
  } catch (const std::system_error& error) {
    print_line(program, "error", error.what());
    return static_cast<int>(ExitStatus::bad_input);
  } catch (const std::exception& error) {  // what is left is a device that failed
    print_line(program, "error", error.what());
    return static_cast<int>(ExitStatus::no_resource);
  }
}

std::vector<std::string> variants_to_run(const std::string& requested, const std::vector<std::string>& names,
                                         const std::string& automatic) {
  if (requested != "all") return {requested};
  std::vector<std::string> variants;
  std::copy_if(names.begin(), names.end(), std::back_inserter(variants),
               [&](const std::string& name) { return name != "automatic" && name != automatic; });
  variants.push_back(automatic);
  return variants;
}

DriverRun::DriverRun(const CommandLine& command_line)
    : m_command_line(command_line),
      m_begin(std::chrono::steady_clock::now()),
      m_progress(!command_line.common().quiet && !command_line.common().no_progress, STDERR_FILENO) {
  m_record.app = command_line.program();
  m_record.command = command_line.command();
  m_record.time = std::chrono::system_clock::now();
}

bool DriverRun::list() const {
  if (!m_command_line.common().list) return false;
  std::string text;
  for (const auto& row : list_datasets(m_command_line.common().input)) {
    text += fmt::format("{}  {}  {}  {}{}{}\n", row.path, row.type, to_string(row.shape), row.layout,
                        row.filters.empty() ? "" : ", ", row.filters);
  }
  write_standard_output(text);
  return true;
}

const Dataset& DriverRun::open_input(int rank_max) {
  const CommonOptions& common = m_command_line.common();
  check_record_files();
  m_input.emplace(common.input, rank_max);
  m_record.input = m_input->info();
  refuse_records_over(*m_input);
  return *m_input;
}

void DriverRun::refuse_records_over(const Dataset& input) const {
  refuse_record_over(input.info().file);
  for (const auto& source : input.info().sources) refuse_record_over(source);
}

void DriverRun::make_input(const Shape& shape, const std::string& type, std::uint64_t element_bytes) {
  check_record_files();
  m_record.input.shape = m_record.input.stored_shape = shape;
  m_record.input.stored_type = type;
  m_record.input.stored_element_bytes = element_bytes;
  m_record.input_bytes = element_count(shape) * element_bytes;
}

void DriverRun::check_record_files() const {
  const CommonOptions& common = m_command_line.common();
  check_record_file("--json", common.json_file == "-" ? "" : common.json_file);
  check_record_file("--csv", common.csv_file, Rewriting::appends);
  check_record_file("--plot", common.plot_file);
  refuse_same_file("--csv", common.csv_file, common.json_file, "the file of --json");
  refuse_same_file("--plot", common.plot_file, common.json_file, "the file of --json");
  refuse_same_file("--plot", common.plot_file, common.csv_file, "the file of --csv");
}

void DriverRun::refuse_record_over(const std::string& data) const {
  const CommonOptions& common = m_command_line.common();
  refuse_same_file("--json", common.json_file, data, "the file of the data");
  refuse_same_file("--csv", common.csv_file, data, "the file of the data");
  refuse_same_file("--plot", common.plot_file, data, "the file of the data");
}

std::string DriverRun::input_name() const {
  const DatasetInfo& input = m_record.input;
  if (input.file.empty()) return "field " + to_string(input.shape);
  return input.file + ':' + input.dataset + input.selection;
}

void DriverRun::check_host_memory(std::uint64_t bytes) const { require_host_memory(input_name(), bytes); }

void DriverRun::open_output(const std::string& output, const std::vector<std::string>& suffixes, std::uint64_t bytes) {
  if (output.empty()) return;
  refuse_record_over(split_output_spec(output).file);
  m_output.emplace(output, suffixes, m_command_line.common().force);
  m_output->check_room(bytes);
}

void DriverRun::start(std::uint64_t device_bytes) {
  const CommonOptions& common = m_command_line.common();
  m_session.emplace(common.kokkos_arguments, common.run.space);
  m_record.kokkos = m_session->info();
  if (!m_session->has_own_memory()) return;
  if (const std::uint64_t free = m_session->free_bytes(); device_bytes > free) {
    for_input([&] {
      out_of_resource(fmt::format("needs {} of memory on the device {}; {} are free", format_bytes(device_bytes),
                                  m_record.kokkos.device, format_bytes(free)));
    });
  }
}

RunOptions DriverRun::run_options() const {
  RunOptions options = m_command_line.common().run;
  options.space = m_session->space();
  return options;
}

HostArray DriverRun::read_input() {
  if (const std::string notice = m_input->notice(); !notice.empty()) print_line(m_record.app, "note", notice);
  m_record.input_bytes = element_count(m_record.input.shape) * m_record.input.stored_element_bytes;
  m_progress.begin("reading");
  return timed(m_record.read, m_record.input_bytes, [&] { return m_input->read(m_progress.callback()); });
}

HostBuffer DriverRun::read_raw_input() {
  m_record.input_bytes = element_count(m_record.input.shape) * m_record.input.stored_element_bytes;
  m_progress.begin("reading");
  return timed(m_record.read, m_record.input_bytes, [&] { return m_input->read_raw(m_progress.callback()); });
}

void DriverRun::plot_lines(const HostArray& input, const HostArray& output, std::size_t axis,
                           std::uint64_t first_output) {
  if (!m_command_line.common().plot_file.empty()) m_plot = signal_plot(m_record, input, output, axis, first_output);
}

Provenance DriverRun::provenance() const {
  return {join(m_command_line.command(), " "), std::string(version()), input_name()};
}

ExitStatus DriverRun::finish(std::uint64_t bytes, const WriteResults& write) {
  const auto wrong = std::find_if(m_record.runs.begin(), m_record.runs.end(),
                                  [](const Measurement& run) { return !run.verification.passed; });
  const bool good = wrong == m_record.runs.end();
  m_progress.begin("ceilings");
  if (const std::uint64_t traffic = m_record.runs.front().bytes; traffic > 0) {
    m_record.ceiling = measure_ceiling(m_session->space(), m_record.input_bytes);
  }
  if (good && m_output) {
    m_progress.begin("writing");
    m_record.write.emplace();
    timed(*m_record.write, bytes, [&] {
      write(*m_output, provenance());
      m_output->sync();
      return true;
    });
  }
  m_progress.end();
  m_record.seconds_total = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
  // What may find no room comes before the first file is put in place.
  std::vector<WholeFile> files = record_files();
  if (good && m_output) m_output->commit();
  for (WholeFile& file : files) file.commit();
  print_report();
  if (good) return ExitStatus::good;
  const Verification& check = wrong->verification;
  print_line(m_record.app, "error",
             fmt::format("{}: {} ({}) did not verify: {}; {} of {} checked are wrong{}", input_name(), wrong->operation,
                         wrong->variant, check.first_wrong, check.wrong, check.checked,
                         m_output ? "; the output was not written" : ""));
  return ExitStatus::not_verified;
}

std::vector<WholeFile> DriverRun::record_files() const {
  const CommonOptions& common = m_command_line.common();
  std::vector<WholeFile> files;
  if (!common.json_file.empty() && common.json_file != "-") {
    files.emplace_back(common.json_file, json_text(to_json(m_record)));
  }
  if (!common.plot_file.empty()) {
    files.emplace_back(common.plot_file, m_plot.empty() ? bandwidth_chart(m_record) : m_plot);
  }
  if (!common.csv_file.empty()) append_csv(common.csv_file, m_record);
  return files;
}

void DriverRun::print_report() const {
  const CommonOptions& common = m_command_line.common();
  const std::string report = common.quiet ? "" : report_text(m_record);
  if (common.json_file == "-") {
    std::fputs(report.c_str(), stderr);
    write_standard_output(json_text(to_json(m_record)));
  } else {
    write_standard_output(report);
  }
}

}  // namespace tessera::apps
