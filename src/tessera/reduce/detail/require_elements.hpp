// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether there is enough to reduce, known before the launch.
#ifndef TESSERA_REDUCE_DETAIL_REQUIRE_ELEMENTS_HPP
#define TESSERA_REDUCE_DETAIL_REQUIRE_ELEMENTS_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/reduce/detail/value_fold.hpp>

namespace tessera::detail {

template <class R>
concept FusedReducer = requires(const R& reducer) {
  typename R::fold_type;
  reducer.first;
  reducer.rest;
};

/// \throws InvalidArgument
template <class R>
void require_ddof(std::string_view function, const R& reducer) {
  if constexpr (FusedReducer<R>) {
    require_ddof(function, reducer.first);
    require_ddof(function, reducer.rest);
  } else if constexpr (requires { reducer.ddof; }) {
    TESSERA_REQUIRE_ARGUMENT(reducer.ddof >= 0, function, "reducer", "ddof " + std::to_string(reducer.ddof),
                             "0 or more", "leave it out for the variance of all elements");
  }
}

/// count: elements of one result. Of fused reducers each is asked, so that messages name it. \throws InvalidArgument
template <View InView, class R>
void require_elements(std::string_view function, const InView& in, std::uint64_t count, const R& reducer) {
  require_ddof(function, reducer);
  if constexpr (FusedReducer<R>) {
    require_elements(function, in, count, reducer.first);
    require_elements(function, in, count, reducer.rest);
    return;
  }
  const std::int64_t least = elements_min(reducer);
  if (static_cast<std::int64_t>(count) >= least) return;
  if constexpr (requires { R::name(); }) {
    TESSERA_REQUIRE_ARGUMENT(false, function, "in",
                             extents_text(in) + " has " + (count == 0 ? std::string("no") : std::to_string(count)) +
                                 (count == 1 ? " element" : " elements"),
                             "at least " +
                                 (least == 1 ? std::string("one element") : std::to_string(least) + " elements") +
                                 " for " + std::string(R::name()),
                             least == 1 ? "test for emptiness before" : "give more elements, or a smaller ddof");
  } else {
    TESSERA_REQUIRE_ARGUMENT(false, function, "in", extents_text(in) + " has too few elements",
                             "what the reducer needs", "test for emptiness before");
  }
}

}  // namespace tessera::detail

#endif
