// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_DEVICE_ENUMERATOR_HPP
#define TESSERA_APPS_DEVICE_ENUMERATOR_HPP

#include <algorithm>
#include <string>
#include <vector>

namespace tessera::apps {

/// The names of a list of the library's enumerators, in its order.
template <class Enumerators>
[[nodiscard]] std::vector<std::string> names_of(const Enumerators& enumerators) {
  std::vector<std::string> names;
  for (const auto enumerator : enumerators) names.emplace_back(to_string(enumerator));
  return names;
}

/// The enumerator of that name, which the command line has checked.
template <class Enumerators>
[[nodiscard]] auto enumerator_named(const Enumerators& enumerators, const std::string& name) {
  return *std::find_if(enumerators.begin(), enumerators.end(),
                       [&](const auto enumerator) { return to_string(enumerator) == name; });
}

}  // namespace tessera::apps

#endif
