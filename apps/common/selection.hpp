// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy-like selections, "[0:100,::2]" or "[...,3]", as NumPy means them. No HDF5 here.
#ifndef TESSERA_APPS_COMMON_SELECTION_HPP
#define TESSERA_APPS_COMMON_SELECTION_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host_array.hpp"

namespace tessera::apps {

/// Elements start, start + stride, .. (count of them) of one stored axis, in rising order.
struct SelectedAxis {
  std::uint64_t start = 0, stride = 1, count = 0;
  bool reversed = false;  ///< the selection names them in falling order
  bool dropped = false;   ///< an integer was given: the axis is not part of the selected array
};

/// A selection resolved against the extents of a dataset: one entry a stored axis.
struct ResolvedSelection {
  std::vector<SelectedAxis> axes;
  [[nodiscard]] Shape shape() const;   ///< of the selected array, without dropped axes
  [[nodiscard]] Shape counts() const;  ///< of each stored axis, dropped ones included
};

class Selection {
 public:
  /// The text with its brackets; "" selects all. \throws Failure (bad_input), without the dataset's name.
  explicit Selection(std::string_view text);

  /// Out-of-range slices clamp, integers do not. \throws Failure (bad_input), without the dataset's name.
  [[nodiscard]] ResolvedSelection resolve(const Shape& extents) const;

 private:
  struct Slice {
    std::optional<std::int64_t> start, stop, step;
  };
  struct Ellipsis {};
  using Item = std::variant<std::int64_t, Slice, Ellipsis>;
  static Item parse_item(std::string_view text, std::string_view whole);
  static SelectedAxis resolve_slice(const Slice& slice, std::int64_t extent);
  static SelectedAxis resolve_index(std::int64_t index, std::int64_t extent, std::size_t axis);

  std::vector<Item> m_items;
};

}  // namespace tessera::apps

#endif
