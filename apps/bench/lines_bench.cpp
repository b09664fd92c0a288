// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of many lines, mode reflect: lines across memory, many or three side by side, and short ones along it.
#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/filter/filter.hpp>
#include <tessera/filter/median_filter.hpp>
#include <tessera/filter/window_filter.hpp>
#include <type_traits>
#include <vector>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "direct_line.hpp"

namespace tessera::apps::bench {
namespace {

/// Along the middle axis of an array of rank 3.
Shape shape_with(std::uint64_t size, std::uint64_t extent, std::uint64_t inner) {
  return {size / (extent * inner), extent, inner};
}

/// What is measured with at most size elements: lines whose elements lie 1024 apart, such of 17 to 200 elements, and
/// rows of 1000 pixels of 3 colours.
std::vector<Shape> shapes_of(std::uint64_t size) {
  constexpr std::uint64_t inner = 1024, outer = 8;
  std::vector<Shape> shapes;
  if (size >= inner * outer) shapes.push_back(shape_with(size, size / (inner * outer), inner));
  for (const std::uint64_t extent : {17, 50, 100, 200}) {
    if (size >= extent) shapes.push_back(shape_with(size, extent, 1));
  }
  constexpr std::uint64_t pixels = 1000, colours = 3;
  if (size >= pixels * colours) shapes.push_back(shape_with(size, pixels, colours));
  return shapes;
}

template <class T>
struct StoreSums {
  DirectLine<T> direct;
  T* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { out[i] = direct.template sum<T>(i); }
};

template <class T>
struct CountWrongLineSums {
  DirectLine<T> direct;
  const T* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    double magnitudes = 0;
    direct.visit(i,
                 [&](std::int64_t k, T x) { magnitudes += Kokkos::abs(direct.weights[k] * static_cast<double>(x)); });
    const double bound = static_cast<double>(direct.taps + 4) * (sizeof(T) == 4 ? 0x1p-24 : 0x1p-53) * magnitudes;
    wrong += !(Kokkos::abs(static_cast<double>(out[i]) - direct.template sum<double>(i)) <= bound);
  }
};

template <class T>
struct CountWrongMinima {
  DirectLine<T> direct;
  const T* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    T least = Kokkos::Experimental::infinity_v<T>;
    direct.visit(i, [&](std::int64_t, T x) { least = x < least ? x : least; });
    wrong += !(out[i] == least);
  }
};

/// The bench's data has sums that are exact in double.
template <class T>
struct CountWrongMeans {
  DirectLine<T> direct;
  const T* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    double sum = 0;
    direct.visit(i, [&](std::int64_t, T x) { sum += static_cast<double>(x); });
    wrong += !(out[i] == static_cast<T>(sum / static_cast<double>(direct.taps)));
  }
};

template <class T>
struct CountWrongLineMedians {
  DirectLine<T> direct;
  const T* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    Rank<T> rank{out[i]};
    direct.visit(i, [&](std::int64_t, T x) { rank.see(x); });
    wrong += !rank.is_median(direct.taps);
  }
};

template <class Space, class T>
class LinesCases {
 public:
  LinesCases(const Space& space, const Request& request)
      : m_space(space), m_request(request), m_weights(space, filter_weights(request.taps)) {
    const auto count = static_cast<std::int64_t>(request.size());
    const auto in = make_elements<Space, T>(space, count);
    const auto out = make_output<Space, T>(space, count);
    add_stopwatch(m_common, space);
    for (const Shape& shape : shapes_of(request.size())) m_cases.push_back(made(shape, in, out));
  }

  [[nodiscard]] const std::vector<Case>& get() const { return m_cases; }

 private:
  using Array = Kokkos::View<T***, Kokkos::LayoutRight, Space>;

  /// The closures hold `in` and `out`, of which each shape sees the beginning.
  Case made(const Shape& shape, const Kokkos::View<T*, Space>& in, const Kokkos::View<T*, Space>& out) const {
    Case made = m_common;
    const std::uint64_t count = element_count(shape);
    made.bytes = 2 * count * sizeof(T);
    made.bounded_by_copy = true;
    made.shape = shape;
    made.axis = 1;
    const Array source(in.data(), shape[0], shape[1], shape[2]), target(out.data(), shape[0], shape[1], shape[2]);
    const DirectLine<T> direct{in.data(), m_weights.values().data(), static_cast<std::int64_t>(shape[1]),
                               static_cast<std::int64_t>(shape[2]), m_request.taps};
    const Range<Space> range(m_space, 0, static_cast<std::int64_t>(count));
    const auto add = [&](const std::string& name, const std::string& task, Role role, const Plan& plan, const auto& run,
                         const auto& counter) {
      Contender contender{name, role, role == Role::tessera ? "automatic" : "", plan, {}, {}, {}};
      contender.task = task;
      contender.run = [run, in, out] { run(); };
      contender.check = [space = m_space, out, range, counter, run = contender.run] {
        poison(space, out);
        run();
        return wrong_outputs(range, counter);
      };
      contender.bits = bits_of(m_space, out, range.end());
      made.contenders.push_back(std::move(contender));
    };

    for_team_sizes(m_request, [&](int team_size, const std::string& suffix) {
      const FilterOptions filter{.axis = 1, .league_size = m_request.league_size, .team_size = team_size};
      add(
          "tessera filter" + suffix, "filter", Role::tessera,
          fields(filter_plan(m_space, source, m_weights, target, filter)),
          [space = m_space, source, target, weights = m_weights, filter] {
            correlate(space, source, weights, target, filter);
          },
          CountWrongLineSums<T>{direct, out.data()});
    });
    add(
        "Kokkos::parallel_for filter, direct", "filter", Role::peer, {},
        [range, direct, weights = m_weights, target = out.data()] {
          Kokkos::parallel_for("tessera::bench::direct", range, StoreSums<T>{direct, target});
        },
        CountWrongLineSums<T>{direct, out.data()});
    const auto add_window = [&]<WindowOperation Operation>(std::integral_constant<WindowOperation, Operation>,
                                                           const auto& counter) {
      for_team_sizes(m_request, [&](int team_size, const std::string& suffix) {
        const WindowOptions window{.axis = 1, .league_size = m_request.league_size, .team_size = team_size};
        const WindowPlan plan = window_plan(m_space, source, Operation, m_request.taps, window);
        add(
            "tessera " + std::string(to_string(Operation)) + suffix, std::string(to_string(Operation)), Role::tessera,
            fields(plan),
            [space = m_space, source, target, taps = m_request.taps, window,
             workspace = Workspace<Space>(m_space, plan.workspace_bytes)] {
              if constexpr (Operation == WindowOperation::min) {
                min_filter(space, source, taps, target, window, workspace);
              } else {
                box_filter(space, source, taps, target, window, workspace);
              }
            },
            counter);
      });
    };
    add_window(std::integral_constant<WindowOperation, WindowOperation::min>{},
               CountWrongMinima<T>{direct, out.data()});
    add_window(std::integral_constant<WindowOperation, WindowOperation::box>{}, CountWrongMeans<T>{direct, out.data()});
    for_team_sizes(m_request, [&](int team_size, const std::string& suffix) {
      const WindowOptions window{.axis = 1, .league_size = m_request.league_size, .team_size = team_size};
      add(
          "tessera median" + suffix, "median", Role::tessera,
          fields(median_plan(m_space, source, m_request.taps, window)),
          [space = m_space, source, target, taps = m_request.taps, window] {
            median_filter(space, source, taps, target, window);
          },
          CountWrongLineMedians<T>{direct, out.data()});
    });
    add(
        "Kokkos::deep_copy", "copy", Role::context, {},
        [space = m_space, source, target] { Kokkos::deep_copy(space, target, source); },
        CountDifferent<T>{in.data(), out.data()});
    return made;
  }

  template <class Mapping>
  static Plan fields(const Mapping& plan) {
    return {{"league_size", plan.league_size},
            {"team_size", plan.team_size},
            {"vector_length", plan.vector_length},
            {"tile", plan.tile},
            {"scratch_bytes", static_cast<std::int64_t>(plan.scratch_bytes)}};
  }

  Space m_space;
  Request m_request;
  FilterWeights<Space> m_weights;
  Case m_common;
  std::vector<Case> m_cases;
};

Cases make_cases(const Request& request) {
  return visit_space(request.space, [&](const auto& space) -> Cases {
    using Space = std::decay_t<decltype(space)>;
    if (request.type == NumberType::float32) return LinesCases<Space, float>(space, request).get();
    return LinesCases<Space, double>(space, request).get();
  });
}

}  // namespace

Operation lines_operation() {
  return {"lines", {NumberType::float32, NumberType::float64}, {"automatic"}, 2, make_cases, {3, 9}, false, 5};
}

}  // namespace tessera::apps::bench
