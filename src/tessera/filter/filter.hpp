// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: linear filters with run-time taps along any axis.
//
// Tile and halo in fast memory follow V. Volkov and the CUDA SDK's convolutionSeparable (V. Podlozhnyuk, "Image
// Convolution with CUDA", 2007); the boundary modes are SciPy's and NumPy's.
#ifndef TESSERA_FILTER_FILTER_HPP
#define TESSERA_FILTER_FILTER_HPP

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/filter/detail/filter_adjacent_lines.hpp>
#include <tessera/filter/detail/filter_columns.hpp>
#include <tessera/filter/detail/filter_direct.hpp>
#include <tessera/filter/detail/filter_interleaved.hpp>
#include <tessera/filter/detail/filter_juxtaposed.hpp>
#include <tessera/filter/detail/filter_lines.hpp>
#include <tessera/filter/detail/filter_overlapping.hpp>
#include <tessera/filter/detail/filter_padded_lines.hpp>
#include <tessera/filter/detail/filter_register_blocked.hpp>
#include <tessera/filter/detail/filter_request.hpp>
#include <tessera/filter/detail/filter_runs.hpp>
#include <tessera/filter/detail/filter_short_columns.hpp>
#include <tessera/filter/detail/filter_short_integers.hpp>
#include <tessera/filter/detail/filter_short_lines.hpp>
#include <tessera/filter/detail/filter_steps.hpp>
#include <tessera/filter/detail/filter_thread_lines.hpp>
#include <tessera/filter/detail/filter_vectorized.hpp>
#include <tessera/filter/detail/find_nan.hpp>
#include <tessera/filter/detail/halo_ends.hpp>
#include <tessera/filter/filter_options.hpp>
#include <tessera/filter/filter_plan.hpp>
#include <tessera/filter/halo.hpp>
#include <tessera/filter/weights.hpp>
#include <tessera/workspace.hpp>

namespace tessera {

namespace detail {

/// What to do instead of choosing a variant that cannot do it.
template <class In>
std::string other_variants(const FilterOptions& options) {
  return omits_nan<In>(options) ? "choose automatic or direct" : "choose automatic, direct, juxtaposed or overlapping";
}

/// Where a variant cannot do it, says which can.
template <class Types>
void require_variant(std::string_view function, const FilterShape& shape, const FilterOptions& options) {
  const FilterVariant variant = options.variant;
  if (omits_nan<typename Types::in_type>(options)) {
    TESSERA_REQUIRE_ARGUMENT(variant == FilterVariant::automatic || variant == FilterVariant::direct, function,
                             "options", "variant " + std::string(to_string(variant)) + " with NaN policy omit",
                             "variant direct", other_variants<typename Types::in_type>(options));
  }
  const auto remedy = [&] { return other_variants<typename Types::in_type>(options); };
  if (variant == FilterVariant::vectorized) {
    TESSERA_REQUIRE_ARGUMENT(
        takes_vectorized<Types>(shape), function, "options", "variant vectorized",
        "no more taps than a line has elements, and contiguous lines of floats summed in their own type "
        "with at most " +
            std::to_string(narrow_slots_max) + " taps, or with at most " + std::to_string(column_taps_max) +
            " taps contiguous lines of 8- or 16-bit integers, outputs of that type and sums of 32 bits or double, or "
            "lines across memory and no 128-bit sums",
        remedy());
  } else if (variant == FilterVariant::register_blocked) {
    TESSERA_REQUIRE_ARGUMENT(
        takes_register_blocked<Types>(shape), function, "options", "variant register_blocked",
        "no more taps than a line has elements, and contiguous lines of real floats summed in their own "
        "type",
        remedy());
  } else {
    TESSERA_REQUIRE_ARGUMENT(variant != FilterVariant::transform, function, "options", "variant transform with weights",
                             "a FilterTransform of them, and floats summed in their own type",
                             "make one (filter_transform.hpp) and pass it instead of the weights, or " + remedy());
  }
}

/// The taps are unrolled. Each number of slots that is compiled costs compile time, and hosts, which have a faster
/// variant, make do with one; filters between run as the next one.
template <class Types, ExecutionSpace Space>
void launch_vectorized_lines(const Space& space, const FilterPlan& plan, const FilterShape& shape,
                             const FilterJob<Types>& job, std::span<const double> weights, int asked_team_size) {
  const int slots = narrow_slots<Types>(shape);
  if (plan.steps > 1) {
    if constexpr (has_blocked_kernels<Types>) {
      if constexpr (!is_host_space<Space>) {
        if (slots <= 8) return launch_steps<8>(space, plan, job, weights, asked_team_size);
      }
      return launch_steps<steps_slots_max>(space, plan, job, weights, asked_team_size);
    }
  }
  const bool is_short = has_short_lines<Types>(shape, plan.team_size);
  if constexpr (!is_host_space<Space>) {
    if (takes_thread_lines<Types>(device_limits(space), shape, plan.team_size)) {
      switch (thread_lines_slots(shape.taps)) {
        case 5:
          return launch_thread_lines<5>(space, plan, shape, job, weights, asked_team_size);
        case 9:
          return launch_thread_lines<9>(space, plan, shape, job, weights, asked_team_size);
        default:
          return launch_thread_lines<thread_lines_taps_max>(space, plan, shape, job, weights, asked_team_size);
      }
    }
    if (takes_adjacent_lines<Types>(device_limits(space), shape, plan.team_size)) {
      return launch_adjacent_lines<adjacent_slots_max>(space, plan, job, weights, asked_team_size);
    }
    if (slots <= 12 && is_short) return launch_short_lines<12>(space, plan, shape, job, weights, asked_team_size);
  }
  if (is_short) return launch_short_lines<narrow_slots_max>(space, plan, shape, job, weights, asked_team_size);
  if constexpr (is_host_space<Space>) {
    return launch_vectorized<narrow_slots_max>(space, plan, job, weights, asked_team_size);
  } else {
    if (slots <= 12) return launch_runs<12, 1>(space, plan, job, weights, asked_team_size);
    if (slots <= 17) return launch_runs<17, 13>(space, plan, job, weights, asked_team_size);
    if (slots <= 25) return launch_runs<25, 18>(space, plan, job, weights, asked_team_size);
    return launch_runs<narrow_slots_max, 26>(space, plan, job, weights, asked_team_size);
  }
}

/// Of no elements as of one. Outputs that leave out NaN are each made by the rule.
template <class Types>
FilterPlan plan_filter(const DeviceLimits& limits, FilterShape shape, FilterOptions options) {
  for (std::int64_t* const extent : {&shape.lines, &shape.extent, &shape.columns}) {
    *extent = std::max<std::int64_t>(1, *extent);
  }
  if (omits_nan<typename Types::in_type>(options)) options.variant = FilterVariant::direct;
  return make_filter_plan<Types>(limits, shape, options);
}

template <class Types, ExecutionSpace Space>
void launch_filter(const Space& space, const FilterPlan& plan, const FilterShape& shape, const FilterJob<Types>& job,
                   const FilterWeights<Space>& weights, int asked_team_size) {
  switch (plan.variant) {
    case FilterVariant::direct:
      return launch_direct(space, plan, job, asked_team_size);
    case FilterVariant::juxtaposed:
      return launch_juxtaposed(space, plan, job, asked_team_size);
    case FilterVariant::vectorized:
      if constexpr (has_column_kernel<Types>) {
        if (shape.direction == LineDirection::across) {
          if constexpr (has_short_integer_kernel<Types> && !is_host_space<Space>) {
            if (takes_short_columns<Types>(device_limits(space), shape, plan.team_size)) {
              return launch_short_columns(space, plan, shape, job, weights.narrow(), asked_team_size);
            }
          }
          if constexpr (has_interleaved_kernel<Types> && !is_host_space<Space>) {
            const auto share = interleaved_plan<Types>(device_limits(space), shape, plan.team_size);
            if (share.blocks > 0) {
              return launch_interleaved(space, plan, share, job, weights.narrow(), asked_team_size);
            }
          }
          return launch_columns(space, plan, job, weights.narrow(), asked_team_size);
        }
      }
      if constexpr (has_line_kernels<Types>) {
        launch_vectorized_lines(space, plan, shape, job, weights.narrow(), asked_team_size);
      } else if constexpr (has_short_integer_kernel<Types>) {
        launch_short_integers(space, plan, shape, job, weights.narrow(), asked_team_size);
      }
      return;
    case FilterVariant::register_blocked:
      if constexpr (has_blocked_kernels<Types>) launch_register_blocked_for(space, plan, job, asked_team_size);
      return;
    case FilterVariant::transform:  // refused before
    case FilterVariant::automatic:
    case FilterVariant::overlapping:
      if constexpr (!is_host_space<Space>) {
        if (takes_padded_lines<Types>(device_limits(space), shape, asked_team_size)) {
          return launch_padded_lines(space, plan, shape, job, asked_team_size);
        }
      }
      return launch_overlapping(space, plan, job, asked_team_size);
  }
}

template <ExecutionSpace Space, View InView, View OutView>
void filter_lines(std::string_view function, bool reversed, const Space& space, const InView& in,
                  const FilterWeights<Space>& weights, const OutView& out, const FilterOptions& options,
                  std::uint64_t* status_word) {
  const auto launch = [&]<class Types>(const FilterShape& shape, const FilterJob<Types>& job, bool refuses_nan) {
    require_variant<Types>(function, shape, options);
    const auto find_nan = [&] {
      if constexpr (rounds_v<typename Types::in_type>) {
        if (refuses_nan && in.size() > 0) launch_find_nan(space, in, status_word);
      }
    };
    if (out.size() == 0) return find_nan();
    const DeviceLimits limits = device_limits(space);
    const FilterPlan plan = plan_filter<Types>(limits, shape, options);
    require_scratch(function, plan.scratch_bytes, limits);
    find_nan();
    launch_filter(space, plan, shape, job, weights, options.team_size);
  };
  with_filter_job(function, reversed, in, weights, out, options, status_word != nullptr, launch);
}

template <class Types>
struct FilterHaloRule {
  FilterRule<Types> rule;
  KOKKOS_FUNCTION typename Types::out_type operator()(const HaloLine<typename Types::in_type>& line,
                                                      std::int64_t i) const {
    return rule.output_of([&](std::int64_t j) { return line.element(j); }, i);
  }
};

template <ExecutionSpace Space, View InView, View OutView, class Left, class Right>
void filter_halo(std::string_view function, bool reversed, const Space& space, const InView& in,
                 const FilterWeights<Space>& weights, const OutView& out, const FilterOptions& asked,
                 const Halo<Left, Right>& halo) {
  using In = typename InView::non_const_value_type;
  using Out = typename OutView::value_type;
  TESSERA_REQUIRE_ARGUMENT(asked.steps == 1, function, "options", std::to_string(asked.steps) + " steps with a halo",
                           "1", "a halo holds what the first application needs; call once for each");
  const FilterOptions options = without_halo<Left, Right>(function, asked);
  const int axis = filter_axis(function, options.axis, static_cast<int>(InView::rank()));
  const std::int64_t taps = weights.size(), extent = static_cast<std::int64_t>(in.extent(axis));
  require_origin(function, taps, options.origin, [&] { return std::to_string(taps) + " taps"; });
  const FilterSpan span = filter_span(reversed, taps, extent, options);
  const auto left = halo_lines<Space>(function, "halo.left", in, out, halo.left, axis, span.reach_left);
  const auto right = halo_lines<Space>(function, "halo.right", in, out, halo.right, axis, taps - 1 - span.reach_left);
  filter_lines(function, reversed, space, in, weights, out, options, nullptr);
  if (out.size() == 0) return;
  const auto [in_lines, out_lines] = line_arrays<const In, Out>(in, out, axis);
  const Boundary<In> boundary{options.mode_left, options.mode_right, boundary_value<In>(function, options)};
  visit_filter_types<In, Out>(filter_arithmetic<In>(function, weights, extent, options),
                              [&, &in_lines = in_lines, &out_lines = out_lines](auto types) {
                                using Types = decltype(types);
                                const FilterRule<Types> rule{{weights.values().data(), taps, span.reach_left, reversed},
                                                             boundary,
                                                             extent,
                                                             in_lines.stride,
                                                             span.outputs,
                                                             span.first_output,
                                                             weights.sum(),
                                                             omits_nan<In>(options)};
                                launch_halo_ends<Left, Right>(space, in_lines, left, right, out_lines, boundary,
                                                              WindowShape{taps, span.reach_left},
                                                              FilterHaloRule<Types>{rule});
                              });
}

}  // namespace detail

/// Correlates every line of one axis with m weights: out[i] = sum_k w[k] x[i - a + k], a = floor(m/2) + origin,
/// where x beyond the line is what the boundary modes say. Asynchronous on the instance; no allocation, no fence.
///
/// \param[in] space    the instance that runs it
/// \param[in] in       rank 1 to 8, any extents (64-bit sizes, 0 included) and layout
/// \param[in] weights  m >= 1 taps; m may exceed n. They must live until the kernel is done
/// \param[out] out     the extents of in, less what mode valid leaves out along the axis (a on the left, m - 1 - a on
///                     the right), any layout without zero strides, memory disjoint from in
/// \param[in] options  axis, modes, cval, origin, accumulation, NaN policy, variant, sizes of league and team
///
/// Complex elements are filtered part by part, under NaN policies they are NaN where a part is; cval is real.
///
/// Arithmetic: floating data in its own type (or double, options.accumulate), error at most (m + 2) u sum |w x| and the
/// output's rounding. Integer data with whole weights is exact (32 to 128 bits), then clamped to the output's type;
/// with other weights, and under mode renormalise, in double, rounded to nearest even for integer outputs. An output
/// that mode odd or a scale has part in: at most (m + 6) u sum |w x|, where |x| of an element beyond the line is the
/// sum of the magnitudes that odd makes it of, and the sum is scaled too. Weights that count and sum to 0 give NaN.
/// Outputs near an end of mode odd, renormalise or keep, and all under NaN policy omit, take every element of their
/// window from memory. A NaN or Inf reaches exactly the outputs whose window holds it. Terms are added in the order of
/// k: the same bits on every run with one plan and device.
///
/// options.steps applications give the bits that as many calls through stored outputs do, and read and write memory
/// once; FilterPlan::most_steps says how many one call makes (more than 1: floats in their own type, contiguous lines
/// of many elements, few taps, NaN policy propagate, modes of elements or keep, wrap at both ends or none).
///
/// Scratch: as the variant stages, at most tile + halo elements (of several lines each with its halo), the weights of a
/// pass and a sum an output. Compulsory bytes: each element of in read once, each of out written once.
///
/// \throws InvalidArgument  for extents other than those, weights that the accumulator's type cannot hold, or that sum
///                          to 0 under mode renormalise or NaN policy omit, more steps than a call makes, NaN policy
///                          error without a workspace, a variant that cannot do it, overlapping views, an origin beyond
///                          the window, a cval that the input's type cannot hold, sizes of league or team that the
///                          space cannot have
/// \throws ResourceError    where the plan's scratch exceeds what a team can have
template <ExecutionSpace Space, View InView, View OutView>
void correlate(const Space& space, const InView& in, const FilterWeights<Space>& weights, const OutView& out,
               const FilterOptions& options = {}) {
  detail::filter_lines("tessera::correlate", false, space, in, weights, out, options, nullptr);
}

/// The same under any NaN policy: `error` reads in once more before, and leaves the row-major position of the first NaN
/// in the workspace (of any size), which check(space, workspace) throws; outputs are as under propagate.
template <ExecutionSpace Space, View InView, View OutView>
void correlate(const Space& space, const InView& in, const FilterWeights<Space>& weights, const OutView& out,
               const FilterOptions& options, const Workspace<Space>& workspace) {
  detail::filter_lines("tessera::correlate", false, space, in, weights, out, options, workspace.status_word());
}

/// Convolves: out[i] = sum_k w[k] x[i + origin - k + floor(m/2)]. All else as correlate.
template <ExecutionSpace Space, View InView, View OutView>
void convolve(const Space& space, const InView& in, const FilterWeights<Space>& weights, const OutView& out,
              const FilterOptions& options = {}) {
  detail::filter_lines("tessera::convolve", true, space, in, weights, out, options, nullptr);
}
template <ExecutionSpace Space, View InView, View OutView>
void convolve(const Space& space, const InView& in, const FilterWeights<Space>& weights, const OutView& out,
              const FilterOptions& options, const Workspace<Space>& workspace) {
  detail::filter_lines("tessera::convolve", true, space, in, weights, out, options, workspace.status_word());
}

/// Lines that go on beyond their ends in views of the caller's, on the sides that halo has: their modes have no part in
/// it then, those of a side without are of elements or keep. All else as above; any NaN policy but error, one step. Two
/// kernels: the second one makes the outputs whose windows reach the halo, an element of memory at a time.
///
/// \throws InvalidArgument  also for views of a halo that have too few elements, or share memory with out, and for
///                          steps above 1
template <ExecutionSpace Space, View InView, View OutView, class Left, class Right>
void correlate(const Space& space, const InView& in, const FilterWeights<Space>& weights, const OutView& out,
               const FilterOptions& options, const Halo<Left, Right>& halo) {
  detail::filter_halo("tessera::correlate", false, space, in, weights, out, options, halo);
}
template <ExecutionSpace Space, View InView, View OutView, class Left, class Right>
void convolve(const Space& space, const InView& in, const FilterWeights<Space>& weights, const OutView& out,
              const FilterOptions& options, const Halo<Left, Right>& halo) {
  detail::filter_halo("tessera::convolve", true, space, in, weights, out, options, halo);
}

/// The plan that correlate() follows; that of convolve() with an even number of taps or another origin than 0 may
/// differ in halo and variant. Only types, extents and strides of the views matter, and of 8- and 16-bit integers
/// whether they begin on 4-byte boundaries. Pure: it launches and allocates nothing. \throws InvalidArgument for an
/// axis, weights, a variant or sizes of league or team that they refuse; what else they refuse they alone look at
template <ExecutionSpace Space, View InView, View OutView>
FilterPlan filter_plan(const Space& space, const InView& in, const FilterWeights<Space>& weights, const OutView& out,
                       const FilterOptions& options = {}) {
  using In = typename InView::non_const_value_type;
  using Out = typename OutView::non_const_value_type;
  constexpr std::string_view function = "tessera::filter_plan";
  const int axis = detail::filter_axis(function, options.axis, static_cast<int>(InView::rank()));
  detail::require_scalable<In>(function, weights, options);
  const auto [in_lines, out_lines] = detail::line_arrays<const In, const Out>(in, out, axis);
  const std::int64_t reach_left = detail::filter_span(false, weights.size(), in_lines.extent, options).reach_left;
  const detail::FilterShape shape = detail::filter_shape(in_lines, out_lines, weights.size(), reach_left);
  const detail::FilterArithmetic arithmetic =
      detail::filter_arithmetic<In>(function, weights, in_lines.extent, options);
  return detail::visit_filter_types<In, Out>(arithmetic, [&](auto types) {
    detail::require_variant<decltype(types)>(function, shape, options);
    return detail::plan_filter<decltype(types)>(detail::device_limits(space), shape, options);
  });
}

}  // namespace tessera

#endif
