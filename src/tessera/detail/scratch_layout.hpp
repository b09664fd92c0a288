// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One place where pieces of team scratch get their offsets, on the host for the budget and in the kernel for the
// pointers.
#ifndef TESSERA_DETAIL_SCRATCH_LAYOUT_HPP
#define TESSERA_DETAIL_SCRATCH_LAYOUT_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/error.hpp>

namespace tessera::detail {

/// Every piece starts on a 16-byte boundary.
class ScratchLayout {
 public:
  /// Appends count elements of T and returns their offset in bytes.
  template <class T>
  KOKKOS_FUNCTION std::size_t append(std::size_t count) {
    static_assert(alignof(T) <= packed_bytes, "tessera: team scratch pieces are aligned to 16 bytes");
    const std::size_t offset = m_bytes;
    m_bytes = (m_bytes + count * sizeof(T) + packed_bytes - 1) / packed_bytes * packed_bytes;
    return offset;
  }

  /// Bytes of all pieces.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t bytes() const { return m_bytes; }

 private:
  std::size_t m_bytes = 0;
};

/// The team's scratch memory of a level: bytes from a ScratchLayout, on a 16-byte boundary.
template <int Level = 0, class Member>
KOKKOS_FUNCTION std::byte* team_scratch(const Member& team, std::size_t bytes) {
  return static_cast<std::byte*>(team.team_scratch(Level).get_shmem_aligned(bytes, packed_bytes));
}

/// What to ask the policy for: get_shmem_aligned may skip up to an alignment.
inline std::size_t scratch_request(std::size_t bytes) { return bytes == 0 ? 0 : bytes + packed_bytes; }

/// \throws ResourceError before a launch that could not have its scratch memory.
inline void require_scratch(std::string_view function, std::size_t bytes, const DeviceLimits& limits) {
  TESSERA_REQUIRE_RESOURCE(scratch_request(bytes) <= limits.scratch_bytes, function, "options",
                           "the plan needs " + std::to_string(scratch_request(bytes)) + " bytes of team scratch",
                           "at most " + std::to_string(limits.scratch_bytes) + " bytes",
                           "use a smaller team or element type");
}

}  // namespace tessera::detail

#endif
