#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Submits an experiment's shards and, behind them, its report; options of sbatch (a partition, a GPU) go to both, for a
# driver that was built with CUDA may start nowhere else.
# usage: bash submit_experiment.sh EXPERIMENT.json RESULTS [SBATCH_OPTION..]
set -euo pipefail

if (($# < 2)); then
  echo "usage: bash submit_experiment.sh EXPERIMENT.json RESULTS [SBATCH_OPTION..]" >&2
  exit 2
fi
experiment=$1 results=$2
shift 2
if [[ ! -r $experiment ]]; then
  printf 'submit_experiment.sh: error: %s: no such file\n' "$experiment" >&2
  exit 2
fi
TESSERA_JOBS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TESSERA_JOBS

# --parsable prints JOB or JOB;CLUSTER. A report whose shards failed leaves the queue instead of waiting for ever.
shards=$(sbatch --parsable "$@" "$TESSERA_JOBS/experiment.sbatch" "$experiment" "$results")
report=$(sbatch --parsable "$@" --dependency="afterok:${shards%%;*}" --kill-on-invalid-dep=yes \
  "$TESSERA_JOBS/report.sbatch" "$results")
printf 'shards: job %s\nreport: job %s, into %s/report.{txt,csv,svg}\n' "${shards%%;*}" "${report%%;*}" "$results"
