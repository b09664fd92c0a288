// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of two views at once.
#ifndef TESSERA_REDUCE_DOT_HPP
#define TESSERA_REDUCE_DOT_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/reduce/complex_sums.hpp>
#include <tessera/reduce/detail/complex_fold.hpp>
#include <tessera/reduce/detail/dot_fold.hpp>
#include <tessera/reduce/detail/exact_arithmetic.hpp>
#include <tessera/reduce/detail/pair_range.hpp>
#include <tessera/reduce/detail/require_elements.hpp>
#include <tessera/reduce/reduce.hpp>
#include <type_traits>

namespace tessera {

/// Sum of products x y of two views, rounded once from the exact value; of integers the exact integer. A NaN element,
/// or 0 times infinity, gives NaN. Empty: 0. A reducer of ElementPair<T>: for the overloads of reduce, and of
/// reduce_axes in dot_axes.hpp, with two inputs.
template <class T, Summation S = Summation::exact>
struct Dot {
  static_assert(!detail::is_short_float_v<T>,
                "tessera::Dot: floating elements of 16 bits are not taken; copy them to views of float");
  using result_type = std::conditional_t<std::is_floating_point_v<T>, T,
                                         std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
  using fold_type = detail::DotFold<Dot, T>;
  static constexpr std::string_view name() { return "dot"; }
};

/// The same in the element type, with the error bound of Sum<T, Summation::fast>.
template <class T>
requires std::is_floating_point_v<T>
struct Dot<T, Summation::fast> {
  using value_type = T;
  using result_type = T;
  KOKKOS_FUNCTION value_type identity() const { return T(0); }
  KOKKOS_FUNCTION value_type map(const ElementPair<T>& pair) const { return pair.x * pair.y; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
  static constexpr std::string_view name() { return "dot"; }
};

/// Dot with the elements of the first view conjugated; of real ones the same.
template <class T, Summation S = Summation::exact>
struct Vdot : Dot<T, S> {
  static constexpr std::string_view name() { return "vdot"; }
};

/// Sum of products x y of complex elements, without conjugation: real and imaginary part each rounded once from the
/// exact value. Infinities and NaN as the terms xr yr, -xi yi and xr yi, xi yr of the parts have them. Empty: 0.
template <class Real>
struct Dot<Kokkos::complex<Real>, Summation::exact> {
  using result_type = Kokkos::complex<Real>;
  using fold_type = detail::ComplexDotFold<Dot, Real, false>;
  static constexpr std::string_view name() { return "dot"; }
};
/// Sum of products conj(x) y, likewise.
template <class Real>
struct Vdot<Kokkos::complex<Real>, Summation::exact> {
  using result_type = Kokkos::complex<Real>;
  using fold_type = detail::ComplexDotFold<Vdot, Real, true>;
  static constexpr std::string_view name() { return "vdot"; }
};

/// Sum of products x y of complex elements, in their type. Each part with the error bound of
/// Sum<Real, Summation::fast> for twice as many terms.
template <class Real>
struct Dot<Kokkos::complex<Real>, Summation::fast> : Sum<Kokkos::complex<Real>, Summation::fast> {
  using Element = Kokkos::complex<Real>;
  KOKKOS_FUNCTION detail::ComplexParts<Real> map(const ElementPair<Element>& pair) const {
    const Real xr = pair.x.real(), xi = pair.x.imag(), yr = pair.y.real(), yi = pair.y.imag();
    return {xr * yr - xi * yi, xr * yi + xi * yr};
  }
  static constexpr std::string_view name() { return "dot"; }
};
/// Sum of products conj(x) y, likewise.
template <class Real>
struct Vdot<Kokkos::complex<Real>, Summation::fast> : Dot<Kokkos::complex<Real>, Summation::fast> {
  using Element = Kokkos::complex<Real>;
  KOKKOS_FUNCTION detail::ComplexParts<Real> map(const ElementPair<Element>& pair) const {
    const Real xr = pair.x.real(), xi = pair.x.imag(), yr = pair.y.real(), yi = pair.y.imag();
    return {xr * yr + xi * yi, xr * yi - xi * yr};
  }
  static constexpr std::string_view name() { return "vdot"; }
};

/// Reduces two views of the same extents and layout to one value, as reduce() does one view: the reducer maps
/// ElementPair<T>{x, y}. Asynchronous, one kernel. Compulsory bytes: both views read once.
/// \param[in] x, y  the same extents; read in 16-byte pieces where both are contiguous and begin alike
/// \throws InvalidArgument  for different extents, and as reduce() of one view; ResourceError likewise
template <ExecutionSpace Space, View XView, View YView, Reducer R, View OutView>
void reduce(const Space& space, const XView& x, const YView& y, const R& reducer, const OutView& out,
            const ReduceOptions& options, const Workspace<Space>& workspace) {
  static_assert(AccessibleFrom<XView, Space> && AccessibleFrom<YView, Space> && AccessibleFrom<OutView, Space>,
                "tessera::reduce: the views must be in memory that the space can access");
  static_assert(
      XView::rank() == YView::rank() && std::is_same_v<typename XView::array_layout, typename YView::array_layout>,
      "tessera::reduce: `x` and `y` must have the same rank and layout");
  static_assert(std::is_same_v<typename XView::non_const_value_type, typename YView::non_const_value_type>,
                "tessera::reduce: `x` and `y` must have the same element type");
  static_assert(OutView::rank() == 0 && detail::holds_result<R, typename OutView::value_type>,
                "tessera::reduce: `out` must have rank 0 and hold the reducer's result type");
  using Pair = ElementPair<typename XView::non_const_value_type>;
  const Kokkos::Profiling::ScopedRegion region("tessera::reduce");
  if constexpr (detail::sums_exactly<detail::fold_t<R, Pair>>()) detail::require_exact_arithmetic("tessera::reduce");
  for (std::size_t d = 0; d < XView::rank(); ++d) {
    TESSERA_REQUIRE_ARGUMENT(x.extent(d) == y.extent(d), "tessera::reduce", "y", detail::extents_text(y),
                             "the extents of `x`, " + detail::extents_text(x), "pass views of the same shape");
  }
  detail::require_elements("tessera::reduce", x, x.size(), reducer);
  const ReducePlan plan = reduce_plan<Pair>(space, reducer, x.size(), options);
  TESSERA_REQUIRE_ARGUMENT(plan.variant == ReduceVariant::single_pass, "tessera::reduce", "options",
                           std::string(to_string(plan.variant)), "automatic or single_pass for two views",
                           "leave the variant out");
  detail::require_scratch("tessera::reduce", plan.scratch_bytes, detail::device_limits(space));
  TESSERA_REQUIRE_ARGUMENT(workspace.bytes() >= plan.workspace_bytes, "tessera::reduce", "workspace",
                           std::to_string(workspace.bytes()) + " bytes",
                           "at least " + std::to_string(plan.workspace_bytes) + " bytes",
                           "make it with reduce_plan(..).workspace_bytes");
  const detail::fold_t<R, Pair> fold(reducer, {options.nan});
  const auto launch = [&](const auto& range_x, const auto& range_y) {
    using Range = std::decay_t<decltype(range_x)>;
    const detail::PairRange<Range> range{range_x, range_y, range_x.size};
    detail::launch_single_pass(space, plan, range, fold, out.data(), workspace.partials(), workspace.ticket(),
                               workspace.status_word(), options.team_size);
  };
  if constexpr (detail::always_contiguous<XView>) {
    launch(detail::contiguous_range(x), detail::contiguous_range(y));
  } else {
    if (detail::is_contiguous(x) && detail::is_contiguous(y)) {
      launch(detail::contiguous_range(x), detail::contiguous_range(y));
    } else {
      launch(detail::strided_range(x), detail::strided_range(y));
    }
  }
}

/// The same, returned: allocates and fences the instance. \throws InvalidArgument, ResourceError
template <ExecutionSpace Space, View XView, View YView, Reducer R>
reduce_result_t<R> reduce(const Space& space, const XView& x, const YView& y, const R& reducer,
                          const ReduceOptions& options = {}) {
  using Pair = ElementPair<typename XView::non_const_value_type>;
  const ReducePlan plan = reduce_plan<Pair>(space, reducer, x.size(), options);
  const Workspace<Space> workspace(space, plan.workspace_bytes);
  const Kokkos::View<reduce_result_t<R>, typename Space::memory_space> out(
      Kokkos::view_alloc(space, "tessera::reduce::out", Kokkos::WithoutInitializing));
  reduce(space, x, y, reducer, out, options, workspace);
  check(space, workspace);
  reduce_result_t<R> result;
  Kokkos::deep_copy(space, result, out);
  space.fence("tessera::reduce::result");
  return result;
}

}  // namespace tessera

#endif
