// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much more host memory this process may use: not what the machine has, but what the kernel, the control groups,
// the shell's limits and the batch system allow.
#ifndef TESSERA_APPS_COMMON_MEMORY_LIMIT_HPP
#define TESSERA_APPS_COMMON_MEMORY_LIMIT_HPP

#include <cstdint>
#include <functional>
#include <string>

namespace tessera::apps {

struct MemoryLimit {
  std::uint64_t bytes = 0;
  std::string reason;  ///< "the control group", "ulimit -v", .. : what sets it
};

/// Where the limits are read; tests put others in place.
struct MemorySources {
  std::string proc = "/proc";
  std::string root;                                     ///< put before the mount points that proc names
  std::function<std::string(const char*)> environment;  ///< "" where a variable is not set
  std::function<std::uint64_t(int)> resource_limit;     ///< RLIMIT_*, the largest value where there is none

  MemorySources();
};

/// The tightest of: MemAvailable; the memory limits of the control groups (versions 1 and 2) that the process is in and
/// of those above, less what they use beyond page cache that can go; RLIMIT_AS and RLIMIT_DATA less what is mapped;
/// Slurm's memory for the node less what the process has.
[[nodiscard]] MemoryLimit available_host_memory(const MemorySources& sources = {});
[[nodiscard]] std::uint64_t available_host_bytes();

/// \throws Failure (no_resource) with both sizes unless bytes are available. what: "in.h5:/x".
void require_host_memory(const std::string& what, std::uint64_t bytes);

}  // namespace tessera::apps

#endif
