// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device level: linear filters with very many taps, by Fourier transforms of overlapping blocks (overlap-save:
// T. G. Stockham, "High-speed convolution and correlation", 1966). Needs the target tessera::transform, which brings
// cuFFT (CUDA) and FFTW 3 (hosts) where they were found.
#ifndef TESSERA_FILTER_FILTER_TRANSFORM_HPP
#define TESSERA_FILTER_FILTER_TRANSFORM_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/filter/detail/filter_lines.hpp>
#include <tessera/filter/detail/fourier_plan.hpp>
#include <tessera/filter/detail/transform_blocks.hpp>
#include <tessera/filter/filter.hpp>
#include <tessera/filter/filter_options.hpp>
#include <tessera/filter/transform_plan.hpp>
#include <tessera/filter/weights.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// Whether this translation unit was given a library of transforms for the space.
template <ExecutionSpace Space>
inline constexpr bool has_transform = !std::is_same_v<detail::FourierPlan<Space>, detail::NoFourierPlan>;

/// From this width on transforms beat direct sums, where lines are as long (measured on an H200, and on hosts against
/// FFTW 3.3.10); in double from where the estimate of the error lies below the bound.
template <class T>
inline constexpr std::int64_t transform_taps_device = sizeof(T) > 4 ? 1000 : 2100;
template <class T>
inline constexpr std::int64_t transform_taps_host = sizeof(T) > 4 ? 1000 : 800;
template <ExecutionSpace Space, class T>
constexpr bool transform_pays(std::int64_t taps, std::int64_t extent) {
  return std::min(taps, extent) >= (detail::is_host_space<Space> ? transform_taps_host<T> : transform_taps_device<T>);
}

namespace detail {
struct TransformCall;
}

/// Weights with their spectra, the transforms' plan and the memory of a batch of blocks: what correlate() and
/// convolve() of many arrays share. T: float or double, of input and output. A copy shares all of it. Calls with one
/// object run one after the other: those on different instances need a fence between.
template <ExecutionSpace Space, class T>
class FilterTransform {
  static_assert(has_transform<Space>,
                "tessera::FilterTransform: link tessera::transform, built with cuFFT (CUDA) or FFTW 3 (hosts)");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "tessera::FilterTransform: the element type must be float or double");

 public:
  /// Allocates options.memory_bytes at most (on devices half of it for the transforms' own work, as much as cuFFT is
  /// known to ask for), two spectra of half a block each and some small arrays; fences the instance.
  ///
  /// \throws InvalidArgument  for options beyond what their comments say
  /// \throws ResourceError    where the memory is too little for blocks of twice the taps, or the library has no plan
  FilterTransform(const Space& space, const FilterWeights<Space>& weights, const FilterTransformOptions& options = {})
      : m_weights(weights),
        m_plan(detail::make_transform_plan(detail::device_limits(space), weights.size(), options)),
        m_blocks(allocated(space, "blocks"), elements()),
        m_spectra(allocated(space, "spectra"), static_cast<std::size_t>(m_plan.block + 2)),
        m_squares(allocated(space, "squares"), tiles()),
        m_magnitudes(allocated(space, "magnitudes"), tiles()),
        m_good(allocated(space, "good"), static_cast<std::size_t>(m_plan.batch)),
        m_direct(Kokkos::view_alloc(space, "tessera::filter::transform::direct"), 1),
        m_fourier(detail::make_fourier_plan(space, m_plan.block, m_plan.batch, m_blocks.data())),
        m_error(m_plan.block, 0, 0) {
    make_spectra(space);
  }

  [[nodiscard]] const FilterWeights<Space>& weights() const { return m_weights; }
  /// Variant transform: `tile` outputs of each of `batch` blocks of `block` elements.
  [[nodiscard]] const FilterPlan& plan() const { return m_plan; }

  /// Blocks of the last call that direct sums made, as their data asked for; fences the instance, that of the call.
  [[nodiscard]] std::int64_t direct_blocks(const Space& space) const {
    std::int64_t count = 0;
    Kokkos::deep_copy(
        space, Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&count, 1),
        m_direct);
    space.fence("tessera::filter::transform::direct_blocks");
    return count;
  }

 private:
  friend struct detail::TransformCall;
  template <class Element>
  using array_type = Kokkos::View<Element*, typename Space::memory_space>;

  static auto allocated(const Space& space, const std::string& what) {
    return Kokkos::view_alloc(space, "tessera::filter::transform::" + what, Kokkos::WithoutInitializing);
  }
  [[nodiscard]] std::size_t elements() const {
    return static_cast<std::size_t>(m_plan.block) * static_cast<std::size_t>(m_plan.batch);
  }
  [[nodiscard]] std::size_t tiles() const {
    return static_cast<std::size_t>(detail::TransformBatch{m_plan.block, 1, 1, 0, 1}.tiles() * m_plan.batch);
  }

  /// The weights are rounded to T, as direct sums round them.
  void make_spectra(const Space& space) {
    const auto taps = static_cast<std::size_t>(m_weights.size());
    std::vector<double> weights(taps);
    const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> target(weights.data(),
                                                                                                   taps);
    Kokkos::deep_copy(space, target, m_weights.values());
    space.fence("tessera::filter::transform::weights");
    std::vector<detail::Complex> block(static_cast<std::size_t>(m_plan.block));
    double norm_1 = 0, squares = 0;
    for (std::size_t k = 0; k < taps; ++k) {
      const auto weight = static_cast<double>(static_cast<T>(weights[k]));
      block[k] = detail::Complex(weight, std::abs(weight));
      norm_1 += std::abs(weight);
      squares += weight * weight;
    }
    m_error = detail::TransformError(m_plan.block, norm_1, std::sqrt(squares));
    const Kokkos::View<const detail::Complex*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> source(
        block.data(), block.size());
    // All of a batch is transformed: what it holds has to be something.
    Kokkos::deep_copy(space, m_blocks, detail::Complex(0));
    Kokkos::deep_copy(space, Kokkos::subview(m_blocks, std::pair<std::size_t, std::size_t>(0, block.size())), source);
    m_fourier->run(space, detail::FourierDirection::forward, m_blocks.data(), 1);
    const Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>> policy(space, 0, m_plan.block / 2 + 1);
    Kokkos::parallel_for("tessera::filter::transform::spectra", policy,
                         detail::SplitSpectra{m_blocks.data(), m_spectra.data(), m_plan.block});
    space.fence("tessera::filter::transform::spectra");
  }

  FilterWeights<Space> m_weights;
  FilterPlan m_plan;
  array_type<detail::Complex> m_blocks, m_spectra;
  array_type<double> m_squares, m_magnitudes;
  array_type<int> m_good;
  array_type<std::int64_t> m_direct;
  std::shared_ptr<const detail::FourierPlan<Space>> m_fourier;
  detail::TransformError m_error;
};

namespace detail {

/// What only this variant refuses.
template <class T>
void require_transform(std::string_view function, const FilterOptions& options) {
  const auto require = [&](bool fine, const std::string& actual, const std::string& expected) {
    TESSERA_REQUIRE_ARGUMENT(fine, function, "options", actual + " with a FilterTransform", expected,
                             "pass the weights instead of it");
  };
  require(options.variant == FilterVariant::automatic || options.variant == FilterVariant::transform,
          "variant " + std::string(to_string(options.variant)), "automatic or transform");
  require(options.nan == NanPolicy::propagate, "NaN policy " + std::string(to_string(options.nan)), "propagate");
  require(options.accumulate == FilterAccumulate::element || sizeof(T) == sizeof(double), "accumulate float64",
          "element with elements of less");
  require(options.steps == 1, "steps " + std::to_string(options.steps), "1");
  require(options.team_size == 0 && options.league_size == 0,
          "team_size " + std::to_string(options.team_size) + ", league_size " + std::to_string(options.league_size),
          "0, as the plan decides");
}

struct TransformCall {
  template <ExecutionSpace Space, View InView, class T, View OutView>
  static void filter(std::string_view function, bool reversed, const Space& space, const InView& in,
                     const FilterTransform<Space, T>& transform, const OutView& out, FilterOptions options) {
    static_assert(
        std::is_same_v<typename InView::non_const_value_type, T> && std::is_same_v<typename OutView::value_type, T>,
        "tessera::FilterTransform: `in` and `out` must have its elements");
    require_transform<T>(function, options);
    options.accumulate = FilterAccumulate::element;
    with_filter_job(function, reversed, in, transform.weights(), out, options, false,
                    [&]<class Types>(const FilterShape& shape, const FilterJob<Types>& job, bool) {
                      if constexpr (has_blocked_kernels<Types>) {
                        if (out.size() != 0) launch(function, space, shape, job, transform);
                      }
                    });
  }

 private:
  template <ExecutionSpace Space, class Types, class T>
  static void launch(std::string_view function, const Space& space, const FilterShape& shape,
                     const FilterJob<Types>& job, const FilterTransform<Space, T>& transform) {
    const FilterPlan& plan = transform.m_plan;
    const DeviceLimits limits = device_limits(space);
    FilterOptions direct;
    direct.variant = !limits.is_host && takes_register_blocked<Types>(shape) ? FilterVariant::register_blocked
                                                                             : FilterVariant::overlapping;
    const FilterPlan direct_plan = make_filter_plan<Types>(limits, shape, direct, false);
    require_scratch(function, direct_plan.scratch_bytes, limits);

    const TransformMemory memory{transform.m_blocks.data(),     transform.m_spectra.data(), transform.m_squares.data(),
                                 transform.m_magnitudes.data(), transform.m_good.data(),    transform.m_direct.data()};
    const double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
    // Direct sums may be off by two more: those are for the roundings of weights and result, which transforms make too.
    const double bound = static_cast<double>(shape.taps) * unit;
    TransformBatch batch{plan.block, plan.tile, ceil_div(job.out.extent, plan.tile), 0, 0};
    const std::int64_t blocks = shape.lines * batch.blocks_per_line;
    for (; batch.first < blocks; batch.first += plan.batch) {
      batch.count = std::min<std::int64_t>(plan.batch, blocks - batch.first);
      const std::int64_t tiles = batch.count * batch.tiles();
      launch_blocks("tessera::filter::transform::stage", space, tiles, StageBlocks<Space, Types>{job, batch, memory});
      transform.m_fourier->run(space, FourierDirection::forward, memory.blocks, batch.count);
      const Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>> halves(space, 0,
                                                                               batch.count * (batch.length / 2));
      Kokkos::parallel_for("tessera::filter::transform::multiply", halves,
                           MultiplyBlocks{batch, memory, job.rule.window.reversed});
      transform.m_fourier->run(space, FourierDirection::backward, memory.blocks, batch.count);
      launch_blocks("tessera::filter::transform::store", space, tiles, StoreBlocks<Space, Types>{job, batch, memory});
      launch_blocks("tessera::filter::transform::judge", space, batch.count,
                    JudgeBlocks<Space>{batch, memory, transform.m_error, bound});
      const BadTiles bad{batch, memory.good, job.rule.plain_begin(), job.rule.plain_end(), job.out.extent};
      if (direct_plan.variant == FilterVariant::register_blocked) {
        launch_register_blocked_for(space, direct_plan, job, 0, bad);
      } else {
        launch_overlapping(space, direct_plan, job, 0, bad);
      }
    }
  }
};

}  // namespace detail

/// Correlates as correlate() with weights does, where m is so large that direct sums take too long: some log(m)
/// operations an output instead of m. Asynchronous on the instance; no allocation, no fence.
///
/// \param[in] space      the instance that runs it
/// \param[in] in         rank 1 to 8, of T, any extents (64-bit sizes, 0 included) and layout
/// \param[in] transform  m >= 1 taps; m may exceed n. It must live until the kernels are done
/// \param[out] out       of T; the extents of in, less what mode valid leaves out along the axis; no zero strides,
///                       memory disjoint from in
/// \param[in] options    axis, modes, cval, origin; variant automatic or transform
///
/// Arithmetic: transforms in double precision, also of floats. A block of outputs is taken from them only where it is
/// finite and the estimate of their error (transform_plan.hpp) lies below m u sum |w x| of every output, u the unit
/// roundoff of T; the others, and those that modes odd, renormalise and keep make, are direct sums. So errors are
/// at most those of correlate() with weights, (m + 2) u sum |w x| and the output's rounding, as far as the estimate
/// holds, and a NaN or Inf reaches exactly the outputs whose window holds it. A block with such an element, or with an
/// output whose terms are far smaller than others of the block, takes as long as direct sums do. The same bits on every
/// run with one plan, device and library of transforms, whatever the instance.
///
/// Memory: elements of the halo are read again by every block of plan().tile outputs. Compulsory bytes: each element of
/// in read once, each of out written once; blocks move some 250 to 400 bytes an output beyond these.
///
/// \throws InvalidArgument  as correlate() with weights, and for NaN policies other than propagate, steps, sizes of
///                          league or team, float64 accumulation of floats
/// \throws ResourceError    where the scratch of direct sums exceeds what a team can have, or the library of transforms
///                          fails
template <ExecutionSpace Space, View InView, class T, View OutView>
void correlate(const Space& space, const InView& in, const FilterTransform<Space, T>& transform, const OutView& out,
               const FilterOptions& options = {}) {
  detail::TransformCall::filter("tessera::correlate", false, space, in, transform, out, options);
}

/// Convolves: out[i] = sum_k w[k] x[i + origin - k + floor(m/2)]. All else as correlate.
template <ExecutionSpace Space, View InView, class T, View OutView>
void convolve(const Space& space, const InView& in, const FilterTransform<Space, T>& transform, const OutView& out,
              const FilterOptions& options = {}) {
  detail::TransformCall::filter("tessera::convolve", true, space, in, transform, out, options);
}

}  // namespace tessera

#endif
