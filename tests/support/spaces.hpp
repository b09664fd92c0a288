// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The execution spaces that typed tests run on, and instances other than the default one.
#ifndef TESSERA_TESTS_SUPPORT_SPACES_HPP
#define TESSERA_TESTS_SUPPORT_SPACES_HPP

#include <Kokkos_Core.hpp>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::test {

/// The execution spaces under test. A CUDA build tests the device alone: the host spaces compile the same in a host
/// build, which tests them, and nvcc takes minutes for each space. With sanitizers one is enough.
#if defined(KOKKOS_ENABLE_CUDA) || defined(TESSERA_TEST_SANITIZED)
using Spaces = std::tuple<Kokkos::DefaultExecutionSpace>;
#else
using Spaces = decltype(std::tuple_cat(std::declval<std::tuple<>>()
#if defined(KOKKOS_ENABLE_SERIAL)
                                           ,
                                       std::declval<std::tuple<Kokkos::Serial>>()
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
                                           ,
                                       std::declval<std::tuple<Kokkos::OpenMP>>()
#endif
                                           ));
#endif

/// Whether sanitizers watch, under which tests take ten times as long: products of many extents then keep each extent
/// in fewer pairs.
#if defined(TESSERA_TEST_SANITIZED)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// The parallel space alone, for tests whose subject does not depend on the space.
using OneSpace = std::tuple<Kokkos::DefaultExecutionSpace>;

/// An instance that is not Space's default one, with all its resources.
template <class Space>
Space another_instance() {
  return Kokkos::Experimental::partition_space(Space(), 1)[0];
}

template <class Space>
inline constexpr bool runs_on_host = std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;

/// Team sizes that no tuning would choose; every one is legal on the space.
template <class Space>
std::vector<int> odd_team_sizes(const Space& space) {
  if constexpr (runs_on_host<Space>) {
    return space.concurrency() > 1 ? std::vector<int>{1, 2} : std::vector<int>{1};
  } else {
    return {32, 96, 256};
  }
}

/// League sizes that no tuning would choose.
inline std::vector<int> odd_league_sizes() { return {1, 3, 7}; }

}  // namespace tessera::test

#endif
