// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose_app.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/driver.hpp"
#include "common/text.hpp"
#include "in_place_request.hpp"
#include "transpose_engine.hpp"
#include "transpose_verify.hpp"

namespace tessera::apps {
namespace {

struct TransposeArguments {
  std::string axes, output;
  bool in_place = false;
};

/// The permutation that --axes asks for, with negative axes counted from the end; "": reversed.
std::vector<std::size_t> axes_of(const std::string& list, std::size_t rank) {
  std::vector<std::size_t> axes;
  if (list.empty()) {
    for (std::size_t axis = rank; axis-- > 0;) axes.push_back(axis);
    return axes;
  }
  const auto signed_rank = static_cast<std::int64_t>(rank);
  for (const auto& text : split(list)) {
    const auto number = parse_int64(text);
    if (!number) refuse(fmt::format("--axes: `{}` is not a whole number", text));
    if (*number < -signed_rank || *number >= signed_rank) {
      refuse(fmt::format("--axes: {} is out of range for rank {}", *number, rank));
    }
    const auto axis = static_cast<std::size_t>(*number < 0 ? *number + signed_rank : *number);
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      refuse(fmt::format("--axes: axis {} is given twice", axis));
    }
    axes.push_back(axis);
  }
  if (axes.size() != rank) {
    refuse(fmt::format("--axes: {} axes are given for rank {}; name each once", axes.size(), rank));
  }
  return axes;
}

/// Names as --variant takes them, with and without --in-place.
std::vector<std::string> all_variant_names() {
  std::vector<std::string> names = transpose_variant_names(false);
  for (const auto& name : transpose_variant_names(true)) {
    if (name != "automatic") names.push_back(name);
  }
  return names;
}

void check_variant(const std::string& variant, bool in_place) {
  const std::vector<std::string> names = transpose_variant_names(in_place);
  if (variant == "all" || std::find(names.begin(), names.end(), variant) != names.end()) return;
  refuse(fmt::format("--variant: {} {}; {} --in-place there are {}, all", variant,
                     in_place ? "does not work in place" : "works in place alone", in_place ? "with" : "without",
                     join(names)));
}

void measure_variant(DriverRun& run, const TransposeEngine& engine, const TransposeRequest& request,
                     const HostBuffer& input, const HostBuffer& output, const RunOptions& options) {
  run.progress().begin("transposing");
  Measurement measurement = engine.measure(options);
  run.record().from_device = engine.fetch_output();
  if (options.verify != "none") {
    run.progress().begin("verifying");
    measurement.verification =
        verify_transpose(request, input, output, options.verify == "full", run.progress().callback());
  }
  run.record().runs.push_back(measurement);
}

void measure_variants(DriverRun& run, HostBuffer& input, HostBuffer& output, const TransposeRequest& request) {
  RunOptions options = run.run_options();
  const bool all = options.variant == "all";
  const auto engine = make_transpose_engine(input, output, request, options.space);
  run.record().to_device = engine->to_device();
  const std::string automatic = engine->automatic_variant();
  for (const auto& variant :
       variants_to_run(options.variant, transpose_variant_names(request.in_place.has_value()), automatic)) {
    options.variant = variant;
    try {
      measure_variant(run, *engine, request, input, output, options);
    } catch (const Failure& failure) {
      if (!all || variant == automatic || failure.status() != ExitStatus::bad_input) throw;
      run.record().left_out.push_back(variant + ": cannot do this transpose");
    }
  }
}

ExitStatus transpose(const CommandLine& command_line, const TransposeArguments& arguments) {
  DriverRun run(command_line);
  if (run.list()) return ExitStatus::good;
  check_variant(command_line.common().run.variant, arguments.in_place);

  const Dataset& dataset = run.open_input(moved_rank_max);
  const DatasetInfo& info = dataset.info();
  const std::uint64_t bytes = dataset.raw_bytes();
  TransposeRequest request{info.shape, {}, info.stored_element_bytes};
  run.for_input([&] {
    request.axes = axes_of(arguments.axes, info.shape.size());
    if (arguments.in_place) request.in_place = in_place_matrices(request);
  });
  run.check_host_memory(2 * bytes);
  run.open_output(arguments.output, {""}, bytes);
  run.start(arguments.in_place ? bytes : 2 * bytes);

  HostBuffer input = run.read_raw_input();
  HostBuffer output(bytes);
  run.for_input([&] { measure_variants(run, input, output, request); });
  return run.finish(bytes, [&](OutputFile& file, const Provenance& provenance) {
    file.write_raw("", dataset, request.output_shape(), output.data(), provenance, run.progress().callback());
  });
}

}  // namespace

int transpose_main(int argc, const char* const* argv) {
  return run_driver("tessera-transpose", [&] {
    CommandLine command_line("tessera-transpose",
                             "Permutes the axes of an HDF5 dataset with elements of any fixed size",
                             all_variant_names());
    TransposeArguments arguments;
    command_line.add_option("--axes", arguments.axes, "LIST",
                            "The input's axes in the output's order (default reversed)");
    command_line.add_flag(
        "--in-place", arguments.in_place,
        "Transpose in the array's own memory: a matrix, or square ones, of elements of up to 16 bytes");
    command_line.add_option("--output", arguments.output, "FILE:/DATASET", "Write the result there");
    if (!command_line.parse(argc, argv)) return ExitStatus::good;
    return transpose(command_line, arguments);
  });
}

}  // namespace tessera::apps
