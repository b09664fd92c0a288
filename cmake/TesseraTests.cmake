# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(Catch)

# The test programs and what they run, without what is only compiled.
add_custom_target(tessera-tests)

# Settings that each test gets. Two threads whatever the machine, so that teams and partial results exist everywhere and
# a run fits under ctest -j. (Two properties because catch_discover_tests takes no list as a value.)
set(tessera_test_properties TIMEOUT 600 ENVIRONMENT "OMP_NUM_THREADS=2" ENVIRONMENT_MODIFICATION
                            "OMP_PROC_BIND=set:false")
if(Kokkos_ENABLE_CUDA)
  list(APPEND tessera_test_properties RESOURCE_LOCK gpu)
endif()

# Idle threads sleep: those that spin take the cores of tests that run beside, and unit tests take three times as long.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/environment.cmake" "set(ENV{OMP_WAIT_POLICY} passive)\n")
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${CMAKE_CURRENT_BINARY_DIR}/environment.cmake")

# For tests made with add_test.
#   tessera_set_test_properties(test.. LABELS apps)
function(tessera_set_test_properties)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "LABELS" "")
  set_tests_properties(${arg_UNPARSED_ARGUMENTS} PROPERTIES LABELS ${arg_LABELS} ${tessera_test_properties})
endfunction()

# A Catch2 program on Kokkos; tests/support has its main. One CTest test for each test case.
# OPTIMISED: also where a build optimises nothing else.
#   tessera_add_unit_test(reduce sources.. [LIBRARIES ..] [LABEL unit] [OPTIMISED])
function(tessera_add_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMISED" "LABEL" "LIBRARIES")
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  tessera_add_catch2_program(test_${name} ${arg_LABEL} "${arg_UNPARSED_ARGUMENTS}"
                             "tessera_test_support;${arg_LIBRARIES}")
  if(tessera_files_as_one GREATER 1)
    target_compile_options(test_${name} PRIVATE -Wno-shadow) # of what the other files name
  endif()
  if(NOT Kokkos_ENABLE_CUDA AND (arg_OPTIMISED OR NOT CMAKE_CXX_FLAGS_RELEASE MATCHES "-O0"))
    # Kernels are many and take half the time to compile; the drivers run them as their build has them.
    target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  tessera_share_headers(test_${name} <catch2/catch_template_test_macros.hpp>) # tests/compile: headers stand alone
endfunction()

# A Catch2 program without Kokkos, for the host-only parts of the drivers.
#   tessera_add_app_test(io_selection sources.. LIBRARIES tessera_app_common)
function(tessera_add_app_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  tessera_add_catch2_program(test_${name} apps "${arg_UNPARSED_ARGUMENTS}" "Catch2::Catch2WithMain;${arg_LIBRARIES}")
  # They compare; what is worth optimising runs in the programs that they start.
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  tessera_precompile_headers(test_${name} <catch2/catch_test_macros.hpp> <string> <vector>)
  tessera_join_host_files(test_${name})
endfunction()

function(tessera_add_catch2_program target label sources libraries)
  add_executable(${target} ${sources})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/apps")
  target_link_libraries(${target} PRIVATE ${libraries})
  tessera_set_warnings(${target})
  add_dependencies(tessera-tests ${target})
  if(TESSERA_TEST_LAUNCHER)
    set_target_properties(${target} PROPERTIES CROSSCOMPILING_EMULATOR "${TESSERA_TEST_LAUNCHER}")
  endif()
  # Cases are listed when ctest runs, not when the program is built: that may be on a machine without a GPU.
  catch_discover_tests(${target} TEST_PREFIX "${target}: " DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS ${label} ${tessera_test_properties})
endfunction()
