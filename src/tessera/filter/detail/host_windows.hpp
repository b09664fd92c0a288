// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows on a host, in plain loops over neighbours, which compilers make vectors of: windows whose elements are all
// taken at once; extrema of windows of 4, 16, .. elements, each joined from four shorter ones; longer windows, and sums
// of more than few elements, from scanned blocks. Those begin where the window of output 0 does, or a multiple behind:
// no bit depends on tiles or teams.
#ifndef TESSERA_FILTER_DETAIL_HOST_WINDOWS_HPP
#define TESSERA_FILTER_DETAIL_HOST_WINDOWS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/host_buffer.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/host_window_scans.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_pieces.hpp>
#include <type_traits>

namespace tessera::detail {

/// Of one thread.
template <class Op>
struct HostWindows {
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  using Value = typename Op::value_type;
  using Staged = typename Op::staged_type;
  static constexpr bool is_whole = Op::whole_windows_max > 0;
  static constexpr bool is_sum = !is_whole && !Op::is_idempotent;
  static constexpr int outputs_max = host_windows_outputs_max<Op>;
  static constexpr int elements_max =
      outputs_max + static_cast<int>(host_windows_max<Op>) + (is_whole ? 0 : 2 * host_scan_block<Op>);

  const WindowLines<Op>& lines;
  const Op op;  // a copy: what is stored could change another

  /// The outputs first .. first + outputs - 1 of a line.
  KOKKOS_FUNCTION void filter(const In* x, Out* y, std::int64_t first, int outputs) const {
    const int step = host_windows_outputs<Op>(lines.window.size);
    for (int from = 0; from < outputs; from += step) {
      filter_part(x, y, first + from, Kokkos::min(step, outputs - from));
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void filter_part(const In* x, Out* y, std::int64_t first, int outputs) const {
    HostBuffer<Out, outputs_max> results;
    const bool is_plain = lines.out.stride == 1 && lines.is_made(first) && lines.is_made(first + outputs - 1);
    Out* const target = is_plain ? y + first : results.elements();
    const std::int64_t begin = first - lines.window.reach_left;
    const int count = outputs + static_cast<int>(lines.window.size) - 1;
    HostBuffer<Staged, elements_max> staged;
    const Staged* elements = staged.elements();
    bool stays = false;  // where it is
    if constexpr (std::is_same_v<In, Staged> && (is_whole || is_sum)) {
      stays = lines.in.stride == 1 && begin >= 0 && begin + count <= lines.in.extent;
      if (stays) elements = x + begin;
    }
    if (!stays) stage(x, begin, count, staged.elements());
    if constexpr (is_whole) {
      take_whole(elements, outputs, target);
    } else if constexpr (is_sum) {
      take_sums(elements, count, outputs, target);
    } else {
      take_extrema(staged.elements(), count, outputs, target);
    }
    if (is_plain) return;
    for (int i = 0; i < outputs; ++i) {
      y[(first + i) * lines.out.stride] = lines.is_made(first + i) ? target[i] : lines.kept(x, first + i);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void stage(const In* x, std::int64_t begin, int count, Staged* staged) const {
    const std::int64_t extent = lines.in.extent, stride = lines.in.stride;
    const int middle = static_cast<int>(Kokkos::clamp<std::int64_t>(-begin, 0, count));
    const int end = static_cast<int>(Kokkos::clamp<std::int64_t>(extent - begin, middle, count));
    const auto outside = [&](int e) { return op.staged(lines.boundary.element(x, stride, begin + e, extent)); };
    for (int e = 0; e < middle; ++e) staged[e] = outside(e);
    if (stride == 1) {
      TESSERA_VECTOR_LOOP
      for (int e = middle; e < end; ++e) staged[e] = op.staged(x[begin + e]);
    } else {
      for (int e = middle; e < end; ++e) staged[e] = op.staged(x[(begin + e) * stride]);
    }
    for (int e = end; e < count; ++e) staged[e] = outside(e);
  }

  KOKKOS_FORCEINLINE_FUNCTION void take_whole(const Staged* elements, int outputs, Out* target) const {
    const auto take = [&](auto last) {
      constexpr int size = decltype(last)::value + 1;
      TESSERA_VECTOR_LOOP
      for (int i = 0; i < outputs; ++i) target[i] = op.template window<size>(elements + i);
    };
    if constexpr (Op::has_one_size) {
      take(std::integral_constant<int, Op::whole_windows_max - 1>{});
    } else {
      with_constant<Op::whole_windows_max>(static_cast<int>(lines.window.size) - 1, take);
    }
  }

  /// elements: become windows of 4, 16, .. of them.
  KOKKOS_FORCEINLINE_FUNCTION void take_extrema(Staged* elements, int count, int outputs, Out* target) const {
    static_assert(std::is_same_v<Staged, Value>);
    const auto size = static_cast<int>(lines.window.size);
    if (size > host_extrema_unscanned) return take_scans(elements, count, outputs, target);
    int each = 1;
    for (; 4 * each <= size; each *= 4) join_fours(elements, each, count, elements);
    with_constant<4>((size - 1) / each, [&](auto last) {
      constexpr int more = decltype(last)::value;
      TESSERA_VECTOR_LOOP
      for (int i = 0; i < outputs; ++i) {
        Value joined = elements[i];
        for (int k = 1; k <= more; ++k) joined = op.join(joined, elements[i + Kokkos::min(k * each, size - each)]);
        target[i] = op.result(joined);
      }
    });
  }

  /// Few elements are joined one after the other. Nothing is ever subtracted.
  KOKKOS_FORCEINLINE_FUNCTION void take_sums(const Staged* elements, int count, int outputs, Out* target) const {
    const auto size = static_cast<int>(lines.window.size);
    if (std::is_same_v<Staged, Value> && size <= window_few_max) return take_chains(elements, outputs, target);
    HostBuffer<Value, elements_max> room;
    Value* const values = room.elements();
    TESSERA_VECTOR_LOOP
    for (int e = 0; e < count; ++e) values[e] = op.value(elements[e]);
    if (size <= window_few_max) return take_chains(values, outputs, target);
    take_scans(values, count, outputs, target);
  }
  template <class Element>
  KOKKOS_FORCEINLINE_FUNCTION void take_chains(const Element* elements, int outputs, Out* target) const {
    with_constant<window_few_max>(static_cast<int>(lines.window.size) - 1, [&](auto last) {
      constexpr int more = decltype(last)::value;
      TESSERA_VECTOR_LOOP
      for (int i = 0; i < outputs; ++i) target[i] = op.result(sum_of<more + 1>(elements + i, 1));
    });
  }

  /// A window is the end of one block, whole ones, and the beginning of another. values: become scanned blocks.
  KOKKOS_FORCEINLINE_FUNCTION void take_scans(Value* values, int count, int outputs, Out* target) const {
    using Block = ScanBlock<Op>;
    HostBuffer<Value, outputs_max + Block::size> room;
    HostBuffer<Value, elements_max / Block::size + 2> totals_room;
    HostBuffer<Value, outputs_max / Block::size + 1> between_room;
    Value *joined = room.elements(), *totals = totals_room.elements(), *between = between_room.elements();
    const auto reach = static_cast<int>(lines.window.size) - 1;
    const int blocks = (count + Block::size - 1) / Block::size, own = (outputs + Block::size - 1) / Block::size;
    const int span = reach / Block::size, split = Block::size - reach % Block::size;
    for (int e = count; e < (blocks + 1) * Block::size; ++e) values[e] = op.identity();
    for (int b = 0; b < blocks; ++b) {
      Block loaded;
      loaded.load(values + b * Block::size);
      if (b < own) {
        Block ends = loaded;
        ends.scan_backward(op);
        ends.store(joined + b * Block::size);
      }
      loaded.scan_forward(op);
      loaded.store(values + b * Block::size);
    }
    // The span - 1 blocks after each.
    if (span > 1) {
      for (int b = 0; b < own + span; ++b) totals[b] = total_of(values, b);
      join_digits(totals + 1, span - 1, own, between);
    } else {
      for (int b = 0; b < own; ++b) between[b] = op.identity();
    }
    for (int b = 0; b < own; ++b) {
      Block windows;
      windows.load(joined + b * Block::size);
      const Value more = op.join(between[b], total_of(values, b + span));
      windows.join_windows(op, between[b], more, split, values + b * Block::size + reach);
      windows.store(joined + b * Block::size);
    }
    TESSERA_VECTOR_LOOP
    for (int i = 0; i < outputs; ++i) target[i] = op.result(joined[i]);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value total_of(const Value* values, int b) const {
    return values[b * ScanBlock<Op>::size + ScanBlock<Op>::size - 1];
  }

  /// Of size values each, from each of the first outputs on: of as many windows of 1, 4, 16, .. as the digits of size
  /// to the base 4 say. values: become such windows.
  KOKKOS_FORCEINLINE_FUNCTION void join_digits(Value* values, int size, int outputs, Value* joined) const {
    const int count = outputs + size - 1;
    bool is_first = true;
    for (int each = 1, at = 0;; each *= 4) {
      const int digit = size % 4;
      with_constant<4>(digit, [&](auto constant) {
        constexpr int digits = decltype(constant)::value;
        if constexpr (digits > 0) add<digits>(values + at, each, outputs, is_first, joined);
      });
      is_first = is_first && digit == 0;
      at += digit * each;
      size /= 4;
      if (size == 0) return;
      join_fours(values, each, count, values);
    }
  }

  /// Windows of `each` elements that begin at from and one behind the other.
  template <int Count, class Element>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value sum_of(const Element* from, int each) const {
    Value sum = op.value(from[0]);
    for (int k = 1; k < Count; ++k) sum = op.join(sum, op.value(from[k * each]));
    return sum;
  }
  template <int Count, class Element>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Element* from, int each, int outputs, bool is_first, Value* joined) const {
    if (is_first) {
      TESSERA_VECTOR_LOOP
      for (int i = 0; i < outputs; ++i) joined[i] = sum_of<Count>(from + i, each);
    } else {
      TESSERA_VECTOR_LOOP
      for (int i = 0; i < outputs; ++i) joined[i] = op.join(joined[i], sum_of<Count>(from + i, each));
    }
  }

  /// From windows of `each` elements those of four times as many, of count elements in all. to may be from.
  template <class Element>
  KOKKOS_FORCEINLINE_FUNCTION void join_fours(const Element* from, int each, int count, Value* to) const {
    const Element *second = from + each, *third = second + each, *fourth = third + each;
    TESSERA_VECTOR_LOOP
    for (int e = 0; e <= count - 4 * each; ++e) {
      to[e] =
          op.join(op.join(op.value(from[e]), op.value(second[e])), op.join(op.value(third[e]), op.value(fourth[e])));
    }
  }
};

/// The tile of a line that begins with output first: neighbours to each thread of the team.
template <TeamMember Member, class Op>
KOKKOS_FUNCTION void filter_host_tile(const Member& team, const WindowLines<Op>& lines, const Op& op,
                                      const WindowTiles& tiles, const typename Op::in_type* x, typename Op::out_type* y,
                                      std::int64_t first) {
  constexpr int group = host_scan_block<Op>;
  const std::int64_t outputs = Kokkos::min<std::int64_t>(tiles.length, lines.out.extent - first);
  const IndexRange groups = items_of(ceil_div(outputs, group), team.team_rank(), team.team_size());
  const std::int64_t begin = groups.begin * group, end = Kokkos::min(groups.end * group, outputs);
  if (begin < end) HostWindows<Op>{lines, op}.filter(x, y, first + begin, static_cast<int>(end - begin));
}

}  // namespace tessera::detail

#endif
