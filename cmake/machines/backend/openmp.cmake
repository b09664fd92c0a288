# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(TESSERA_EXPECTED_DEVICE OPENMP CACHE STRING "Kokkos back end this machine is for")
