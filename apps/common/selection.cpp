// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "failure.hpp"
#include "text.hpp"

namespace tessera::apps {
namespace {

constexpr std::int64_t largest_extent = std::numeric_limits<std::int64_t>::max();

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// A whole number; one too large for 64 bits becomes the largest of its sign, which no extent reaches.
std::optional<std::int64_t> parse_whole(std::string_view text) {
  text = trimmed(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::int64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) value = largest_extent;
  return negative ? -value : value;
}

}  // namespace

Shape ResolvedSelection::shape() const {
  Shape shape;
  for (const SelectedAxis& axis : axes) {
    if (!axis.dropped) shape.push_back(axis.count);
  }
  return shape;
}

Shape ResolvedSelection::counts() const {
  Shape counts;
  for (const SelectedAxis& axis : axes) counts.push_back(axis.count);
  return counts;
}

Selection::Selection(std::string_view text) {
  if (text.empty()) return;
  const std::string_view body = text.substr(1, text.size() - 2);
  if (trimmed(body).empty()) {
    refuse(fmt::format("the selection '{}' is empty; write [...] for all or leave it out", text));
  }
  for (const std::string& part : split(body)) m_items.push_back(parse_item(part, text));
  const auto is_ellipsis = [](const Item& item) { return std::holds_alternative<Ellipsis>(item); };
  if (std::count_if(m_items.begin(), m_items.end(), is_ellipsis) > 1) {
    refuse(fmt::format("the selection '{}' has more than one '...'", text));
  }
}

Selection::Item Selection::parse_item(std::string_view text, std::string_view whole) {
  const std::string_view item = trimmed(text);
  const auto bad = [&] {
    refuse(fmt::format("'{}' in the selection '{}' is not an index, a slice start:stop:step or '...'", item, whole));
  };
  if (item == "...") return Ellipsis{};
  if (item.find(':') == std::string_view::npos) {
    const auto index = parse_whole(item);
    if (!index) bad();
    return *index;
  }
  const std::vector<std::string> parts = split(item, ':');
  if (parts.size() > 3) bad();
  Slice slice;
  std::optional<std::int64_t>* fields[] = {&slice.start, &slice.stop, &slice.step};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (trimmed(parts[i]).empty()) continue;
    *fields[i] = parse_whole(parts[i]);
    if (!*fields[i]) bad();
  }
  if (slice.step == 0) refuse(fmt::format("the slice '{}' in the selection '{}' has step 0", item, whole));
  return slice;
}

SelectedAxis Selection::resolve_slice(const Slice& slice, std::int64_t extent) {
  const std::int64_t step = slice.step.value_or(1);
  // As NumPy: what a bound may clamp to depends on the direction; -1 stands for "before the first".
  const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? extent : extent - 1;
  const auto clamp = [&](std::int64_t bound) {
    return std::clamp(bound < 0 ? bound + extent : bound, lowest, highest);
  };
  const std::int64_t start = slice.start ? clamp(*slice.start) : (step > 0 ? 0 : extent - 1);
  const std::int64_t stop = slice.stop ? clamp(*slice.stop) : (step > 0 ? extent : -1);
  const std::int64_t distance = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
  SelectedAxis axis;
  if (distance <= 0) return axis;
  const std::int64_t count = (distance - 1) / stride + 1;
  axis.count = static_cast<std::uint64_t>(count);
  axis.stride = count > 1 ? static_cast<std::uint64_t>(stride) : 1;
  axis.start = static_cast<std::uint64_t>(step > 0 ? start : start - (count - 1) * stride);
  axis.reversed = step < 0 && count > 1;
  return axis;
}

SelectedAxis Selection::resolve_index(std::int64_t index, std::int64_t extent, std::size_t axis) {
  if (index >= extent || index < -extent) {
    refuse(fmt::format("index {} is out of range for axis {} of extent {}", index, axis, extent));
  }
  SelectedAxis selected;
  selected.start = static_cast<std::uint64_t>(index < 0 ? index + extent : index);
  selected.count = 1;
  selected.dropped = true;
  return selected;
}

ResolvedSelection Selection::resolve(const Shape& extents) const {
  const auto ellipsis = std::find_if(m_items.begin(), m_items.end(),
                                     [](const Item& item) { return std::holds_alternative<Ellipsis>(item); });
  const std::size_t rank = extents.size(), given = m_items.size() - (ellipsis != m_items.end() ? 1 : 0);
  if (given > rank)
    refuse(fmt::format("the selection has {} indices, the dataset {} {}", given, rank, rank == 1 ? "axis" : "axes"));
  // An absent ellipsis stands behind the last item.
  const std::size_t leading = static_cast<std::size_t>(ellipsis - m_items.begin());
  ResolvedSelection resolved;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (extents[axis] > static_cast<std::uint64_t>(largest_extent)) {
      out_of_resource(fmt::format("axis {} has {} elements, more than 63 bits can count", axis, extents[axis]));
    }
    const auto extent = static_cast<std::int64_t>(extents[axis]);
    Item item = Slice{};
    if (axis < leading) {
      item = m_items[axis];
    } else if (axis >= rank - (given - leading)) {
      item = m_items[axis - rank + m_items.size()];
    }
    resolved.axes.push_back(std::holds_alternative<std::int64_t>(item)
                                ? resolve_index(std::get<std::int64_t>(item), extent, axis)
                                : resolve_slice(std::get<Slice>(item), extent));
  }
  return resolved;
}

}  // namespace tessera::apps
