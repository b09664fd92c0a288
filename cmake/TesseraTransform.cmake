# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tessera::transform: tessera::tessera with the libraries of Fourier transforms that are there, of which
# filter/filter_transform.hpp makes use. With none of them it is tessera::tessera. Found globally: projects that take
# Tessera as a subdirectory link them too.
add_library(tessera_transform INTERFACE)
add_library(tessera::transform ALIAS tessera_transform)
set_target_properties(tessera_transform PROPERTIES EXPORT_NAME transform)
target_link_libraries(tessera_transform INTERFACE tessera)
set(tessera_transform_packages "") # that an installed package looks for again

if(NOT TESSERA_ENABLE_TRANSFORM STREQUAL "OFF")
  if(Kokkos_ENABLE_CUDA)
    find_package(CUDAToolkit QUIET GLOBAL)
    if(TARGET CUDA::cufft)
      target_link_libraries(tessera_transform INTERFACE CUDA::cufft)
      target_compile_definitions(tessera_transform INTERFACE TESSERA_HAS_CUFFT)
      list(APPEND tessera_transform_packages CUDAToolkit)
    elseif(TESSERA_ENABLE_TRANSFORM STREQUAL "ON")
      message(FATAL_ERROR "Tessera: TESSERA_ENABLE_TRANSFORM is ON and cuFFT was not found; install it with the CUDA "
                          "toolkit, or name its folder with -DCUDAToolkit_ROOT=<prefix>")
    endif()
  endif()
  find_package(FFTW3 QUIET MODULE GLOBAL)
  if(TARGET FFTW3::fftw3)
    target_link_libraries(tessera_transform INTERFACE FFTW3::fftw3)
    target_compile_definitions(tessera_transform INTERFACE TESSERA_HAS_FFTW)
    list(APPEND tessera_transform_packages FFTW3)
  elseif(TESSERA_ENABLE_TRANSFORM STREQUAL "ON")
    message(FATAL_ERROR "Tessera: TESSERA_ENABLE_TRANSFORM is ON and FFTW 3 was not found; install it (libfftw3-dev), "
                        "or name its prefix with -DCMAKE_PREFIX_PATH=<prefix>")
  endif()
endif()
list(JOIN tessera_transform_packages ", " tessera_transform_found)
if(NOT tessera_transform_found)
  set(tessera_transform_found none)
endif()
message(STATUS "Tessera: libraries of Fourier transforms: ${tessera_transform_found}")
list(JOIN tessera_transform_packages " " tessera_transform_packages)
