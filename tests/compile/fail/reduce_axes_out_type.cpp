// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::reduce_axes: `out` must hold the reducer's result type
#include <cstdint>
#include <tessera/reduce/reduce_axes.hpp>

#if defined(TESSERA_CONTROL)
using Result = std::int64_t;
#else
using Result = std::int32_t;  // would wrap
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Kokkos::View<const std::int32_t**>& in, const Kokkos::View<Result*>& out) {
  tessera::reduce_axes(space, in, {0}, tessera::Sum<std::int32_t>{}, out);
}
