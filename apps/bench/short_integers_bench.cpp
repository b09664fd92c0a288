// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correlations of bytes and 16-bit integers, mode reflect: one long line, lines of 1000 elements, and 1000 lines across
// memory. Whole weights are exact, others round sums in double.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>
#include <tessera/filter/filter.hpp>
#include <vector>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "direct_line.hpp"

namespace tessera::apps::bench {
namespace {

/// Of both signs: sums are small beside their terms, so that few outputs are clamped.
std::vector<double> signed_weights(std::int64_t taps, double scale) {
  std::vector<double> weights = filter_weights(taps);
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] *= (k % 2 == 0 ? scale : -scale);
  return weights;
}

template <class T, class Accumulator>
struct StoreClamped {
  DirectLine<T> direct;
  T* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    out[i] = detail::convert<T>(direct.template sum<Accumulator>(i));
  }
};

/// Whole: to the last bit; else to half a unit, and what the sum may be off.
template <class T, bool Whole>
struct CountWrongClamped {
  DirectLine<T> direct;
  const T* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    const auto low = static_cast<double>(Kokkos::Experimental::finite_min_v<T>);
    const auto high = static_cast<double>(Kokkos::Experimental::finite_max_v<T>);
    const double sum = direct.template sum<double>(i);
    const double off = Kokkos::abs(static_cast<double>(out[i]) - Kokkos::min(Kokkos::max(sum, low), high));
    wrong += !(off <= (Whole ? 0 : 0.5 + 0x1p-30));
  }
};

template <class Space, class T>
class ShortIntegersCases {
 public:
  ShortIntegersCases(const Space& space, const Request& request)
      : m_space(space),
        m_request(request),
        m_in(make_elements<Space, T>(space, static_cast<std::int64_t>(request.size()))),
        m_out(make_output<Space, T>(space, static_cast<std::int64_t>(request.size()))) {
    constexpr std::uint64_t extent = 1000;
    add_stopwatch(m_common, space);
    m_cases.push_back(made(1, request.size(), 1));
    if (request.size() < 2 * extent) return;
    for (const int axis : {0, 1}) m_cases.push_back(made(request.size() / extent, extent, axis));
  }

  [[nodiscard]] const std::vector<Case>& get() const { return m_cases; }

 private:
  Case made(std::uint64_t rows, std::uint64_t columns, int axis) const {
    Case made = m_common;
    made.bytes = 2 * rows * columns * sizeof(T);
    made.bounded_by_copy = true;
    made.shape = {rows, columns};
    made.axis = axis;
    add_filters<true>(made, "whole weights", 4 * static_cast<double>(m_request.taps));
    add_filters<false>(made, "other weights", 1);
    const auto count = static_cast<std::size_t>(element_count(made.shape));
    const Kokkos::View<T*, Space> source(m_in.data(), count), target(m_out.data(), count);
    add(
        made, {"Kokkos::deep_copy", Role::context, {}, {}, {}, {}, {}, {}, {}, "copy"},
        [space = m_space, source, target] { Kokkos::deep_copy(space, target, source); },
        CountDifferent<T>{m_in.data(), m_out.data()});
    return made;
  }

  template <bool Whole>
  void add_filters(Case& made, const std::string& task, double scale) const {
    using Array = Kokkos::View<T**, Kokkos::LayoutRight, Space>;
    const Array source(m_in.data(), made.shape[0], made.shape[1]), target(m_out.data(), made.shape[0], made.shape[1]);
    const FilterWeights<Space> weights(m_space, signed_weights(m_request.taps, scale));
    const int axis = *made.axis;
    const std::uint64_t extent = made.shape[static_cast<std::size_t>(axis)], stride = axis == 0 ? made.shape[1] : 1;
    const DirectLine<T> direct{m_in.data(), weights.values().data(), static_cast<std::int64_t>(extent),
                               static_cast<std::int64_t>(stride), m_request.taps};
    const CountWrongClamped<T, Whole> counter{direct, m_out.data()};
    for_team_sizes(m_request, [&](int team_size, const std::string& suffix) {
      const FilterOptions options{.axis = axis, .league_size = m_request.league_size, .team_size = team_size};
      const FilterPlan plan = filter_plan(m_space, source, weights, target, options);
      add(
          made,
          {"tessera automatic" + suffix,
           Role::tessera,
           "automatic",
           {{"league_size", plan.league_size},
            {"team_size", plan.team_size},
            {"vector_length", plan.vector_length},
            {"tile", plan.tile},
            {"halo", plan.halo},
            {"scratch_bytes", static_cast<std::int64_t>(plan.scratch_bytes)}},
           {},
           {},
           {},
           {},
           {},
           task},
          [space = m_space, source, target, weights, options] {
            tessera::correlate(space, source, weights, target, options);
          },
          counter);
    });
    using Accumulator = std::conditional_t<Whole, std::int32_t, double>;
    const Range<Space> range(m_space, 0, static_cast<std::int64_t>(source.size()));
    add(
        made, {"Kokkos::parallel_for, direct", Role::peer, {}, {}, {}, {}, {}, {}, {}, task},
        [range, weights, store = StoreClamped<T, Accumulator>{direct, m_out.data()}] {
          Kokkos::parallel_for("tessera::bench::direct", range, store);
        },
        counter);
  }

  /// The closures hold the arrays. No value is no output: what is left from before is wrong in most places.
  template <class Run, class Counter>
  void add(Case& made, Contender contender, const Run& run, const Counter& counter) const {
    const Range<Space> range(m_space, 0, static_cast<std::int64_t>(element_count(made.shape)));
    contender.run = [run, in = m_in, out = m_out] { run(); };
    contender.check = [space = m_space, out = m_out, range, counter, run = contender.run] {
      Kokkos::deep_copy(space, out, T(85));
      run();
      return wrong_outputs(range, counter);
    };
    contender.bits = bits_of(m_space, m_out, range.end());
    made.contenders.push_back(std::move(contender));
  }

  Space m_space;
  Request m_request;
  Kokkos::View<T*, Space> m_in, m_out;
  Case m_common;
  std::vector<Case> m_cases;
};

}  // namespace

Operation short_integers_operation() {
  return {"short_integers",
          {NumberType::int16, NumberType::uint8},
          {"automatic"},
          2,
          [](const Request& request) {
            return visit_space(request.space, [&](const auto& space) -> Cases {
              using Space = std::decay_t<decltype(space)>;
              if (request.type == NumberType::uint8)
                return ShortIntegersCases<Space, std::uint8_t>(space, request).get();
              return ShortIntegersCases<Space, std::int16_t>(space, request).get();
            });
          },
          {3, 9, 33},
          false,
          2};
}

}  // namespace tessera::apps::bench
