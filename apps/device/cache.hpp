// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emptying the caches of an execution space, for times of cold runs.
#ifndef TESSERA_APPS_DEVICE_CACHE_HPP
#define TESSERA_APPS_DEVICE_CACHE_HPP

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace tessera::apps {

/// Of the last level; 0 where the system does not tell.
template <class Space>
std::int64_t cache_bytes(const Space& space) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) return space.cuda_device_prop().l2CacheSize;
#endif
  (void)space;
#ifdef _SC_LEVEL3_CACHE_SIZE
  return std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE));
#else
  return 0;
#endif
}

struct AddOne {
  double* data;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { data[i] += 1; }
};

/// Writes twice the last cache's size, 32 MiB at least and 1 GiB at most.
template <class Space>
class CacheFlush {
 public:
  explicit CacheFlush(const Space& space) : m_space(space) {}
  void run() {
    if (m_memory.extent(0) == 0) {  // few ask for it
      const std::int64_t bytes = std::clamp(2 * cache_bytes(m_space), std::int64_t{1} << 25, std::int64_t{1} << 30);
      m_memory = Memory(Kokkos::view_alloc(m_space, "tessera::apps::CacheFlush"), bytes / std::int64_t{sizeof(double)});
    }
    Kokkos::parallel_for("tessera::apps::CacheFlush", Range(m_space, 0, static_cast<std::int64_t>(m_memory.extent(0))),
                         AddOne{m_memory.data()});
    m_space.fence("tessera::apps::CacheFlush");
  }

 private:
  using Memory = Kokkos::View<double*, Space>;
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  Space m_space;
  Memory m_memory;
};

}  // namespace tessera::apps

#endif
