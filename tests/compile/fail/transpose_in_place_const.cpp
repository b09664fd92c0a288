// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::transpose_in_place: the elements must not be const
#include <tessera/transpose/transpose_in_place.hpp>

#if defined(TESSERA_CONTROL)
using Memory = Kokkos::View<float*>;
#else
using Memory = Kokkos::View<const float*>;
#endif

using Space = Kokkos::DefaultExecutionSpace;

void call(const Space& space, const Memory& memory) { tessera::transpose_in_place(space, memory, 3, 4); }
