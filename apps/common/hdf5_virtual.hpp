// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_COMMON_HDF5_VIRTUAL_HPP
#define TESSERA_APPS_COMMON_HDF5_VIRTUAL_HPP

#include <string>
#include <vector>

#include "hdf5_handle.hpp"
#include "selection.hpp"

namespace tessera::apps {

/// Checks that the sources of a virtual dataset that the selection (null: all) needs exist and are large enough, and
/// their storage in turn; adds the files of all of them to sources. file: the one that the dataset lies in.
/// \throws Failure (bad_input), its text led by where.
void check_virtual_sources(hid_t dataset, const std::string& file, const std::string& where,
                           const ResolvedSelection* selection, int depth, std::vector<std::string>& sources);

}  // namespace tessera::apps

#endif
