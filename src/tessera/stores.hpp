// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a host writes an output.
#ifndef TESSERA_STORES_HPP
#define TESSERA_STORES_HPP

#include <array>
#include <string_view>

namespace tessera {

/// A host's caches read each line of memory that is written to them. Of an output larger than they are, that read is
/// for nothing. Devices have one way of writing.
enum class Stores {
  automatic,  ///< streamed from 32 MiB of output on, where the machine and the kernel can
  cached,     ///< to the caches
  streamed,   ///< whole lines past the caches, where the kernel can
};
inline constexpr std::array all_stores{Stores::automatic, Stores::cached, Stores::streamed};

constexpr std::string_view to_string(Stores stores) {
  switch (stores) {
    case Stores::automatic:
      return "automatic";
    case Stores::cached:
      return "cached";
    case Stores::streamed:
      break;
  }
  return "streamed";
}

}  // namespace tessera

#endif
