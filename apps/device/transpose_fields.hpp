// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of a transpose as records have it.
#ifndef TESSERA_APPS_DEVICE_TRANSPOSE_FIELDS_HPP
#define TESSERA_APPS_DEVICE_TRANSPOSE_FIELDS_HPP

#include <cstdint>
#include <string>
#include <tessera/transpose/transpose_plan.hpp>
#include <utility>
#include <vector>

namespace tessera::apps {

[[nodiscard]] inline std::vector<std::pair<std::string, std::int64_t>> plan_fields(const TransposePlan& plan) {
  if (plan.copied) return {{"copied", 1}};
  std::vector<std::pair<std::string, std::int64_t>> fields{
      {"league_size", plan.league_size},
      {"team_size", plan.team_size},
      {"vector_length", plan.vector_length},
      {"access_bytes", plan.access_bytes},
      {"tile_rows", plan.tile_rows},
      {"tile_columns", plan.tile_columns},
      {"pad", plan.pad},
      {"scratch_bytes", static_cast<std::int64_t>(plan.scratch_bytes)}};
  if (plan.lead_rows > 0) fields.emplace_back("lead_rows", plan.lead_rows);
  if (plan.lead_columns > 0) fields.emplace_back("lead_columns", plan.lead_columns);
  if (plan.piece_rows > 0) fields.emplace_back("piece_rows", plan.piece_rows);
  return fields;
}

}  // namespace tessera::apps

#endif
