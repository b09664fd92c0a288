// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast this machine moves memory: every way of doing it that is tried, and the best of them.
#ifndef TESSERA_APPS_DEVICE_CEILING_HPP
#define TESSERA_APPS_DEVICE_CEILING_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "session.hpp"

namespace tessera::apps {

/// One way to copy or to read an array, with its times.
struct CeilingCandidate {
  bool is_copy = true;          // else it only reads
  std::string name;             // "cudaMemcpyAsync", "16-byte kernel, league 528, team 512, 4 in flight"
  std::uint64_t bytes = 0;      // moved: read and written for a copy
  std::vector<double> seconds;  // one a repeat
};

/// What a ceiling moves for an array, where there is the memory: 1 GiB at most.
[[nodiscard]] constexpr std::uint64_t ceiling_bytes(std::uint64_t array_bytes) {
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  return array_bytes < most ? array_bytes : most;
}

/// Copies and reads an array of min(array_bytes, 1 GiB, a third of the free memory) in all the ways known for the
/// space: the runtime's own copy and a kernel of 16-byte accesses in at least six launch shapes. Every result is
/// checked. Empty for an empty array, and where there is no memory. \throws Failure (not_verified) where a result is
/// wrong.
[[nodiscard]] std::vector<CeilingCandidate> ceiling_candidates(const std::string& space, std::uint64_t array_bytes);

/// The best medians of the candidates.
[[nodiscard]] Ceiling ceiling_of(const std::vector<CeilingCandidate>& candidates);

}  // namespace tessera::apps

#endif
