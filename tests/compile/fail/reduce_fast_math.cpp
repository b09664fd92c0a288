// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: Tessera's exact sums need IEEE arithmetic
#include <Kokkos_Core.hpp>

// As -ffast-math has it.
#if !defined(TESSERA_CONTROL)
#define __FAST_MATH__ 1
#endif

#include <tessera/reduce/reduce.hpp>

float call(const Kokkos::View<const float*>& in) {
  return tessera::reduce(Kokkos::DefaultExecutionSpace(), in, tessera::Sum<float>{});
}
