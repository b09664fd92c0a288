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
