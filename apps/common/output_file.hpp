// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HDF5 output: an atomic transaction on one file. Nothing under the target's name changes before commit().
#ifndef TESSERA_APPS_COMMON_OUTPUT_FILE_HPP
#define TESSERA_APPS_COMMON_OUTPUT_FILE_HPP

#include <memory>
#include <string>

#include "dataset.hpp"
#include "host_array.hpp"
#include "number_type.hpp"

namespace tessera::apps {

/// Attributes written to each dataset.
struct Provenance {
  std::string command, version, input;
};

/// Where results go: FILE:/DATASET. A new file is built under a temporary name beside the target; an existing one is
/// copied beside itself and extended there; commit() syncs and renames. A killed process leaves the old file as it was.
class OutputFile {
 public:
  /// spec: FILE:/DATASET. Checks the folder, permissions and, without force, that the datasets do not exist.
  /// suffixes: the datasets to be written are DATASET itself (one empty suffix) or DATASET/<suffix>.
  OutputFile(const std::string& spec, const std::vector<std::string>& suffixes, bool force);
  ~OutputFile();  // without commit(): the temporary file is removed
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  /// \throws Failure (no_resource) unless the disk has room for the copy and this many new bytes.
  void check_room(std::uint64_t bytes);

  void write(const std::string& suffix, ElementType type, const Shape& shape, const void* data,
             const Provenance& provenance, const ProgressCallback& progress = {});
  void write(const std::string& suffix, NumberType type, const Shape& shape, const void* data,
             const Provenance& provenance, const ProgressCallback& progress = {});
  /// Elements as stored in source, with source's HDF5 type.
  void write_raw(const std::string& suffix, const Dataset& source, const Shape& shape, const void* data,
                 const Provenance& provenance, const ProgressCallback& progress = {});
  /// Brings what was written to disk, still under the temporary name; nothing can be written behind it.
  void sync();
  /// Syncs where that has not been done, and puts the file in place.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace tessera::apps

#endif
