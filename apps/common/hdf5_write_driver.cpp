// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5_write_driver.hpp"

#include <atomic>
#include <cerrno>
#include <utility>

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>  // since HDF5 1.14
#endif

namespace tessera::apps {
namespace {

std::atomic<int> write_error{0};
H5FD_class_t original;  // HDF5's own driver; set before the first file is opened with ours

/// Runs one of the original's calls unless one has failed before.
template <class Call, class... Arguments>
herr_t attempt(Call call, Arguments&&... arguments) {
  if (write_error.load() != 0 || call(std::forward<Arguments>(arguments)...) >= 0) return 0;
  const int error = last_hdf5_error().system_errno;
  write_error.store(error != 0 ? error : EIO);
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t bytes, const void* data) {
  return attempt(original.write, file, type, transfer, address, bytes, data);
}

herr_t truncate(H5FD_t* file, hid_t transfer, hbool_t closing) {
  return attempt(original.truncate, file, transfer, closing);
}

hid_t register_driver() {
  H5FD_t* const file = H5FDopen("/dev/null", H5F_ACC_RDONLY, H5P_DEFAULT, HADDR_UNDEF);
  if (file == nullptr) out_of_resource("HDF5's file driver cannot be used: " + last_hdf5_error().cause);
  original = *file->cls;
  H5FDclose(file);
  static H5FD_class_t recording = original;
  recording.name = "tessera";
  recording.terminate = nullptr;  // the original's own business
  recording.write = write;
  recording.truncate = truncate;
  return H5FDregister(&recording);
}

}  // namespace

void use_recording_driver(hid_t file_access) {
  static const hid_t driver = register_driver();
  H5Pset_driver(file_access, driver, nullptr);
}

int first_write_error() { return write_error.load(); }
void forget_write_error() { write_error.store(0); }

}  // namespace tessera::apps
