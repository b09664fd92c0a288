// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose_app.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/driver.hpp"
#include "common/text.hpp"
#include "transpose_engine.hpp"
#include "transpose_verify.hpp"

namespace tessera::apps {
namespace {

struct TransposeArguments {
  std::string axes, output;
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

/// A permutation that leaves the order of the elements is the transpose of a single row.
TransposeRequest request_of(const std::vector<std::size_t>& axes, const DatasetInfo& info) {
  const bool turns = axes.size() == 2 && axes[0] == 1;
  return {turns ? info.shape[0] : 1, turns ? info.shape[1] : element_count(info.shape), info.stored_element_bytes};
}

void measure_variants(DriverRun& run, HostBuffer& input, HostBuffer& output, const TransposeRequest& request) {
  RunOptions options = run.run_options();
  const auto engine = make_transpose_engine(input, output, request, options.space);
  run.record().to_device = engine->to_device();
  for (const auto& variant : variants_to_run(options.variant, transpose_variant_names(), engine->automatic_variant())) {
    options.variant = variant;
    run.progress().begin("transposing");
    Measurement measurement = engine->measure(options);
    run.record().from_device = engine->fetch_output();
    if (options.verify != "none") {
      run.progress().begin("verifying");
      measurement.verification =
          verify_transpose(request, input, output, options.verify == "full", run.progress().callback());
    }
    run.record().runs.push_back(measurement);
  }
}

ExitStatus transpose(const CommandLine& command_line, const TransposeArguments& arguments) {
  DriverRun run(command_line);
  if (run.list()) return ExitStatus::good;

  const Dataset& dataset = run.open_input();
  const DatasetInfo& info = dataset.info();
  const std::uint64_t bytes = dataset.raw_bytes();
  const auto axes = run.for_input([&] {
    if (info.shape.size() > 2) {
      refuse(fmt::format("rank {} of {} is not supported: arrays of rank 0 to 2 can be transposed", info.shape.size(),
                         to_string(info.shape)));
    }
    return axes_of(arguments.axes, info.shape.size());
  });
  Shape shape;
  for (const std::size_t axis : axes) shape.push_back(info.shape[axis]);
  run.check_host_memory(2 * bytes);
  run.open_output(arguments.output, {""}, bytes);
  run.start(2 * bytes);

  HostBuffer input = run.read_raw_input();
  HostBuffer output(bytes);
  run.for_input([&] { measure_variants(run, input, output, request_of(axes, info)); });
  return run.finish(bytes, [&](OutputFile& file, const Provenance& provenance) {
    file.write_raw("", dataset, shape, output.data(), provenance, run.progress().callback());
  });
}

}  // namespace

int transpose_main(int argc, const char* const* argv) {
  return run_driver("tessera-transpose", [&] {
    CommandLine command_line("tessera-transpose", "Transposes an HDF5 dataset of any elements of 1 to 16 bytes",
                             transpose_variant_names());
    TransposeArguments arguments;
    command_line.add_option("--axes", arguments.axes, "LIST",
                            "The input's axes in the output's order (default reversed)");
    command_line.add_option("--output", arguments.output, "FILE:/DATASET", "Write the result there");
    if (!command_line.parse(argc, argv)) return ExitStatus::good;
    return transpose(command_line, arguments);
  });
}

}  // namespace tessera::apps
