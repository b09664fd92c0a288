// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The --kokkos-* arguments and KOKKOS_* variables. Kokkos ends the process on a malformed one; a driver must not.
#ifndef TESSERA_APPS_DEVICE_KOKKOS_SETTINGS_HPP
#define TESSERA_APPS_DEVICE_KOKKOS_SETTINGS_HPP

#include <optional>
#include <string>
#include <vector>

namespace tessera::apps {

/// Kokkos' OpenMP has places for so many threads, and ends the process, or waits forever, with more.
inline constexpr int host_threads_max = 512;

struct KokkosSettings {
  std::optional<int> num_threads, device_id;
  std::optional<std::string> map_device_id_by, tools_libs, tools_args;
  bool print_configuration = false, tune_internals = false;
};

/// Arguments of the forms --kokkos-NAME=VALUE and --kokkos-NAME; variables KOKKOS_NAME where the argument is not given.
/// \throws Failure (bad_input) for one that Kokkos would not take.
[[nodiscard]] KokkosSettings kokkos_settings(const std::vector<std::string>& arguments);

}  // namespace tessera::apps

#endif
