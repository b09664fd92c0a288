// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of a reduction over axes as records have it.
#ifndef TESSERA_APPS_DEVICE_AXES_FIELDS_HPP
#define TESSERA_APPS_DEVICE_AXES_FIELDS_HPP

#include <cstdint>
#include <string>
#include <tessera/reduce/reduce_axes_plan.hpp>
#include <utility>
#include <vector>

namespace tessera::apps {

[[nodiscard]] inline std::vector<std::pair<std::string, std::int64_t>> plan_fields(const ReduceAxesPlan& plan) {
  return {{"league_size", plan.league_size},
          {"team_size", plan.team_size},
          {"outputs", plan.outputs},
          {"threads", plan.threads},
          {"parts", plan.parts},
          {"scratch_bytes", static_cast<std::int64_t>(plan.scratch_bytes)},
          {"workspace_bytes", static_cast<std::int64_t>(plan.workspace_bytes)}};
}

}  // namespace tessera::apps

#endif
