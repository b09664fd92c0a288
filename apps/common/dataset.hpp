// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HDF5 input: what a driver knows of a dataset, and how it reads one. The only place that opens an input file.
#ifndef TESSERA_APPS_COMMON_DATASET_HPP
#define TESSERA_APPS_COMMON_DATASET_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host_array.hpp"
#include "number_type.hpp"

namespace tessera::apps {

/// What the record's "input" object says.
struct DatasetInfo {
  std::string file, dataset, selection;  // selection as given, "" for all
  Shape shape;                           // of the selected array
  Shape stored_shape;                    // of the whole dataset
  std::string stored_type;               // "float32", "int16 big-endian", "complex128", "strings of 12 bytes"
  std::string layout;                    // contiguous, chunked, compact, external, virtual
  Shape chunks;                          // empty unless chunked
  std::vector<std::string> filters;      // "deflate", "shuffle", ..
  std::uint64_t stored_element_bytes = 0;
  std::vector<std::string> sources = {};  // the files that hold its data: its own, external ones, of virtual sources
};

/// Called between pieces of a long transfer with the bytes done so far and in all.
using ProgressCallback = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Ranks that are read to be computed with, and to be moved: the latter is HDF5's own limit.
inline constexpr int computed_rank_max = 8;
inline constexpr int moved_rank_max = 32;

/// An open dataset with its selection resolved. All errors are Failure with one line naming file and dataset.
class Dataset {
 public:
  /// spec: FILE[:/DATASET[SELECTION]], as design.md states. Nothing is read but metadata.
  /// \throws Failure (bad_input) for a rank above rank_max, among much else
  explicit Dataset(const std::string& spec, int rank_max = computed_rank_max);
  ~Dataset();
  Dataset(Dataset&&) noexcept;
  Dataset& operator=(Dataset&&) noexcept;

  [[nodiscard]] const DatasetInfo& info() const;

  /// The type the dataset is computed in. \throws Failure (bad_input) for what is not a real number.
  [[nodiscard]] ElementType compute_type() const;
  /// The same, of complex numbers the type of their parts. \throws Failure (bad_input) for what is not a number.
  [[nodiscard]] ElementType part_type() const;
  [[nodiscard]] bool is_complex() const;
  /// What the elements are, whatever they are computed in: the smallest type that holds the stored one; float32 for
  /// narrower floats, float64 for wider ones. \throws as part_type().
  [[nodiscard]] NumberType element_type() const;
  /// What the stored type, of complex numbers that of a part, has for a value of part_type(): the nearest float, ties
  /// to even, or that very integer; nothing where it has none.
  [[nodiscard]] std::optional<Number> nearest_element(const Number& value) const;
  /// One line where reading rounds (long double), else "".
  [[nodiscard]] std::string notice() const;

  /// Bytes that read() / read_raw() will need. \throws Failure (no_resource) where they overflow 64 bits.
  [[nodiscard]] std::uint64_t read_bytes() const;
  [[nodiscard]] std::uint64_t raw_bytes() const;

  /// The selected elements in part_type(), row-major.
  [[nodiscard]] HostArray read(const ProgressCallback& progress = {}) const;
  /// The selected elements as stored (byte order and all), for types of a fixed size. \throws Failure for others.
  [[nodiscard]] HostBuffer read_raw(const ProgressCallback& progress = {}) const;

 private:
  friend class OutputFile;
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

/// One row of --list.
struct ListedDataset {
  std::string path, type, layout, filters;
  Shape shape;
};
/// The numeric datasets of a file, in path order.
[[nodiscard]] std::vector<ListedDataset> list_datasets(const std::string& file);

}  // namespace tessera::apps

#endif
