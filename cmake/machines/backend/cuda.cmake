# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(TESSERA_EXPECTED_DEVICE CUDA CACHE STRING "Kokkos back end this machine is for")
