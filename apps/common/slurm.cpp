// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "slurm.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "text.hpp"

namespace tessera::apps {
namespace {

nlohmann::ordered_json text_of(std::initializer_list<const char*> variables) {
  for (const char* variable : variables) {
    if (const char* text = std::getenv(variable); text && *text) return text;
  }
  return nullptr;
}

// A number where it is one: SLURM_GPUS may be 2 or h200:2.
nlohmann::ordered_json number_of(std::initializer_list<const char*> variables) {
  nlohmann::ordered_json value = text_of(variables);
  if (value.is_string()) {
    if (const auto number = parse_int64(value.get<std::string>())) value = *number;
  }
  return value;
}

}  // namespace

nlohmann::ordered_json slurm_record() {
  const nlohmann::ordered_json job = number_of({"SLURM_JOB_ID", "SLURM_JOBID"});
  if (job.is_null()) return nullptr;
  nlohmann::ordered_json restarts = number_of({"SLURM_RESTART_COUNT"});
  if (restarts.is_null()) restarts = 0;  // Slurm names none before the first
  return {{"job_id", job},
          {"array_job_id", number_of({"SLURM_ARRAY_JOB_ID"})},
          {"array_task_id", number_of({"SLURM_ARRAY_TASK_ID"})},
          {"restart_count", restarts},
          {"nodelist", text_of({"SLURM_JOB_NODELIST", "SLURM_NODELIST"})},
          {"partition", text_of({"SLURM_JOB_PARTITION"})},
          {"ntasks", number_of({"SLURM_NTASKS"})},
          {"cpus_per_task", number_of({"SLURM_CPUS_PER_TASK"})},
          {"gpus", number_of({"SLURM_GPUS_ON_NODE", "SLURM_GPUS"})},
          {"cluster", text_of({"SLURM_CLUSTER_NAME"})}};
}

}  // namespace tessera::apps
