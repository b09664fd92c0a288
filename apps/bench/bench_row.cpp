// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_row.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bench_timing.hpp"
#include "common/failure.hpp"

namespace tessera::apps::bench {

namespace {
using Json = nlohmann::ordered_json;
}  // namespace

std::string to_string(RowStatus status) {
  switch (status) {
    case RowStatus::measured:
      return "measured";
    case RowStatus::wrong:
      return "wrong";
    case RowStatus::skipped:
      break;
  }
  return "skipped";
}

std::string to_string(Role role) {
  switch (role) {
    case Role::tessera:
      return "tessera";
    case Role::peer:
      return "peer";
    case Role::context:
      break;
  }
  return "context";
}

namespace {

Json cold_record(const Row& row) {
  if (row.cold_seconds.empty()) return nullptr;
  const TimeStatistics seconds = statistics_of(row.cold_seconds);
  return {{"repeats", row.cold_seconds.size()},
          {"seconds", {{"min", seconds.min}, {"median", seconds.median}, {"max", seconds.max}}},
          {"gb_per_s", {{"median", gb_per_s(row.measurement.bytes, seconds.median)}}}};
}

}  // namespace

Json to_json(const Row& row, const Record& provenance, const Shard& shard) {
  Record record = provenance;
  record.ceiling = row.ceiling;
  if (row.status == RowStatus::measured) record.runs = {row.measurement};
  const Json whole = apps::to_json(record);
  Json json = {{"schema", "tessera-bench/1"},
               {"op", row.measurement.operation},
               {"type", apps::to_string(row.type)},
               {"size", element_count(row.shape)},
               {"shape", row.shape},
               {"axis", row.axis ? Json(*row.axis) : Json(nullptr)},
               {"axes", row.axes.empty() ? Json(nullptr) : Json(row.axes)},
               {"taps", row.taps == 0 ? Json(nullptr) : Json(row.taps)},
               {"implementation", row.implementation},
               {"role", to_string(row.role)},
               {"task", row.task.empty() ? Json(nullptr) : Json(row.task)},
               {"variant", row.measurement.variant.empty() ? Json(nullptr) : Json(row.measurement.variant)},
               {"summation", row.measurement.summation == "none" ? Json(nullptr) : Json(row.measurement.summation)},
               {"kernel", row.kernel.empty() ? Json(nullptr) : Json(row.kernel)},
               {"status", to_string(row.status)},
               {"reason", row.reason.empty() ? Json(nullptr) : Json(row.reason)},
               {"result_bits", row.result_bits ? Json(fmt::format("{:016x}", *row.result_bits)) : Json(nullptr)},
               {"bytes", row.measurement.bytes}};
  for (const char* field : {"plan", "repeats", "seconds", "gb_per_s", "fraction_of_ceiling"}) {
    json[field] = whole["runs"].empty() ? Json(nullptr) : whole["runs"][0][field];
  }
  if (row.status == RowStatus::measured) {
    const Spread spread = spread_of(row.measurement.seconds);
    json["seconds"]["q1"] = spread.first_quartile;
    json["seconds"]["q3"] = spread.third_quartile;
    json["seconds"]["median_ci95"] = {spread.median_low, spread.median_high};
  }
  json["cold"] = cold_record(row);
  json["machine"] = to_json(row.machine);
  for (const char* field : {"ceiling", "version", "git", "host", "time", "slurm", "kokkos", "command"}) {
    json[field] = whole[field];
  }
  json["shard"] = shard.count == 1 ? Json(nullptr) : Json({{"index", shard.index}, {"count", shard.count}});
  return json;
}

RowFile::RowFile(const std::string& name) : m_name(name) {
  check_writable("--out", name);
  const std::string target = resolve_links(name);
  struct stat status {};
  if (::stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    m_target.emplace(::open(target.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (m_target->get() < 0) refuse(fmt::format("--out {}: cannot be written: {}", name, std::strerror(errno)));
    return;
  }
  m_file.emplace(target);
  m_target.emplace(::open(m_file->path().c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (m_target->get() < 0) refuse(fmt::format("--out {}: cannot be written: {}", name, std::strerror(errno)));
  const off_t end = ::lseek(m_target->get(), 0, SEEK_END);
  char last = '\n';
  if (end > 0 && ::pread(m_target->get(), &last, 1, end - 1) == 1 && last != '\n') {
    refuse(fmt::format("--out {}: its last line is incomplete; remove that line or name another file", name));
  }
}

void RowFile::append(const Json& record) {
  const std::string line = record.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  const off_t end = ::lseek(m_target->get(), 0, SEEK_END);
  if (const int error = write_all(m_target->get(), line); error != 0) {
    if (m_file && ::ftruncate(m_target->get(), end) != 0) m_file.reset();  // a row is there whole, or none is
    out_of_resource(fmt::format("--out {}: cannot be written: {}", m_name, std::strerror(error)));
  }
}

void RowFile::commit() {
  if (m_file) m_file->commit();
}

}  // namespace tessera::apps::bench
