// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_COMMON_VERSION_HPP
#define TESSERA_APPS_COMMON_VERSION_HPP

#include <string_view>

namespace tessera::apps {

/// "0.1.0"
[[nodiscard]] std::string_view version() noexcept;

/// The commit that was built, "-dirty" behind it when files differ from it; "unknown" outside a git checkout.
[[nodiscard]] std::string_view git_hash() noexcept;

}  // namespace tessera::apps

#endif
