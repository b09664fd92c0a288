// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening HDF5 files and finding what is in them, with a reason for all that cannot be opened or found.
#ifndef TESSERA_APPS_COMMON_HDF5_FILE_HPP
#define TESSERA_APPS_COMMON_HDF5_FILE_HPP

#include <functional>
#include <string>
#include <vector>

#include "hdf5_handle.hpp"

namespace tessera::apps {

/// Opens a file for reading. \throws Failure (bad_input) where it is missing, no HDF5 file, truncated, locked, ..
[[nodiscard]] Handle open_input_file(const std::string& path);

/// Why HDF5 could not open a file that exists, in words that help.
[[nodiscard]] std::string open_failure_text(const Hdf5Error& error);

/// Likewise why it could not tell whether an object is there.
[[nodiscard]] std::string damage_text(const Hdf5Error& error);

/// Whether a name leads to an object. \throws Failure (bad_input) for a link on the way that goes nowhere, and where
/// that cannot be read.
[[nodiscard]] bool object_exists(hid_t file, const std::string& path, const std::string& name);

/// Opens a dataset that exists. access: a dataset access list. \throws Failure (bad_input) for groups and the like.
[[nodiscard]] Handle open_dataset(hid_t file, const std::string& path, const std::string& name,
                                  hid_t access = H5P_DEFAULT);

/// Calls visit(path in the file, dataset) for each dataset, in path order, under each of its hard links; datasets that
/// external links lead to are among them. Objects that cannot be opened are passed over. \throws Failure (bad_input)
/// for groups that cannot be read.
void visit_datasets(hid_t file, const std::function<void(const std::string&, hid_t)>& visit);

/// The numeric datasets that visit_datasets() finds; those with a null dataspace hold nothing and are left out.
struct NumericDatasets {
  std::vector<std::string> paths;
  bool unique = false;  ///< one dataset, under whatever number of names
};
[[nodiscard]] NumericDatasets numeric_datasets(hid_t file);

}  // namespace tessera::apps

#endif
