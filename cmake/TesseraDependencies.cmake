# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What each part needs. Everything is found, nothing is downloaded or bundled; quickstart.sh brings it for newcomers.

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_EXTENSIONS OFF) # as Kokkos wants it with CUDA
endif()
if(NOT TARGET Kokkos::kokkos)
  find_package(Kokkos REQUIRED)
endif()
if(DEFINED Kokkos_VERSION AND (Kokkos_VERSION VERSION_LESS 4.5 OR Kokkos_VERSION VERSION_GREATER_EQUAL 6))
  message(FATAL_ERROR "Tessera: Kokkos ${Kokkos_VERSION} was found in ${Kokkos_DIR}; expected 4.5 up to 5.x; "
                      "name another with -DCMAKE_PREFIX_PATH=<its prefix> or -DKokkos_ROOT=<its prefix>")
endif()
message(STATUS "Tessera: Kokkos ${Kokkos_VERSION}, devices ${Kokkos_DEVICES}, architectures ${Kokkos_ARCH}")

foreach(what DEVICE ARCH)
  string(REPLACE DEVICE DEVICES list Kokkos_${what})
  if(TESSERA_EXPECTED_${what} AND NOT TESSERA_EXPECTED_${what} IN_LIST ${list})
    message(FATAL_ERROR "Tessera: ${list} of the Kokkos in ${Kokkos_DIR} is \"${${list}}\"; TESSERA_EXPECTED_${what} asks "
                        "for ${TESSERA_EXPECTED_${what}}; name another Kokkos with -DCMAKE_PREFIX_PATH=<its prefix>")
  endif()
endforeach()

if(Kokkos_ENABLE_CUDA)
  # Kokkos puts its launch compiler before every compile line; it does not know a compiler behind another launcher.
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    message(FATAL_ERROR "Tessera: CMAKE_CXX_COMPILER_LAUNCHER is ${CMAKE_CXX_COMPILER_LAUNCHER}, behind which Kokkos "
                        "cannot hand files to nvcc; leave it out")
  endif()
  if(TESSERA_ENABLE_APPS AND CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper$")
    message(FATAL_ERROR "Tessera: CMAKE_CXX_COMPILER is nvcc_wrapper, and fmt, which the drivers use, does not pass nvcc; "
                        "give the host compiler (Kokkos calls nvcc where it is needed) or -DTESSERA_ENABLE_APPS=OFF")
  endif()
endif()

if(TESSERA_ENABLE_APPS)
  enable_language(C) # FindHDF5 asks the C compiler
  find_package(KokkosKernels REQUIRED)
  find_package(HDF5 REQUIRED COMPONENTS C)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json 3.10 REQUIRED)
  find_package(fmt 8 REQUIRED)
endif()

if(TESSERA_ENABLE_TESTS)
  find_package(Catch2 3 REQUIRED)
endif()
