// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How and where a dataset is stored, and whether all of it is there: HDF5 itself fills in zeros, without a word, for
// external files and virtual sources that are missing or too short.
#ifndef TESSERA_APPS_COMMON_HDF5_STORAGE_HPP
#define TESSERA_APPS_COMMON_HDF5_STORAGE_HPP

#include <string>
#include <vector>

#include "hdf5_handle.hpp"
#include "host_array.hpp"
#include "selection.hpp"

namespace tessera::apps {

struct StorageDescription {
  std::string layout;                // contiguous, chunked, compact, external, virtual
  Shape chunks;                      // empty unless chunked
  std::vector<std::string> filters;  // in the order in which they were applied
};
[[nodiscard]] StorageDescription describe_storage(hid_t dataset);

/// A dataset access list with which unlimited virtual datasets end before what is missing.
[[nodiscard]] Handle dataset_access();

/// Where external files are named relative to the folder of the HDF5 file and not to the working folder, as HDF5 would
/// take them: a dataset access list that finds them there. Else none.
[[nodiscard]] Handle external_file_access(hid_t dataset);

/// A dataspace of these extents; a scalar one for rank 0.
[[nodiscard]] Handle make_space(const Shape& shape);
/// Selects count elements from first on along each axis; nothing to do for rank 0.
void select_box(hid_t space, const Shape& first, const Shape& count);

/// Selects on space what a selection resolved to; nothing where it is empty.
void select_elements(hid_t space, const ResolvedSelection& selection);

/// The file that an object lies in, which an external link may have led to.
[[nodiscard]] std::string file_of(hid_t object);

/// Returns the files that hold the data, or would if they were there: the dataset's own first, external ones, those of
/// virtual sources and of theirs. depth: of virtual datasets.
/// \throws Failure (bad_input), its text led by where, unless all that the selection (of a dataset's space; null: all
/// of it) needs is there: filters, data within the file, external files, virtual sources.
[[nodiscard]] std::vector<std::string> check_storage(hid_t dataset, const std::string& where,
                                                     const ResolvedSelection* selection, int depth = 0);

/// Gives the elements that a dataset has no place for their fill value, or zero, before it is read: HDF5 leaves memory
/// as it was where a virtual dataset is mapped twice in part, or where it was told never to write fill values.
class UnwrittenElements {
 public:
  explicit UnwrittenElements(hid_t dataset);
  void fill(void* memory, hid_t memory_space) const;

 private:
  Handle m_type;
  std::vector<std::byte> m_value;  // empty: zero
  bool m_any = false;
};

}  // namespace tessera::apps

#endif
