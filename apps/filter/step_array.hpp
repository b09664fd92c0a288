// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_FILTER_STEP_ARRAY_HPP
#define TESSERA_APPS_FILTER_STEP_ARRAY_HPP

#include <Kokkos_Core.hpp>

#include "filter_engine.hpp"

namespace tessera::apps {

/// An array whose lines run along step_axis.
template <class Space, class T>
auto step_array(T* data, const LinesShape& shape) {
  return Kokkos::View<T***, Kokkos::LayoutRight, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      data, shape.outer, shape.extent, shape.inner);
}
inline constexpr int step_axis = 1;

}  // namespace tessera::apps

#endif
