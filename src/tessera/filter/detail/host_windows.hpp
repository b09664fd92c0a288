// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The windows of a tile on a host, in plain loops over neighbours, which compilers make vectors of: windows whose
// elements are all taken at once, extrema, of which windows of 4, 16, .. elements are joined, and short sums.
#ifndef TESSERA_FILTER_DETAIL_HOST_WINDOWS_HPP
#define TESSERA_FILTER_DETAIL_HOST_WINDOWS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <type_traits>

namespace tessera::detail {

/// Of one thread: the outputs first .. first + outputs - 1 of a line. staged: scratch for their elements.
template <class Op>
struct HostWindows {
  using In = typename Op::in_type;
  using Out = typename Op::out_type;
  using Staged = typename Op::staged_type;

  const WindowLines<Op>& lines;
  const Op op;  // a copy: what is stored in scratch could change another

  KOKKOS_FUNCTION void filter(const In* x, Out* y, std::int64_t first, int outputs, Staged* staged) const {
    const auto size = static_cast<int>(lines.window.size);
    const std::int64_t begin = first - lines.window.reach_left;
    const int count = outputs + size - 1;
    const bool inside = lines.in.stride == 1 && begin >= 0 && begin + count <= lines.in.extent;
    if constexpr (Op::whole_windows_max > 0) {
      const Staged* elements = staged;
      if constexpr (std::is_same_v<In, Staged>) {
        if (inside) elements = x + begin;
      }
      if (elements == staged) stage(x, begin, count, inside, staged);
      take_whole(x, y, first, outputs, elements);
    } else if constexpr (Op::is_idempotent) {
      static_assert(std::is_same_v<Staged, typename Op::value_type>);
      stage(x, begin, count, inside, staged);
      const int joined = join_windows(staged, count, size);
      store(x, y, first, outputs, [&](int i) { return op.result(op.join(staged[i], staged[i + size - joined])); });
    } else {
      static_assert(std::is_same_v<In, Staged>);
      if (!inside) stage(x, begin, count, inside, staged);
      take_chains(x, y, first, outputs, inside ? x + begin : staged);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void stage(const In* x, std::int64_t begin, int count, bool inside,
                                         Staged* staged) const {
    const std::int64_t extent = lines.in.extent;
    const bool contiguous = lines.in.stride == 1;
    const int middle = contiguous ? static_cast<int>(Kokkos::clamp<std::int64_t>(-begin, 0, count)) : count;
    const int end = contiguous ? static_cast<int>(Kokkos::clamp<std::int64_t>(extent - begin, middle, count)) : count;
    const auto element = [&](int e) {
      return op.staged(inside ? x[(begin + e) * lines.in.stride]
                              : lines.boundary.element(x, lines.in.stride, begin + e, extent));
    };
    for (int e = 0; e < middle; ++e) staged[e] = element(e);
    TESSERA_VECTOR_LOOP
    for (int e = middle; e < end; ++e) staged[e] = op.staged(x[begin + e]);
    for (int e = end; e < count; ++e) staged[e] = element(e);
  }

  /// Windows whose elements are joined one after the other.
  KOKKOS_FORCEINLINE_FUNCTION void take_chains(const In* x, Out* y, std::int64_t first, int outputs,
                                               const Staged* elements) const {
    constexpr int block = 128;
    const auto size = static_cast<int>(lines.window.size);
    typename Op::value_type joined[block];
    for (int from = 0; from < outputs; from += block) {
      const int count = Kokkos::min(block, outputs - from);
      const Staged* window = elements + from;
      TESSERA_VECTOR_LOOP
      for (int e = 0; e < count; ++e) joined[e] = op.value(window[e]);
      for (int k = 1; k < size; ++k) {
        TESSERA_VECTOR_LOOP
        for (int e = 0; e < count; ++e) joined[e] = op.join(joined[e], op.value(window[e + k]));
      }
      store(x, y, first + from, count, [&](int i) { return op.result(joined[i]); });
    }
  }

  /// In the place of the elements, windows of the largest power of two up to size; returns it.
  KOKKOS_FORCEINLINE_FUNCTION int join_windows(Staged* elements, int count, int size) const {
    int joined = 1;
    for (; 4 * joined <= size; joined *= 4) {
      const Staged *second = elements + joined, *third = second + joined, *fourth = third + joined;
      TESSERA_VECTOR_LOOP
      for (int e = 0; e <= count - 4 * joined; ++e) {
        elements[e] = op.join(op.join(elements[e], second[e]), op.join(third[e], fourth[e]));
      }
    }
    if (2 * joined > size) return joined;
    TESSERA_VECTOR_LOOP
    for (int e = 0; e <= count - 2 * joined; ++e) elements[e] = op.join(elements[e], elements[e + joined]);
    return 2 * joined;
  }

  KOKKOS_FORCEINLINE_FUNCTION void take_whole(const In* x, Out* y, std::int64_t first, int outputs,
                                              const Staged* elements) const {
    const auto take = [&](auto last) {
      constexpr int size = decltype(last)::value + 1;
      store(x, y, first, outputs, [&](int i) { return op.template window<size>(elements + i); });
    };
    if constexpr (Op::has_one_size) {
      take(std::integral_constant<int, Op::whole_windows_max - 1>{});
    } else {
      with_constant<Op::whole_windows_max>(static_cast<int>(lines.window.size) - 1, take);
    }
  }

  /// result(i): of the i-th output from first on.
  template <class Result>
  KOKKOS_FORCEINLINE_FUNCTION void store(const In* x, Out* y, std::int64_t first, int outputs,
                                         const Result& result) const {
    if (lines.out.stride == 1 && lines.is_made(first) && lines.is_made(first + outputs - 1)) {
      Out* target = y + first;
      TESSERA_VECTOR_LOOP
      for (int i = 0; i < outputs; ++i) target[i] = result(i);
      return;
    }
    for (int i = 0; i < outputs; ++i) {
      y[(first + i) * lines.out.stride] = lines.is_made(first + i) ? result(i) : lines.kept(x, first + i);
    }
  }
};

}  // namespace tessera::detail

#endif
