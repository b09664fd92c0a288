// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_app.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/driver.hpp"
#include "common/text.hpp"
#include "reduce_arguments.hpp"
#include "reduce_engine.hpp"
#include "reduce_inputs.hpp"
#include "reduce_results.hpp"
#include "reduce_verify.hpp"

namespace tessera::apps {
namespace {

std::uint64_t accumulators_of(const Measurement& run) {
  std::uint64_t product = 1;
  for (const auto& [field, value] : run.plan) {
    if (!field.ends_with("_bytes")) product *= static_cast<std::uint64_t>(std::max<std::int64_t>(1, value));
  }
  return product;
}

/// The passes of a run over one input, and their values.
class ReduceApp {
 public:
  ReduceApp(DriverRun& run, const ReduceRequest& request, const ReducePass& axes, ReduceInputs& inputs)
      : m_run(run), m_request(request), m_axes(axes), m_inputs(inputs) {}

  void reduce() {
    const std::vector<std::string> operations = expanded_operations(m_request);
    std::vector<std::string> together;
    std::copy_if(operations.begin(), operations.end(), std::back_inserter(together), [&](const std::string& operation) {
      // What was asked to be summed fast has kernels of its own.
      return shares_a_pass(operation) && (pass_of({operation}).exact || !contains(m_request.operations, operation) ||
                                          !is_floating(m_inputs.computed(operation)));
    });
    const std::string& variant = m_run.run_options().variant;
    const bool named = variant != "automatic" && variant != "all";
    if (named && !together.empty() && !contains(engine(pass_of(together)).variants(pass_of(together)), variant)) {
      together.clear();  // each by itself
    }
    if (!together.empty()) add(pass_of(together));
    for (const auto& operation : operations) {
      if (!contains(together, operation)) add(pass_of({operation}));
    }
    for (const auto& operation : m_request.operations) add_results(operation);
  }

 private:
  ReducePass pass_of(const std::vector<std::string>& operations) const {
    ReducePass pass = m_axes;
    pass.operations = operations;
    const bool stats = m_request.operations == std::vector<std::string>{"stats"} && operations.size() > 1;
    pass.name = stats ? "stats" : join(operations, ",");
    pass.exact = m_request.exact || !has_fast_kernel(pass);
    if (pass.nan == "error" && std::all_of(operations.begin(), operations.end(), always_has_value)) {
      pass.nan = "propagate";
    }
    return pass;
  }

  const ReduceEngine& engine(const ReducePass& pass) {
    const bool dot = pass.operations[0] == "dot";
    auto& wanted = dot ? m_dot_engine : m_engine;
    if (wanted == nullptr) {
      const std::string space = m_run.run_options().space;
      HostArray& first = m_inputs.array(pass.operations[0]);
      wanted = dot ? make_dot_engine(first, *m_inputs.second, space) : make_reduce_engine(first, space);
      Transfer& transfer = m_run.record().to_device;
      transfer.seconds += wanted->to_device().seconds;
      transfer.bytes += wanted->to_device().bytes;
    }
    return *wanted;
  }

  void add(ReducePass pass) {
    RunOptions options = m_run.run_options();
    if (options.variant == "all") return add_all(pass);
    if (options.variant != "automatic") choose_summation(pass, options.variant);
    keep(measure(pass, options));
  }

  // Named without --summation, a variant that adds floating elements only fast does so.
  void choose_summation(ReducePass& pass, const std::string& variant) {
    const std::vector<std::string> able = engine(pass).variants(pass);
    if (contains(able, variant)) return;
    if (pass.exact) {
      pass.exact = false;
      const std::vector<std::string> fast = engine(pass).variants(pass);
      if (contains(fast, variant) && !m_request.summation_given) return;
      if (contains(fast, variant)) {
        refuse(fmt::format("--variant: {} adds the floating terms of {} only fast; with --summation exact there are {}",
                           variant, pass.name, join(able)));
      }
    }
    refuse(fmt::format("--variant: {} cannot do {}{}; there are {}", variant, pass.name,
                       m_axes.reduced.empty() ? "" : " along axes", join(able)));
  }

  void add_all(ReducePass pass) {
    RunOptions options = m_run.run_options();
    ReducePass fast = pass;
    fast.exact = false;
    const std::vector<std::string> able = engine(pass).variants(pass), able_fast = engine(fast).variants(fast);
    for (const auto& variant : reduce_variant_names()) {
      if (variant == "automatic" || variant == able.front()) continue;
      options.variant = variant;
      if (contains(able, variant)) {
        (void)measure(pass, options);
      } else if (contains(able_fast, variant) && !m_request.summation_given) {
        (void)measure(fast, options);
      } else {
        m_run.record().left_out.push_back(
            fmt::format("{}: cannot do {}{}", variant, pass.name, contains(able_fast, variant) ? " exactly" : ""));
      }
    }
    options.variant = able.front();
    keep(measure(pass, options));
  }

  std::vector<OpValues> measure(const ReducePass& pass, const RunOptions& options) {
    m_run.progress().begin(pass.name);
    ReduceRun run = engine(pass).measure(pass, options);
    run.measurement.operation = pass.name;
    for (auto& values : run.values) {
      values.exact = pass.exact || pass.is_complex || !is_floating(m_inputs.element(values.op));
      if (is_arg(values.op)) fill_elements(pass, m_inputs.array(values.op), values);
      require_defined(m_request, pass, values, m_inputs.shape());
    }
    if (options.verify != "none") run.measurement.verification = verify(pass, options, run);
    m_run.record().runs.push_back(run.measurement);
    return std::move(run.values);
  }

  Verification verify(const ReducePass& pass, const RunOptions& options, const ReduceRun& run) {
    m_run.progress().begin("verifying");
    ReduceCheck check;
    check.accumulators = accumulators_of(run.measurement);
    check.full = options.verify == "full";
    const auto reduce_range = [&](std::uint64_t offset, std::uint64_t count) {
      return engine(pass).reduce_range(pass, options, offset, count);
    };
    const auto norms = [&](const auto& got, const auto& expected) { return error_norms(options.space, got, expected); };
    const HostArray* second = pass.operations[0] == "dot" ? &*m_inputs.second : nullptr;
    return verify_reduction(pass, check, m_inputs.array(pass.operations[0]), second, run.values, reduce_range, norms,
                            m_run.progress().callback());
  }

  void keep(std::vector<OpValues> values) {
    for (auto& value : values) m_values[value.op] = std::move(value);
  }

  void add_results(const std::string& operation) {
    const std::vector<std::string> parts =
        operation == "stats" ? stats_operation_names(m_request.of_complex) : std::vector<std::string>{operation};
    for (const auto& part : parts) {
      m_run.record().results.push_back(
          result_of(m_request, m_axes, m_values.at(part), m_inputs.element(part), m_inputs.shape()));
    }
  }

  DriverRun& m_run;
  const ReduceRequest& m_request;
  const ReducePass& m_axes;  // without operations
  ReduceInputs& m_inputs;
  std::unique_ptr<ReduceEngine> m_engine, m_dot_engine;
  std::map<std::string, OpValues> m_values;
};

ReducePass axes_of(const ReduceRequest& request, const Shape& shape) {
  ReducePass pass;
  pass.exact = request.exact;
  pass.nan = request.nan;
  pass.ddof = request.ddof;
  pass.is_complex = request.of_complex;
  pass.reduced = reduced_axes(request, shape);
  // All axes are the whole array.
  if (std::find(pass.reduced.begin(), pass.reduced.end(), false) == pass.reduced.end()) pass.reduced.clear();
  return pass;
}

ExitStatus reduce(const CommandLine& command_line, const ReduceArguments& arguments) {
  DriverRun run(command_line);
  if (run.list()) return ExitStatus::good;
  ReduceRequest request = reduce_request(command_line, arguments);

  const Dataset& dataset = run.open_input();
  const Shape shape = dataset.info().shape;
  (void)dataset.part_type();
  request.of_complex = dataset.is_complex();
  ReduceInputs inputs(request, dataset);
  if (inputs.with() != nullptr) run.refuse_records_over(*inputs.with());
  ReducePass axes;
  run.for_input([&] {
    for (const auto& operation : request.operations) check_element_type(request, operation, inputs.element(operation));
    axes = axes_of(request, shape);
    require_elements(request, axes, shape);
  });
  const std::vector<std::string> operations = expanded_operations(request);
  const std::uint64_t outputs = element_count(kept_shape(axes, shape));
  // All that one read gives of each output is held twice, as the kernel leaves it.
  constexpr std::uint64_t stats_bytes = 120;
  const std::uint64_t value_bytes = outputs * (2 * stats_bytes + operations.size() * 2 * sizeof(double));
  run.check_host_memory(inputs.host_bytes() + value_bytes);
  std::vector<std::string> suffixes;
  for (const auto& operation : operations) suffixes.push_back(suffix_of(request, operation));
  const std::uint64_t output_bytes = written_bytes(request, axes, inputs);
  run.open_output(arguments.output, suffixes, output_bytes);
  run.start(inputs.device_bytes() + value_bytes);

  inputs.read(run);
  run.for_input([&] { ReduceApp(run, request, axes, inputs).reduce(); });
  return run.finish(output_bytes, [&](OutputFile& file, const Provenance& provenance) {
    std::vector<std::string> written;
    for (const auto& result : run.record().results) {
      if (contains(written, result.op)) continue;  // named beside stats
      written.push_back(result.op);
      write_result(file, request, axes, result, inputs, provenance);
    }
  });
}

}  // namespace

int reduce_main(int argc, const char* const* argv) {
  return run_driver("tessera-reduce", [&] {
    CommandLine command_line("tessera-reduce", "Reduces an HDF5 dataset, whole or along axes", reduce_variant_names());
    ReduceArguments arguments;
    add_reduce_options(command_line, arguments);
    if (!command_line.parse(argc, argv)) return ExitStatus::good;
    return reduce(command_line, arguments);
  });
}

}  // namespace tessera::apps
