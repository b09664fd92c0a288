#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What quickstart.sh refuses and how its steps fail. Nothing is installed or built: PATH begins with stand-ins.
set -euo pipefail
source_dir=$1
source "$source_dir/tests/quickstart/expect.sh"
quickstart="$source_dir/cmake/quickstart.sh"

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
prefix="$work/pre fix"
mkdir -p "$work/bin"
export PATH="$work/bin:$PATH"
unset TESSERA_REQUIRE_SLURM # which .ci/run sets

stand_in() { # name, the script's lines
  printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
run() { bash "$quickstart" "$@" --prefix "$prefix"; }

# The command line
expect 0 'usage: bash cmake/quickstart.sh demo|test|build|deps' bash "$quickstart" --help
expect 2 'a command is needed: demo, test, build or deps' bash "$quickstart"
expect 2 'unknown command tests; expected demo, test, build or deps' bash "$quickstart" tests
expect 2 'one command is expected, got demo and test' bash "$quickstart" demo test
expect 2 'unknown option --backends' bash "$quickstart" demo --backends openmp
expect 2 'unknown back end hip; expected openmp, serial, cuda or auto' bash "$quickstart" demo --backend hip
expect 2 '--prefix needs a value' bash "$quickstart" demo --prefix
expect 2 '--prefix needs a value' bash "$quickstart" demo --prefix=
expect 2 '--jobs 0: expected a number from 1 to 9999' bash "$quickstart" demo --jobs 0
expect 2 'unknown GPU architecture HOPER90' bash "$quickstart" demo --arch HOPER90
expect 2 '--arch HOPPER90 is for the cuda back end, and this is openmp' run demo --backend openmp --arch 9.0
expect 2 'is the source folder itself' bash "$quickstart" demo --backend openmp --prefix "$source_dir"
expect 1 'the folder cannot be made' bash "$quickstart" demo --backend openmp --prefix /dev/null/x
expect 1 'CMake cannot work in a path with ; or :' bash "$quickstart" demo --backend openmp --prefix "$work/a;b"

# CUDA
stand_in nvcc 'echo release 13.0'
stand_in nvidia-smi 'exit 9'
expect 1 'cannot work in a path with spaces' run demo --backend cuda --arch 90
expect 1 'needs a working GPU, and nvidia-smi shows none' bash "$quickstart" demo --backend cuda --prefix "$work/p"
expect 1 'name one with --arch' bash "$quickstart" build --backend cuda --prefix "$work/p"

# Packages: none is there, and none may be installed
stand_in dpkg-query 'exit 1'
expect 1 '--no-install was given; install them: libhdf5-dev libcli11-dev nlohmann-json3-dev libfmt-dev libfftw3-dev' \
  run demo --backend serial --no-install
stand_in apt-get 'echo no network; exit 100'
stand_in sudo 'exit 1'
if ((EUID == 0)); then
  expect 1 'no network' run demo --backend serial
else
  expect 1 'neither root nor sudo is at hand; ask for:' run demo --backend serial
fi

# Slurm for the tests: on this machine, or not to be had
stand_in dpkg-query 'printf "ii 99"'
if ! PATH=$PATH:/usr/sbin:/usr/local/sbin command -v slurmctld >/dev/null; then
  stand_in python3 '[[ $* == *--version* ]] || { echo no route; exit 1; }'
  expect 1 'Slurm is not here, and its packages cannot be had: the tests of its job scripts (label slurm) will not run' \
    run test --backend serial
  expect 1 'Slurm is not here, and --no-install was given' run test --backend serial --no-install
  expect 1 'downloading Kokkos' run test --backend serial # the set-up goes on without it
  expect 1 'quickstart: error: Slurm is not here' env TESSERA_REQUIRE_SLURM=1 bash "$quickstart" test --backend serial \
    --prefix "$prefix"
fi
for program in slurmctld slurmd munged sbatch; do
  stand_in "$program" ''
done
expect 1 'Slurm: already on this machine' run test --backend serial

# Downloading: a pip that fails, then one that brings another file
stand_in python3 '[[ $* == *--version* ]] || { echo no route; exit 1; }'
expect 1 'no route' run demo --backend serial
expect 1 'Where there is no network, put' run demo --backend serial
expect 1 "the whole log is $prefix/logs/download.log" run demo --backend serial
# shellcheck disable=SC2016 # for the stand-in to expand
stand_in python3 'while (($# > 1)); do [[ $1 != -d ]] || echo bad >"$2/pycompadre-1.7.6.tar.gz"; shift; done'
expect 1 'has not the expected SHA-256' run demo --backend serial

# Two calls at a time
flock "$prefix/.lock" sleep 2 &
sleep 0.5
expect 1 'another call works in' run demo --backend serial
wait

finish
