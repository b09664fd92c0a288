// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_COMMON_REPORT_HPP
#define TESSERA_APPS_COMMON_REPORT_HPP

#include <string>

#include "record.hpp"

namespace tessera::apps {

/// The record as a person reads it: several lines, the last one ended.
[[nodiscard]] std::string report_text(const Record& record);

}  // namespace tessera::apps

#endif
