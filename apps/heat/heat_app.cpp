// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heat_app.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/driver.hpp"
#include "common/text.hpp"
#include "heat_arguments.hpp"

namespace tessera::apps {
namespace {

const std::vector<std::string> output_names{"field", "smooth", "step", "total", "min", "max", "std"};

double median(const std::vector<double>& seconds) { return statistics_of(seconds).median; }

template <class T>
std::vector<T> column(const std::vector<HeatLook>& looks, T HeatLook::*member) {
  std::vector<T> values;
  for (const auto& look : looks) values.push_back(look.*member);
  return values;
}

/// With insulated walls a step leaves the total as it is, but for the rounding of each cell: its inflow, a sum of 2 d
/// differences of values up to the largest one, times at most 1 / (2 d), and the sum with that.
double drift_bound(const HeatRequest& request, const HeatOutcome& outcome, const HeatLook& look) {
  const double dimensions = static_cast<double>(request.shape.size());
  const double largest = std::max(std::abs(outcome.looks.front().min), std::abs(outcome.looks.front().max));
  return static_cast<double>(look.step) * static_cast<double>(element_count(request.shape)) * (4 * dimensions + 1) *
         (std::numeric_limits<double>::epsilon() / 2) * largest;
}

Verification verify(const HeatRequest& request, const HeatOutcome& outcome) {
  Verification check;
  check.method =
      "totals within steps * cells * (4 d + 1) u max|field| of the first; the field's bits without in-situ work";
  check.checked = outcome.looks.size() + element_count(request.shape);
  const double first = outcome.looks.front().total;
  for (const auto& look : outcome.looks) {
    const double drift = std::abs(look.total - first), bound = drift_bound(request, outcome, look);
    check.max_abs_error = std::max(check.max_abs_error, drift);
    if (drift <= bound) continue;
    if (check.wrong++ == 0) {
      check.first_wrong =
          fmt::format("step {}: total {}, {} at the start, may differ by {:.3g}", look.step, look.total, first, bound);
    }
  }
  check.max_rel_error = check.max_abs_error / std::abs(first);
  if (outcome.differing_cells > 0 && check.wrong == 0) check.first_wrong = "in-situ work changed the final field";
  check.wrong += outcome.differing_cells;
  check.passed = check.wrong == 0;
  return check;
}

/// A time of each stretch of steps, a step. Compulsory bytes: a field read and written.
Measurement measurement_of(const HeatRequest& request, const std::string& variant, const std::vector<double>& seconds) {
  Measurement run;
  run.operation = "step";
  run.variant = variant;
  run.seconds = seconds;
  run.bytes = 2 * request.field_bytes();
  run.bounded_by_copy = true;
  run.plan = {{"steps", request.steps}, {"every", request.every}};
  return run;
}

void fill_record(Record& record, const HeatRequest& request, const HeatOutcome& outcome) {
  record.runs.push_back(measurement_of(request, "alone", outcome.alone_seconds));
  record.runs.push_back(measurement_of(request, "in_situ", outcome.with_seconds));
  record.runs.back().plan.emplace_back("smooth_taps", request.smooth_taps);
  record.runs.back().plan.emplace_back("smooth_axis", request.smooth_axis);
  record.runs.back().verification = verify(request, outcome);

  const Shape looks{outcome.looks.size()};
  const auto add = [&](const std::string& op, NumberType type, Numbers values, std::optional<Shape> shape) {
    Result result;
    result.op = op;
    result.type = type;
    result.values = std::move(values);
    result.shape = std::move(shape);
    record.results.push_back(std::move(result));
  };
  add("step", NumberType::int64, column(outcome.looks, &HeatLook::step), looks);
  add("total", NumberType::float64, column(outcome.looks, &HeatLook::total), looks);
  add("min", NumberType::float64, column(outcome.looks, &HeatLook::min), looks);
  add("max", NumberType::float64, column(outcome.looks, &HeatLook::max), looks);
  add("std", NumberType::float64, column(outcome.looks, &HeatLook::std), looks);
  add("fingerprint", NumberType::uint64, std::vector<std::uint64_t>{outcome.fingerprint}, std::nullopt);
  const double alone = median(outcome.alone_seconds), with = median(outcome.with_seconds);
  const double percent = 100 * (with - alone) / alone;
  add("in_situ_percent", NumberType::float64, std::vector<double>{percent}, std::nullopt);
  record.remarks.push_back(
      fmt::format("in situ    statistics, a filter and a change of layout every {} steps: {:.1f} % of a step",
                  request.every, percent));
}

void write(OutputFile& file, const HeatRequest& request, const HeatOutcome& outcome, const Provenance& provenance,
           const ProgressCallback& progress) {
  file.write("field", NumberType::float64, request.shape, outcome.field.data(), provenance, progress);
  file.write("smooth", NumberType::float64, request.shape, outcome.smooth.data(), provenance, progress);
  const Shape looks{outcome.looks.size()};
  file.write("step", NumberType::int64, looks, column(outcome.looks, &HeatLook::step).data(), provenance);
  const auto write_column = [&](const std::string& name, double HeatLook::*member) {
    file.write(name, NumberType::float64, looks, column(outcome.looks, member).data(), provenance);
  };
  write_column("total", &HeatLook::total);
  write_column("min", &HeatLook::min);
  write_column("max", &HeatLook::max);
  write_column("std", &HeatLook::std);
}

ExitStatus heat(const CommandLine& command_line, const HeatArguments& arguments) {
  const HeatRequest request = arguments.request();
  DriverRun run(command_line);
  run.make_input(request.shape, "float64", sizeof(double));
  const std::uint64_t bytes = request.field_bytes();
  const std::uint64_t looks = static_cast<std::uint64_t>((request.steps - 1) / request.every + 2);
  const std::uint64_t output_bytes = 2 * bytes + 5 * sizeof(double) * looks;
  run.open_output(arguments.output, output_names, output_bytes);
  run.start(heat_space_arrays * bytes);
  run.check_host_memory((heat_host_arrays + (run.has_own_memory() ? 0 : heat_space_arrays)) * bytes);

  run.progress().begin("solving");
  const HeatOutcome outcome =
      run.for_input([&] { return run_heat(request, run.run_options().space, run.progress().callback()); });
  fill_record(run.record(), request, outcome);
  return run.finish(output_bytes, [&](OutputFile& file, const Provenance& provenance) {
    write(file, request, outcome, provenance, run.progress().callback());
  });
}

}  // namespace

int heat_main(int argc, const char* const* argv) {
  return run_driver("tessera-heat", [&] {
    CommandLine command_line("tessera-heat",
                             "Solves the heat equation between insulated walls, with Tessera at work inside");
    HeatArguments arguments;
    arguments.add_to(command_line);
    if (!command_line.parse(argc, argv)) return ExitStatus::good;
    return heat(command_line, arguments);
  });
}

}  // namespace tessera::apps
