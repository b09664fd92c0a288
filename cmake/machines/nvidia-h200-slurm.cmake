# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -C cmake/machines/nvidia-h200-slurm.cmake -B build: built on a login node, tested on H200 nodes.
include("${CMAKE_CURRENT_LIST_DIR}/nvidia-h200.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/launcher/srun-gpu.cmake")
