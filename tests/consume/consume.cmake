# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds project/ as a user of Tessera would, or the examples of README.md, and runs what it built where RUN is true.
#   cmake -DHOW=package|subdirectory|examples -DSOURCE_DIR=.. -DBUILD_DIR=.. -DKOKKOS_DIR=.. -DCOMPILER=.. -DFLAGS=.. -DRELEASE_FLAGS=.. -DRUN=ON -P consume.cmake
cmake_minimum_required(VERSION 3.25)

function(run_command)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit status ${status}: ${ARGN}")
  endif()
endfunction()

set(work_dir "${BUILD_DIR}/consume-${HOW}")
file(REMOVE_RECURSE "${work_dir}")
if("${HOW}" STREQUAL "examples")
  set(project examples)
  set(programs reduce filter transpose team)
else()
  set(project project)
  set(programs consumer transformer)
endif()
set(arguments --no-warn-unused-cli -G Ninja -S "${CMAKE_CURRENT_LIST_DIR}/${project}" -B "${work_dir}/build" -DCMAKE_BUILD_TYPE=Release
              "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_CXX_FLAGS_RELEASE=${RELEASE_FLAGS}")
# Nothing but Kokkos may be asked for.
foreach(unwanted KokkosKernels HDF5 CLI11 nlohmann_json fmt Catch2)
  list(APPEND arguments -DCMAKE_DISABLE_FIND_PACKAGE_${unwanted}=ON)
endforeach()
if(NOT "${HOW}" STREQUAL "subdirectory")
  # No Kokkos is named: the package remembers the one it was built with.
  run_command("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --component tessera_development --prefix "${work_dir}/prefix")
  list(APPEND arguments "-DTessera_ROOT=${work_dir}/prefix")
else()
  list(APPEND arguments "-DCONSUME_TESSERA_FROM=${SOURCE_DIR}" "-DKokkos_DIR=${KOKKOS_DIR}")
endif()
run_command("${CMAKE_COMMAND}" ${arguments})
run_command("${CMAKE_COMMAND}" --build "${work_dir}/build" --parallel 2 --target ${programs})
if(RUN)
  foreach(program IN LISTS programs)
    run_command("${work_dir}/build/${program}")
  endforeach()
endif()
