// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_TRANSPOSE_TRANSPOSE_APP_HPP
#define TESSERA_APPS_TRANSPOSE_TRANSPOSE_APP_HPP

namespace tessera::apps {

/// tessera-transpose but for main(): returns the exit status.
[[nodiscard]] int transpose_main(int argc, const char* const* argv);

}  // namespace tessera::apps

#endif
