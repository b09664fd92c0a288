// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NaN policy error: a look at every element before the filter runs.
#ifndef TESSERA_FILTER_DETAIL_FIND_NAN_HPP
#define TESSERA_FILTER_DETAIL_FIND_NAN_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/status.hpp>

namespace tessera::detail {

/// Raises the row-major position of each NaN, of which the lowest stays.
template <class T, int Rank>
struct FindNan {
  const T* data;
  std::int64_t extent[Rank], stride[Rank];
  Status status;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t left = index, offset = 0;
    for (int d = Rank - 1; d >= 0; --d) {
      const QuotientRemainder split = divide(left, extent[d]);
      offset += split.remainder * stride[d];
      left = split.quotient;
    }
    if (data[offset] != data[offset]) status.raise(StatusKind::nan_filtered, static_cast<std::uint64_t>(index));
  }
};

template <ExecutionSpace Space, View InView>
void launch_find_nan(const Space& space, const InView& in, std::uint64_t* status_word) {
  constexpr int rank = static_cast<int>(InView::rank());
  FindNan<typename InView::non_const_value_type, rank> functor{in.data(), {}, {}, Status(status_word)};
  for (int d = 0; d < rank; ++d) {
    functor.extent[d] = static_cast<std::int64_t>(in.extent(d));
    functor.stride[d] = static_cast<std::int64_t>(in.stride(d));
  }
  const Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>> policy(space, 0,
                                                                           static_cast<std::int64_t>(in.size()));
  Kokkos::parallel_for("tessera::filter::find_nan", policy, functor);
}

}  // namespace tessera::detail

#endif
