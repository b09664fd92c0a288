// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_FILTER_FILTER_APP_HPP
#define TESSERA_APPS_FILTER_FILTER_APP_HPP

namespace tessera::apps {

/// tessera-filter but for main(): returns the exit status.
[[nodiscard]] int filter_main(int argc, const char* const* argv);

}  // namespace tessera::apps

#endif
