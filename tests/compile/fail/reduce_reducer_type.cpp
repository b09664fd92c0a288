// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera: the reducer is of another element type than the view
#include <tessera/reduce/reduce.hpp>

#if defined(TESSERA_CONTROL)
using Element = float;  // which double holds
#else
using Element = std::int64_t;
#endif

void call(const Kokkos::DefaultExecutionSpace& space, const Kokkos::View<Element*>& in) {
  (void)tessera::reduce(space, in, tessera::Max<double>{});
}
