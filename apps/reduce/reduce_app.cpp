// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_app.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/driver.hpp"
#include "common/text.hpp"
#include "reduce_engine.hpp"
#include "reduce_verify.hpp"

namespace tessera::apps {
namespace {

struct ReduceArguments {
  std::string operations = "sum,min,max", summation = "fast", output;
};

std::vector<std::string> operations_of(const std::string& list) {
  std::vector<std::string> operations;
  for (const auto& operation : split(list)) {
    require_one_of("--op", operation, reduce_operation_names());
    if (std::find(operations.begin(), operations.end(), operation) != operations.end()) {
      refuse(fmt::format("--op: `{}` is given twice", operation));
    }
    operations.push_back(operation);
  }
  return operations;
}

/// The type of the operation's result as the record names it: floating values are float64.
ElementType result_type(const std::string& operation, ElementType element) {
  if (is_floating(element)) return ElementType::float64;
  if (operation == "sum" && element == ElementType::int32) return ElementType::int64;
  return element;
}

std::uint64_t accumulators_of(const Measurement& run) {
  std::uint64_t product = 1;
  for (const auto& [field, value] : run.plan) {
    if (!field.ends_with("_bytes")) product *= static_cast<std::uint64_t>(std::max<std::int64_t>(1, value));
  }
  return product;
}

class ReduceApp {
 public:
  ReduceApp(DriverRun& run, HostArray& input)
      : m_run(run), m_input(input), m_engine(make_reduce_engine(input, run.run_options().space)) {
    m_run.record().to_device = m_engine->to_device();
  }

  void add(const std::string& operation) {
    RunOptions options = m_run.run_options();
    ReduceRun last;
    for (const auto& variant :
         variants_to_run(options.variant, reduce_variant_names(), m_engine->automatic_variant(operation))) {
      options.variant = variant;
      last = measure(operation, options);
    }
    m_run.record().results.push_back({operation, result_type(operation, m_input.type), last.value});
  }

 private:
  ReduceRun measure(const std::string& operation, const RunOptions& options) {
    m_run.progress().begin(operation);
    ReduceRun run = m_engine->measure(operation, options);
    if (options.verify != "none") {
      m_run.progress().begin("verifying");
      ReduceCheck check;
      check.operation = operation;
      check.accumulators = accumulators_of(run.measurement);
      check.full = options.verify == "full";
      run.measurement.verification = verify_reduction(
          check, m_input, run.value,
          [&](std::uint64_t offset, std::uint64_t count) {
            return m_engine->reduce_range(operation, options, offset, count);
          },
          [&](const auto& got, const auto& expected) { return error_norms(options.space, got, expected); },
          m_run.progress().callback());
    }
    m_run.record().runs.push_back(run.measurement);
    return run;
  }

  DriverRun& m_run;
  HostArray& m_input;
  std::unique_ptr<ReduceEngine> m_engine;
};

void write_result(OutputFile& file, const std::string& suffix, const Result& result, const Provenance& provenance) {
  std::visit(
      [&](const auto value) {
        // Results of int32 elements are held in 64 bits.
        if (result.type == ElementType::int32) {
          const auto narrow = static_cast<std::int32_t>(value);
          file.write(suffix, result.type, {}, &narrow, provenance);
        } else {
          file.write(suffix, result.type, {}, &value, provenance);
        }
      },
      result.value);
}

ExitStatus reduce(const CommandLine& command_line, const ReduceArguments& arguments) {
  DriverRun run(command_line);
  const std::vector<std::string> operations = operations_of(arguments.operations);
  require_one_of("--summation", arguments.summation, summation_names());
  if (run.list()) return ExitStatus::good;

  const Dataset& dataset = run.open_input();
  const ElementType type = dataset.compute_type();
  run.check_host_memory(dataset.read_bytes());
  const auto suffix_of = [&](const std::string& operation) { return operations.size() == 1 ? "" : operation; };
  std::vector<std::string> suffixes;
  for (const auto& operation : operations) suffixes.push_back(suffix_of(operation));
  const std::uint64_t output_bytes = operations.size() * sizeof(double);
  run.open_output(arguments.output, suffixes, output_bytes);
  run.start(element_count(dataset.info().shape) * size_of(type));

  HostArray input = run.read_input();
  run.for_input([&] {
    ReduceApp app(run, input);
    for (const auto& operation : operations) app.add(operation);
  });
  return run.finish(output_bytes, [&](OutputFile& file, const Provenance& provenance) {
    for (const auto& result : run.record().results) write_result(file, suffix_of(result.op), result, provenance);
  });
}

}  // namespace

int reduce_main(int argc, const char* const* argv) {
  return run_driver("tessera-reduce", [&] {
    CommandLine command_line("tessera-reduce", "Reduces an HDF5 dataset to single values", reduce_variant_names());
    ReduceArguments arguments;
    command_line.add_option("--op", arguments.operations, "LIST",
                            fmt::format("{} (default {})", join(reduce_operation_names()), arguments.operations));
    command_line.add_option("--summation", arguments.summation, "KIND", join(summation_names()));
    command_line.add_option("--output", arguments.output, "FILE:/DATASET",
                            "Write the result there; several to DATASET/OP each");
    if (!command_line.parse(argc, argv)) return ExitStatus::good;
    return reduce(command_line, arguments);
  });
}

}  // namespace tessera::apps
