# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
tessera_add_app_test(
  io
  io_damaged.cpp
  io_dataset.cpp
  io_memory.cpp
  io_output.cpp
  io_selection.cpp
  io_support.cpp
  io_survival.cpp
  io_types.cpp
  LIBRARIES
  tessera_app_common
  HDF5::HDF5)

# Files of other programs are not part of this project; whoever has them names their folder when configuring.
if(DEFINED ENV{TESSERA_REAL_DATA})
  tessera_add_app_test(io_real io_real.cpp io_support.cpp LIBRARIES tessera_app_common HDF5::HDF5)
  target_compile_definitions(test_io_real PRIVATE "TESSERA_REAL_DATA=\"$ENV{TESSERA_REAL_DATA}\"")
else()
  message(STATUS "Tessera: TESSERA_REAL_DATA names no folder of real files: they are not tested")
endif()
