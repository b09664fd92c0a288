// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::Sum: the element type must be an integer or a floating type
#include <tessera/reduce/reduce.hpp>

#if defined(TESSERA_CONTROL)
using Element = int;
#else
using Element = int*;
#endif

using Space = Kokkos::DefaultExecutionSpace;

tessera::Sum<Element>::value_type call() { return tessera::Sum<Element>{}.identity(); }
