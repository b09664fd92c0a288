// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the window kernels share: lines, a window, their launch, and how results get from scratch to memory.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_LINES_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/line_array.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <tessera/filter/detail/window_pieces.hpp>
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

/// Of an operation whose windows are taken whole: store(s, result) of the windows of Size elements at x + s, s < Count;
/// of two neighbours at once where it has two_windows(), which uses what both hold.
template <int Size, int Count, class Op, class Store>
KOKKOS_FORCEINLINE_FUNCTION void make_windows(const Op& op, const typename Op::value_type* x, const Store& store) {
  constexpr bool by_twos = requires(typename Op::out_type & result) {
    op.template two_windows<Size>(x, result, result);
  };
  constexpr int in_twos = by_twos ? Count / 2 * 2 : 0;
  if constexpr (by_twos) {
    TESSERA_UNROLL_ON_DEVICE
    for (int s = 0; s < in_twos; s += 2) {
      typename Op::out_type results[2];
      op.template two_windows<Size>(x + s, results[0], results[1]);
      store(s, results[0]);
      store(s + 1, results[1]);
    }
  }
  TESSERA_UNROLL_ON_DEVICE
  for (int s = in_twos; s < Count; ++s) store(s, op.template window<Size>(x + s));
}

/// Teams of 256 that a multiprocessor shall hold: without the bound, registers leave room for fewer.
template <ExecutionSpace Space, int Teams>
using WindowPolicy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256, Teams>,
                                        Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;

/// Starts a kernel as planned, with its scratch.
template <ExecutionSpace Space, class Functor>
void launch_windows(std::string_view function, const char* label, const Space& space, const WindowPlan& plan,
                    const Functor& functor, int asked_team_size) {
  auto policy = typename Functor::policy_type(space, plan.league_size, plan.team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_request(plan.scratch_bytes))));
  require_launchable(function, policy, functor, asked_team_size);
  Kokkos::parallel_for(label, policy, functor);
}

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

/// Tiles of lines: each line has as many, of length outputs, the last one fewer.
struct WindowTiles {
  int length;
  std::int64_t per_line, count;

  WindowTiles(std::int64_t lines, std::int64_t extent, int tile_length)
      : length(tile_length), per_line(ceil_div(extent, tile_length)), count(lines * per_line) {}

  /// make(line, first) makes the tile of that line that begins with output first. A barrier stands between two of them:
  /// they use the same scratch.
  template <TeamMember Member, class Make>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const Member& team, const Make& make) const {
    const TileWalk walk = tile_walk(team, count);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      if (index != walk.begin) team.team_barrier();
      const QuotientRemainder split = per_line == count ? QuotientRemainder{0, index} : divide(index, per_line);
      make(split.quotient, split.remainder * length);
    }
  }

  /// The same for elements that are copied to scratch without passing through registers, to one of two pieces of it:
  /// stage(line, first, piece) begins that, make(line, first, piece) finds them there. ahead: both pieces are there,
  /// and the next tile's elements are on their way while a tile is made; else make(..) only ever sees piece 0.
  template <TeamMember Member, class Stage, class Make>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_staged(const Member& team, bool ahead, const Stage& stage,
                                                   const Make& make) const {
    const TileWalk walk = tile_walk(team, count);
    const auto place_of = [&](std::int64_t index) {
      return per_line == count ? QuotientRemainder{0, index} : divide(index, per_line);
    };
    int piece = 0;
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const bool is_first = index == walk.begin;
      const QuotientRemainder place = place_of(index);
      if (!is_first) team.team_barrier();
      if (is_first || !ahead) stage(place.quotient, place.remainder * length, piece);
      end_async_group();
      if (ahead && index + walk.step < walk.end) {
        const QuotientRemainder next = place_of(index + walk.step);
        stage(next.quotient, next.remainder * length, 1 - piece);
        end_async_group();
        wait_for_async_groups<1>();
      } else {
        wait_for_async_groups<0>();
      }
      team.team_barrier();
      make(place.quotient, place.remainder * length, piece);
      if (ahead) piece = 1 - piece;
    }
  }
};

template <class Op>
struct WindowLines {
  using In = typename Op::in_type;
  using Out = typename Op::out_type;

  LineArray<const In> in;
  LineArray<Out> out;
  Boundary<In> boundary;
  WindowShape window;
  std::int64_t first_output = 0;  // the element that output 0 stands for: others before it are not made (mode valid)

  /// Window starts of all outputs: begin() .. end() - 1.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t begin() const { return -window.reach_left; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t end() const { return in.extent - window.reach_left; }

  /// The element of the line that stands for its j-th, inside or beyond; -1 for cval.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t element_for(std::int64_t j) const {
    return called_index(j < 0 ? boundary.left : boundary.right, j, in.extent);
  }

  /// Writes the outputs whose windows start at first .. first + count - 1; slot(k) is the result of the k-th.
  template <TeamMember Member, class Slot>
  KOKKOS_FUNCTION void store(const Member& team, const In* x, Out* y, std::int64_t first, int count,
                             const Slot& slot) const {
    const std::int64_t i0 = first + window.reach_left;
    const int k_begin = i0 < 0 ? static_cast<int>(-i0) : 0;
    const int k_end = static_cast<int>(Kokkos::min<std::int64_t>(count, out.extent - i0));
    if (out.stride == 1 && i0 + k_begin >= made_begin() && i0 + k_end <= made_end()) {
      Out* target = y + i0;
      for (int k = k_begin + team.team_rank(); k < k_end; k += team.team_size()) target[k] = slot(k);
      return;
    }
    for (int k = k_begin + team.team_rank(); k < k_end; k += team.team_size()) {
      const std::int64_t i = i0 + k;
      y[i * out.stride] = is_made(i) ? slot(k) : kept(x, i);
    }
  }

  /// Outputs first .. first + count - 1 are all made of windows, and neighbours in memory.
  [[nodiscard]] KOKKOS_FUNCTION bool makes_all(std::int64_t first, std::int64_t count) const {
    return out.stride == 1 && first >= made_begin() && first + count <= made_end();
  }
  /// And can be written in 16-byte pieces from the first on.
  [[nodiscard]] KOKKOS_FUNCTION bool is_plain(const Out* y, std::int64_t first, int count) const {
    return makes_all(first, count) && misaligned_head(y + first, 1) == 0;
  }

  /// Writes outputs from i on, as far as they exist.
  template <int Count>
  KOKKOS_FUNCTION void store_few(const In* x, Out* y, std::int64_t i, Packed<Out, Count> results) const {
    TESSERA_NO_UNROLL
    for (int k = 0; k < Count; ++k) {
      if (i + k < out.extent) y[(i + k) * out.stride] = is_made(i + k) ? results.values[k] : kept(x, i + k);
    }
  }

  /// Which of count outputs from i on are made of their windows: as offsets from i.
  struct Made {
    int begin, end;
  };
  [[nodiscard]] KOKKOS_FUNCTION Made made_of(std::int64_t i, int count) const {
    return {static_cast<int>(Kokkos::clamp<std::int64_t>(made_begin() - i, 0, count)),
            static_cast<int>(Kokkos::clamp<std::int64_t>(made_end() - i, 0, count))};
  }

  /// Whether output i is made of its window, not kept.
  [[nodiscard]] KOKKOS_FUNCTION bool is_made(std::int64_t i) const { return i >= made_begin() && i < made_end(); }

  /// Output i of mode keep. Types that do not convert are not kept.
  [[nodiscard]] KOKKOS_FUNCTION Out kept(const In* x, std::int64_t i) const {
    if constexpr (std::is_same_v<In, Out> || (std::is_arithmetic_v<In> && std::is_arithmetic_v<Out>)) {
      return convert<Out>(x[(i + first_output) * in.stride]);
    } else {
      return Out{};
    }
  }

 private:
  /// A call: inlined, its divisions would crowd unrolled loops. By values: for an address, kernels may copy all of
  /// their arguments.
  [[nodiscard]] TESSERA_NOINLINE KOKKOS_FUNCTION static std::int64_t called_index(BoundaryMode mode, std::int64_t j,
                                                                                  std::int64_t n) {
    return boundary_index(mode, j, n);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t made_begin() const {
    return boundary.left == BoundaryMode::keep ? window.reach_left : 0;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t made_end() const {
    return boundary.right == BoundaryMode::keep ? in.extent - (window.size - 1 - window.reach_left) : out.extent;
  }
};

}  // namespace tessera::detail

#endif
