// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: permutations of arrays whose rank and element size are known at run time, as files have them.
#ifndef TESSERA_TRANSPOSE_PERMUTE_ARRAY_HPP
#define TESSERA_TRANSPOSE_PERMUTE_ARRAY_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/transpose/detail/run_transpose.hpp>
#include <tessera/transpose/permute.hpp>
#include <tessera/transpose/transpose_options.hpp>
#include <tessera/transpose/transpose_plan.hpp>
#include <vector>

namespace tessera {

/// A row-major array of elements that move as bytes.
struct ArrayShape {
  std::span<const std::int64_t> extents;  ///< at most 32, each 0 or more
  std::size_t element_bytes = 1;          ///< of any size from 1
};

namespace detail {

inline PermuteShape array_shape(std::string_view function, const ArrayShape& array, std::span<const int> axes) {
  const std::size_t rank = array.extents.size();
  TESSERA_REQUIRE_ARGUMENT(rank < permute_rank_max, function, "array", "rank " + std::to_string(rank), "at most 32",
                           "merge axes that stay neighbours");
  TESSERA_REQUIRE_ARGUMENT(array.element_bytes > 0, function, "array", "elements of 0 bytes", "at least 1",
                           "elements have bytes");
  TESSERA_REQUIRE_ARGUMENT(axes.size() == rank, function, "axes", axes_text(axes),
                           "an axis for each of " + std::to_string(rank), "name each axis once");
  const std::vector<std::size_t> order = permutation_of(function, axes);
  std::int64_t elements = 1;
  for (const std::int64_t extent : array.extents) {
    TESSERA_REQUIRE_ARGUMENT(extent >= 0, function, "array", "extent " + std::to_string(extent), "0 or more",
                             "extents count elements");
  }
  if (std::find(array.extents.begin(), array.extents.end(), 0) != array.extents.end()) {
    return {.rank = 1, .unit_bytes = array.element_bytes, .axes = {{0, 1, 1}}};
  }
  const auto most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(array.element_bytes);
  std::vector<std::int64_t> in_strides(rank);
  for (std::size_t d = rank; d-- > 0; elements *= array.extents[d]) {
    TESSERA_REQUIRE_ARGUMENT(array.extents[d] <= most / elements, function, "array",
                             "more than " + std::to_string(most) + " elements", "bytes that 64 bits can count",
                             "check the extents");
    in_strides[d] = elements;
  }
  PermuteShape shape{.unit_bytes = array.element_bytes};
  for (const std::size_t axis : order) shape.append({array.extents[axis], in_strides[axis], 0});
  elements = 1;
  for (std::size_t d = rank; d-- > 0; elements *= shape.axes[d].extent) shape.axes[d].out_stride = elements;
  return shape;
}

}  // namespace detail

/// permute() of memory that holds a row-major array; out becomes the row-major array of the permuted extents.
///
/// \param[in] in     as many elements as the extents' product, any alignment, in memory that the space can access
/// \param[out] out   as many, disjoint from in
/// \param[in] array  extents and bytes of an element
/// \param[in] axes   the input's axes in the output's order
/// Asynchronous on the instance, one kernel. \throws as permute()
template <ExecutionSpace Space>
void permute_array(const Space& space, const void* in, void* out, const ArrayShape& array, std::span<const int> axes,
                   const TransposeOptions& options = {}) {
  constexpr std::string_view name = "tessera::permute_array";
  const Kokkos::Profiling::ScopedRegion region{std::string(name)};
  const detail::PermuteShape shape = detail::array_shape(name, array, axes);
  const auto bytes = static_cast<std::size_t>(shape.units()) * array.element_bytes;
  const auto memory = [&](const void* data) {
    return Kokkos::View<const std::byte*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        static_cast<const std::byte*>(data), bytes);
  };
  detail::require_disjoint(name, memory(in), memory(out));
  detail::run_transpose_of_bytes(name, space, in, out, shape, options);
}

/// The plan that permute_array() will follow for memory on boundaries of 64 bytes. Pure. \throws as permute()
template <ExecutionSpace Space>
TransposePlan permute_array_plan(const Space& space, const ArrayShape& array, std::span<const int> axes,
                                 const TransposeOptions& options = {}) {
  constexpr std::string_view name = "tessera::permute_array";
  return detail::plan_transpose_of_bytes(name, detail::device_limits(space), nullptr, nullptr,
                                         detail::array_shape(name, array, axes), options);
}

}  // namespace tessera

#endif
