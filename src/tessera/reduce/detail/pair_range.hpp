// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread reads of two arrays at once.
#ifndef TESSERA_REDUCE_DETAIL_PAIR_RANGE_HPP
#define TESSERA_REDUCE_DETAIL_PAIR_RANGE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/element_range.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>
#include <tessera/status.hpp>

namespace tessera {

/// Elements at one position of two arrays: what a reducer of two views maps.
template <class T>
struct ElementPair {
  T x, y;
  /// A pair with a NaN equals no pair.
  KOKKOS_FUNCTION friend bool operator==(const ElementPair& a, const ElementPair& b) {
    return a.x == b.x && a.y == b.y;
  }
};

namespace detail {

template <class T>
inline constexpr bool can_be_nan<ElementPair<T>> = can_be_nan<T>;

/// Two ranges of one kind, ContiguousRange or StridedRange, walked alike.
template <class Range>
struct PairRange {
  using element_type = ElementPair<typename Range::element_type>;
  Range x, y;
  std::int64_t size;

  KOKKOS_FUNCTION PairRange part(std::int64_t begin, std::int64_t end) const {
    return {x.part(begin, end), y.part(begin, end), end - begin};
  }
};

/// What stands for a pointer to pairs whose elements lie in two arrays alike.
template <class T>
struct PairPointer {
  const T *x, *y;

  KOKKOS_FUNCTION ElementPair<T> operator[](std::int64_t offset) const { return {x[offset], y[offset]}; }
  KOKKOS_FUNCTION PairPointer operator+(std::int64_t offset) const { return {x + offset, y + offset}; }
};

/// Neighbours in memory as a range.
template <class T, class Position>
KOKKOS_FORCEINLINE_FUNCTION ContiguousRange<T, Position> run_behind(const T* data, std::int64_t size,
                                                                    const Position& position) {
  return {data, size, position};
}
template <class T, class Position>
KOKKOS_FORCEINLINE_FUNCTION PairRange<ContiguousRange<T, Position>> run_behind(const PairPointer<T>& data,
                                                                               std::int64_t size,
                                                                               const Position& position) {
  return {run_behind(data.x, size, position), run_behind(data.y, size, position), size};
}

/// Whether a fold has add_block(thread, spill, x, y, index, status), of host_block neighbours each.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool takes_pair_blocks() {
  return requires { requires Fold::takes_pair_blocks; };
}

/// Whether the next group had better be on its way, on a device, while a fold adds one: its arithmetic takes as long.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool reads_pairs_ahead() {
  return requires { requires Fold::reads_pairs_ahead; };
}

/// On a host: the range block by block, and what is left of it in groups.
template <class Fold, class T, class Position, class Spill>
void fold_pair_blocks(const Fold& fold, const PairRange<ContiguousRange<T, Position>>& range,
                      typename Fold::thread_type& thread, Spill& spill, const Status& status) {
  std::int64_t at = 0;
  for (; at + host_block <= range.size; at += host_block) {
    fold.add_block(thread, spill, range.x.data + at, range.y.data + at,
                   GroupIndex<Position>{range.x.position, range.x.first + at, 0, host_block}, status);
  }
  thread_fold(fold, range.part(at, range.size), {0, 1}, thread, spill, status);
}

template <class Fold, class T, class Position, class Spill>
TESSERA_INLINE_ON_DEVICE void thread_fold(const Fold& fold, const PairRange<ContiguousRange<T, Position>>& range,
                                          const ThreadShare& share, typename Fold::thread_type& thread, Spill& spill,
                                          const Status& status) {
  constexpr int width = packed_length<T>;
  constexpr int loads = Fold::lanes / width > 0 ? Fold::lanes / width : 1;
  KOKKOS_IF_ON_HOST((if constexpr (takes_pair_blocks<Fold>()) {
    if (share.threads() == 1 && range.size >= host_block) return fold_pair_blocks(fold, range, thread, spill, status);
  }))
  const std::int64_t side = share.side, step = loads * share.threads();
  const T* x = range.x.data;
  const T* y = range.y.data;
  const Position& position = range.x.position;
  const std::int64_t head = misaligned_head(x, range.size);
  // 16-byte loads of both need boundaries at the same elements.
  const bool together = misaligned_head(y, range.size) == head;
  const std::int64_t pack_count = together ? (range.size - head) / width : 0;
  const std::int64_t first = range.x.first + head;
  const auto* x_packs = reinterpret_cast<const Packed<T>*>(x + head);
  const auto* y_packs = reinterpret_cast<const Packed<T>*>(y + head);

  Packed<T> from_x[loads], from_y[loads];
  const auto load = [&](std::int64_t at) {
    TESSERA_UNROLL
    for (int l = 0; l < loads; ++l) from_x[l] = x_packs[at + l * side];
    TESSERA_UNROLL
    for (int l = 0; l < loads; ++l) from_y[l] = y_packs[at + l * side];
  };
  using Group = ElementPair<T>[loads * width];
  const auto pair_up = [&](Group& group) {
    TESSERA_UNROLL
    for (int k = 0; k < loads * width; ++k) {
      group[k] = {from_x[k / width].values[k % width], from_y[k / width].values[k % width]};
    }
  };
  const auto add = [&](std::int64_t at, const Group& group) {
    fold.add(thread, spill, group, GroupIndex<Position>{position, first + at * width, side * width, width}, status);
  };
  const std::int64_t last = pack_count - (loads - 1) * side;  // of a whole group, the first pack is before
  std::int64_t i = share.first(loads);
  KOKKOS_IF_ON_DEVICE((if constexpr (reads_pairs_ahead<Fold>()) {
    bool more = i < last;
    if (more) load(i);
    while (more) {
      Group group;
      pair_up(group);
      const std::int64_t at = i;
      i += step;
      more = i < last;
      if (more) load(i);
      add(at, group);
    }
  }))
  for (; i < last; i += step) {
    KOKKOS_IF_ON_HOST((prefetch_page_ahead<loads * width>(x + head + i * width);
                       prefetch_page_ahead<loads * width>(y + head + i * width);))
    Group group;
    load(i);
    pair_up(group);
    add(i, group);
  }
  // One loop for what is left: packs of this thread's, element by element, then its share of both ends.
  const std::int64_t packs_left = i < pack_count ? (pack_count - i - 1) / side + 1 : 0;
  const std::int64_t rank = share.rank(), threads = share.threads();
  const std::int64_t ends = range.size - pack_count * width;
  const std::int64_t ends_left = rank < ends ? (ends - rank - 1) / threads + 1 : 0;
  for (std::int64_t left = 0; left < packs_left * width + ends_left; ++left) {
    const std::int64_t end = rank + (left - packs_left * width) * threads;
    const std::int64_t e = left < packs_left * width ? head + (i + left / width * side) * width + left % width
                           : end < head              ? end
                                                     : end + pack_count * width;
    const ElementPair<T> one[1] = {{x[e], y[e]}};
    fold.add(thread, spill, one, GroupIndex<Position>{position, range.x.first + e, 0, 1}, status);
  }
}

template <class Fold, class T, int Rank, class Position, class Spill>
TESSERA_INLINE_ON_DEVICE void thread_fold(const Fold& fold, const PairRange<StridedRange<T, Rank, Position>>& range,
                                          const ThreadShare& share, typename Fold::thread_type& thread, Spill& spill,
                                          const Status& status) {
  for (std::int64_t e = share.rank(); e < range.size; e += share.threads()) {
    const ElementPair<T> one[1] = {{range.x[e], range.y[e]}};
    fold.add(thread, spill, one, GroupIndex<Position>{range.x.position, range.x.first + e, 0, 1}, status);
  }
}

}  // namespace detail
}  // namespace tessera

#endif
