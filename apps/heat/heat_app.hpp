// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_HEAT_HEAT_APP_HPP
#define TESSERA_APPS_HEAT_HEAT_APP_HPP

namespace tessera::apps {

/// tessera-heat but for main(): returns the exit status.
[[nodiscard]] int heat_main(int argc, const char* const* argv);

}  // namespace tessera::apps

#endif
