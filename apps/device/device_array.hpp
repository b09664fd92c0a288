// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an engine's arrays lie: host memory itself on host spaces, a copy on a device with memory of its own.
#ifndef TESSERA_APPS_DEVICE_DEVICE_ARRAY_HPP
#define TESSERA_APPS_DEVICE_DEVICE_ARRAY_HPP

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "common/failure.hpp"
#include "common/measurement.hpp"
#include "common/text.hpp"
#include "spaces.hpp"

namespace tessera::apps {

/// size elements of T that kernels on the space can use.
template <class Space, class T>
class DeviceArray {
 public:
  /// host: size elements, in use as long as this object.
  DeviceArray(const Space& space, T* host, std::uint64_t size) : m_space(space), m_host(host), m_size(size) {
    if constexpr (!is_host_space<Space>) {
      try {
        m_device = Device(Kokkos::view_alloc(space, "tessera::apps::array", Kokkos::WithoutInitializing), size);
      } catch (const std::exception&) {
        out_of_resource("no room for an array of " + format_bytes(size * sizeof(T)) + " on the device");
      }
    }
  }

  [[nodiscard]] T* data() const {
    if constexpr (is_host_space<Space>) {
      return m_host;
    } else {
      return m_device.data();
    }
  }

  [[nodiscard]] Transfer to_device() const {
    return timed([&] { Kokkos::deep_copy(m_space, m_device, Host(m_host, m_size)); });
  }
  [[nodiscard]] Transfer to_host() const {
    return timed([&] { Kokkos::deep_copy(m_space, Host(m_host, m_size), m_device); });
  }

 private:
  using Device = Kokkos::View<T*, typename Space::memory_space>;
  using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  template <class Copy>
  Transfer timed(Copy&& copy) const {
    Transfer transfer;
    if constexpr (!is_host_space<Space>) {
      m_space.fence("tessera::apps::transfer: begin");
      const auto begin = std::chrono::steady_clock::now();
      copy();
      m_space.fence("tessera::apps::transfer: end");
      transfer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      transfer.bytes = m_size * sizeof(T);
    }
    return transfer;
  }

  Space m_space;
  T* m_host;
  std::uint64_t m_size;
  Device m_device;
};

}  // namespace tessera::apps

#endif
