# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests started on a login node run where Slurm puts them.
set(TESSERA_TEST_LAUNCHER srun --ntasks=1 CACHE STRING "Command put before each unit test")
