// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correlations of one long line, mode reflect.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <tessera/filter/filter.hpp>
#include <tessera/filter/filter_transform.hpp>
#include <vector>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "multiply_adds.hpp"
#include "python_peer.hpp"

namespace tessera::apps::bench {
namespace {

/// The direct form, one output a thread, every load from memory: what a Kokkos user writes first.
template <class T, class Accumulator>
struct DirectFilter {
  const T* in;
  const double* weights;
  std::int64_t count, taps;

  /// The sum, and the sum of the terms' magnitudes.
  KOKKOS_FUNCTION Accumulator sum(std::int64_t i, Accumulator& magnitudes) const {
    const std::int64_t first = i - taps / 2;
    Accumulator total = 0;
    for (std::int64_t k = 0; k < taps; ++k) {
      const Accumulator term =
          static_cast<Accumulator>(weights[k]) * static_cast<Accumulator>(in[reflected(first + k, count)]);
      total += term;
      magnitudes += Kokkos::abs(term);
    }
    return total;
  }
};

template <class T>
struct StoreDirect {
  DirectFilter<T, T> filter;
  T* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    T magnitudes = 0;
    out[i] = filter.sum(i, magnitudes);
  }
};

/// Every step-th run of neighbouring outputs, which are of one warp, and the last one.
template <class T>
struct CountWrongOutputs {
  DirectFilter<T, double> filter;
  const T* out;
  std::int64_t step;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    constexpr std::int64_t run = 64;
    if (i / run % step != 0 && i + run < filter.count) return;
    double magnitudes = 0;
    const double expected = filter.sum(i, magnitudes);
    const double unit = std::is_same_v<T, float> ? 0x1p-24 : 0x1p-53;
    const double bound = static_cast<double>(filter.taps + 4) * unit * magnitudes;
    wrong += !(Kokkos::abs(static_cast<double>(out[i]) - expected) <= bound);
  }
};
template <class Space, class T>
class FilterCase {
 public:
  FilterCase(const Space& space, const Request& request)
      : m_space(space),
        m_count(static_cast<std::int64_t>(request.size())),
        m_in(make_elements<Space, T>(space, m_count)),
        m_out(make_output<Space, T>(space, m_count)),
        m_weights(space, filter_weights(request.taps)) {
    m_case.bytes = 2 * request.size() * sizeof(T);
    m_case.bounded_by_copy = true;
    add_stopwatch(m_case, space);
    for (const auto variant : filter_variants) {
      for (const auto& wanted : request.variants) {
        if (wanted != to_string(variant) || variant == FilterVariant::transform) continue;
        for_team_sizes(request, [&](int team_size, const std::string& suffix) {
          FilterOptions options;
          options.variant = variant;
          options.team_size = team_size;
          options.league_size = request.league_size;
          add_tessera(options, suffix);
        });
      }
    }
    add_transform(request);
    add_direct();
    if constexpr (detail::is_host_space<Space>) add_scipy(request.type);
    add_multiply_adds();
    add_deep_copy();
  }

  [[nodiscard]] const Case& get() const { return m_case; }

 private:
  [[nodiscard]] Range<Space> range() const { return Range<Space>(m_space, 0, m_count); }
  template <class Accumulator>
  [[nodiscard]] DirectFilter<T, Accumulator> direct() const {
    return {m_in.data(), m_weights.values().data(), m_count, m_weights.size()};
  }
  /// Those that take the direct form seconds.
  static constexpr double products_max = detail::is_host_space<Space> ? 0x1p33 : 0x1p40;
  [[nodiscard]] double products() const { return static_cast<double>(m_count) * static_cast<double>(m_weights.size()); }
  /// All outputs, or of wide filters as many as take seconds.
  [[nodiscard]] CountWrongOutputs<T> wrong_outputs_of() const {
    const auto step = static_cast<std::int64_t>(products() / products_max);
    return {direct<double>(), m_out.data(), step <= 1 ? 1 : step | 1};
  }
  // The closures of a contender live as long as the arrays: m_case's owner keeps them through m_in, m_out, m_weights.
  template <class Run, class Counter>
  void add(Contender contender, Run run, const Counter& counter) {
    contender.run = run;
    contender.check = [space = m_space, out = m_out, range = range(), run, counter] {
      poison(space, out);
      run();
      return wrong_outputs(range, counter);
    };
    contender.bits = bits_of(m_space, m_out, m_count);
    m_case.contenders.push_back(std::move(contender));
  }

  void add_tessera(const FilterOptions& options, const std::string& suffix) {
    Contender contender{"tessera " + std::string(to_string(options.variant)) + suffix,
                        Role::tessera,
                        std::string(to_string(options.variant)),
                        {},
                        {},
                        {},
                        {}};
    try {
      const auto plan = filter_plan(m_space, m_in, m_weights, m_out, options);
      contender.plan = {{"league_size", plan.league_size},
                        {"team_size", plan.team_size},
                        {"vector_length", plan.vector_length},
                        {"tile", plan.tile},
                        {"halo", plan.halo},
                        {"taps_per_pass", plan.taps_per_pass},
                        {"scratch_bytes", plan.scratch_bytes}};
      add(
          contender,
          [space = m_space, in = m_in, out = m_out, weights = m_weights, options] {
            tessera::correlate(space, in, weights, out, options);
          },
          wrong_outputs_of());
    } catch (const Error& error) {
      contender.refusal = error.what();
      m_case.contenders.push_back(contender);
    }
  }
  /// Where it pays, beside what automatic stands for; by itself on request.
  void add_transform(const Request& request) {
    const std::string name(to_string(FilterVariant::transform));
    const bool pays = transform_pays<Space, T>(m_weights.size(), m_count);
    const bool named = std::find(request.variants.begin(), request.variants.end(), name) != request.variants.end();
    const bool automatic =
        std::find(request.variants.begin(), request.variants.end(), "automatic") != request.variants.end();
    if (!(named && (pays || request.variants.size() == 1)) && !(automatic && pays)) return;
    Contender contender{"tessera " + name, Role::tessera, name, {}, {}, {}, {}};
    if constexpr (has_transform<Space>) {
      try {
        const FilterTransform<Space, T> transform(m_space, m_weights, {.extent = m_count, .lines = 1});
        contender.plan = {{"block", transform.plan().block}, {"batch", transform.plan().batch}};
        return add(
            contender,
            [space = m_space, in = m_in, out = m_out, transform] { tessera::correlate(space, in, transform, out); },
            wrong_outputs_of());
      } catch (const std::exception& error) {  // the memory of its blocks
        contender.refusal = error.what();
      }
    } else {
      if (!named) return;
      contender.refusal = "built without a library of Fourier transforms";
    }
    m_case.contenders.push_back(contender);
  }
  void add_direct() {
    const std::string name = "Kokkos::parallel_for, direct";
    if (products() > 4 * products_max) return add_refused(name, "takes minutes with so many taps");
    add(
        {name, Role::peer, {}, {}, {}, {}, {}},
        [policy = range(), in = m_in, weights = m_weights, filter = direct<T>(), out = m_out] {
          Kokkos::parallel_for("tessera::bench::direct", policy, StoreDirect<T>{filter, out.data()});
        },
        wrong_outputs_of());
  }
  void add_refused(const std::string& name, const std::string& refusal) {
    m_case.contenders.push_back({name, Role::peer, {}, {}, {}, {}, refusal});
  }
  void add_scipy(NumberType type) {
    const std::string name = "scipy.ndimage.correlate1d";
    if (products() > 4 * products_max) return add_refused(name, "takes minutes with so many taps");
    const auto size = static_cast<std::size_t>(m_count);
    Contender contender = python_contender(
        name,
        {"numpy, scipy.ndimage", "scipy.ndimage.correlate1d(x, weights, output=y, mode='reflect')", type,
         filter_weights(m_weights.size())},
        std::as_bytes(std::span<const T>(m_in.data(), size)), std::as_writable_bytes(std::span<T>(m_out.data(), size)),
        [out = m_out, range = range(), counter = wrong_outputs_of()] { return wrong_outputs(range, counter); });
    contender.bits = bits_of(m_space, m_out, m_count);
    m_case.contenders.push_back(std::move(contender));
  }
  void add_multiply_adds() {
    using Work = MultiplyAdds<Space, T>;
    const std::int64_t items = m_space.concurrency();
    const auto target = make_output<Space, T>(m_space, items);
    const bool any = m_count > 0;  // always, but unknown to the compiler
    const Work work(m_space, m_count * m_weights.size(), target.data(), any ? T(0.5) : T(1), any ? T(1) : T(2));
    Contender contender{"multiply-adds in registers", Role::context, {}, {}, {}, {}, {}};
    const Range<Space> policy(m_space, 0, items);
    contender.run = [policy, work, target] { Kokkos::parallel_for("tessera::bench::multiply_adds", policy, work); };
    contender.check = [space = m_space, policy, target, run = contender.run] {
      poison(space, target);
      run();
      return wrong_outputs(policy, CountUnequal<T>{target.data(), Work::result});
    };
    contender.bits = bits_of(m_space, target, items);
    m_case.contenders.push_back(std::move(contender));
  }
  void add_deep_copy() {
    add(
        {"Kokkos::deep_copy", Role::context, {}, {}, {}, {}, {}},
        [space = m_space, in = m_in, out = m_out] { Kokkos::deep_copy(space, out, in); },
        CountDifferent<T>{m_in.data(), m_out.data()});
  }

  Space m_space;
  std::int64_t m_count;
  Kokkos::View<T*, Space> m_in, m_out;
  FilterWeights<Space> m_weights;
  Case m_case;
};

}  // namespace

Operation filter_operation() {
  Operation operation{"filter", {NumberType::float32, NumberType::float64}, {}, 2, make_floating_case<FilterCase>};
  for (const auto variant : filter_variants) operation.variants.emplace_back(to_string(variant));
  operation.taps = {3, 9, 33};
  return operation;
}

}  // namespace tessera::apps::bench
