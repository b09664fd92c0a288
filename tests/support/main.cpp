// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs Catch2 inside Kokkos. --kokkos-* arguments go to Kokkos, all others to Catch2.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_session.hpp>
#include <iterator>
#include <string_view>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
// Tests ask for more memory than there is, to read the message.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif

int main(int argc, char* argv[]) {
  const auto is_kokkos = [](const char* argument) { return std::string_view(argument).substr(0, 8) == "--kokkos"; };
  std::vector<char*> kokkos_arguments{argv[0]}, catch_arguments{argv[0]};
  std::copy_if(argv + 1, argv + argc, std::back_inserter(kokkos_arguments), is_kokkos);
  std::remove_copy_if(argv + 1, argv + argc, std::back_inserter(catch_arguments), is_kokkos);
  int kokkos_count = static_cast<int>(kokkos_arguments.size());
  kokkos_arguments.push_back(nullptr);

  Catch::Session session;
  const int status = session.applyCommandLine(static_cast<int>(catch_arguments.size()), catch_arguments.data());
  if (status != 0) return status;

  // Test discovery must work where the device is missing: listing never starts Kokkos.
  const Catch::ConfigData& config = session.configData();
  if (config.showHelp || config.listTests || config.listTags || config.listReporters || config.listListeners) {
    return session.run();
  }
  Kokkos::ScopeGuard guard(kokkos_count, kokkos_arguments.data());
  return session.run();
}
