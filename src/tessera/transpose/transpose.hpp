// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: tiled transposes.
//
// G. Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA" (2009).
#ifndef TESSERA_TRANSPOSE_TRANSPOSE_HPP
#define TESSERA_TRANSPOSE_TRANSPOSE_HPP

#include <array>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/transpose/permute.hpp>
#include <tessera/transpose/transpose_options.hpp>
#include <tessera/transpose/transpose_plan.hpp>

namespace tessera {

namespace detail {

template <View InView>
constexpr std::array<int, InView::rank()> turned_axes() {
  static_assert(InView::rank() == 2 || InView::rank() == 3,
                "tessera::transpose: views must have rank 2, or 3 for many matrices; permute takes others");
  if constexpr (InView::rank() == 2) {
    return {1, 0};
  } else if constexpr (InView::rank() == 3) {
    return {0, 2, 1};
  } else {
    return {};
  }
}

}  // namespace detail

/// Transposes a matrix, out(j, i) = in(i, j), or the matrices of a rank-3 view, out(b, j, i) = in(b, i, j).
/// Asynchronous on the instance, one kernel, no allocation on the device, no fence.
///
/// \param[in] space    the instance that runs it
/// \param[in] in       n0 x n1, or batch x n0 x n1: any extents (64-bit sizes, 0 included), any layout, strides
/// (leading
///                     dimensions) and alignment
/// \param[out] out     n1 x n0, or batch x n1 x n0, no zero strides, no element shared with in
/// \param[in] options  variant, sizes of league and team
///
/// Types, determinism, scratch and errors as permute() with axes (1, 0) or (0, 2, 1). Compulsory bytes: n0 n1
/// (sizeof of an element of in + of out), times the batch.
template <ExecutionSpace Space, View InView, View OutView>
void transpose(const Space& space, const InView& in, const OutView& out, const TransposeOptions& options = {}) {
  detail::permute_elements("tessera::transpose", space, in, out, detail::turned_axes<InView>(), options);
}

/// transpose() with out(j, i) = function(in(i, j)).
template <ExecutionSpace Space, View InView, View OutView, ElementFunction<InView, OutView> Function>
void transpose(const Space& space, const InView& in, const OutView& out, const Function& function,
               const TransposeOptions& options = {}) {
  detail::permute_through("tessera::transpose", space, in, out, detail::turned_axes<InView>(), function, options);
}

/// The plan that transpose() will follow for n0 x n1 elements of T, row after row on boundaries of 64 bytes on both
/// sides. Pure: it launches and allocates nothing.
/// \throws InvalidArgument for sizes of league or team that cannot be.
template <class T, ExecutionSpace Space>
TransposePlan transpose_plan(const Space& space, std::uint64_t n0, std::uint64_t n1,
                             const TransposeOptions& options = {}) {
  const auto rows = static_cast<std::int64_t>(n0), columns = static_cast<std::int64_t>(n1);
  detail::PermuteShape shape{.unit_bytes = sizeof(T)};
  shape.append({columns, 1, rows});
  shape.append({rows, columns, 1});
  return detail::plan_transpose_of_bytes("tessera::transpose", detail::device_limits(space), nullptr, nullptr, shape,
                                         options);
}

}  // namespace tessera

#endif
