// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text.hpp"
#include "version.hpp"

namespace tessera::apps {
namespace {

std::string input_line(const Record& record) {
  const DatasetInfo& input = record.input;
  if (input.file.empty()) {
    return fmt::format("made here, {} {}  {}", input.stored_type, to_string(input.shape),
                       format_bytes(record.input_bytes));
  }
  std::string storage = input.layout;
  for (const auto& filter : input.filters) storage += ", " + filter;
  return fmt::format("{}:{}{}  {} {}  {}  {}", input.file, input.dataset, input.selection, input.stored_type,
                     to_string(input.shape), format_bytes(record.input_bytes), storage);
}

std::string run_lines(const Measurement& run, const std::optional<Ceiling>& ceiling) {
  const TimeStatistics seconds = statistics_of(run.seconds);
  std::string text = fmt::format("  {:<10} {:<12} {:>12} median of {}, {:.1f} GB/s (best {:.1f})", run.operation,
                                 run.variant, format_seconds(seconds.median), run.seconds.size(),
                                 gb_per_s(run.bytes, seconds.median), gb_per_s(run.bytes, seconds.min));
  if (const auto fraction = fraction_of_ceiling(run, ceiling)) {
    text += fmt::format(", {:.0f} % of the {} ceiling", 100 * *fraction, run.bounded_by_copy ? "copy" : "read");
  }
  text +=
      fmt::format("\n             min {}, mean {}, max {}, stddev {}\n             plan", format_seconds(seconds.min),
                  format_seconds(seconds.mean), format_seconds(seconds.max), format_seconds(seconds.stddev));
  for (const auto& [field, value] : run.plan) text += fmt::format(" {}={}", field, value);
  const Verification& check = run.verification;
  if (check.method == "none") return text + "\n             not verified\n";
  return text + fmt::format("\n             {}: {}; {} checked, max error {:.3g} absolute, {:.3g} relative\n",
                            check.passed ? "verified" : "WRONG", check.method, check.checked, check.max_abs_error,
                            check.max_rel_error);
}

std::string transfer_text(const std::string& name, const Transfer& transfer) {
  return fmt::format("{} {} in {} ({:.2f} GB/s)", name, format_bytes(transfer.bytes), format_seconds(transfer.seconds),
                     transfer.gb_per_s());
}

}  // namespace

std::string report_text(const Record& record) {
  std::string text = fmt::format("{} {}\n", record.app, version());
  text += fmt::format("input      {}\n", input_line(record));
  text += fmt::format("device     {}, {}, concurrency {} (Kokkos {})\n", record.kokkos.backend, record.kokkos.device,
                      record.kokkos.concurrency, record.kokkos.version);
  if (!record.results.empty()) text += "results\n";
  for (const auto& result : record.results) {
    text += fmt::format("  {:<10} {}\n", result.op, to_text(result));
  }
  text += fmt::format("runs       over {} of compulsory traffic\n", format_bytes(record.runs.front().bytes));
  for (const auto& run : record.runs) text += run_lines(run, record.ceiling);
  for (const auto& line : record.left_out) text += fmt::format("  left out   {}\n", line);
  if (record.ceiling) {
    text += fmt::format("ceiling    copy {:.1f} GB/s, read {:.1f} GB/s on {}\n", record.ceiling->copy_gb_per_s,
                        record.ceiling->read_gb_per_s, format_bytes(record.ceiling->bytes));
  }
  for (const auto& line : record.remarks) text += line + '\n';
  std::vector<std::string> transfers;
  if (!record.input.file.empty()) transfers.push_back(transfer_text("read", record.read));
  if (record.write) transfers.push_back(transfer_text("wrote", *record.write));
  if (!transfers.empty()) text += fmt::format("file       {}\n", join(transfers));
  if (record.to_device.seconds > 0) {
    text += "transfer   " + transfer_text("to the device", record.to_device);
    if (record.from_device.seconds > 0) text += transfer_text(", back", record.from_device);
    text += '\n';
  }
  return text + fmt::format("total      {}\n", format_seconds(record.seconds_total));
}

}  // namespace tessera::apps
