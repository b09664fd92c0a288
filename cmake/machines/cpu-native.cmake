# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -C cmake/machines/cpu-native.cmake -B build: the CPU at hand.
include("${CMAKE_CURRENT_LIST_DIR}/backend/openmp.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/arch/native.cmake")
