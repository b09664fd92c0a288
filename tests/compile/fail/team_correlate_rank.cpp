// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::team_correlate: all views must have rank 1
#include <tessera/filter/team_filter.hpp>

#if defined(TESSERA_CONTROL)
using Out = Kokkos::View<float*>;
#else
using Out = Kokkos::View<float**>;
#endif

using Member = Kokkos::TeamPolicy<>::member_type;

KOKKOS_FUNCTION void call(const Member& team, const Kokkos::View<float*>& in, const Out& out) {
  tessera::team_correlate(team, in, in, out);
}
