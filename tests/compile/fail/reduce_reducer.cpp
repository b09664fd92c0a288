// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: (no matching function for call to .*reduce|no instance of overloaded function "tessera::reduce")
#include <tessera/reduce/reduce.hpp>

#if defined(TESSERA_CONTROL)
struct Count {
  using value_type = int;
  KOKKOS_FUNCTION int identity() const { return 0; }
  KOKKOS_FUNCTION void join(int& into, const int& from) const { into += from; }
};
#else
struct Count {  // no identity
  using value_type = int;
  KOKKOS_FUNCTION void join(int& into, const int& from) const { into += from; }
};
#endif

using Space = Kokkos::DefaultExecutionSpace;

int call(const Space& space, const Kokkos::View<const int*>& in) { return tessera::reduce(space, in, Count{}); }
