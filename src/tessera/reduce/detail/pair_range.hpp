// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread reads of two arrays at once.
#ifndef TESSERA_REDUCE_DETAIL_PAIR_RANGE_HPP
#define TESSERA_REDUCE_DETAIL_PAIR_RANGE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/element_range.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>
#include <tessera/status.hpp>

namespace tessera {

/// Elements at one position of two arrays: what a reducer of two views maps.
template <class T>
struct ElementPair {
  T x, y;
};

namespace detail {

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

template <class Fold, class T, class Position>
KOKKOS_FORCEINLINE_FUNCTION void thread_fold(const Fold& fold, const PairRange<ContiguousRange<T, Position>>& range,
                                             int rank, int team_size, typename Fold::thread_type& thread,
                                             typename Fold::spill_type& spill, const Status& status) {
  constexpr int width = packed_length<T>;
  constexpr int loads = Fold::lanes / width > 0 ? Fold::lanes / width : 1;
  const T* x = range.x.data;
  const T* y = range.y.data;
  const std::int64_t step = team_size;
  const Position& position = range.x.position;
  const std::int64_t head = misaligned_head(x, range.size);
  // 16-byte loads of both need boundaries at the same elements.
  const bool together = misaligned_head(y, range.size) == head;
  const std::int64_t pack_count = together ? (range.size - head) / width : 0;
  const std::int64_t first = range.x.first + head;
  const auto single = [&](std::int64_t e) {
    const ElementPair<T> one[1] = {{x[e], y[e]}};
    fold.add(thread, spill, one, GroupIndex<Position>{position, range.x.first + e, 0, 1}, status);
  };
  const auto* x_packs = reinterpret_cast<const Packed<T>*>(x + head);
  const auto* y_packs = reinterpret_cast<const Packed<T>*>(y + head);

  for (std::int64_t e = rank; e < head; e += step) single(e);
  std::int64_t i = rank;
  for (; i + (loads - 1) * step < pack_count; i += loads * step) {
    ElementPair<T> group[loads * width];
    Packed<T> from_x[loads], from_y[loads];
    TESSERA_UNROLL
    for (int load = 0; load < loads; ++load) from_x[load] = x_packs[i + load * step];
    TESSERA_UNROLL
    for (int load = 0; load < loads; ++load) from_y[load] = y_packs[i + load * step];
    TESSERA_UNROLL
    for (int k = 0; k < loads * width; ++k) {
      group[k] = {from_x[k / width].values[k % width], from_y[k / width].values[k % width]};
    }
    fold.add(thread, spill, group, GroupIndex<Position>{position, first + i * width, step * width, width}, status);
  }
  for (; i < pack_count; i += step) {
    for (int k = 0; k < width; ++k) single(head + i * width + k);
  }
  for (std::int64_t e = head + pack_count * width + rank; e < range.size; e += step) single(e);
}

template <class Fold, class T, int Rank, class Position>
KOKKOS_FORCEINLINE_FUNCTION void thread_fold(const Fold& fold, const PairRange<StridedRange<T, Rank, Position>>& range,
                                             int rank, int team_size, typename Fold::thread_type& thread,
                                             typename Fold::spill_type& spill, const Status& status) {
  for (std::int64_t e = rank; e < range.size; e += team_size) {
    const ElementPair<T> one[1] = {{range.x[e], range.y[e]}};
    fold.add(thread, spill, one, GroupIndex<Position>{range.x.position, range.x.first + e, 0, 1}, status);
  }
}

}  // namespace detail
}  // namespace tessera

#endif
