// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a reducer of the concept in concepts.hpp may have beside what it must, and what stands in for it where it has
// not: its map, chains, finalize and atomic join.
#ifndef TESSERA_REDUCE_DETAIL_REDUCER_CHAIN_HPP
#define TESSERA_REDUCE_DETAIL_REDUCER_CHAIN_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/relaxed.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// Whether join gives the same bits in any order.
template <class R>
KOKKOS_INLINE_FUNCTION constexpr bool is_order_free() {
  return requires { requires R::order_free; };
}

/// Elements an accumulator takes before it is joined pairwise, where the reducer names no other number. The semantics
/// allow 512; the remainders need some of it. Values that no order matters to take any number.
template <class R>
KOKKOS_INLINE_FUNCTION constexpr std::int64_t chain_length() {
  if constexpr (requires { R::chain_length; }) {
    return R::chain_length;
  } else if constexpr (is_order_free<R>() && !requires { typename R::chain_type; }) {
    return std::int64_t{1} << 62;
  } else {
    return 256;
  }
}

/// How many elements the reducer needs.
template <class R>
KOKKOS_FUNCTION std::int64_t elements_min(const R& reducer) {
  if constexpr (requires { reducer.elements_min(); }) {
    return reducer.elements_min();
  } else if constexpr (requires { R::needs_elements; }) {
    return R::needs_elements ? 1 : 0;
  } else {
    return 0;
  }
}

template <class R, class T>
KOKKOS_FUNCTION typename R::value_type map_element(const R& reducer, const T& element, std::int64_t index) {
  if constexpr (requires { reducer.map(element, index); }) {
    return reducer.map(element, index);
  } else if constexpr (requires { reducer.map(element); }) {
    return reducer.map(element);
  } else {
    // static_cast would take an element for the first member of an aggregate.
    static_assert(std::is_convertible_v<T, typename R::value_type> || !std::is_aggregate_v<typename R::value_type>,
                  "tessera: the reducer needs map(element)");
    return static_cast<typename R::value_type>(element);
  }
}

/// The accumulator of a chain: the reducer's own chain_type, or a value_type joined element by element.
template <class R>
struct Chain {
  using type = typename R::value_type;
  KOKKOS_FORCEINLINE_FUNCTION static type identity(const R& reducer) { return reducer.identity(); }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const R& reducer, type& into, const T& element, std::int64_t index) {
    reducer.join(into, map_element(reducer, element, index));
  }
  KOKKOS_FORCEINLINE_FUNCTION static typename R::value_type close(const R&, const type& chain) { return chain; }
};

template <class R>
requires requires { typename R::chain_type; }
struct Chain<R> {
  using type = typename R::chain_type;
  KOKKOS_FORCEINLINE_FUNCTION static type identity(const R& reducer) { return reducer.chain_identity(); }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const R& reducer, type& into, const T& element, std::int64_t) {
    reducer.chain(into, element);
  }
  KOKKOS_FORCEINLINE_FUNCTION static typename R::value_type close(const R& reducer, const type& chain) {
    return reducer.unchain(chain);
  }
};

/// Whether the reducer has chain_host(chains, elements, groups): what chain() makes of groups x Lanes neighbours, each
/// in the chain of its lane, or by reducers that join lanes, in any.
template <class R, class T, int Lanes>
KOKKOS_INLINE_FUNCTION constexpr bool chains_on_host() {
  if constexpr (std::is_same_v<T, bool>) {  // there are no vectors of them
    return false;
  } else {
    return requires(const R& reducer, typename Chain<R>::type(&chains)[Lanes], const T* elements) {
      reducer.chain_host(chains, elements, 1);
    };
  }
}

/// Whether it has stand_in(element) too: one that changes nothing where that element is taken as well, in place of
/// those that are left out.
template <class R, class T>
KOKKOS_INLINE_FUNCTION constexpr bool replaces_nan() {
  return has_host_vectors && std::is_floating_point_v<T> && requires(const R& reducer, const T& element) {
    reducer.stand_in(element);
  };
}

/// Whether elements of different lanes stay in chains of their own.
template <class R>
constexpr bool keeps_lanes() {
  return !requires { requires R::joins_lanes; };
}

/// Groups that it takes at a time: what begins and ends them costs what a few groups do.
inline constexpr int host_groups = 32;

/// Whether the reducer, which no order matters to, has chain_word(chain, elements): chain() of each of those in a word
/// of 32 bits.
template <class R, class T, int N>
KOKKOS_INLINE_FUNCTION constexpr bool chains_words() {
  return N * sizeof(T) % packed_bytes == 0 &&
         requires(const R& reducer, typename Chain<R>::type& chain, const T* elements) {
    reducer.chain_word(chain, elements);
  };
}

/// Whether it has chain_group(chain, elements): chain() of each of N.
template <class R, class T, int N>
KOKKOS_INLINE_FUNCTION constexpr bool chains_groups() {
  return requires(const R& reducer, typename Chain<R>::type& chain, const T(&elements)[N]) {
    reducer.chain_group(chain, elements);
  };
}

/// finalize's result, or the value itself. count: of the elements that were not left out.
template <class R>
KOKKOS_FUNCTION auto finalized(const R& reducer, const typename R::value_type& value, std::int64_t count,
                               const Status& status) {
  if constexpr (requires { reducer.finalize(value, count); }) {
    return reducer.finalize(value, count);
  } else if constexpr (requires { reducer.finalize(value, status); }) {
    return reducer.finalize(value, status);
  } else if constexpr (requires { reducer.finalize(value); }) {
    return reducer.finalize(value);
  } else {
    return value;
  }
}

/// Whether NaN elements are ordinary ones to the reducer, under any policy.
template <class R>
KOKKOS_INLINE_FUNCTION constexpr bool takes_nan() {
  return requires { requires R::takes_nan; };
}

/// Whether a value in memory can be joined by several teams at once.
template <class R>
KOKKOS_INLINE_FUNCTION constexpr bool joins_atomically() {
  using Value = typename R::value_type;
  return sizeof(Value) == 4 || sizeof(Value) == 8 || requires(const R& reducer, Value& into, const Value& from) {
    reducer.atomic_join(into, from);
  };
}

/// Joins while other teams do: the reducer's own way, or compare and swap. Bits are compared, as a NaN equals nothing.
template <class R>
requires(joins_atomically<R>()) KOKKOS_FUNCTION
    void atomic_joined(const R& reducer, typename R::value_type& into, const typename R::value_type& from) {
  using Value = typename R::value_type;
  if constexpr (requires { reducer.atomic_join(into, from); }) {
    reducer.atomic_join(into, from);
  } else {
    using Bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
    Bits* word = reinterpret_cast<Bits*>(&into);
    for (Bits expected = load_relaxed(word);;) {
      auto joined = Kokkos::bit_cast<Value>(expected);
      reducer.join(joined, from);
      const Bits found = Kokkos::atomic_compare_exchange(word, expected, Kokkos::bit_cast<Bits>(joined));
      if (found == expected) return;
      expected = found;
    }
  }
}

}  // namespace tessera::detail

#endif
