// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ten applications of a filter to one long line: in as few calls as can be, and one by one. Bytes count all of them.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <tessera/filter/filter.hpp>
#include <utility>
#include <vector>

#include "bench_case.hpp"
#include "bench_data.hpp"

namespace tessera::apps::bench {
namespace {

constexpr int applications = 10;

/// Elements and sums of weights are at most 1.
template <class T>
struct CountFarOff {
  const T *got, *expected;
  double bound;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    wrong += !(Kokkos::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i])) <= bound);
  }
};

/// Between two arrays, the second of which has the result.
template <class Space, class T>
struct Applications {
  Space space;
  Kokkos::View<T*, Space> in, out, other;
  FilterWeights<Space> weights;
  FilterOptions options;

  void run(int steps) const {
    const int calls = (applications + steps - 1) / steps;
    Kokkos::View<T*, Space> from = in;
    for (int call = 0, left = applications; call < calls; ++call, left -= steps) {
      const auto& to = (calls - call) % 2 != 0 ? out : other;
      FilterOptions of_call = options;
      of_call.steps = std::min(left, steps);
      correlate(space, from, weights, to, of_call);
      from = to;
    }
  }
};

template <class Space, class T>
class StepsCase {
 public:
  StepsCase(const Space& space, const Request& request) {
    const auto count = static_cast<std::int64_t>(request.size());
    const auto taps = static_cast<std::size_t>(request.taps);
    std::vector<double> weights(taps);
    for (std::size_t k = 0; k < taps; ++k) weights[k] = static_cast<double>(k + 1) / static_cast<double>(taps * taps);
    const Kokkos::View<T*, Space> other = make_output<Space, T>(space, count);
    Applications<Space, T> all{space, make_elements<Space, T>(space, count), make_output<Space, T>(space, count),
                               other, FilterWeights<Space>(space, weights),  {.league_size = request.league_size}};
    m_case.bytes = 2 * request.size() * sizeof(T) * applications;
    m_case.bounded_by_copy = true;
    add_stopwatch(m_case, space);
    for_team_sizes(request, [&](int team_size, const std::string& suffix) {
      all.options.team_size = team_size;
      add_at_once(all, "tessera at once" + suffix);
      add(all, 1, {"tessera one by one" + suffix, Role::context, {}, {}, {}, {}, {}});
    });
  }

  [[nodiscard]] const Case& get() const { return m_case; }

 private:
  void add_at_once(Applications<Space, T> all, const std::string& name) {
    Contender contender{name, Role::tessera, "automatic", {}, {}, {}, {}};
    try {
      const int steps = filter_plan(all.space, all.in, all.weights, all.out, all.options).most_steps;
      if (steps == 1) return;  // the fastest variant makes one application a call, as on hosts
      all.options.steps = std::min(steps, applications);
      const FilterPlan plan = filter_plan(all.space, all.in, all.weights, all.out, all.options);
      contender.variant = to_string(plan.variant);
      contender.plan = {{"league_size", plan.league_size},
                        {"team_size", plan.team_size},
                        {"vector_length", plan.vector_length},
                        {"tile", plan.tile},
                        {"halo", plan.halo},
                        {"steps", plan.steps},
                        {"scratch_bytes", plan.scratch_bytes}};
      add(all, steps, contender);
    } catch (const Error& error) {
      contender.refusal = error.what();
      m_case.contenders.push_back(contender);
    }
  }

  /// Checked against applications one by one by the definition, in an array of the check's own.
  void add(const Applications<Space, T>& all, int steps, Contender contender) {
    contender.run = [all, steps] { all.run(steps); };
    contender.check = [all, steps] {
      const std::int64_t count = static_cast<std::int64_t>(all.out.extent(0));
      Applications<Space, T> single = all;
      single.out = make_output<Space, T>(all.space, count);
      single.options.variant = FilterVariant::direct;
      single.run(1);
      poison(all.space, all.out);
      all.run(steps);
      const double unit = std::is_same_v<T, float> ? 0x1p-24 : 0x1p-53;
      const double bound = 2 * applications * static_cast<double>(all.weights.size() + 2) * unit;
      return wrong_outputs(Range<Space>(all.space, 0, count), CountFarOff<T>{all.out.data(), single.out.data(), bound});
    };
    contender.bits = bits_of(all.space, all.out, static_cast<std::int64_t>(all.out.extent(0)));
    m_case.contenders.push_back(std::move(contender));
  }

  Case m_case;
};

}  // namespace

Operation steps_operation() {
  return {"steps", {NumberType::float32, NumberType::float64}, {"automatic"}, 4, make_floating_case<StepsCase>, {3, 9}};
}

}  // namespace tessera::apps::bench
