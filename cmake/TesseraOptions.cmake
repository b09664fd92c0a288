# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every option of the project, and the refusal of any other TESSERA_* cache entry.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

option(TESSERA_ENABLE_APPS "Build the drivers (needs KokkosKernels, HDF5, CLI11, nlohmann_json, fmt)"
       ${PROJECT_IS_TOP_LEVEL})
option(TESSERA_ENABLE_TESTS "Build the tests (needs Catch2 3)" ${PROJECT_IS_TOP_LEVEL})
set(TESSERA_ENABLE_TRANSFORM AUTO CACHE STRING
    "Filters by Fourier transforms, through cuFFT and FFTW 3 (GPL): AUTO takes what is found, ON needs it, OFF none")
set_property(CACHE TESSERA_ENABLE_TRANSFORM PROPERTY STRINGS AUTO ON OFF)
option(TESSERA_WARNINGS_AS_ERRORS "Treat the compiler's warnings as errors" OFF)
set(TESSERA_SANITIZE "" CACHE STRING "Sanitizers for the drivers and tests: address,undefined or thread")
# The machine files of cmake/machines set these.
set(TESSERA_EXPECTED_DEVICE "" CACHE STRING "Refuse a Kokkos without this back end, for example CUDA")
set(TESSERA_EXPECTED_ARCH "" CACHE STRING "Refuse a Kokkos built for another architecture, for example HOPPER90")
set(TESSERA_TEST_LAUNCHER "" CACHE STRING "Command put before each unit test, for example srun;--ntasks=1")
set(TESSERA_FILES_AS_ONE "" CACHE STRING "Files compiled as one; nothing: 3 of those with kernels beside nvcc")

set(tessera_known_options
    TESSERA_ENABLE_APPS
    TESSERA_ENABLE_TESTS
    TESSERA_ENABLE_TRANSFORM
    TESSERA_WARNINGS_AS_ERRORS
    TESSERA_SANITIZE
    TESSERA_EXPECTED_DEVICE
    TESSERA_EXPECTED_ARCH
    TESSERA_TEST_LAUNCHER
    TESSERA_FILES_AS_ONE)
get_cmake_property(tessera_cache_entries CACHE_VARIABLES)
list(FILTER tessera_cache_entries INCLUDE REGEX "^TESSERA_")
list(REMOVE_ITEM tessera_cache_entries ${tessera_known_options})
if(tessera_cache_entries)
  list(JOIN tessera_cache_entries ", " tessera_unknown)
  list(JOIN tessera_known_options ", " tessera_known)
  # The refused entry must not stay in the cache, or the corrected command would be refused as well.
  foreach(entry IN LISTS tessera_cache_entries)
    unset(${entry} CACHE)
  endforeach()
  message(FATAL_ERROR "Tessera: unknown option ${tessera_unknown}; the options are ${tessera_known}")
endif()

if(NOT TESSERA_ENABLE_TRANSFORM MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "Tessera: TESSERA_ENABLE_TRANSFORM is \"${TESSERA_ENABLE_TRANSFORM}\"; expected AUTO, ON or OFF")
endif()
if(NOT TESSERA_FILES_AS_ONE MATCHES "^([1-9][0-9]*)?$")
  message(FATAL_ERROR "Tessera: TESSERA_FILES_AS_ONE is \"${TESSERA_FILES_AS_ONE}\"; expected a number from 1, or nothing")
endif()
if(NOT TESSERA_SANITIZE MATCHES "^(|address|undefined|address,undefined|thread)$")
  message(FATAL_ERROR "Tessera: TESSERA_SANITIZE is \"${TESSERA_SANITIZE}\"; expected address, undefined, "
                      "address,undefined, thread or nothing")
endif()
