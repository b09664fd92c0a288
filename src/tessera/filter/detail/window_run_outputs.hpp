// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's run of neighbouring outputs from staged elements, of windows of any size. Those longer than the run are
// its ends, what they have in common, and the beginnings of as many elements where the first window ends. Nothing is
// ever subtracted.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_RUN_OUTPUTS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_RUN_OUTPUTS_HPP

#include <Kokkos_Core.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_lines.hpp>
#include <tessera/filter/detail/window_pieces.hpp>
#include <tessera/filter/detail/window_run_joins.hpp>
#include <type_traits>

namespace tessera::detail {

/// Elements of a line that lie a step apart.
template <class T, class Step = int>
struct SteppedElements {
  const T* first;
  Step step;

  KOKKOS_FORCEINLINE_FUNCTION const T& operator[](int k) const { return first[k * step]; }
  KOKKOS_FORCEINLINE_FUNCTION SteppedElements operator+(int k) const { return {first + k * step, step}; }
};

/// A quick operation that knows what it took.
template <class Quick>
struct WatchedQuick : Quick {
  mutable typename Quick::Watch watch;

  KOKKOS_FORCEINLINE_FUNCTION typename Quick::value_type value(typename Quick::value_type element) const {
    watch.see(element);
    return element;
  }
};

template <class Op, int Run>
struct WindowRunOutputs {
  using Out = typename Op::out_type;

  /// elements[k], k < Run + size - 1: all are read, also for outputs that there are not.
  template <class Elements>
  KOKKOS_FORCEINLINE_FUNCTION static void make(const Op& op, const Elements& elements, int size, Out (&results)[Run]) {
    if constexpr (makes_runs<Op>) {
      op.make_run(elements, size, results);
    } else if constexpr (Op::whole_windows_max > 0) {
      make_whole(op, elements, size, results);
    } else {
      if constexpr (has_quick<Op>) {
        const WatchedQuick<typename Op::quick_type> quick;
        if (quick.watch.took_all(make_joined(quick, elements, size - 1, results))) return;
      }
      make_joined(op, elements, size - 1, results);
    }
  }

 private:
  /// Returns what extrema come to in all.
  template <class Join, class Elements, class Value = typename Join::value_type>
  KOKKOS_FORCEINLINE_FUNCTION static Value make_joined(const Join& join, const Elements& elements, int reach,
                                                       Out (&results)[Run]) {
    Value windows[Run];
    load(join, elements, windows);
    if (reach >= Run) {
      WindowRunJoins<Join, Run>::join_ends(join, windows);
      const Value common = joined(join, elements + Run, reach - Run);
      WindowRunJoins<Join, Run>::join_beginnings(join, elements + reach, common, windows);
    } else {
      Value ring[Run];
      TESSERA_UNROLL
      for (int s = 0; s < Run; ++s) ring[s] = windows[s];
      TESSERA_UNROLL
      for (int k = 1; k < Run; ++k) {
        if (k > reach) break;
        ring[k - 1] = join.value(elements[Run + k - 1]);
        TESSERA_UNROLL
        for (int s = 0; s < Run; ++s) windows[s] = join.join(windows[s], ring[(s + k) % Run]);
      }
    }
    Value all = windows[0];
    if constexpr (Join::is_idempotent) {
      TESSERA_UNROLL
      for (int s = 1; s < Run; ++s) all = join.join(all, windows[s]);
    }
    join.template results<Run>(windows, all, results);
    return all;
  }

  /// Windows whose elements are all taken at once.
  template <class Elements>
  KOKKOS_FORCEINLINE_FUNCTION static void make_whole(const Op& op, const Elements& elements, int size,
                                                     Out (&results)[Run]) {
    const auto make = [&](auto last) {
      constexpr int taken = decltype(last)::value + 1;
      typename Op::value_type values[Run + taken - 1];
      TESSERA_UNROLL
      for (int s = 0; s < Run + taken - 1; ++s) values[s] = op.value(op.staged(elements[s]));
      make_windows<taken, Run>(op, values, [&](int s, const Out& result) { results[s] = result; });
    };
    if constexpr (has_one_size<Op>) {
      make(std::integral_constant<int, Op::whole_windows_max - 1>{});
    } else {
      with_constant<Op::whole_windows_max>(size - 1, make);
    }
  }

  /// count >= 0 elements, by pairs of runs, so that the depth is not much more than a tree's.
  template <class Join, class Elements>
  KOKKOS_FORCEINLINE_FUNCTION static typename Join::value_type joined(const Join& join, Elements elements, int count) {
    using Value = typename Join::value_type;
    Value all = join.identity();
    TESSERA_NO_UNROLL
    for (; count >= 2 * Run; count -= 2 * Run, elements = elements + 2 * Run) {
      Value first[Run], second[Run];
      load(join, elements, first);
      load(join, elements + Run, second);
      all = join.join(all, join.join(WindowRunJoins<Join, Run>::template first<Run>(join, first),
                                     WindowRunJoins<Join, Run>::template first<Run>(join, second)));
    }
    if (count >= Run) {
      Value last[Run];
      load(join, elements, last);
      all = join.join(all, WindowRunJoins<Join, Run>::template first<Run>(join, last));
      count -= Run;
      elements = elements + Run;
    }
    if (count == 0) return all;
    Value rest = join.value(elements[0]);
    TESSERA_NO_UNROLL
    for (int k = 1; k < count; ++k) rest = join.join(rest, join.value(elements[k]));
    return join.join(all, rest);
  }

  template <class Join, class Elements>
  KOKKOS_FORCEINLINE_FUNCTION static void load(const Join& join, const Elements& elements,
                                               typename Join::value_type (&values)[Run]) {
    TESSERA_UNROLL
    for (int s = 0; s < Run; ++s) values[s] = join.value(elements[s]);
  }
};

}  // namespace tessera::detail

#endif
