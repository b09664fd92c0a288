# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The drivers' parts, without running a driver.
tessera_add_app_test(
  drivers
  io_support.cpp
  command_line_parse.cpp
  command_line_text.cpp
  driver_plot.cpp
  driver_progress.cpp
  driver_record.cpp
  filter_verify.cpp
  filter_verify_windows.cpp
  reduce_reference.cpp
  reduce_verify.cpp
  transpose_verify.cpp
  LIBRARIES
  tessera_reduce_app
  tessera_reduce_engine
  tessera_filter_app
  tessera_filter_engine
  tessera_transpose_app
  tessera_transpose_engine
  nlohmann_json::nlohmann_json
  HDF5::HDF5)

# The drivers end to end, and each once more over an engine that computes wrong results.
set(reduce_driver_more reduce_driver_axis.cpp reduce_driver_complex.cpp reduce_driver_errors.cpp
                       reduce_driver_faulty.cpp reduce_driver_operations.cpp)
set(filter_driver_more filter_driver_complex.cpp filter_driver_ends.cpp filter_driver_named.cpp filter_driver_transform.cpp
                       filter_driver_types.cpp filter_driver_windows.cpp)
set(transpose_driver_more transpose_driver_axes.cpp transpose_driver_elements.cpp transpose_driver_in_place.cpp)
foreach(op reduce filter transpose heat)
  add_executable(faulty-tessera-${op} ${op}_faulty_engine.cpp)
  target_link_libraries(faulty-tessera-${op} PRIVATE tessera_${op}_app)
  tessera_set_warnings(faulty-tessera-${op})
  tessera_add_app_test(${op}_driver driver_support.cpp io_support.cpp ${op}_driver.cpp ${${op}_driver_more} LIBRARIES
                       tessera_app_driver tessera_reference nlohmann_json::nlohmann_json HDF5::HDF5)
  string(TOUPPER ${op} upper)
  target_compile_definitions(
    test_${op}_driver PRIVATE "TESSERA_${upper}=\"$<TARGET_FILE:tessera-${op}>\""
                              "TESSERA_FAULTY_${upper}=\"$<TARGET_FILE:faulty-tessera-${op}>\"")
  add_dependencies(test_${op}_driver tessera-${op} faulty-tessera-${op})
endforeach()

# What Kokkos' tools see of them.
tessera_add_app_test(driver_tools driver_support.cpp io_support.cpp driver_tools.cpp LIBRARIES tessera_app_driver
                     nlohmann_json::nlohmann_json HDF5::HDF5)
target_compile_definitions(test_driver_tools PRIVATE "TESSERA_TOOL=\"$<TARGET_FILE:tessera_test_tool>\"")
add_dependencies(test_driver_tools tessera_test_tool)
set(seen_drivers reduce filter transpose heat)
if(NOT TESSERA_SANITIZE) # the bench has no other test there
  list(APPEND seen_drivers bench)
endif()
foreach(op IN LISTS seen_drivers)
  string(TOUPPER ${op} upper)
  target_compile_definitions(test_driver_tools PRIVATE "TESSERA_${upper}=\"$<TARGET_FILE:tessera-${op}>\"")
  add_dependencies(test_driver_tools tessera-${op})
endforeach()

if(TARGET FFTW3::fftw3)
  target_compile_definitions(test_filter_driver PRIVATE TESSERA_TESTS_HAVE_FFTW)
endif()

if(DEFINED ENV{TESSERA_REAL_DATA})
  tessera_add_app_test(reduce_real driver_support.cpp io_support.cpp reduce_real.cpp LIBRARIES tessera_app_driver
                       nlohmann_json::nlohmann_json HDF5::HDF5)
  target_compile_definitions(test_reduce_real PRIVATE "TESSERA_REAL_DATA=\"$ENV{TESSERA_REAL_DATA}\""
                                                      "TESSERA_REDUCE=\"$<TARGET_FILE:tessera-reduce>\"")
  add_dependencies(test_reduce_real tessera-reduce)
endif()

# Only where it can run: a test that is not registered does not count as passed.
execute_process(COMMAND /usr/bin/python3 -c "import h5py, scipy.ndimage, scipy.signal" RESULT_VARIABLE scipy_missing
                OUTPUT_QUIET ERROR_QUIET)
if(NOT scipy_missing)
  add_test(NAME filter_scipy COMMAND /usr/bin/python3 "${CMAKE_CURRENT_SOURCE_DIR}/filter_scipy.py"
                                     $<TARGET_FILE:tessera-filter>)
  tessera_set_test_properties(filter_scipy LABELS apps)
endif()
