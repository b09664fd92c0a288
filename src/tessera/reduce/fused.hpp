// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several reducers in one read.
#ifndef TESSERA_REDUCE_FUSED_HPP
#define TESSERA_REDUCE_FUSED_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/reduce/detail/fused_fold.hpp>
#include <tessera/reduce/detail/value_fold.hpp>
#include <tessera/reduce/team_reduce.hpp>

namespace tessera {

/// The results of fused reducers, in their order: get<I>(results).
template <class First, class Rest>
struct FusedResult {
  First first;
  Rest rest;
};

/// Two reducers of elements of T as one; Rest may be fused itself. Each keeps its own rules for NaN and emptiness.
/// Make it with fuse.
template <class T, Reducer First, Reducer Rest>
struct Fused {
  using element_type = T;
  using fold_type = detail::FusedFold<detail::fold_t<First, T>, detail::fold_t<Rest, T>>;
  using result_type = FusedResult<reduce_result_t<First>, reduce_result_t<Rest>>;
  static constexpr std::string_view name() { return "fused"; }

  First first;
  Rest rest;

  KOKKOS_FUNCTION std::int64_t elements_min() const {
    return Kokkos::max(detail::elements_min(first), detail::elements_min(rest));
  }
};

/// Reducers of elements of T as one: reduce(space, in, fuse<float>(Sum<float>{}, Min<float>{})) reads once.
template <class T, Reducer Last>
Last fuse(const Last& last) {
  return last;
}
template <class T, Reducer First, Reducer... Others>
auto fuse(const First& first, const Others&... others) requires(sizeof...(Others) > 0) {
  const auto rest = fuse<T>(others...);
  return Fused<T, First, std::decay_t<decltype(rest)>>{first, rest};
}

namespace detail {

template <class Result>
inline constexpr bool is_fused_result = false;
template <class First, class Rest>
inline constexpr bool is_fused_result<FusedResult<First, Rest>> = true;

}  // namespace detail

/// Result I of fused reducers.
template <std::size_t I, class First, class Rest>
KOKKOS_FUNCTION const auto& get(const FusedResult<First, Rest>& results) {
  if constexpr (I == 0) {
    return results.first;
  } else if constexpr (detail::is_fused_result<Rest>) {
    return get<I - 1>(results.rest);
  } else {
    static_assert(I == 1, "tessera::get: there are fewer results");
    return results.rest;
  }
}

}  // namespace tessera

#endif
