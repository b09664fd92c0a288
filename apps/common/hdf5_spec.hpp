// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FILE:/DATASET[SELECTION] taken apart, by what exists on disk.
#ifndef TESSERA_APPS_COMMON_HDF5_SPEC_HPP
#define TESSERA_APPS_COMMON_HDF5_SPEC_HPP

#include <string>

namespace tessera::apps {

/// The two parts of a spec. name holds the dataset and perhaps a selection, begins with '/' or '[' or is empty.
struct FileSpec {
  std::string file, name;
};

/// Of all ways to read the text, the one with the longest FILE that exists; folders count only where no file does.
[[nodiscard]] FileSpec split_input_spec(const std::string& spec);

/// As above for a file that may not exist yet: then the longest FILE whose folder exists.
/// \throws Failure (bad_input) where no dataset is named.
[[nodiscard]] FileSpec split_output_spec(const std::string& spec);

}  // namespace tessera::apps

#endif
