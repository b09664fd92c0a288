// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "machine_state.hpp"
#include "slurm.hpp"
#include "text.hpp"
#include "version.hpp"

namespace tessera::apps {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN and no infinities.
Json number(double value) {
  if (std::isfinite(value)) return value;
  return to_text(Number(value));
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Json input_record(const Record& record) {
  const DatasetInfo& input = record.input;
  return {{"file", or_null(input.file)},
          {"dataset", or_null(input.dataset)},
          {"selection", or_null(input.selection)},
          {"shape", input.shape},
          {"dtype", input.stored_type},
          {"layout", or_null(input.layout)},
          {"chunks", input.chunks.empty() ? Json(nullptr) : Json(input.chunks)},
          {"filters", input.filters},
          {"bytes", record.input_bytes}};
}

Json run_record(const Measurement& run, const std::optional<Ceiling>& ceiling) {
  const TimeStatistics seconds = statistics_of(run.seconds);
  const Verification& check = run.verification;
  const auto fraction = fraction_of_ceiling(run, ceiling);
  Json plan = Json::object();
  for (const auto& [field, value] : run.plan) plan[field] = value;
  const bool checked = check.method != "none";
  return {{"operation", run.operation},
          {"variant", run.variant},
          {"summation", run.summation == "none" ? Json(nullptr) : Json(run.summation)},
          {"deterministic", run.deterministic},
          {"plan", plan},
          {"repeats", run.seconds.size()},
          {"seconds",
           {{"min", seconds.min},
            {"median", seconds.median},
            {"mean", seconds.mean},
            {"max", seconds.max},
            {"stddev", seconds.stddev}}},
          {"bytes", run.bytes},
          {"gb_per_s", {{"median", gb_per_s(run.bytes, seconds.median)}, {"best", gb_per_s(run.bytes, seconds.min)}}},
          {"fraction_of_ceiling", fraction ? Json(*fraction) : Json(nullptr)},
          {"verification",
           {{"method", check.method},
            {"passed", checked ? Json(check.passed) : Json(nullptr)},
            {"max_abs_error", checked ? number(check.max_abs_error) : Json(nullptr)},
            {"max_rel_error", checked ? number(check.max_rel_error) : Json(nullptr)}}}};
}

Json io_record(const Record& record) {
  Json io = {{"read_seconds", record.read.seconds}, {"read_gb_per_s", record.read.gb_per_s()},
             {"decode_seconds", nullptr},           {"write_seconds", nullptr},
             {"write_gb_per_s", nullptr},           {"to_device_seconds", nullptr},
             {"from_device_seconds", nullptr}};
  if (record.write) {
    io["write_seconds"] = record.write->seconds;
    io["write_gb_per_s"] = record.write->gb_per_s();
  }
  if (record.to_device.seconds > 0) io["to_device_seconds"] = record.to_device.seconds;
  if (record.from_device.seconds > 0) io["from_device_seconds"] = record.from_device.seconds;
  return io;
}

}  // namespace

double gb_per_s(std::uint64_t bytes, double seconds) {
  return seconds > 0 ? 1e-9 * static_cast<double>(bytes) / seconds : 0;
}

std::optional<double> fraction_of_ceiling(const Measurement& run, const std::optional<Ceiling>& ceiling) {
  if (!ceiling) return std::nullopt;
  const double bound = run.bounded_by_copy ? ceiling->copy_gb_per_s : ceiling->read_gb_per_s;
  if (!(bound > 0)) return std::nullopt;
  return gb_per_s(run.bytes, statistics_of(run.seconds).median) / bound;
}

Json to_json(const Record& record) {
  Json runs = Json::array();
  for (const auto& run : record.runs) runs.push_back(run_record(run, record.ceiling));
  Json results = Json::array();
  for (const auto& result : record.results) results.push_back(to_json(result));
  Json ceiling = nullptr;
  if (record.ceiling) {
    ceiling = {{"copy_gb_per_s", record.ceiling->copy_gb_per_s},
               {"read_gb_per_s", record.ceiling->read_gb_per_s},
               {"bytes", record.ceiling->bytes}};
  }
  const auto time = std::chrono::time_point_cast<std::chrono::seconds>(record.time);
  return {{"schema", "tessera/1"},
          {"app", record.app},
          {"version", version()},
          {"git", git_hash()},
          {"command", record.command},
          {"host", host_name()},
          {"time", fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)))},
          {"slurm", slurm_record()},
          {"kokkos",
           {{"version", record.kokkos.version},
            {"backend", record.kokkos.backend},
            {"device", record.kokkos.device},
            {"concurrency", record.kokkos.concurrency}}},
          {"input", input_record(record)},
          {"runs", runs},
          {"ceiling", ceiling},
          {"io", io_record(record)},
          {"seconds_total", record.seconds_total},
          {"results", results}};
}

}  // namespace tessera::apps
