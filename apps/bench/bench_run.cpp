// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench_list.hpp"
#include "bench_timing.hpp"
#include "common/text.hpp"
#include "device/ceiling.hpp"

namespace tessera::apps::bench {
namespace {

std::string size_text(const Row& row) {
  const auto axis = row.axis ? fmt::format(" axis {}", *row.axis) : std::string{};
  const auto axes = row.axes.empty() ? std::string{} : fmt::format(" axes {}", fmt::join(row.axes, ","));
  return fmt::format("{}{}{}", fmt::join(row.shape, "x"), axis, axes);
}

class BenchRun {
 public:
  BenchRun(const BenchOptions& options, const Session& session, RowFile* file)
      : m_options(options), m_session(session), m_file(file) {
    m_provenance.app = "tessera-bench";
    m_provenance.command = options.command_line;
    m_provenance.kokkos = m_session.info();
    fmt::print("{}, Kokkos {} {}, GB/s: median of the repeats, compulsory bytes\n", m_provenance.kokkos.device,
               m_provenance.kokkos.version, m_provenance.kokkos.backend);
  }

  void ceiling_rows(NumberType type, std::uint64_t count) {
    const auto candidates = ceiling_candidates(m_session.space(), count * size_of(type));
    m_ceilings[ceiling_bytes(count * size_of(type))] = ceiling_of(candidates);
    for (const bool is_copy : {true, false}) {
      Row row = make_row("ceiling", type, {count});
      row.implementation = is_copy ? "copy" : "read";
      row.role = Role::context;
      const CeilingCandidate* best = nullptr;
      for (const auto& candidate : candidates) {
        if (candidate.is_copy == is_copy && (best == nullptr || rate(candidate) > rate(*best))) best = &candidate;
      }
      if (best == nullptr) {
        skip(row, "no memory is free");
        continue;
      }
      row.ceiling = ceiling_of(candidates);
      row.kernel = best->name;
      row.measurement.bytes = best->bytes;
      row.measurement.bounded_by_copy = is_copy;
      row.measurement.seconds = best->seconds;
      emit(row);
    }
  }

  void operation_rows(const Operation& operation, Request request) {
    request.space = m_session.space();
    const bool is_matrix = operation.name == "transpose";
    Row row = make_row(operation.name, request.type,
                       is_matrix ? Shape{request.rows, request.columns} : Shape{request.columns});
    row.taps = request.taps;
    const auto needed = static_cast<std::uint64_t>(operation.arrays) * request.size() * size_of(request.type);
    if (const auto available = m_session.free_bytes(); needed > available) {
      row.implementation = "all";
      skip(row, fmt::format("needs {}, {} are free", format_bytes(needed), format_bytes(available)));
      return;
    }
    row.ceiling = ceiling_for(request.size() * size_of(request.type));
    std::optional<Cases> cases;
    try {
      cases = operation.make(request);
    } catch (const std::exception& error) {  // the memory went to someone else in between
      row.implementation = "all";
      skip(row, error.what());
      return;
    }
    for (const Case& bench_case : cases->list) {
      row.measurement.bytes = bench_case.bytes;
      row.measurement.bounded_by_copy = bench_case.bounded_by_copy;
      if (!bench_case.shape.empty()) {
        row.shape = bench_case.shape;
        row.ceiling = ceiling_for(element_count(row.shape) * size_of(request.type));
      }
      row.axis = bench_case.axis;
      row.axes = bench_case.axes;
      measure(bench_case, row);
    }
  }

  [[nodiscard]] bool any_wrong() const { return m_any_wrong; }

 private:
  static double rate(const CeilingCandidate& candidate) {
    return static_cast<double>(candidate.bytes) / statistics_of(candidate.seconds).median;
  }
  static Row make_row(const std::string& operation, NumberType type, const Shape& shape) {
    Row row;
    row.measurement.operation = operation;
    row.type = type;
    row.shape = shape;
    return row;
  }

  /// One measured for about as many bytes serves too: shapes of a case differ by a few elements.
  const Ceiling& ceiling_for(std::uint64_t array_bytes) {
    const std::uint64_t bytes = ceiling_bytes(array_bytes);
    const auto known = m_ceilings.lower_bound(bytes - bytes / 64);
    if (known != m_ceilings.end() && known->first <= bytes + bytes / 64) return known->second;
    return m_ceilings[bytes] = measure_ceiling(m_session.space(), bytes);
  }

  // Checks every contender, then times those that are right.
  void measure(const Case& bench_case, const Row& common) {
    std::vector<Row> rows;
    std::vector<const Contender*> right;
    for (const auto& contender : bench_case.contenders) {
      Row row = common;
      row.implementation = contender.name;
      row.role = contender.role;
      row.task = contender.task;
      row.measurement.variant = contender.variant;
      row.measurement.plan = contender.plan;
      if (!contender.summation.empty()) row.measurement.summation = contender.summation;
      row.reason = contender.refusal;
      row.status = contender.refusal.empty() ? RowStatus::measured : RowStatus::skipped;
      if (row.status == RowStatus::measured) check(contender, row);
      if (row.status == RowStatus::measured) right.push_back(&contender);
      rows.push_back(row);
    }
    auto samples = timed(bench_case, right, common);
    const MachineState machine = machine_state(m_provenance.kokkos.gpu_bus_id);
    auto next = samples.begin();
    for (auto& row : rows) {
      row.machine = machine;
      if (row.status == RowStatus::measured) {
        row.measurement.seconds = std::move(next->warm);
        row.cold_seconds = std::move(next->cold);
        ++next;
      }
      if (row.status == RowStatus::skipped) {
        skip(row, row.reason);
      } else {
        emit(row);
      }
    }
  }
  std::vector<Samples> timed(const Case& bench_case, const std::vector<const Contender*>& contenders, Row row) const {
    try {
      return time_contenders(bench_case, contenders, m_options.measuring);
    } catch (const ContenderFailure& failure) {
      row.implementation = failure.contender;
      out_of_resource(fmt::format("{} failed: {}", title(row), failure.what()));
    }
  }
  static void check(const Contender& contender, Row& row) {
    try {
      row.reason = contender.check();
      if (!row.reason.empty()) row.status = RowStatus::wrong;
      if (row.reason.empty() && contender.bits) row.result_bits = contender.bits();
    } catch (const std::exception& error) {
      row.reason = error.what();
      row.status = RowStatus::skipped;
    }
  }
  void skip(Row row, std::string reason) {
    row.status = RowStatus::skipped;
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    row.reason = reason;
    fmt::print(stderr, "tessera-bench: note: {} skipped: {}\n", title(row), reason);
    write(row);
  }
  void emit(const Row& row) {
    std::string text;
    if (row.status == RowStatus::wrong) {
      m_any_wrong = true;
      text = fmt::format("WRONG: {}", row.reason);
    } else {
      const auto fraction = fraction_of_ceiling(row.measurement, row.ceiling);
      text = fmt::format("{:9.2f} GB/s  {:5.1f} % of {}",
                         gb_per_s(row.measurement.bytes, statistics_of(row.measurement.seconds).median),
                         100 * fraction.value_or(0), row.measurement.bounded_by_copy ? "copy" : "read");
      if (!row.cold_seconds.empty()) {
        text +=
            fmt::format(", cold {:.2f} GB/s", gb_per_s(row.measurement.bytes, statistics_of(row.cold_seconds).median));
      }
    }
    fmt::print("{:72} {}\n", title(row), text);
    std::fflush(stdout);
    write(row);
  }
  static std::string title(const Row& row) {
    const auto taps = row.taps == 0 ? std::string{} : fmt::format(" {} taps", row.taps);
    return fmt::format("{} {} {}{}  {}", row.measurement.operation, to_string(row.type), size_text(row), taps,
                       row.implementation);
  }
  void write(const Row& row) {
    if (m_file == nullptr) return;
    m_provenance.time = std::chrono::system_clock::now();
    m_file->append(to_json(row, m_provenance, m_options.shard));
  }

  const BenchOptions& m_options;
  const Session& m_session;
  RowFile* m_file;
  Record m_provenance;
  std::map<std::uint64_t, Ceiling> m_ceilings;
  bool m_any_wrong = false;
};

}  // namespace

ExitStatus run_bench(const BenchOptions& options, const std::vector<Operation>& operations, const Session& session,
                     RowFile* file) {
  const auto list = shard_of(bench_list(options.parts, operations), options.shard);
  if (list.empty()) {
    fmt::print(stderr, "tessera-bench: note: shard {}/{} has no cases\n", options.shard.index, options.shard.count);
  }
  BenchRun run(options, session, file);
  try {
    for (const Task& task : list) {
      if (task.operation == nullptr) {
        run.ceiling_rows(task.request.type, task.request.size());
      } else {
        run.operation_rows(*task.operation, task.request);
      }
    }
  } catch (...) {
    if (file != nullptr) file->commit();  // what was measured before is worth its time
    throw;
  }
  if (file != nullptr) file->commit();
  return run.any_wrong() ? ExitStatus::not_verified : ExitStatus::good;
}

}  // namespace tessera::apps::bench
