// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the name of an execution space to its type.
#ifndef TESSERA_APPS_DEVICE_SPACES_HPP
#define TESSERA_APPS_DEVICE_SPACES_HPP

#include <Kokkos_Core.hpp>
#include <string_view>
#include <type_traits>

#include "common/failure.hpp"

namespace tessera::apps {

/// True where arrays of the space are ordinary host memory.
template <class Space>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

/// Calls visitor(Space{}) with the default instance of the named space.
template <class Visitor>
decltype(auto) visit_space(std::string_view name, Visitor&& visitor) {
#ifdef KOKKOS_ENABLE_CUDA
  if (name == "cuda") return visitor(Kokkos::Cuda{});
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  if (name == "openmp") return visitor(Kokkos::OpenMP{});
#endif
#if defined(KOKKOS_ENABLE_SERIAL) && !defined(TESSERA_ONE_SPACE)
  if (name == "serial") return visitor(Kokkos::Serial{});
#endif
  refuse("--space " + std::string(name) + ": not built in");
}

}  // namespace tessera::apps

#endif
