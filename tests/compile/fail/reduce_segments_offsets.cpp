// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::reduce_segments: `offsets` must hold std::int64_t
#include <cstdint>
#include <tessera/reduce/reduce_segments.hpp>

#if defined(TESSERA_CONTROL)
using Offset = std::int64_t;
#else
using Offset = int;  // too small for large inputs
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Kokkos::View<const float*>& in, const Kokkos::View<const Offset*>& offsets,
          const Kokkos::View<float*>& out) {
  tessera::reduce_segments(space, in, offsets, tessera::Sum<float>{}, out);
}
