// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inside of Dataset, for dataset.cpp and output_file.cpp only.
#ifndef TESSERA_APPS_COMMON_DATASET_IMPL_HPP
#define TESSERA_APPS_COMMON_DATASET_IMPL_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataset.hpp"
#include "hdf5_handle.hpp"
#include "hdf5_pieces.hpp"
#include "hdf5_storage.hpp"
#include "hdf5_type.hpp"
#include "selection.hpp"
#include "temporary_file.hpp"

namespace tessera::apps {

struct Dataset::Impl {
  Handle file, dataset, hdf5_type;
  StoredType type;
  ResolvedSelection selection;
  DatasetInfo info;
  std::optional<UnwrittenElements> unwritten;
  std::vector<std::pair<std::string, FileState>> source_states;  // before it was read

  /// \throws Failure (no_resource) where the selection's bytes overflow 64 bits.
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t element_bytes) const;
  /// Reads into out, which has room for the selection; decoder: null where the stored bytes are wanted.
  void read_into(std::byte* out, const Decoder* decoder, std::uint64_t element_bytes,
                 const ProgressCallback& progress) const;
  /// \throws Failure (bad_input) where a source has become shorter: HDF5 read zeros for what it has lost.
  void check_source_lengths() const;

 private:
  /// Reads one box: straight into its place in direct where that is given, else densely into staging. gap: the stride
  /// of the last axis where what lies between its elements is to be read as well and left out here, else 1.
  void read_box(const Box& box, hid_t file_space, std::uint64_t gap, std::vector<std::byte>& staging,
                std::byte* direct) const;
};

}  // namespace tessera::apps

#endif
