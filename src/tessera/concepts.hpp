// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of template arguments that public functions take.
#ifndef TESSERA_CONCEPTS_HPP
#define TESSERA_CONCEPTS_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <type_traits>

namespace tessera {

template <class T>
concept ExecutionSpace = Kokkos::is_execution_space_v<T>;

template <class T>
concept View = Kokkos::is_view_v<T>;

/// A team of a TeamPolicy, or what stands for a part of one (detail/thread_group.hpp).
template <class T>
concept TeamMember = Kokkos::is_team_handle_v<T> || requires {
  typename T::is_thread_group;
};

/// A view whose elements a kernel on the space may read or write.
template <class V, class Space>
concept AccessibleFrom = View<V> && bool(Kokkos::SpaceAccessibility<Space, typename V::memory_space>::accessible);

/// How elements become one value. All members are callable in kernels on a const object.
///
/// Required: `value_type` (accumulator: trivially copyable, with a default constructor, aligned to 16 bytes at most),
/// `identity()` (neutral in join) and `join(value_type& into, const value_type& from)`, associative and commutative up
/// to rounding.
/// Optional, looked up by the kernels:
/// - `map(element) -> value_type`, or `map(element, index)` with the row-major position; without it the element
///   converts to value_type;
/// - `finalize(value_type) -> result`, or `finalize(value_type, Status)` for results that only the data can spoil, or
///   `finalize(value_type, int64 count)` with the number of elements that were not left out;
/// - `chain_type` with `chain_identity()`, `chain(chain_type&, element)` and `unchain(chain_type) -> value_type`: a
///   cheaper accumulator for value types that are dear to join;
/// - `chain_length`: elements a chain takes before it is joined with others, pairwise (256, or any number where it is
///   `order_free` and has no chain_type);
/// - `needs_elements = true` where an empty input has no result, `elements_min()` where one is not enough;
/// - `takes_nan = true` where NaN elements are like others under any policy;
/// - `name()` for messages and records;
/// - `all_variants = true`: kernels of every ReduceVariant are compiled, not those of automatic and single_pass alone;
/// - `atomic_join(value_type& into, const value_type& from)` for variant grid_stride, where a value has not the 4 or 8
///   bytes that can be compared and swapped, or the device has a better way;
/// - `order_free = true` where join gives the same bits in any order.
template <class R>
concept ValueReducer = std::is_trivially_copyable_v<typename R::value_type> &&
                           std::is_default_constructible_v<typename R::value_type> &&
                           alignof(typename R::value_type) <= 16 &&
                       requires(const R& reducer, typename R::value_type& into, const typename R::value_type& from) {
  { reducer.identity() } -> std::convertible_to<typename R::value_type>;
  reducer.join(into, from);
};

/// A ValueReducer, or a built-in one that brings the way it is driven (reduce/detail/fold_context.hpp).
template <class R>
concept Reducer = ValueReducer<R> || requires {
  typename R::fold_type;
  typename R::result_type;
};

}  // namespace tessera

#endif
