// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements behind each value of a reduction lie in a row-major array.
#ifndef TESSERA_APPS_REDUCE_LINE_WALK_HPP
#define TESSERA_APPS_REDUCE_LINE_WALK_HPP

#include <cstdint>
#include <vector>

#include "reduce_pass.hpp"

namespace tessera::apps {

class LineWalk {
 public:
  LineWalk(const ReducePass& pass, const Shape& shape) : m_count(reduced_count(pass, shape)) {
    if (pass.reduced.empty()) {
      m_reduced.push_back({m_count, 1});
      return;
    }
    std::uint64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
      // Outermost first; neighbours that follow each other without a gap are one.
      auto& axes = pass.reduced[axis] ? m_reduced : m_kept;
      if (!axes.empty() && axes.front().stride * axes.front().extent == stride) {
        axes.front().extent *= shape[axis];
      } else {
        axes.insert(axes.begin(), {shape[axis], stride});
      }
    }
  }

  /// Elements behind each value.
  [[nodiscard]] std::uint64_t count() const { return m_count; }

  /// Offset of the first element behind the value at a kept position.
  [[nodiscard]] std::uint64_t begin(std::uint64_t position) const { return offset(m_kept, position); }
  /// Offset of an element from begin(), by its position among the reduced elements.
  [[nodiscard]] std::uint64_t element(std::uint64_t position) const { return offset(m_reduced, position); }

  /// Calls visitor(offset from begin()) for all reduced elements in row-major order.
  template <class Visitor>
  void for_each(Visitor&& visitor) const {
    if (m_count == 0) return;
    if (m_reduced.empty()) return visitor(std::uint64_t{0});
    const Axis inner = m_reduced.back();
    for (std::uint64_t row = 0; row < m_count; row += inner.extent) {
      const std::uint64_t first = element(row);
      for (std::uint64_t i = 0; i < inner.extent; ++i) visitor(first + i * inner.stride);
    }
  }

 private:
  struct Axis {
    std::uint64_t extent, stride;
  };

  static std::uint64_t offset(const std::vector<Axis>& axes, std::uint64_t position) {
    std::uint64_t result = 0;
    for (std::size_t i = axes.size(); i-- > 0; position /= axes[i].extent) {
      result += position % axes[i].extent * axes[i].stride;
    }
    return result;
  }

  std::uint64_t m_count;
  std::vector<Axis> m_reduced, m_kept;
};

}  // namespace tessera::apps

#endif
