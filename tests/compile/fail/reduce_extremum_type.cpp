// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expected: tessera::Min, tessera::Max: the element type must be a number
#include <tessera/reduce/reduce.hpp>

#if defined(TESSERA_CONTROL)
using Element = int;
#else
using Element = int*;
#endif

using Space = Kokkos::DefaultExecutionSpace;

tessera::Max<Element>::value_type call() { return tessera::Max<Element>{}.identity(); }
