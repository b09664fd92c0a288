# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -C cmake/machines/nvidia-h200.cmake -B build: a machine with an H200 in it.
include("${CMAKE_CURRENT_LIST_DIR}/backend/cuda.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/arch/hopper90.cmake")
