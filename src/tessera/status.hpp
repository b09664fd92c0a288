// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors that only the data can show, reported from kernels without an order: the lowest index wins.
#ifndef TESSERA_STATUS_HPP
#define TESSERA_STATUS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/noinline.hpp>

namespace tessera {

enum class StatusKind : std::uint8_t {
  integer_overflow = 1,  ///< the exact integer result does not fit
  nan_found = 2,         ///< under NanPolicy::error
  nothing_left = 3,      ///< fewer elements than the reduction needs
  nan_filtered = 4,      ///< under NanPolicy::error of a filter
};

/// The status word of a workspace, as a kernel sees it.
class Status {
 public:
  static constexpr std::uint64_t good = ~std::uint64_t{0};

  /// first: added to every index.
  KOKKOS_FUNCTION explicit Status(std::uint64_t* word, std::uint64_t first = 0) : m_word(word), m_first(first) {}

  /// index: of the first element or output concerned; 0 where there is only one.
  TESSERA_NOINLINE KOKKOS_FUNCTION void raise(StatusKind kind, std::uint64_t index = 0) const {
    Kokkos::atomic_min(m_word, (m_first + index) << 8 | static_cast<std::uint64_t>(kind));
  }

 private:
  std::uint64_t* m_word;
  std::uint64_t m_first;
};

}  // namespace tessera

#endif
