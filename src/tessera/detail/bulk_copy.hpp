// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between memory and team scratch that one thread begins and hardware makes, where the device has that
// (has_bulk_copies, which host code must not ask for). Sizes and places are multiples of 16 bytes.
#ifndef TESSERA_DETAIL_BULK_COPY_HPP
#define TESSERA_DETAIL_BULK_COPY_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace tessera::detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define TESSERA_HAS_BULK_COPIES
inline constexpr bool has_bulk_copies = true;
#else
inline constexpr bool has_bulk_copies = false;
#endif

/// Copies to scratch in two groups that take turns, each counted by a word of scratch.
class BulkGroups {
 public:
  static constexpr int words = 2;

  KOKKOS_FORCEINLINE_FUNCTION explicit BulkGroups(std::uint64_t* group_words) : m_words(group_words) {}

  /// By one thread, before a barrier.
  KOKKOS_FORCEINLINE_FUNCTION void init() const {
#ifdef TESSERA_HAS_BULK_COPIES
    for (int k = 0; k < words; ++k) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(word(k)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }

  /// By the same thread, any number of times: begins a copy of this group.
  KOKKOS_FORCEINLINE_FUNCTION void begin([[maybe_unused]] void* scratch, [[maybe_unused]] const void* memory,
                                         [[maybe_unused]] int bytes) const {
#ifdef TESSERA_HAS_BULK_COPIES
    const std::uint32_t group = word(m_at);
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(group), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     static_cast<std::uint32_t>(__cvta_generic_to_shared(scratch))),
                 "l"(__cvta_generic_to_global(memory)), "r"(bytes), "r"(group)
                 : "memory");
#endif
  }

  /// By all threads: no more copies belong to this group, whose elements are there; the next one is this.
  KOKKOS_FORCEINLINE_FUNCTION void finish([[maybe_unused]] bool begins) {
#ifdef TESSERA_HAS_BULK_COPIES
    const std::uint32_t group = word(m_at);
    if (begins) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(group) : "memory");
    const std::uint32_t parity = m_parities >> m_at & 1;
    std::uint32_t done = 0;
    while (done == 0) {
      asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                   : "=r"(done)
                   : "r"(group), "r"(parity)
                   : "memory");
    }
    m_parities ^= 1U << m_at;
    m_at = 1 - m_at;
#endif
  }

 private:
  [[maybe_unused]] std::uint64_t* m_words;
  [[maybe_unused]] int m_at = 0;
  [[maybe_unused]] std::uint32_t m_parities = 0;

#ifdef TESSERA_HAS_BULK_COPIES
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t word(int k) const {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(m_words + k));
  }
#endif
};

/// Shows a thread's stores to scratch, after a barrier, to copies from there and to others that take their place.
KOKKOS_FORCEINLINE_FUNCTION void show_to_bulk_copies() {
#ifdef TESSERA_HAS_BULK_COPIES
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// Begins a copy from scratch to memory.
KOKKOS_FORCEINLINE_FUNCTION void begin_bulk_store([[maybe_unused]] void* memory, [[maybe_unused]] const void* scratch,
                                                  [[maybe_unused]] int bytes) {
#ifdef TESSERA_HAS_BULK_COPIES
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(memory)),
               "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(scratch))), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

/// Waits until a thread's own bulk stores have read scratch.
KOKKOS_FORCEINLINE_FUNCTION void wait_for_bulk_stores() {
#ifdef TESSERA_HAS_BULK_COPIES
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

}  // namespace tessera::detail

#endif
