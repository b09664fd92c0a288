# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What the drivers take from Kokkos, and tessera-bench.
tessera_add_unit_test(device device_timing.cpp LIBRARIES tessera_app_device Kokkos::kokkos LABEL apps)
tessera_add_app_test(device_session device_session.cpp LIBRARIES tessera_app_device)
target_compile_definitions(test_device_session PRIVATE TESSERA_HAS_CUDA=$<BOOL:${Kokkos_ENABLE_CUDA}>)

if(NOT TESSERA_SANITIZE)
  # What it compiles of the library, sanitizers see in the tests of the library and of the drivers.
  tessera_add_app_test(bench bench_command_line.cpp bench_compare.cpp bench_experiment.cpp bench_python.cpp bench_run.cpp bench_report.cpp
                       bench_timing.cpp driver_support.cpp
                       io_support.cpp LIBRARIES tessera_bench_app tessera_bench_python HDF5::HDF5)
  target_compile_definitions(test_bench PRIVATE TESSERA_BENCH="$<TARGET_FILE:tessera-bench>"
                                                TESSERA_HAS_CUDA=$<BOOL:${Kokkos_ENABLE_CUDA}>
                                                TESSERA_INPUTS="${PROJECT_SOURCE_DIR}/inputs")
  add_dependencies(test_bench tessera-bench)
  foreach(machine h200 h100 cpu)
    # Of a CPU ratios alone: its rates say more of the machine than of the library.
    set(columns $<$<STREQUAL:${machine},cpu>:--ratios>)
    set(page README.md)
    if(machine STREQUAL "h100")
      set(page inputs/experiments/README.md)
    endif()
    add_test(NAME readme_table_${machine}
             COMMAND ${CMAKE_COMMAND} -DBENCH=$<TARGET_FILE:tessera-bench> -DOPTIONS=${columns}
                     -DRESULTS=${PROJECT_SOURCE_DIR}/inputs/experiments/results/${machine}.jsonl
                     -DREADME=${PROJECT_SOURCE_DIR}/${page} -P ${CMAKE_CURRENT_SOURCE_DIR}/check_table.cmake)
    tessera_set_test_properties(readme_table_${machine} LABELS apps)
  endforeach()
  foreach(module numpy scipy)
    execute_process(COMMAND /usr/bin/python3 -c "import ${module}" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
    if(NOT missing)
      string(TOUPPER "TESSERA_TESTS_HAVE_${module}" macro)
      target_compile_definitions(test_bench PRIVATE ${macro})
    endif()
  endforeach()
endif()
