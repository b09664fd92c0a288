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

template <class T>
concept TeamMember = Kokkos::is_team_handle_v<T>;

/// A view whose elements a kernel on the space may read or write.
template <class V, class Space>
concept AccessibleFrom = View<V> && bool(Kokkos::SpaceAccessibility<Space, typename V::memory_space>::accessible);

/// How elements become one value. All members are callable in kernels on a const object.
///
/// Required: `value_type` (trivially copyable accumulator), `identity()` (neutral in join) and
/// `join(value_type& into, const value_type& from)`, associative and commutative up to rounding.
/// Optional, looked up by the kernels:
/// - `map(element) -> value_type`; without it the element converts to value_type;
/// - `finalize(value_type) -> result`, or `finalize(value_type, Status&)` for results that only the data can spoil;
/// - `chain_type` with `chain_identity()`, `chain(chain_type&, element)` and `unchain(chain_type) -> value_type`: a
///   cheaper accumulator for at most detail::chain_length elements, for value types that are dear to join;
/// - `needs_elements = true` where an empty input has no result, and `name()` for messages and records.
template <class R>
concept Reducer = std::is_trivially_copyable_v<typename R::value_type> &&
    requires(const R& reducer, typename R::value_type& into, const typename R::value_type& from) {
  { reducer.identity() } -> std::convertible_to<typename R::value_type>;
  reducer.join(into, from);
};

}  // namespace tessera

#endif
