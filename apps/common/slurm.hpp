// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_COMMON_SLURM_HPP
#define TESSERA_APPS_COMMON_SLURM_HPP

#include <nlohmann/json_fwd.hpp>

namespace tessera::apps {

/// The record's "slurm" object from the environment of the job; null outside one.
[[nodiscard]] nlohmann::ordered_json slurm_record();

}  // namespace tessera::apps

#endif
