// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HDF5 1.10 does not survive a failed write: its cache cannot be emptied any more, and closing the file or leaving the
// process loops or crashes. So a full disk is kept from it and looked at here.
#ifndef TESSERA_APPS_COMMON_HDF5_WRITE_DRIVER_HPP
#define TESSERA_APPS_COMMON_HDF5_WRITE_DRIVER_HPP

#include "hdf5_handle.hpp"

namespace tessera::apps {

/// Puts HDF5's POSIX driver into a file access list, but for this: the first write that fails is recorded, and HDF5
/// told that it and all later ones went well. The file is lost then; whoever writes asks first_write_error() after each
/// step.
void use_recording_driver(hid_t file_access);

/// errno of the first failed write since the last call of forget_write_error(), in any file; 0 where all went well.
[[nodiscard]] int first_write_error();
void forget_write_error();

}  // namespace tessera::apps

#endif
