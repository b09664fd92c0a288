# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# Read by every job of this folder. What differs from cluster to cluster stands here and nowhere else.

# Modules that the drivers were built with, for example:
set +u # what modules run may name variables that are not set
# module purge
# module load gcc/12 hdf5/1.14 cuda/13
set -u
PATH=${TESSERA_BIN:+$TESSERA_BIN:}$PATH # the drivers: PREFIX/bin of cmake/quickstart.sh

# Threads from the allocation. They are bound where Slurm or --exclusive keeps other jobs off their processors (a core
# may count as one processor and have two threads); elsewhere all jobs of a node would sit on the first few.
unset OMP_NUM_THREADS # nproc would print it
cpus=${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}
if (($(nproc) <= 2 * cpus)); then
  export OMP_PROC_BIND=spread OMP_PLACES=threads
else
  export OMP_PROC_BIND=false
fi
export OMP_NUM_THREADS=$cpus

# The driver as a step with all the job's processors; since Slurm 22.05 srun no longer takes their number from the job.
step() { srun --nodes=1 --ntasks=1 --cpus-per-task="$cpus" "$@"; }

stop() { # status 2: bad usage or input, as of the drivers
  printf '%s: error: %s\n' "${SLURM_JOB_NAME:-job}" "$*" >&2
  exit 2
}
