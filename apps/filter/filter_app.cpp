// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_app.hpp"

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <utility>

#include "common/driver.hpp"
#include "common/failure.hpp"
#include "common/text.hpp"
#include "filter_arguments.hpp"
#include "filter_engine.hpp"
#include "filter_verify.hpp"
#include "parts_step.hpp"

namespace tessera::apps {
namespace {

/// What several applications at once left, against what they leave one by one.
void verify_joined(const FilterEngine& engine, const FilterArrays& arrays, const RunOptions& options,
                   Verification& verification) {
  const auto hash = [](const HostArray& array) {
    return std::hash<std::string_view>()({array.buffer.as<char>(), array.buffer.bytes()});
  };
  const auto joined = std::pair(hash(arrays.previous), hash(arrays.output));
  engine.apply_one_by_one(options);
  engine.fetch_previous();
  (void)engine.fetch_output();
  if (std::pair(hash(arrays.previous), hash(arrays.output)) == joined) {
    verification.method += "; one by one, all applications left the same bits";
  } else if (std::exchange(verification.passed, false)) {
    verification.first_wrong = "one by one, the applications left other bits";
  }
}

Verification verified(DriverRun& run, const FilterEngine& engine, const FilterRequest& request,
                      const FilterArrays& arrays, const RunOptions& options) {
  const auto against = [&](const FilterRequest& last, const HostArray& read) {
    return verify_filter(
        last, read, arrays.output, options.verify == "full",
        [&](const auto& got, const auto& expected) { return error_norms(options.space, got, expected); },
        run.progress().callback());
  };
  if (request.iterate == 1) return against(request, arrays.input);
  engine.fetch_previous();
  Verification verification = against(following_request(request), arrays.previous);
  verification.method += fmt::format(", of application {} to what the one before it stored", request.iterate);
  if (engine.joins_applications(options)) verify_joined(engine, arrays, options, verification);
  return verification;
}

bool is_integer(const Dataset& dataset) {
  const NumberType type = dataset.element_type();
  return !is_floating(type) && type != NumberType::boolean;
}

void measure(DriverRun& run, const FilterEngine& engine, const FilterRequest& request, const FilterArrays& arrays,
             const std::string& variant) {
  RunOptions options = run.run_options();
  options.variant = variant;
  run.progress().begin("filtering");
  Measurement measurement = engine.measure(options);
  run.record().from_device = engine.fetch_output();
  if (options.verify != "none") {
    run.progress().begin("verifying");
    measurement.verification = verified(run, engine, request, arrays, options);
  }
  run.record().runs.push_back(measurement);
}

void measure_variants(DriverRun& run, FilterArrays& arrays, const FilterRequest& request) {
  const RunOptions options = run.run_options();
  const auto engine = make_filter_engine(arrays, request, options.space);
  run.record().to_device = engine->to_device();
  const std::string automatic = engine->automatic_variant();
  const auto names = request.has_weights() ? filter_variant_names() : std::vector<std::string>{};
  for (const auto& variant : variants_to_run(options.variant, names, automatic)) {
    try {
      measure(run, *engine, request, arrays, variant);
    } catch (const Failure& failure) {
      const bool others_can = options.variant == "all" && variant != automatic;
      if (!others_can || failure.status() != ExitStatus::bad_input) throw;
      run.record().left_out.push_back(fmt::format("{}: cannot do this {}", variant, request.operation));
    }
  }
}

ExitStatus filter(const CommandLine& command_line, const FilterArguments& arguments) {
  DriverRun run(command_line);
  if (run.list()) return ExitStatus::good;
  FilterRequest request = filter_request(arguments);
  if (!arguments.source.weights_from.empty()) run.refuse_records_over(Dataset(arguments.source.weights_from));
  if (const std::string& variant = command_line.common().run.variant;
      !request.has_weights() && variant != "automatic" && variant != "all") {
    refuse(fmt::format("--variant: {} is for filters with weights; that of --{} follows from its window", variant,
                       request.operation));
  }

  const Dataset& dataset = run.open_input();
  const ElementType type = dataset.part_type();
  const bool is_complex = dataset.is_complex();
  const Shape shape = dataset.info().shape;
  run.for_input([&] {
    complete_request(request, arguments, dataset);
    if (is_complex && !command_line.common().plot_file.empty()) {
      refuse(fmt::format("--plot: it draws real numbers, the elements are {}; leave it out",
                         to_string(dataset.element_type())));
    }
  });
  const ElementType output_type = filter_output_type(request, type);
  Shape output_shape = shape;
  output_shape[request.axis] =
      static_cast<std::uint64_t>(request.outputs(static_cast<std::int64_t>(shape[request.axis])));
  FilterArrays arrays{{}, {output_type, output_shape, {}, is_complex}, {output_type, output_shape, {}, is_complex}};
  const auto type_of_elements = [&](NumberType part) { return is_complex ? complex_of(part) : part; };
  const NumberType computed_type = type_of_elements(number_type_of(output_type));
  const NumberType own_type = request.keeps_elements() && is_integer(dataset) ? dataset.element_type() : computed_type;
  const NumberType written_type = request.output_type ? type_of_elements(*request.output_type) : own_type;
  const bool converts = written_type != computed_type;
  const std::uint64_t outputs = element_count(output_shape);
  const std::uint64_t output_bytes = outputs * size_of(computed_type);
  const std::uint64_t previous_bytes = request.iterate > 1 ? output_bytes : 0;
  const std::uint64_t written_bytes = outputs * size_of(written_type);
  // Parts that are not filtered where they are: those of what each kind of application reads and writes.
  const std::uint64_t parts_bytes =
      is_complex && splits_parts(request, shape) ? dataset.read_bytes() + output_bytes + 2 * previous_bytes : 0;
  const std::uint64_t space_bytes = dataset.read_bytes() + output_bytes + previous_bytes + parts_bytes;
  run.check_host_memory(space_bytes + (converts ? written_bytes : 0));
  run.open_output(arguments.output, {""}, written_bytes);
  run.start(space_bytes);

  arrays.input = run.read_input();
  arrays.output.buffer = HostBuffer(output_bytes);
  arrays.previous.buffer = HostBuffer(previous_bytes);
  run.for_input([&] { measure_variants(run, arrays, request); });
  run.plot_lines(arrays.input, arrays.output, request.axis, static_cast<std::uint64_t>(request.first_output()));
  return run.finish(written_bytes, [&](OutputFile& file, const Provenance& provenance) {
    HostBuffer converted(converts ? written_bytes : 0);
    if (converts) encode(arrays.output, written_type, converted.as<std::byte>());
    file.write("", written_type, output_shape, converts ? converted.data() : arrays.output.buffer.data(), provenance,
               run.progress().callback());
  });
}

}  // namespace

int filter_main(int argc, const char* const* argv) {
  return run_driver("tessera-filter", [&] {
    CommandLine command_line("tessera-filter", "Filters an HDF5 dataset, real or complex, along one axis",
                             filter_variant_names());
    FilterArguments arguments;
    FilterSource& source = arguments.source;
    command_line.add_option("--weights", source.weights, "LIST", "The filter's weights, real numbers: 0.25,0.5,0.25");
    command_line.add_option("--weights-from", source.weights_from, "FILE:/DATASET", "The weights, of rank 1");
    command_line.add_option("--gaussian", source.gaussian, "SIGMA", "Convolve with a Gaussian of SIGMA elements");
    command_line.add_option("--order", source.order, "N", "Of --gaussian: its Nth derivative (default 0)");
    command_line.add_option("--truncate", source.truncate, "T", "Of --gaussian: the radius in SIGMA (default 4)");
    command_line.add_option("--binomial", source.binomial, "N", "Convolve with N binomial weights");
    command_line.add_option("--savgol", source.savgol, "W,P[,D[,DELTA]]",
                            "Savitzky-Golay: fit W elements with a polynomial of degree P; its Dth derivative "
                            "(default 0), of elements DELTA apart (default 1)");
    command_line.add_option("--box", source.box, "N", "The mean of each window of N elements");
    command_line.add_option("--min", source.min, "N", "The smallest element of each window of N, of real data");
    command_line.add_option("--max", source.max, "N", "The largest element of each window of N, of real data");
    command_line.add_option("--median", source.median, "N", "The median of each window of N elements, of real data");
    command_line.add_flag("--convolve", arguments.convolve,
                          "Convolve with the weights (default: correlate; filters with a name always convolve)");
    command_line.add_option("--axis", arguments.axis, "N", "The axis to filter along (default -1: the last one)");
    command_line.add_option(
        "--mode", arguments.mode, "NAME",
        fmt::format("What lies beyond the ends: {} (default {})", join(boundary_mode_names()), arguments.mode));
    command_line.add_option("--mode-left", arguments.mode_left, "NAME", "Before the first element (default: --mode)");
    command_line.add_option("--mode-right", arguments.mode_right, "NAME", "After the last element (default: --mode)");
    command_line.add_option("--cval", arguments.cval, "X",
                            "The value beyond the ends of mode constant, a real number (default 0)");
    command_line.add_option("--origin", arguments.origin, "N", "Shift of the window (default 0)");
    command_line.add_option("--iterate", arguments.iterate, "N",
                            "Apply the filter N times, as N runs through stored outputs would (default 1)");
    command_line.add_option("--nan", arguments.nan, "POLICY",
                            "propagate (default), omit (take what is left; with weights scale it) or error");
    command_line.add_option("--accumulate", arguments.accumulate, "TYPE",
                            "float or double: in what floating data is summed (default: its own type)");
    command_line.add_option(
        "--output-type", arguments.output_type, "TYPE",
        "Write the result, of complex data its parts, as TYPE: " + join(output_type_names()) + ", rounded once");
    command_line.add_option("--output", arguments.output, "FILE:/DATASET", "Write the result there");
    if (!command_line.parse(argc, argv)) return ExitStatus::good;
    return filter(command_line, arguments);
  });
}

}  // namespace tessera::apps
