// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Experiments: JSON files that say what tessera-bench measures. inputs/experiments/README.md has the schema.
#ifndef TESSERA_APPS_BENCH_EXPERIMENT_HPP
#define TESSERA_APPS_BENCH_EXPERIMENT_HPP

#include <string>
#include <vector>

#include "bench_options.hpp"

namespace tessera::apps::bench {

struct Experiment {
  std::vector<Part> parts;
  Measuring measuring;
};

/// \throws Failure (bad_input) naming file and field.
[[nodiscard]] Experiment read_experiment(const std::string& file, const std::vector<Operation>& operations);

}  // namespace tessera::apps::bench

#endif
