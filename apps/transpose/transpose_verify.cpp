// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose_verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "common/sampled_indices.hpp"

namespace tessera::apps {
namespace {

/// The bytes in the order of memory, "0x0102"; of a large element 16 of them, "0x0102..1f (bytes 32 to 47)".
std::string bytes_text(const unsigned char* bytes, std::uint64_t first, std::uint64_t count, std::uint64_t all) {
  std::string text = "0x";
  for (std::uint64_t i = first; i < first + count; ++i) text += fmt::format("{:02x}", bytes[i]);
  return count < all ? text + fmt::format(" (bytes {} to {})", first, first + count - 1) : text;
}

/// Indices first, first + step, .. (count of them) along one axis.
struct Steps {
  std::uint64_t first = 0, step = 1, count = 0;
};
Steps all_of(std::uint64_t extent) { return {0, 1, extent}; }
Steps ends_of(std::uint64_t extent) { return {0, extent - 1, std::min<std::uint64_t>(extent, 2)}; }
Steps between_ends_of(std::uint64_t extent) { return {1, 1, extent > 2 ? extent - 2 : 0}; }

/// Where each element of the output comes from. Positions count elements.
class Sources {
 public:
  using Visitor = std::function<void(std::uint64_t output, std::uint64_t source)>;

  explicit Sources(const TransposeRequest& request) : m_extents(request.output_shape()) {
    const auto stride_after = [](const Shape& shape, std::size_t axis) {
      return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end(), std::uint64_t{1},
                             std::multiplies<>());
    };
    for (std::size_t axis = 0; axis < m_extents.size(); ++axis) {
      m_output_strides.push_back(stride_after(m_extents, axis));
      m_source_strides.push_back(stride_after(request.shape, request.axes[axis]));
    }
  }

  [[nodiscard]] std::uint64_t of(std::uint64_t output) const {
    std::uint64_t source = 0;
    for (std::size_t axis = m_extents.size(); axis-- > 0;) {
      source += output % m_extents[axis] * m_source_strides[axis];
      output /= m_extents[axis];
    }
    return source;
  }

  /// Visits the elements at all combinations of the steps, one entry an axis.
  void walk(const std::vector<Steps>& steps, const Visitor& visit) const { walk_from(0, steps, 0, 0, visit); }

  /// Visits each element of an edge once.
  void walk_edges(const Visitor& visit) const {
    std::vector<Steps> steps;
    for (const std::uint64_t extent : m_extents) steps.push_back(ends_of(extent));
    walk(steps, visit);
    for (std::size_t axis = 0; axis < m_extents.size(); ++axis) {
      steps[axis] = between_ends_of(m_extents[axis]);
      walk(steps, visit);
      steps[axis] = ends_of(m_extents[axis]);
    }
  }

  void walk_all(const Visitor& visit) const {
    std::vector<Steps> steps;
    for (const std::uint64_t extent : m_extents) steps.push_back(all_of(extent));
    walk(steps, visit);
  }

 private:
  void walk_from(std::size_t axis, const std::vector<Steps>& steps, std::uint64_t output, std::uint64_t source,
                 const Visitor& visit) const {
    if (axis == steps.size()) return visit(output, source);
    for (std::uint64_t i = 0; i < steps[axis].count; ++i) {
      const std::uint64_t index = steps[axis].first + i * steps[axis].step;
      walk_from(axis + 1, steps, output + index * m_output_strides[axis], source + index * m_source_strides[axis],
                visit);
    }
  }

  Shape m_extents;
  std::vector<std::uint64_t> m_output_strides, m_source_strides;  // along the output's axes
};

}  // namespace

Verification verify_transpose(const TransposeRequest& request, const HostBuffer& input, const HostBuffer& output,
                              bool full, const ProgressCallback& progress, std::uint64_t samples) {
  const std::uint64_t size = element_count(request.shape), bytes = request.element_bytes;
  const Sources sources(request);
  Comparison comparison(request.output_shape(), {});
  const auto check = [&](std::uint64_t position, std::uint64_t source) {
    const auto* got = output.as<unsigned char>() + position * bytes;
    const auto* expected = input.as<unsigned char>() + source * bytes;
    if (std::memcmp(got, expected, bytes) == 0) return comparison.add_right(1);
    comparison.add_wrong(position, [&] {
      constexpr std::uint64_t shown = 16;
      const auto differing = static_cast<std::uint64_t>(std::mismatch(got, got + bytes, expected).first - got);
      const std::uint64_t first = differing / shown * shown, count = std::min(shown, bytes - first);
      return std::pair{bytes_text(got, first, count, bytes), bytes_text(expected, first, count, bytes)};
    });
  };
  if (size == 0) return comparison.finish("bytes of all outputs");
  if (full || size <= samples) {
    constexpr std::uint64_t between_reports = std::uint64_t{1} << 16;
    sources.walk_all([&](std::uint64_t position, std::uint64_t source) {
      check(position, source);
      if (position % between_reports == 0) progress(position, size);
    });
    return comparison.finish("bytes of all outputs");
  }
  sources.walk_edges(check);
  for_sampled_indices(size, samples, [&](std::uint64_t position) { check(position, sources.of(position)); });
  return comparison.finish(fmt::format("bytes of {} sampled outputs and all edges", samples));
}

}  // namespace tessera::apps
