// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one thread of a team does: feed its share of a range to a fold.
#ifndef TESSERA_REDUCE_DETAIL_THREAD_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_THREAD_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tessera/detail/float_format.hpp>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/element_range.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// Position of element k of a group: width neighbours, then a stride further.
template <class Position>
struct GroupIndex {
  const Position& position;
  std::int64_t first, stride;
  int width;
  /// Whether positions ascend with k.
  static constexpr bool ascending = std::is_same_v<Position, RowMajorPosition>;
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t at(int k) const { return first + k / width * stride + k % width; }
  KOKKOS_FUNCTION std::int64_t operator()(int k) const { return position(at(k)); }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t input(int k) const {
    if constexpr (requires(const Position& p) { p.input(std::int64_t{}); }) {
      return position.input(at(k));
    } else {
      return position(at(k));
    }
  }
};

/// Which elements of a range a thread takes: blocks of `side` threads read whole groups, whose packs neighbours of a
/// block have side by side. A block's loads are then near each other: with a whole league between them, and few in
/// flight, memory gave a ninth to a sixth less (measured on an H200).
struct ThreadShare {
  std::int64_t within, side;  // the thread's number in its block; threads of one
  std::int64_t block = 0, blocks = 1;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t rank() const { return block * side + within; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t threads() const { return blocks * side; }
  /// The first pack of its first group, of so many loads.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t first(int loads) const { return block * side * loads + within; }
};

/// A pack; on devices one of small elements as words, which else are put together again where they are wanted. Not by
/// load_whole(), as the caller's kernel may have written it.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Packed<T> load_words(const Packed<T>* memory) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) < 4 && sizeof(Packed<T>) == sizeof(Whole16)) {
    const Whole16 whole = *reinterpret_cast<const Whole16*>(memory);
    const std::uint32_t words[4] = {whole.x, whole.y, whole.z, whole.w};
    Packed<T> pack;
    std::memcpy(&pack, words, sizeof(pack));
    return pack;
  }
#endif
  return *memory;
}

/// What a thread's groups leave of a range: an incomplete group of packs, from pack i on, and the elements at both ends
/// that fill no pack.
template <class Fold, class T, class Position, class Spill>
TESSERA_INLINE_ON_DEVICE void fold_remainder(const Fold& fold, const ContiguousRange<T, Position>& range,
                                             std::int64_t i, const ThreadShare& share,
                                             typename Fold::thread_type& thread, Spill& spill, const Status& status) {
  constexpr int width = packed_length<T>;
  const std::int64_t head = misaligned_head(range.data, range.size);
  const auto* packs = reinterpret_cast<const Packed<T>*>(range.data + head);
  const std::int64_t pack_count = (range.size - head) / width;
  for (; i < pack_count; i += share.side) {
    const Packed<T> loaded = load_words(packs + i);
    fold.add(thread, spill, loaded.values,
             GroupIndex<Position>{range.position, range.first + head + i * width, 0, width}, status);
  }
  const std::int64_t singles = range.size - pack_count * width;
  for (std::int64_t e = share.rank(); e < singles; e += share.threads()) {
    const std::int64_t at = e < head ? e : e + pack_count * width;
    const T one[1] = {range.data[at]};
    fold.add(thread, spill, one, GroupIndex<Position>{range.position, range.first + at, 0, 1}, status);
  }
}

/// Elements that a fold takes at once on a host: host_lanes, where it has them.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr int wide_host_group() {
  if constexpr (requires { Fold::host_lanes; }) {
    return Fold::host_lanes;
  } else {
    return Fold::lanes;
  }
}

/// Whether what a fold makes of a host's group asks for the memory a page ahead.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool asks_ahead() {
  return requires { requires Fold::asks_ahead; };
}

/// Whether a fold has add_ahead() and settle().
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr bool takes_groups_ahead() {
  return requires { requires Fold::takes_groups_ahead; };
}

/// Groups from pack i on, on a device: the next one is on its way while a fold adds one. Returns the pack after them.
template <class Fold, class T, class Position, class Spill>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t fold_groups_ahead(const Fold& fold, const ContiguousRange<T, Position>& range,
                                                           std::int64_t i, const ThreadShare& share,
                                                           typename Fold::thread_type& thread, Spill& spill,
                                                           const Status& status) {
  constexpr int width = packed_length<T>;
  constexpr int loads = Fold::lanes / width;
  using Wide = wide_t<T>;
  const std::int64_t head = misaligned_head(range.data, range.size);
  const auto* packs = reinterpret_cast<const Packed<T>*>(range.data + head);
  const std::int64_t pack_count = (range.size - head) / width, before = range.first + head;
  const auto load = [&](std::int64_t pack, Packed<T>(&loaded)[loads]) {
    TESSERA_UNROLL
    for (int l = 0; l < loads; ++l) loaded[l] = load_words(packs + pack + l * share.side);
  };
  const auto index_of = [&](std::int64_t first) {
    return GroupIndex<Position>{range.position, first, share.side * width, width};
  };
  const auto widen = [&](const Packed<T>(&loaded)[loads], Wide(&group)[Fold::lanes]) {
    TESSERA_UNROLL
    for (int k = 0; k < Fold::lanes; ++k) group[k] = widened(loaded[k / width].values[k % width]);
  };
  const std::int64_t last = pack_count - (loads - 1) * share.side;  // of a whole group, the first pack is before
  if (i >= last) return i;
  Packed<T> next[loads];
  load(i, next);
  bool more = true;
  while (more) {
    Wide group[Fold::lanes];
    widen(next, group);
    const std::int64_t first = before + i * width;
    i += loads * share.threads();
    more = i < last;
    if (more) load(i, next);
    fold.add_ahead(thread, spill, group, index_of(first), status);
  }
  fold.settle(
      thread, spill,
      [&](std::int64_t first, Wide(&group)[Fold::lanes]) {
        load((first - before) / width, next);
        widen(next, group);
        return index_of(first);
      },
      status);
  return i;
}

/// Elements that a fold takes at once on a device: device_lanes, where it has them.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr int device_group() {
  if constexpr (requires { Fold::device_lanes; }) {
    return Fold::device_lanes;
  } else {
    return Fold::lanes;
  }
}

/// Elements of a thread's group, where this is compiled for.
template <class Fold>
KOKKOS_INLINE_FUNCTION constexpr int thread_group_lanes() {
  KOKKOS_IF_ON_DEVICE((return device_group<Fold>();))
  KOKKOS_IF_ON_HOST((return Fold::lanes;))
}

/// A thread's share: 16-byte packs interleaved between threads, several loads in flight.
template <class Fold, class T, class Position, class Spill>
TESSERA_INLINE_ON_DEVICE void thread_fold(const Fold& fold, const ContiguousRange<T, Position>& range,
                                          const ThreadShare& share, typename Fold::thread_type& thread, Spill& spill,
                                          const Status& status) {
  constexpr int width = packed_length<T>;
  constexpr int lanes = thread_group_lanes<Fold>();
  constexpr int loads = lanes / width;
  static_assert(loads > 0);
  const std::int64_t head = misaligned_head(range.data, range.size);

  // A copy of its own stays in registers, as no call sees its address.
  typename Fold::thread_type local = thread;
  std::int64_t i = share.first(loads);  // of packs
  KOKKOS_IF_ON_HOST((if constexpr (wide_host_group<Fold>() > Fold::lanes) {
    constexpr int group = wide_host_group<Fold>();
    if (share.threads() == 1) {
      for (std::int64_t at = head + i * width; at + group <= range.size; at += group, i += group / width) {
        if constexpr (group * sizeof(T) >= host_page_bytes / 2 && !asks_ahead<Fold>()) {
          prefetch_page_ahead<group, 3>(range.data + at);
        }
        fold.add(local, spill, *reinterpret_cast<const T(*)[group]>(range.data + at),
                 GroupIndex<Position>{range.position, range.first + at, 0, group}, status);
      }
    }
  }))
  if constexpr (GroupIndex<Position>::ascending && takes_groups_ahead<Fold>()) {
    KOKKOS_IF_ON_DEVICE((i = fold_groups_ahead(fold, range, i, share, local, spill, status);))
  }
  // In elements: the loop has one number in registers then, as the size is an argument of the kernel.
  const std::int64_t side = share.side, step = loads * share.threads() * width;
  std::int64_t at = head + i * width;
  for (; at + ((loads - 1) * side + 1) * width <= range.size; at += step) {
    const auto* packs = reinterpret_cast<const Packed<T>*>(range.data + at);
    T group[lanes];
    Packed<T> loaded[loads];
    if constexpr (lanes > Fold::lanes) {
      TESSERA_UNROLL
      for (int load = 0; load < loads; ++load) loaded[load] = load_words(packs + load * side);
      std::memcpy(group, loaded, sizeof(group));
    } else {
      TESSERA_UNROLL
      for (int load = 0; load < loads; ++load) loaded[load] = packs[load * side];
      TESSERA_UNROLL
      for (int k = 0; k < lanes; ++k) group[k] = loaded[k / width].values[k % width];
    }
    fold.add(local, spill, group, GroupIndex<Position>{range.position, range.first + at, side * width, width}, status);
  }
  thread = local;
  fold_remainder(fold, range, (at - head) / width, share, thread, spill, status);
}

/// Elements apart in memory: one at a time, neighbours to neighbouring threads.
template <class Fold, class T, int Rank, class Position, class Spill>
TESSERA_INLINE_ON_DEVICE void thread_fold(const Fold& fold, const StridedRange<T, Rank, Position>& range,
                                          const ThreadShare& share, typename Fold::thread_type& thread, Spill& spill,
                                          const Status& status) {
  constexpr int lanes = Fold::lanes < 4 ? Fold::lanes : 4;
  const std::int64_t threads = share.threads();
  std::int64_t i = share.rank();
  for (; i + (lanes - 1) * threads < range.size; i += lanes * threads) {
    T group[lanes];
    TESSERA_UNROLL
    for (int k = 0; k < lanes; ++k) group[k] = range[i + k * threads];
    fold.add(thread, spill, group, GroupIndex<Position>{range.position, range.first + i, threads, 1}, status);
  }
  for (; i < range.size; i += threads) {
    const T one[1] = {range[i]};
    fold.add(thread, spill, one, GroupIndex<Position>{range.position, range.first + i, 0, 1}, status);
  }
}

}  // namespace tessera::detail

#endif
