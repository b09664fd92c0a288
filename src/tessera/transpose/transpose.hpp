// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: tiled transposes.
//
// G. Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA" (2009).
#ifndef TESSERA_TRANSPOSE_TRANSPOSE_HPP
#define TESSERA_TRANSPOSE_TRANSPOSE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/transpose/detail/carrier.hpp>
#include <tessera/transpose/detail/transpose_padded.hpp>
#include <tessera/transpose/transpose_options.hpp>
#include <tessera/transpose/transpose_plan.hpp>
#include <utility>

namespace tessera {

namespace detail {

/// The same request with its elements as carriers, and the index that is fast in the input as its column.
template <class C, View InView, View OutView>
TransposeRequest<C> transpose_request(const InView& in, const OutView& out) {
  TransposeRequest<C> request{{reinterpret_cast<const C*>(in.data()), static_cast<std::int64_t>(in.stride(0)),
                               static_cast<std::int64_t>(in.stride(1))},
                              {reinterpret_cast<C*>(out.data()), static_cast<std::int64_t>(out.stride(0)),
                               static_cast<std::int64_t>(out.stride(1))},
                              static_cast<std::int64_t>(in.extent(0)),
                              static_cast<std::int64_t>(in.extent(1))};
  if (request.in.row_stride < request.in.column_stride) {
    std::swap(request.in.row_stride, request.in.column_stride);
    std::swap(request.out.row_stride, request.out.column_stride);
    std::swap(request.rows, request.columns);
  }
  return request;
}

}  // namespace detail

/// Transposes a matrix: out(j, i) = in(i, j). Asynchronous on the instance, one kernel, no allocation, no fence.
///
/// \param[in] space    the instance that runs it
/// \param[in] in       n0 x n1, any extents (64-bit sizes, 0 included), any layout and alignment
/// \param[out] out     n1 x n0, the same element type, memory disjoint from in (address ranges decide)
/// \param[in] options  variant, sizes of league and team
///
/// Elements are any trivially copyable type of 1 to 16 bytes and move as bytes. Deterministic. Scratch: a tile of
/// 64 x 33 elements a team (32 x 33 on a host from 9 bytes up). Compulsory bytes: 2 n0 n1 sizeof(element).
/// \throws InvalidArgument  for extents that do not match, overlapping views, sizes of league or team that the space
///                          cannot have
/// \throws ResourceError    where the tile exceeds the scratch that a team can have
template <ExecutionSpace Space, View InView, View OutView>
void transpose(const Space& space, const InView& in, const OutView& out, const TransposeOptions& options = {}) {
  static_assert(AccessibleFrom<InView, Space>, "tessera::transpose: `in` must be in memory that the space can access");
  static_assert(AccessibleFrom<OutView, Space>,
                "tessera::transpose: `out` must be in memory that the space can access");
  static_assert(InView::rank() == 2 && OutView::rank() == 2, "tessera::transpose: both views must have rank 2");
  using T = typename OutView::value_type;
  static_assert(std::is_same_v<typename InView::non_const_value_type, T>,
                "tessera::transpose: both views must have the same element type");
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16,
                "tessera::transpose: the element type must be trivially copyable and of 1 to 16 bytes");
  const Kokkos::Profiling::ScopedRegion region("tessera::transpose");

  detail::require_argument(in.extent(0) == out.extent(1) && in.extent(1) == out.extent(0), "tessera::transpose", "out",
                           "extents " + detail::extents_text(out),
                           "those of `in` reversed, " + detail::extents_text(in) + " turned", "make `out` n1 x n0");
  detail::require_disjoint("tessera::transpose", in, out);
  const detail::DeviceLimits limits = detail::device_limits(space);

  const auto launch = [&](auto carrier) {
    const auto request = detail::transpose_request<decltype(carrier)>(in, out);
    const TransposePlan plan =
        detail::make_transpose_plan(limits, request.rows, request.columns, sizeof(carrier), options);
    detail::require_scratch("tessera::transpose", plan.scratch_bytes, limits);
    if (request.rows == 0 || request.columns == 0) return;
    detail::launch_padded(space, plan, request, options.team_size);
  };
  constexpr std::size_t size = sizeof(T);
  if constexpr (detail::is_access_size(size) && alignof(T) < size) {
    const auto addresses = reinterpret_cast<std::uintptr_t>(in.data()) | reinterpret_cast<std::uintptr_t>(out.data());
    if (addresses % size == 0) {
      launch(detail::carrier_of<size, size>{});
      return;
    }
  }
  launch(detail::carrier_of<size, alignof(T)>{});
}

}  // namespace tessera

#endif
