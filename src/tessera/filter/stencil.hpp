// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: a function of the user's of each element and its neighbours along one axis, linear or not.
#ifndef TESSERA_FILTER_STENCIL_HPP
#define TESSERA_FILTER_STENCIL_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/boundary.hpp>
#include <tessera/filter/detail/filter_request.hpp>
#include <tessera/filter/detail/filter_shape.hpp>
#include <tessera/filter/detail/halo_ends.hpp>
#include <tessera/filter/detail/make_window_plan.hpp>
#include <tessera/filter/detail/window_chunks.hpp>
#include <tessera/filter/detail/window_columns.hpp>
#include <tessera/filter/detail/window_interleaved.hpp>
#include <tessera/filter/detail/window_padded_lines.hpp>
#include <tessera/filter/halo.hpp>
#include <type_traits>

namespace tessera {

/// The largest radius: windows are held in registers.
inline constexpr int stencil_radius_max = 16;

/// An element and its neighbours: window[k], -Radius <= k <= Radius. In kernels the elements are in registers: give it
/// indices that the compiler knows, of unrolled loops.
template <class T, int Radius>
class StencilWindow {
 public:
  static constexpr int radius = Radius;
  KOKKOS_FORCEINLINE_FUNCTION explicit StencilWindow(const T* centre) : m_centre(centre) {}
  KOKKOS_FORCEINLINE_FUNCTION const T& operator[](int k) const { return m_centre[k]; }

 private:
  const T* m_centre;
};

/// T: the input's elements.
template <class T>
struct StencilOptions {
  int axis = -1;                                    ///< that lines run along; negative ones count from the end
  BoundaryMode mode_left = BoundaryMode::reflect;   ///< for elements before the line
  BoundaryMode mode_right = BoundaryMode::reflect;  ///< for elements after the line
  T cval{};                                         ///< of mode constant
  int league_size = 0;                              ///< teams; 0: from the extents
  int team_size = 0;                                ///< threads a team; 0: from the extents; a thread a line: a warp
};

namespace detail {

/// An operation of the window kernels (see window_extremum.hpp).
template <class In, class Out, int Radius, class Functor>
struct WindowStencil {
  using in_type = In;
  using out_type = Out;
  using value_type = In;
  using staged_type = In;
  static constexpr bool is_idempotent = true;
  static constexpr int whole_windows_max = 2 * Radius + 1;
  static constexpr bool has_one_size = true;

  Functor functor;

  KOKKOS_FORCEINLINE_FUNCTION In staged(const In& element) const { return element; }
  KOKKOS_FORCEINLINE_FUNCTION In value(const In& element) const { return element; }
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION Out window(const In* elements) const {
    static_assert(Count == whole_windows_max);
    return static_cast<Out>(functor(StencilWindow<In, Radius>(elements + Radius)));
  }
  KOKKOS_FUNCTION Out operator()(const HaloLine<In>& line, std::int64_t i) const {
    In elements[whole_windows_max];
    TESSERA_UNROLL
    for (int k = 0; k < whole_windows_max; ++k) elements[k] = line.element(i - Radius + k);
    return window<whole_windows_max>(elements);
  }
};

template <class Op, ExecutionSpace Space, class In, class Out, class T>
WindowPlan make_stencil_plan(const Space& space, const LineArray<const In>& in, const LineArray<Out>& out,
                             const StencilOptions<T>& options) {
  constexpr std::string_view function = "tessera::stencil";
  constexpr std::int64_t size = Op::whole_windows_max;
  const DeviceLimits limits = device_limits(space);
  require_league_size(function, options.league_size);
  WindowPlan plan;
  if (in.lines() * out.extent == 0) return plan;
  constexpr WindowShape window{size, size / 2};
  const FilterShape shape = filter_shape(in, out, size, size / 2);
  std::int64_t tiles = plan_window_interleaved<Op>(function, limits, shape, options.team_size, plan);
  if (tiles == 0 && shape.direction == LineDirection::across) {
    tiles = plan_window_columns<Op>(function, limits, in.columns(), in.lines(), out.extent, options.team_size, plan);
  } else if (tiles == 0) {
    tiles = plan_window_padded_lines<Op>(function, limits, in.lines(), in.extent, window, options.team_size, plan);
  }
  if (tiles == 0) {
    plan_window_chunks<Op>(function, limits, out.extent, window, options.team_size, plan);
    tiles = in.lines() * ceil_div(out.extent, plan.tile);
  }
  plan.league_size = options.league_size != 0 ? options.league_size : tile_league(limits, tiles);
  return plan;
}

/// Modes of the sides that have no halo.
template <class In, class Out>
void require_stencil_mode(BoundaryMode mode) {
  constexpr bool converts = std::is_same_v<In, Out> || (std::is_arithmetic_v<In> && std::is_arithmetic_v<Out>);
  const bool is_fine = std::find(element_modes.begin(), element_modes.end(), mode) != element_modes.end();
  TESSERA_REQUIRE_ARGUMENT(mode == BoundaryMode::valid || is_fine, "tessera::stencil", "options",
                           "mode " + std::string(to_string(mode)), names_of(element_modes) + ", valid",
                           "the others are for linear filters");
  TESSERA_REQUIRE_ARGUMENT(mode != BoundaryMode::keep || converts, "tessera::stencil", "options", "mode keep",
                           "an output of the input's type, or numbers", "choose another mode");
}

/// Where lines and windows lie.
template <class In, class Out>
struct StencilLines {
  FilterSpan span;
  LineArray<const In> in;
  LineArray<Out> out;
};

template <int Radius, ExecutionSpace Space, View InView, View OutView>
StencilLines<typename InView::non_const_value_type, typename OutView::value_type> stencil_lines(
    const InView& in, const OutView& out, const StencilOptions<typename InView::non_const_value_type>& options) {
  static_assert(0 <= Radius && Radius <= stencil_radius_max, "tessera::stencil: the radius must be 0 to 16");
  static_assert(AccessibleFrom<InView, Space>, "tessera::stencil: `in` must be in memory that the space can access");
  static_assert(AccessibleFrom<OutView, Space>, "tessera::stencil: `out` must be in memory that the space can access");
  static_assert(InView::rank() >= 1, "tessera::stencil: `in` must have rank 1 to 8");
  static_assert(static_cast<std::size_t>(InView::rank()) == static_cast<std::size_t>(OutView::rank()),
                "tessera::stencil: `in` and `out` must have the same rank");
  static_assert(std::is_trivially_copyable_v<typename InView::value_type>,
                "tessera::stencil: the elements must be trivially copyable");
  constexpr std::string_view function = "tessera::stencil";
  const int axis = filter_axis(function, options.axis, static_cast<int>(InView::rank()));
  const FilterSpan span = filter_span(false, 2 * Radius + 1, static_cast<std::int64_t>(in.extent(axis)),
                                      {.mode_left = options.mode_left, .mode_right = options.mode_right});
  auto extents = extents_of(in);
  extents[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(span.outputs);
  TESSERA_REQUIRE_ARGUMENT(extents_of(out) == extents, function, "out", "extents " + extents_text(out),
                           extents_text(extents), "make the views of the same shape, less what mode valid leaves out");
  require_disjoint(function, in, out);
  const auto [in_lines, out_lines] =
      line_arrays<const typename InView::non_const_value_type, typename OutView::value_type>(in, out, axis);
  return {span, in_lines, out_lines};
}

template <int Radius, ExecutionSpace Space, class In, class Out, class Functor>
void launch_stencil(const Space& space, const StencilLines<In, Out>& at, const Functor& functor,
                    const StencilOptions<In>& options) {
  constexpr std::string_view function = "tessera::stencil";
  using Op = WindowStencil<In, Out, Radius, Functor>;
  const WindowPlan plan = make_stencil_plan<Op>(space, at.in, at.out, options);
  if (at.out.lines() * at.out.extent == 0) return;
  require_scratch(function, plan.scratch_bytes, device_limits(space));
  const WindowLines<Op> lines{at.in,
                              at.out,
                              {options.mode_left, options.mode_right, options.cval},
                              {2 * Radius + 1, at.span.reach_left},
                              at.span.first_output};
  if (plan.variant == WindowVariant::columns) {
    launch_window_columns(function, space, plan, lines, Op{functor}, options.team_size);
  } else if (plan.variant == WindowVariant::interleaved) {
    if constexpr (!is_host_space<Space> && takes_interleaved<Op>) {
      launch_window_interleaved(function, space, plan, lines, Op{functor}, options.team_size);
    }
  } else if (plan.variant == WindowVariant::padded) {
    if constexpr (!is_host_space<Space> && !fills_registers<Op>) {
      launch_window_padded_lines(function, space, plan, lines, Op{functor}, options.team_size);
    }
  } else {
    launch_window_chunks(function, space, plan, lines, Op{functor}, options.team_size);
  }
}

}  // namespace detail

/// out[i] = functor(window) for every element of the lines of one axis; window[k] is element i + k, -Radius <= k <=
/// Radius, what stands beyond the line as the boundary modes say. Asynchronous on the instance; no allocation, no
/// fence.
///
/// \tparam Radius      0 to 16
/// \param[in] space    the instance that runs it
/// \param[in] in       rank 1 to 8, any extents (64-bit sizes, 0 included) and layout, trivially copyable elements
/// \param[out] out     the extents of in, less what mode valid leaves out along the axis (Radius a side), any layout
///                     without zero strides and type that functor's result converts to, memory disjoint from in
/// \param[in] functor  callable in kernels as const with a StencilWindow; called once for an output at least (where
///                     windows leave the line, or it ends within a thread's outputs, for elements beside it too: it
///                     must take any values), in any order
/// \param[in] options  axis, modes (elements, keep, valid), cval, sizes of league and team
///
/// The elements are those of memory bit for bit, and out those that functor returns: the same for every plan, as far as
/// a compiler makes the same code of functor everywhere. Scratch: WindowPlan::scratch_bytes a team, none on hosts
/// and where lines run across memory, but of up to 128 whose rows follow each other. Compulsory bytes: each element of
/// in read once, each of out written once.
///
/// \throws InvalidArgument  for an axis that in has not, other modes, extents other than those, overlapping views, and
///                          sizes of league or team that the space cannot have
/// \throws ResourceError    where the plan's scratch exceeds what a team can have
template <int Radius, ExecutionSpace Space, View InView, View OutView, class Functor>
void stencil(const Space& space, const InView& in, const OutView& out, const Functor& functor,
             const StencilOptions<typename InView::non_const_value_type>& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("tessera::stencil");
  using In = typename InView::non_const_value_type;
  detail::require_stencil_mode<In, typename OutView::value_type>(options.mode_left);
  detail::require_stencil_mode<In, typename OutView::value_type>(options.mode_right);
  detail::launch_stencil<Radius>(space, detail::stencil_lines<Radius, Space>(in, out, options), functor, options);
}

/// The same for lines that go on in views of the caller's, on the sides that halo has: their modes have no part in it
/// then, nor has mode valid in the other one. A second kernel makes the outputs whose windows reach the halo.
///
/// \throws InvalidArgument  also for views of a halo that have too few elements, or share memory with out
template <int Radius, ExecutionSpace Space, View InView, View OutView, class Functor, class Left, class Right>
void stencil(const Space& space, const InView& in, const OutView& out, const Functor& functor,
             const StencilOptions<typename InView::non_const_value_type>& asked, const Halo<Left, Right>& halo) {
  const Kokkos::Profiling::ScopedRegion region("tessera::stencil");
  constexpr std::string_view function = "tessera::stencil";
  using In = typename InView::non_const_value_type;
  using Out = typename OutView::value_type;
  if (!detail::is_halo<Left>) detail::require_stencil_mode<In, Out>(asked.mode_left);
  if (!detail::is_halo<Right>) detail::require_stencil_mode<In, Out>(asked.mode_right);
  const auto options = detail::without_halo<Left, Right>(function, asked);
  const auto at = detail::stencil_lines<Radius, Space>(in, out, options);
  const int axis = detail::filter_axis(function, options.axis, static_cast<int>(InView::rank()));
  const auto left = detail::halo_lines<Space>(function, "halo.left", in, out, halo.left, axis, Radius);
  const auto right = detail::halo_lines<Space>(function, "halo.right", in, out, halo.right, axis, Radius);
  detail::launch_stencil<Radius>(space, at, functor, options);
  detail::launch_halo_ends<Left, Right>(
      space, at.in, left, right, at.out, detail::Boundary<In>{options.mode_left, options.mode_right, options.cval},
      detail::WindowShape{2 * Radius + 1, Radius}, detail::WindowStencil<In, Out, Radius, Functor>{functor});
}

/// The plan that stencil() follows. Pure: it launches and allocates nothing.
/// \throws InvalidArgument for an axis, extents or sizes of league or team that it refuses; what else it refuses it
/// alone looks at
template <int Radius, ExecutionSpace Space, View InView, View OutView>
WindowPlan stencil_plan(const Space& space, const InView& in, const OutView& out,
                        const StencilOptions<typename InView::non_const_value_type>& options = {}) {
  using Op = detail::WindowStencil<typename InView::non_const_value_type, typename OutView::value_type, Radius, int>;
  const auto at = detail::stencil_lines<Radius, Space>(in, out, options);
  return detail::make_stencil_plan<Op>(space, at.in, at.out, options);
}

}  // namespace tessera

#endif
