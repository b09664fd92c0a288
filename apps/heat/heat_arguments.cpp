// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heat_arguments.hpp"

#include <fmt/format.h>

#include <limits>

#include "common/failure.hpp"
#include "common/text.hpp"

namespace tessera::apps {
namespace {

constexpr std::int64_t most_lines = std::numeric_limits<int>::max();  // teams of a league, and cells of a line

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t lowest,
                          std::int64_t highest) {
  const auto number = parse_int64(text);
  if (!number || *number < lowest || *number > highest) {
    refuse(fmt::format("{}: `{}` is not a whole number from {} to {}", option, text, lowest, highest));
  }
  return *number;
}

Shape shape_of(const std::string& list) {
  if (list.empty()) refuse("--shape is missing; give two or three extents, such as --shape 512,512");
  Shape shape;
  for (const auto& text : split(list)) {
    shape.push_back(static_cast<std::uint64_t>(whole_number("--shape", text, 1, most_lines)));
  }
  if (shape.size() != 2 && shape.size() != 3) {
    refuse(fmt::format("--shape: `{}` has {} extents; give two or three", list, shape.size()));
  }
  const std::uint64_t lines = shape[1] * (shape.size() == 3 ? shape[2] : 1);
  if (lines > most_lines) {
    refuse(fmt::format("--shape: {} lines along the first axis; at most {}", lines, most_lines));
  }
  constexpr std::uint64_t cell_bytes = sizeof(double) * (heat_space_arrays + heat_host_arrays);
  if (shape[0] * lines > std::numeric_limits<std::uint64_t>::max() / cell_bytes) {
    out_of_resource(fmt::format("--shape: {} cells need more memory than 64 bits can count", shape[0] * lines));
  }
  return shape;
}

double stable_diffusion(const std::string& text, std::size_t rank) {
  const auto diffusion = parse_double(text);
  if (!diffusion || !(*diffusion > 0)) refuse(fmt::format("--diffusion: `{}` is not a number above 0", text));
  const double limit = 0.5 / static_cast<double>(rank);
  if (*diffusion > limit) {
    refuse(fmt::format("--diffusion: {} makes the step unstable; in {} dimensions at most {:.4g}", text, rank, limit));
  }
  return *diffusion;
}

int axis_of(const std::string& text, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  const std::int64_t axis = whole_number("--axis", text, -signed_rank, signed_rank - 1);
  return static_cast<int>(axis < 0 ? axis + signed_rank : axis);
}

}  // namespace

void HeatArguments::add_to(CommandLine& command_line) {
  command_line.add_option("--shape", shape, "LIST", "Two or three extents of the field, row-major in files");
  command_line.add_option("--steps", steps, "N", "Time steps (default 100)");
  command_line.add_option("--every", every, "N", "Steps from one look at the field to the next (default 10)");
  command_line.add_option("--diffusion", diffusion, "R",
                          "Diffusivity * time step / cell width^2 (default 0.1); stable up to 1/4 in 2D, 1/6 in 3D");
  command_line.add_option("--smooth", smooth, "TAPS", "Width of the binomial filter of a look, odd (default 5)");
  command_line.add_option("--axis", axis, "N", "That the filter runs along (default -1, the last)");
  command_line.add_option(
      "--output", output, "FILE:/GROUP",
      "Write field and smooth, as they are at the end, and step, total, min, max and std of each look");
}

HeatRequest HeatArguments::request() const {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  HeatRequest request;
  request.shape = shape_of(shape);
  if (!steps.empty()) request.steps = whole_number("--steps", steps, 1, most);
  if (!every.empty()) request.every = whole_number("--every", every, 1, most);
  request.diffusion = stable_diffusion(diffusion.empty() ? "0.1" : diffusion, request.shape.size());
  if (!smooth.empty()) request.smooth_taps = whole_number("--smooth", smooth, 1, 999);
  if (request.smooth_taps % 2 == 0) {
    refuse(fmt::format("--smooth: {} taps would shift the field by half a cell; give an odd number", smooth));
  }
  request.smooth_axis = axis_of(axis.empty() ? "-1" : axis, request.shape.size());
  return request;
}

}  // namespace tessera::apps
