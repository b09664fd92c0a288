// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::team_reduce: `in` must have rank 1
#include <tessera/reduce/team_reduce.hpp>

#if defined(TESSERA_CONTROL)
using In = Kokkos::View<float*>;
#else
using In = Kokkos::View<float**>;
#endif

using Member = Kokkos::TeamPolicy<>::member_type;

KOKKOS_FUNCTION float call(const Member& team, const In& in, void* scratch, const tessera::Status& status) {
  return tessera::team_reduce(team, in, tessera::Sum<float>{}, scratch, status);
}
