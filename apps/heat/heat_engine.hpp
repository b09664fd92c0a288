// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solver and its in-situ work behind a header without Kokkos. Kokkos must have started.
#ifndef TESSERA_APPS_HEAT_HEAT_ENGINE_HPP
#define TESSERA_APPS_HEAT_HEAT_ENGINE_HPP

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/dataset.hpp"
#include "common/host_array.hpp"

namespace tessera::apps {

struct HeatRequest {
  Shape shape;                   // two or three extents
  std::int64_t steps = 100;      // in all
  std::int64_t every = 10;       // steps from one look at the field to the next
  double diffusion = 0.1;        // diffusivity * time step / cell width^2
  std::int64_t smooth_taps = 5;  // of the binomial filter
  int smooth_axis = 0;           // that it runs along

  /// A field of two dimensions is one of three with a single plane.
  [[nodiscard]] std::array<std::size_t, 3> extents() const {
    return {shape[0], shape[1], shape.size() == 3 ? shape[2] : 1};
  }
  [[nodiscard]] std::uint64_t field_bytes() const { return element_count(shape) * sizeof(double); }
};

/// Arrays of the size of the field that run_heat() has on the space, and that it returns.
inline constexpr std::uint64_t heat_space_arrays = 8, heat_host_arrays = 2;

/// What a look at the field gave.
struct HeatLook {
  std::int64_t step = 0;
  double total = 0, min = 0, max = 0, std = 0;
};

struct HeatOutcome {
  std::vector<HeatLook> looks;                      // at step 0, every, .., steps
  std::vector<double> alone_seconds, with_seconds;  // a step, of each stretch between looks
  std::uint64_t differing_cells = 0;                // between the two final fields
  std::uint64_t fingerprint = 0;                    // of the final field's bits
  HostBuffer field, smooth;                         // row-major: the final field, and smoothed
};

/// Solves twice, stretch by stretch in turn: alone, and with in-situ work.
/// \throws Failure (no_resource) where the space has no room, bad_input for a filter that cannot be
[[nodiscard]] HeatOutcome run_heat(const HeatRequest& request, const std::string& space,
                                   const ProgressCallback& progress);

}  // namespace tessera::apps

#endif
