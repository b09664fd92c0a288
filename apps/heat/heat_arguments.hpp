// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_HEAT_HEAT_ARGUMENTS_HPP
#define TESSERA_APPS_HEAT_HEAT_ARGUMENTS_HPP

#include <string>

#include "common/command_line.hpp"
#include "heat_engine.hpp"

namespace tessera::apps {

/// The options of tessera-heat as typed; "" for those not given.
struct HeatArguments {
  std::string shape, steps, every, diffusion, smooth, axis, output;

  void add_to(CommandLine& command_line);
  /// \throws Failure (bad_input) for what cannot be, an unstable step among it
  [[nodiscard]] HeatRequest request() const;
};

}  // namespace tessera::apps

#endif
