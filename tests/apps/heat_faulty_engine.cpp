// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A solver that loses heat, under the real driver.
#include "heat/heat_app.hpp"
#include "heat/heat_engine.hpp"

namespace tessera::apps {

HeatOutcome run_heat(const HeatRequest& request, const std::string&, const ProgressCallback&) {
  HeatOutcome outcome;
  outcome.looks = {{0, 100, 0, 5, 1}, {request.steps, 99.5, 0, 5, 1}};
  outcome.alone_seconds = outcome.with_seconds = {1e-3};
  return outcome;
}

}  // namespace tessera::apps

int main(int argc, char** argv) { return tessera::apps::heat_main(argc, argv); }
