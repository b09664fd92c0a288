#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the CMake project refuses, shown with stand-ins for Kokkos and Python.
set -euo pipefail
source_dir=$1 cmake=$2
source "$source_dir/tests/quickstart/expect.sh"

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

kokkos() { # version devices architectures
  mkdir -p "$work/kokkos"
  printf 'set(PACKAGE_VERSION %s)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n' "$1" >"$work/kokkos/KokkosConfigVersion.cmake"
  {
    printf 'add_library(Kokkos::kokkos INTERFACE IMPORTED)\nset(Kokkos_DEVICES "%s")\nset(Kokkos_ARCH "%s")\n' "$2" "$3"
    [[ $2 != *CUDA* ]] || printf 'set(Kokkos_ENABLE_CUDA ON)\n'
  } >"$work/kokkos/KokkosConfig.cmake"
}
configure() {
  rm -rf -- "$work/build"
  "$cmake" -G Ninja -S "$source_dir" -B "$work/build" "-DKokkos_ROOT=$work/kokkos" -DTESSERA_ENABLE_APPS=OFF \
    -DTESSERA_ENABLE_TESTS=OFF "$@"
}
reconfigure() { "$cmake" -S "$source_dir" -B "$work/build" "$@"; }

kokkos 4.5.1 'OPENMP;SERIAL' NATIVE
expect 0 'Kokkos 4.5.1, devices OPENMP;SERIAL, architectures NATIVE' configure
expect 1 'unknown option TESSERA_ENABLE_TEST; the options are TESSERA_ENABLE_APPS, TESSERA_ENABLE_TESTS' \
  configure -DTESSERA_ENABLE_TEST=ON
expect 0 'Configuring done' reconfigure
expect 1 'TESSERA_SANITIZE is "memory"; expected address, undefined, address,undefined, thread or nothing' \
  configure -DTESSERA_SANITIZE=memory
expect 1 'TESSERA_FILES_AS_ONE is "0"; expected a number from 1, or nothing' configure -DTESSERA_FILES_AS_ONE=0
expect 1 'TESSERA_ENABLE_TRANSFORM is "YES"; expected AUTO, ON or OFF' configure -DTESSERA_ENABLE_TRANSFORM=YES
expect 0 'libraries of Fourier transforms: none' configure -DTESSERA_ENABLE_TRANSFORM=OFF
expect 0 'libraries of Fourier transforms: none' configure -DCMAKE_DISABLE_FIND_PACKAGE_FFTW3=ON
expect 1 'TESSERA_ENABLE_TRANSFORM is ON and FFTW 3 was not found; install it' \
  configure -DTESSERA_ENABLE_TRANSFORM=ON -DCMAKE_DISABLE_FIND_PACKAGE_FFTW3=ON
expect 1 'is "OPENMP;SERIAL"; TESSERA_EXPECTED_DEVICE asks for CUDA' configure -DTESSERA_EXPECTED_DEVICE=CUDA
expect 1 'is "NATIVE"; TESSERA_EXPECTED_ARCH asks for HOPPER90' configure -DTESSERA_EXPECTED_ARCH=HOPPER90
for machine in "$source_dir"/cmake/machines/nvidia*.cmake; do
  expect 1 'TESSERA_EXPECTED_DEVICE asks for CUDA' configure -C "$machine"
done
expect 0 'Configuring done' configure -C "$source_dir/cmake/machines/cpu-native.cmake"

kokkos 4.4.1 SERIAL ''
expect 1 'Kokkos 4.4.1 was found in' configure
kokkos 6.0.0 SERIAL ''
expect 1 'expected 4.5 up to 5.x; name another with' configure
kokkos 5.0.0 SERIAL ''
expect 0 'Kokkos 5.0.0' configure

kokkos 4.5.1 'CUDA;SERIAL' HOPPER90
expect 0 'architectures HOPPER90' configure -C "$source_dir/cmake/machines/nvidia-h200.cmake"
expect 1 'CMAKE_CXX_COMPILER_LAUNCHER is env, behind which Kokkos cannot hand files to nvcc' \
  configure -DCMAKE_CXX_COMPILER_LAUNCHER=env
printf '#!/bin/bash\nexec c++ "$@"\n' >"$work/nvcc_wrapper"
chmod +x "$work/nvcc_wrapper"
expect 1 'CMAKE_CXX_COMPILER is nvcc_wrapper, and fmt, which the drivers use, does not pass nvcc' \
  configure "-DCMAKE_CXX_COMPILER=$work/nvcc_wrapper" -DTESSERA_ENABLE_APPS=ON

finish
