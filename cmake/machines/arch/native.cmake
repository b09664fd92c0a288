# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(TESSERA_EXPECTED_ARCH NATIVE CACHE STRING "Architecture that Kokkos must have been built for")
