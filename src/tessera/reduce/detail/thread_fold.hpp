// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one thread of a team does: fold its share of a range, in chains short enough for the error bound.
#ifndef TESSERA_REDUCE_DETAIL_THREAD_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_THREAD_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/element_range.hpp>

namespace tessera::detail {

/// Elements an accumulator takes before it is joined pairwise. semantics allow 512; the remainders need some of it.
inline constexpr int chain_length = 256;

template <class R, class T>
KOKKOS_FUNCTION typename R::value_type map_element(const R& reducer, const T& element) {
  if constexpr (requires { reducer.map(element); }) {
    return reducer.map(element);
  } else {
    return static_cast<typename R::value_type>(element);
  }
}

/// The accumulator of a chain: the reducer's own chain_type, or a value_type joined element by element.
template <class R>
struct Chain {
  using type = typename R::value_type;
  KOKKOS_FUNCTION static type identity(const R& reducer) { return reducer.identity(); }
  template <class T>
  KOKKOS_FUNCTION static void add(const R& reducer, type& into, const T& element) {
    reducer.join(into, map_element(reducer, element));
  }
  KOKKOS_FUNCTION static typename R::value_type close(const R&, const type& chain) { return chain; }
};

template <class R>
requires requires { typename R::chain_type; }
struct Chain<R> {
  using type = typename R::chain_type;
  KOKKOS_FUNCTION static type identity(const R& reducer) { return reducer.chain_identity(); }
  template <class T>
  KOKKOS_FUNCTION static void add(const R& reducer, type& into, const T& element) {
    reducer.chain(into, element);
  }
  KOKKOS_FUNCTION static typename R::value_type close(const R& reducer, const type& chain) {
    return reducer.unchain(chain);
  }
};

/// Joins values as they come in a balanced tree (a binary counter), so that the depth is log2 of their number.
template <class R>
class PairwiseFold {
 public:
  using value_type = typename R::value_type;

  KOKKOS_FUNCTION void push(const R& reducer, value_type value) {
    int level = 0;
    for (std::uint64_t bits = m_count; (bits & 1) != 0; bits >>= 1, ++level) {
      value_type joined = m_levels[level];
      reducer.join(joined, value);
      value = joined;
    }
    m_levels[level] = value;
    ++m_count;
  }

  KOKKOS_FUNCTION value_type total(const R& reducer) const {
    value_type result = reducer.identity();
    for (int level = 0; (m_count >> level) != 0; ++level) {
      if ((m_count >> level & 1) == 0) continue;
      value_type joined = m_levels[level];
      reducer.join(joined, result);
      result = joined;
    }
    return result;
  }

 private:
  value_type m_levels[40];  // 2^40 chains
  std::uint64_t m_count = 0;
};

/// Joins values[0 .. N-1] pairwise.
template <int N, class R>
KOKKOS_FUNCTION typename R::value_type join_lanes(const R& reducer, const typename Chain<R>::type (&chains)[N]) {
  typename R::value_type values[N];
  TESSERA_UNROLL
  for (int lane = 0; lane < N; ++lane) values[lane] = Chain<R>::close(reducer, chains[lane]);
  TESSERA_UNROLL
  for (int half = N / 2; half > 0; half /= 2) {
    TESSERA_UNROLL
    for (int lane = 0; lane < half; ++lane) reducer.join(values[lane], values[lane + half]);
  }
  return values[0];
}

/// The packs after the last full set of loads: fewer than a set.
template <class R, class T, int Lanes>
KOKKOS_FUNCTION void add_rest(const R& reducer, const Packed<T>* packs, std::int64_t& i, std::int64_t step,
                              std::int64_t pack_count, typename Chain<R>::type (&chains)[Lanes]) {
  for (; i < pack_count; i += step) {
    const Packed<T> loaded = packs[i];
    TESSERA_UNROLL
    for (int k = 0; k < packed_length<T>; ++k) Chain<R>::add(reducer, chains[k], loaded.values[k]);
  }
}

/// The share of thread rank of team_size: 16-byte packs interleaved between threads, Loads of them in flight.
template <int Loads, class R, class T>
KOKKOS_FUNCTION typename R::value_type thread_fold(const ContiguousRange<T>& range, int rank, int team_size,
                                                   const R& reducer) {
  constexpr int width = packed_length<T>;
  constexpr int lanes = Loads * width;
  const std::int64_t head = misaligned_head(range.data, range.size);
  const auto* packs = reinterpret_cast<const Packed<T>*>(range.data + head);
  const std::int64_t pack_count = (range.size - head) / width;
  const std::int64_t step = team_size;

  std::int64_t i = rank;
  // One chain a lane, from pack i on. Nothing but the last chain of a thread may end early.
  const auto fold_chain = [&](typename Chain<R>::type(&chains)[lanes]) {
    for (int length = 0; length < chain_length && i + (Loads - 1) * step < pack_count; ++length, i += Loads * step) {
      Packed<T> loaded[Loads];
      TESSERA_UNROLL
      for (int load = 0; load < Loads; ++load) loaded[load] = packs[i + load * step];
      TESSERA_UNROLL
      for (int load = 0; load < Loads; ++load) {
        TESSERA_UNROLL
        for (int k = 0; k < width; ++k) Chain<R>::add(reducer, chains[load * width + k], loaded[load].values[k]);
      }
    }
  };

  typename Chain<R>::type chains[lanes];
  TESSERA_UNROLL
  for (int lane = 0; lane < lanes; ++lane) chains[lane] = Chain<R>::identity(reducer);
  for (std::int64_t e = rank; e < head; e += step) Chain<R>::add(reducer, chains[0], range.data[e]);
  for (std::int64_t e = head + pack_count * width + rank; e < range.size; e += step) {
    Chain<R>::add(reducer, chains[lanes - 1], range.data[e]);
  }
  fold_chain(chains);
  const bool single_chain = i + (Loads - 1) * step >= pack_count;
  if (single_chain) {
    add_rest(reducer, packs, i, step, pack_count, chains);
    return join_lanes<lanes>(reducer, chains);
  }
  // Rare on a GPU, whose threads are many: the counter lives in slow memory.
  PairwiseFold<R> chains_done;
  for (;;) {
    chains_done.push(reducer, join_lanes<lanes>(reducer, chains));
    if (i >= pack_count) return chains_done.total(reducer);
    TESSERA_UNROLL
    for (int lane = 0; lane < lanes; ++lane) chains[lane] = Chain<R>::identity(reducer);
    fold_chain(chains);
    if (i + (Loads - 1) * step >= pack_count) add_rest(reducer, packs, i, step, pack_count, chains);
  }
}

/// Elements apart in memory: one at a time, neighbours to neighbouring threads.
template <int Loads, class R, class T, int Rank>
KOKKOS_FUNCTION typename R::value_type thread_fold(const StridedRange<T, Rank>& range, int rank, int team_size,
                                                   const R& reducer) {
  std::int64_t i = rank;
  const auto fold_chain = [&] {
    auto chain = Chain<R>::identity(reducer);
    for (int length = 0; length < chain_length && i < range.size; ++length, i += team_size) {
      Chain<R>::add(reducer, chain, range[i]);
    }
    return Chain<R>::close(reducer, chain);
  };
  const auto first = fold_chain();
  if (i >= range.size) return first;
  PairwiseFold<R> chains_done;
  chains_done.push(reducer, first);
  while (i < range.size) chains_done.push(reducer, fold_chain());
  return chains_done.total(reducer);
}

}  // namespace tessera::detail

#endif
