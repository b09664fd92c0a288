// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the window kernels share: lines, a window, and how results get from scratch to memory.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_LINES_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/line_array.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <tessera/filter/window_plan.hpp>
#include <type_traits>

namespace tessera::detail {

/// A chain over count >= 1 elements.
template <class Op, class Staged>
KOKKOS_FUNCTION typename Op::value_type run_total(const Op& op, const Staged* elements, int count) {
  typename Op::value_type total = op.value(elements[0]);
  for (int i = 1; i < count; ++i) total = op.join(total, op.value(elements[i]));
  return total;
}

/// Teams of 256 that a multiprocessor shall hold: without the bound, registers leave room for fewer.
template <ExecutionSpace Space, int Teams>
using WindowPolicy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256, Teams>,
                                        Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;

/// stage_line with several 16-byte loads of a thread in flight, where that is all it takes: a device.
template <TeamMember Member, class T, class Staged>
KOKKOS_FUNCTION Staged* stage_window(const Member& team, const T* line, std::int64_t stride, std::int64_t n,
                                     std::int64_t first, int count, const Boundary<T>& boundary, Staged* scratch) {
  constexpr int width = packed_length<T>;
  constexpr bool as_they_are = !is_host_space<typename Member::execution_space> && std::is_same_v<T, Staged>;
  if (!as_they_are || stride != 1 || first < 0 || first + count > n) {
    return stage_line(team, line, stride, n, first, count, boundary, scratch);
  }
  constexpr int loads = 4;
  const T* source = line + first;
  const int head = static_cast<int>(misaligned_head(source, count));
  T* target = reinterpret_cast<T*>(scratch) + (width - head) % width;
  const int packs = (count - head) / width, threads = team.team_size();
  const auto* memory = reinterpret_cast<const Packed<T>*>(source + head);
  auto* packed = reinterpret_cast<Packed<T>*>(target + head);
  for (int p = team.team_rank(); p < packs; p += loads * threads) {
    Packed<T> loaded[loads];
    TESSERA_UNROLL
    for (int k = 0; k < loads; ++k) {
      if (p + k * threads < packs) loaded[k] = memory[p + k * threads];
    }
    TESSERA_UNROLL
    for (int k = 0; k < loads; ++k) {
      if (p + k * threads < packs) packed[p + k * threads] = loaded[k];
    }
  }
  // The ends: fewer than two packs' elements.
  const int rest = count - packs * width;
  for (int e = team.team_rank(); e < rest; e += threads) {
    const int i = e < head ? e : packs * width + e;
    target[i] = source[i];
  }
  return reinterpret_cast<Staged*>(target);
}

template <class Op>
struct WindowLines {
  using In = typename Op::in_type;
  using Out = typename Op::out_type;

  LineArray<const In> in;
  LineArray<Out> out;
  Boundary<In> boundary;
  WindowShape window;

  /// Window starts of all outputs: begin() .. end() - 1.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t begin() const { return -window.reach_left; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t end() const { return in.extent - window.reach_left; }

  /// Writes the outputs whose windows start at first .. first + count - 1; slot(k) is the result of the k-th.
  template <TeamMember Member, class Slot>
  KOKKOS_FUNCTION void store(const Member& team, const In* x, Out* y, std::int64_t first, int count,
                             const Slot& slot) const {
    const std::int64_t n = in.extent;
    const std::int64_t reach_right = window.size - 1 - window.reach_left;
    const std::int64_t computed = boundary.left == BoundaryMode::keep ? window.reach_left : 0;
    const std::int64_t computed_end = boundary.right == BoundaryMode::keep ? n - reach_right : n;
    const std::int64_t i0 = first + window.reach_left;
    const int k_begin = i0 < 0 ? static_cast<int>(-i0) : 0;
    const int k_end = static_cast<int>(Kokkos::min<std::int64_t>(count, n - i0));
    if (out.stride == 1 && i0 + k_begin >= computed && i0 + k_end <= computed_end) {
      Out* target = y + i0;
      for (int k = k_begin + team.team_rank(); k < k_end; k += team.team_size()) target[k] = slot(k);
      return;
    }
    for (int k = k_begin + team.team_rank(); k < k_end; k += team.team_size()) {
      const std::int64_t i = i0 + k;
      const bool is_kept = i < computed || i >= computed_end;
      y[i * out.stride] = is_kept ? static_cast<Out>(x[i * in.stride]) : slot(k);
    }
  }

  /// Outputs first .. first + count - 1 are all made of windows, and can be written in 16-byte pieces from the first
  /// on.
  [[nodiscard]] KOKKOS_FUNCTION bool is_plain(const Out* y, std::int64_t first, int count) const {
    const std::int64_t begin = boundary.left == BoundaryMode::keep ? window.reach_left : 0;
    const std::int64_t end =
        in.extent - (boundary.right == BoundaryMode::keep ? window.size - 1 - window.reach_left : 0);
    return out.stride == 1 && first >= begin && first + count <= end && misaligned_head(y + first, 1) == 0;
  }

  /// Writes outputs from i on, as far as they exist.
  template <int Count>
  KOKKOS_FUNCTION void store_few(const In* x, Out* y, std::int64_t i, Packed<Out, Count> results) const {
    const std::int64_t begin = boundary.left == BoundaryMode::keep ? window.reach_left : 0;
    const std::int64_t end =
        in.extent - (boundary.right == BoundaryMode::keep ? window.size - 1 - window.reach_left : 0);
    TESSERA_NO_UNROLL
    for (int k = 0; k < Count; ++k) {
      const bool is_kept = i + k < begin || i + k >= end;
      if (i + k < in.extent) {
        y[(i + k) * out.stride] = is_kept ? convert<Out>(x[(i + k) * in.stride]) : results.values[k];
      }
    }
  }
};

}  // namespace tessera::detail

#endif
