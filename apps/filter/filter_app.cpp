// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_app.hpp"

#include <fmt/format.h>

#include "common/driver.hpp"
#include "common/text.hpp"
#include "filter_arguments.hpp"
#include "filter_engine.hpp"
#include "filter_verify.hpp"

namespace tessera::apps {
namespace {

void measure(DriverRun& run, const FilterEngine& engine, const FilterRequest& request, const HostArray& input,
             const HostArray& output, const std::string& variant) {
  RunOptions options = run.run_options();
  options.variant = variant;
  run.progress().begin("filtering");
  Measurement measurement = engine.measure(options);
  run.record().from_device = engine.fetch_output();
  if (options.verify != "none") {
    run.progress().begin("verifying");
    measurement.verification = verify_filter(
        request, input, output, options.verify == "full",
        [&](const auto& got, const auto& expected) { return error_norms(options.space, got, expected); },
        run.progress().callback());
  }
  run.record().runs.push_back(measurement);
}

void measure_variants(DriverRun& run, HostArray& input, HostArray& output, const FilterRequest& request) {
  const RunOptions options = run.run_options();
  const auto engine = make_filter_engine(input, output, request, options.space);
  run.record().to_device = engine->to_device();
  for (const auto& variant : variants_to_run(options.variant, filter_variant_names(), engine->automatic_variant())) {
    measure(run, *engine, request, input, output, variant);
  }
}

ExitStatus filter(const CommandLine& command_line, const FilterArguments& arguments) {
  DriverRun run(command_line);
  if (run.list()) return ExitStatus::good;
  FilterRequest request = filter_request(arguments);

  const Dataset& dataset = run.open_input();
  const ElementType type = dataset.compute_type();
  const Shape shape = dataset.info().shape;
  run.for_input([&] { complete_request(request, arguments, type, shape); });
  HostArray output{filter_output_type(request, type), shape, {}};
  const std::uint64_t size = element_count(shape);
  const std::uint64_t output_bytes = size * size_of(output.type);
  run.check_host_memory(dataset.read_bytes() + output_bytes);
  run.open_output(arguments.output, {""}, output_bytes);
  run.start(size * size_of(type) + output_bytes);

  HostArray input = run.read_input();
  output.buffer = HostBuffer(output_bytes);
  run.for_input([&] { measure_variants(run, input, output, request); });
  return run.finish(output_bytes, [&](OutputFile& file, const Provenance& provenance) {
    file.write("", output.type, output.shape, output.buffer.data(), provenance, run.progress().callback());
  });
}

}  // namespace

int filter_main(int argc, const char* const* argv) {
  return run_driver("tessera-filter", [&] {
    CommandLine command_line("tessera-filter", "Filters an HDF5 dataset along its last axis", filter_variant_names());
    FilterArguments arguments;
    command_line.add_option("--weights", arguments.weights, "LIST", "The filter's weights: 0.25,0.5,0.25");
    command_line.add_option("--weights-from", arguments.weights_from, "FILE:/DATASET", "The weights, of rank 1");
    command_line.add_flag("--convolve", arguments.convolve, "Convolve (default: correlate)");
    command_line.add_option("--axis", arguments.axis, "N", "The axis to filter along: the last one (default -1)");
    command_line.add_option(
        "--mode", arguments.mode, "NAME",
        fmt::format("What lies beyond the ends: {} (default {})", join(boundary_mode_names()), arguments.mode));
    command_line.add_option("--cval", arguments.cval, "X", "The value beyond the ends of mode constant (default 0)");
    command_line.add_option("--origin", arguments.origin, "N", "Shift of the window (default 0)");
    command_line.add_option("--accumulate", arguments.accumulate, "TYPE",
                            "float or double: in what floating data is summed (default: its own type)");
    command_line.add_option("--output", arguments.output, "FILE:/DATASET", "Write the result there");
    if (!command_line.parse(argc, argv)) return ExitStatus::good;
    return filter(command_line, arguments);
  });
}

}  // namespace tessera::apps
