// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::team_transpose: both views must have the same element type
#include <tessera/transpose/team_transpose.hpp>

#if defined(TESSERA_CONTROL)
using Out = Kokkos::View<float**>;
#else
using Out = Kokkos::View<double**>;
#endif

using Member = Kokkos::TeamPolicy<>::member_type;

KOKKOS_FUNCTION void call(const Member& team, const Kokkos::View<const float**>& in, const Out& out, void* scratch) {
  tessera::team_transpose(team, in, out, scratch);
}
