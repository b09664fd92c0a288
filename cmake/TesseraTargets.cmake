# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Functions that make the project's own targets. None of their settings reach a user of tessera::tessera.

# Warnings and sanitizers of one target.
function(tessera_set_warnings target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wpedantic -Wnon-virtual-dtor -Wcast-align)
  # Kernels fill registers as far as there are elements, and read them as far: g++ at -O3 takes those for unset.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(TESSERA_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(TESSERA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TESSERA_SANITIZE} -fno-omit-frame-pointer)
    if(TESSERA_SANITIZE MATCHES undefined)
      target_compile_options(${target} PRIVATE -fno-sanitize-recover=undefined)
    endif()
    target_link_options(${target} PUBLIC -fsanitize=${TESSERA_SANITIZE})
    if(TARGET tessera_tsan_kokkos)
      target_link_libraries(${target} PRIVATE tessera_tsan_kokkos)
    endif()
  endif()
endfunction()

if(TESSERA_SANITIZE STREQUAL "thread")
  add_library(tessera_tsan_kokkos STATIC "${CMAKE_CURRENT_LIST_DIR}/tsan_kokkos.cpp")
  target_compile_options(tessera_tsan_kokkos PRIVATE -fsanitize=thread)
  target_link_libraries(tessera_tsan_kokkos PRIVATE Kokkos::kokkos) # where the wrapped wait is
  target_link_options(
    tessera_tsan_kokkos
    INTERFACE
    LINKER:--wrap=__tsan_atomic32_fetch_add
    LINKER:--wrap=__tsan_atomic32_load
    LINKER:--wrap=_ZN6Kokkos4Impl11HostBarrier29impl_backoff_wait_until_equalEPiib)
endif()

# Precompiled headers, made once for all targets of the same options. To be called when they have them all.
#   tessera_precompile_headers(target <headers>..)
function(tessera_precompile_headers target)
  get_target_property(options ${target} COMPILE_OPTIONS)
  string(SHA1 key "${options};${ARGN}")
  string(SUBSTRING ${key} 0 8 key)
  set(owner tessera_precompiled_${key})
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/precompiled_${key}.cpp" CONTENT "")
    add_library(${owner} OBJECT "${PROJECT_BINARY_DIR}/precompiled_${key}.cpp")
    get_target_property(libraries ${target} LINK_LIBRARIES)
    target_link_libraries(${owner} PRIVATE ${libraries})
    target_compile_options(${owner} PRIVATE ${options})
    target_compile_features(${owner} PRIVATE cxx_std_20)
    set_target_properties(${owner} PROPERTIES CXX_EXTENSIONS OFF)
    target_precompile_headers(${owner} PRIVATE ${ARGN})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# Reading Kokkos' headers takes a good part of the time of each file with kernels: host compilers do it once for all;
# nvcc, which takes no precompiled header and reads them four times a file, once for three files. Files that are compiled
# as one also share the kernels that several of them use.
if(TESSERA_FILES_AS_ONE)
  set(tessera_files_as_one ${TESSERA_FILES_AS_ONE})
elseif(Kokkos_ENABLE_CUDA)
  set(tessera_files_as_one 3)
else()
  set(tessera_files_as_one 1)
endif()

#   tessera_share_headers(target [<more headers>..])
function(tessera_share_headers target)
  if(tessera_files_as_one GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${tessera_files_as_one})
  endif()
  if(NOT Kokkos_ENABLE_CUDA)
    tessera_precompile_headers(${target} <Kokkos_Core.hpp> ${ARGN})
  endif()
endfunction()

# Files without kernels are compiled as one where a number is asked for, but beside nvcc: what a file forgets to include
# shows there.
function(tessera_join_host_files target)
  if(TESSERA_FILES_AS_ONE GREATER 1 AND NOT Kokkos_ENABLE_CUDA)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${TESSERA_FILES_AS_ONE})
  endif()
endfunction()

# A static library of a driver. Give Kokkos (tessera::tessera, Kokkos::kokkoskernels) under PRIVATE only: a target that
# sees Kokkos' usage requirements is compiled by nvcc in CUDA builds, and fmt does not pass nvcc.
#   tessera_add_app_library(tessera_reduce_engine SOURCES .. [PUBLIC libraries..] [PRIVATE libraries..])
function(tessera_add_app_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PUBLIC;PRIVATE")
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/apps")
  target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  tessera_set_warnings(${name})
  if("tessera::tessera" IN_LIST arg_PRIVATE)
    tessera_share_headers(${name})
  else()
    tessera_join_host_files(${name})
  endif()
endfunction()

# An installed program. Its own sources are host-only; Kokkos reaches it through static libraries at link time.
#   tessera_add_driver(tessera-reduce SOURCES main.cpp .. LIBRARIES tessera_reduce_engine ..)
function(tessera_add_driver name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/apps")
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  tessera_set_warnings(${name})
  add_dependencies(tessera-apps ${name})
  install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tessera_apps)
endfunction()
