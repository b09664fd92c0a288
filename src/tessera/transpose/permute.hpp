// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: permutations of axes, and changes of layout.
#ifndef TESSERA_TRANSPOSE_PERMUTE_HPP
#define TESSERA_TRANSPOSE_PERMUTE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/complex.hpp>
#include <tessera/transpose/detail/run_transpose.hpp>
#include <tessera/transpose/element_functions.hpp>
#include <tessera/transpose/transpose_options.hpp>
#include <tessera/transpose/transpose_plan.hpp>
#include <type_traits>
#include <vector>

namespace tessera {

namespace detail {

inline std::string axes_text(std::span<const int> axes) {
  std::string text = "(";
  for (std::size_t d = 0; d < axes.size(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(axes[d]);
  return text + ")";
}

/// The axes, negative ones counted from the end. \throws InvalidArgument unless each is there once.
inline std::vector<std::size_t> permutation_of(std::string_view function, std::span<const int> axes) {
  const int rank = static_cast<int>(axes.size());
  std::vector<std::size_t> result;
  std::vector<bool> found(axes.size(), false);
  for (const int asked : axes) {
    const int axis = asked < 0 ? asked + rank : asked;
    const bool good = axis >= 0 && axis < rank && !found[static_cast<std::size_t>(axis)];
    TESSERA_REQUIRE_ARGUMENT(good, function, "axes", axes_text(axes),
                             "each of 0 to " + std::to_string(rank - 1) + " once, negative ones counted from the end",
                             "name each axis of `in` once, in the order of `out`");
    found[static_cast<std::size_t>(axis)] = true;
    result.push_back(static_cast<std::size_t>(axis));
  }
  return result;
}

/// Whether elements of one type can become those of another without a function.
template <class In, class Out>
inline constexpr bool has_conversion = (std::is_arithmetic_v<In> && std::is_arithmetic_v<Out>) ||
                                       (is_complex_v<In> && is_complex_v<Out>);

/// \throws InvalidArgument for axes that are no permutation, extents that do not match, overlapping views.
template <std::size_t Rank, View InView, View OutView>
PermuteShape permute_shape(std::string_view function, const InView& in, const OutView& out,
                           const std::array<int, Rank>& asked) {
  static_assert(Rank > 0 && InView::rank() == Rank && OutView::rank() == Rank,
                "tessera::permute: views of one rank, 1 to 8");
  const std::vector<std::size_t> axes = permutation_of(function, asked);
  PermuteShape shape{.unit_bytes = sizeof(typename OutView::value_type)};
  std::array<std::size_t, Rank> expected{};
  for (std::size_t d = 0; d < Rank; ++d) {
    expected[d] = in.extent(axes[d]);
    shape.append({static_cast<std::int64_t>(out.extent(d)), static_cast<std::int64_t>(in.stride(axes[d])),
                  static_cast<std::int64_t>(out.stride(d))});
  }
  TESSERA_REQUIRE_ARGUMENT(
      expected == extents_of(out), function, "out", "extents " + extents_text(out),
      extents_text(expected) + ", those of `in` " + extents_text(in) + " in the order of axes " + axes_text(asked),
      "give `out` these extents");
  require_disjoint(function, in, out);
  return shape;
}

template <View InView, View OutView, ExecutionSpace Space>
constexpr void require_permutable() {
  static_assert(AccessibleFrom<InView, Space>, "tessera::permute: `in` must be in memory that the space can access");
  static_assert(AccessibleFrom<OutView, Space>, "tessera::permute: `out` must be in memory that the space can access");
  static_assert(std::is_trivially_copyable_v<typename InView::value_type> &&
                    std::is_trivially_copyable_v<typename OutView::value_type>,
                "tessera::permute: elements must be trivially copyable");
}

template <ExecutionSpace Space, View InView, View OutView, std::size_t Rank>
void permute_elements(std::string_view name, const Space& space, const InView& in, const OutView& out,
                      const std::array<int, Rank>& axes, const TransposeOptions& options) {
  require_permutable<InView, OutView, Space>();
  using In = typename InView::non_const_value_type;
  using Out = typename OutView::value_type;
  const Kokkos::Profiling::ScopedRegion region{std::string(name)};
  const PermuteShape shape = permute_shape(name, in, out, axes);
  if constexpr (std::is_same_v<In, Out>) {
    run_transpose_of_bytes(name, space, in.data(), out.data(), shape, options);
  } else {
    static_assert(has_conversion<In, Out>,
                  "tessera::permute: elements of `in` must be of the type of `out`, or numbers like them; else pass a "
                  "function");
    run_transpose(name, space, in.data(), out.data(), Convert<Out>{}, merged(shape), options);
  }
}

template <ExecutionSpace Space, View InView, View OutView, std::size_t Rank, class Function>
void permute_through(std::string_view name, const Space& space, const InView& in, const OutView& out,
                     const std::array<int, Rank>& axes, const Function& function, const TransposeOptions& options) {
  require_permutable<InView, OutView, Space>();
  const Kokkos::Profiling::ScopedRegion region{std::string(name)};
  const PermuteShape shape = permute_shape(name, in, out, axes);
  run_transpose(name, space, static_cast<const typename InView::non_const_value_type*>(in.data()), out.data(), function,
                merged(shape), options);
}

template <std::size_t Rank>
constexpr std::array<int, Rank> identity_axes() {
  std::array<int, Rank> axes{};
  for (std::size_t d = 0; d < Rank; ++d) axes[d] = static_cast<int>(d);
  return axes;
}

}  // namespace detail

/// What transposes may do to an element on the way.
template <class Function, class InView, class OutView>
concept ElementFunction = requires(const Function& function, const typename InView::non_const_value_type& value) {
  { function(value) } -> std::convertible_to<typename OutView::value_type>;
};

/// Permutes axes: out(i) = in(j) with j[axes[d]] = i[d], as NumPy's transpose(axes). Asynchronous on the instance, one
/// kernel, no allocation on the device, no fence.
///
/// \param[in] space    the instance that runs it
/// \param[in] in       rank 1 to 8, any extents (64-bit sizes, 0 included), any layout, strides and alignment
/// \param[out] out     extent(d) = in.extent(axes[d]), any layout without zero strides, no element shared with in
/// \param[in] axes     the input's axes in the output's order, each once, negative ones counted from the end
/// \param[in] options  variant, sizes of league and team
///
/// Elements are of any trivially copyable type and move as bytes; numbers of another type than out's are converted as
/// Convert says. Axes that stay neighbours are moved as one; a permutation that is a copy runs as one. Deterministic.
/// Compulsory bytes: size (sizeof of an element of in + of out). Scratch: a tile, up to 47 KiB a team. A host thread
/// keeps the plans of its last eight kinds of call: another one takes some microseconds more. \throws InvalidArgument
/// for axes that are no permutation, extents that do not match, overlapping views, sizes of
///                          league or team that the space cannot have
/// \throws ResourceError    where the tile exceeds the scratch that a team can have
template <ExecutionSpace Space, View InView, View OutView>
void permute(const Space& space, const InView& in, const OutView& out, const std::array<int, InView::rank()>& axes,
             const TransposeOptions& options = {}) {
  detail::permute_elements("tessera::permute", space, in, out, axes, options);
}

/// permute() with out(i) = function(in(j)); function: copyable to kernels, called once or a few times an
/// element.
template <ExecutionSpace Space, View InView, View OutView, ElementFunction<InView, OutView> Function>
void permute(const Space& space, const InView& in, const OutView& out, const std::array<int, InView::rank()>& axes,
             const Function& function, const TransposeOptions& options = {}) {
  detail::permute_through("tessera::permute", space, in, out, axes, function, options);
}

/// The plan that permute() without a function will follow for views with elements of one type. Pure.
/// \throws InvalidArgument as permute()
template <ExecutionSpace Space, View InView, View OutView>
TransposePlan permute_plan(const Space& space, const InView& in, const OutView& out,
                           const std::array<int, InView::rank()>& axes, const TransposeOptions& options = {}) {
  return detail::plan_transpose_of_bytes("tessera::permute", detail::device_limits(space), in.data(), out.data(),
                                         detail::permute_shape("tessera::permute", in, out, axes), options);
}

/// Copies between views of the same logical array, whatever their layouts: out(i) = in(i). What
/// Kokkos::deep_copy(space, out, in) does, through tiles. Otherwise as permute().
template <ExecutionSpace Space, View InView, View OutView>
void copy_layout(const Space& space, const InView& in, const OutView& out, const TransposeOptions& options = {}) {
  detail::permute_elements("tessera::copy_layout", space, in, out, detail::identity_axes<InView::rank()>(), options);
}

/// copy_layout() with out(i) = function(in(i)).
template <ExecutionSpace Space, View InView, View OutView, ElementFunction<InView, OutView> Function>
void copy_layout(const Space& space, const InView& in, const OutView& out, const Function& function,
                 const TransposeOptions& options = {}) {
  detail::permute_through("tessera::copy_layout", space, in, out, detail::identity_axes<InView::rank()>(), function,
                          options);
}

}  // namespace tessera

#endif
