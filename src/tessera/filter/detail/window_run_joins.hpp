// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of runs of neighbours: what a thread joins in registers.
#ifndef TESSERA_FILTER_DETAIL_WINDOW_RUN_JOINS_HPP
#define TESSERA_FILTER_DETAIL_WINDOW_RUN_JOINS_HPP

#include <Kokkos_Core.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/window_pieces.hpp>

namespace tessera::detail {

/// Length: neighbours, of sums a multiple of 3.
template <class Op, int Length>
struct WindowRunJoins {
  using Value = typename Op::value_type;
  static constexpr int length = Length;
  /// Sums: neighbours that are joined in a chain, so that the depth is that of a tree.
  static constexpr int part = Op::is_idempotent ? length : 3;
  static_assert(length % part == 0);

  /// The first values.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static Value first(const Op& op, const Value (&values)[length]) {
    Value joined = values[0];
    TESSERA_UNROLL
    for (int p = 0; p < Count; p += part) {
      Value of_part = values[p];
      TESSERA_UNROLL
      for (int s = p + 1; s < p + part && s < Count; ++s) of_part = op.join(of_part, values[s]);
      joined = p == 0 ? of_part : op.join(joined, of_part);
    }
    return joined;
  }

  /// The last values.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static Value last(const Op& op, const Value (&values)[length]) {
    constexpr int begin = length - Count;
    Value joined = values[begin];
    TESSERA_UNROLL
    for (int p = begin; p < length; p += part) {
      Value of_part = values[p];
      TESSERA_UNROLL
      for (int s = p + 1; s < p + part && s < length; ++s) of_part = op.join(of_part, values[s]);
      joined = p == begin ? of_part : op.join(joined, of_part);
    }
    return joined;
  }

  /// The first or the last count >= 1 values, of fewer than all.
  KOKKOS_FORCEINLINE_FUNCTION static Value first(const Op& op, const Value (&values)[length], int count) {
    return some<false>(op, values, count, Between<1, length>());
  }
  KOKKOS_FORCEINLINE_FUNCTION static Value last(const Op& op, const Value (&values)[length], int count) {
    return some<true>(op, values, count, Between<1, length>());
  }

  /// Begin <= count < End, found by bisection: registers have no index.
  template <int Begin, int End>
  struct Between {};
  template <bool IsLast, int Begin, int End>
  KOKKOS_FORCEINLINE_FUNCTION static Value some(const Op& op, const Value (&values)[length], int count,
                                                Between<Begin, End>) {
    if constexpr (End - Begin > 1) {
      constexpr int middle = (Begin + End) / 2;
      if (count < middle) return some<IsLast>(op, values, count, Between<Begin, middle>());
      return some<IsLast>(op, values, count, Between<middle, End>());
    } else if constexpr (IsLast) {
      return last<Begin>(op, values);
    } else {
      return first<Begin>(op, values);
    }
  }

  /// From each of the values to the last.
  KOKKOS_FORCEINLINE_FUNCTION static void join_ends(const Op& op, Value (&values)[length]) {
    Value behind = op.identity();
    TESSERA_UNROLL
    for (int p = length - part; p >= 0; p -= part) {
      TESSERA_UNROLL
      for (int s = p + part - 2; s >= p; --s) values[s] = op.join(values[s], values[s + 1]);
      const Value of_part = values[p];
      if (p + part < length) {
        TESSERA_UNROLL
        for (int s = p; s < p + part; ++s) values[s] = op.join(values[s], behind);
      }
      behind = p + part < length ? op.join(of_part, behind) : of_part;
    }
  }

  /// elements[s] is an element, or its value. values: the ends of windows, then the windows.
  template <class Elements>
  KOKKOS_FORCEINLINE_FUNCTION static void join_beginnings(const Op& op, const Elements& elements, Value common,
                                                          Value (&values)[length]) {
    Value before = common;  // and all parts so far
    TESSERA_UNROLL
    for (int p = 0; p < length; p += part) {
      Value joined = op.identity();
      TESSERA_UNROLL
      for (int s = p; s < p + part; ++s) {
        const Value value = op.value(elements[s]);
        if constexpr (Op::is_idempotent) {
          before = op.join(before, value);
          values[s] = op.join(values[s], before);
        } else {
          joined = s == p ? value : op.join(joined, value);
          values[s] = op.join(values[s], op.join(before, joined));
        }
      }
      if constexpr (!Op::is_idempotent) before = op.join(before, joined);
    }
  }
};

}  // namespace tessera::detail

#endif
