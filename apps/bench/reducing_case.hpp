// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the benches of reductions share: one array, and contenders that make a scalar of it.
#ifndef TESSERA_APPS_BENCH_REDUCING_CASE_HPP
#define TESSERA_APPS_BENCH_REDUCING_CASE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tessera/reduce/reduce.hpp>
#include <tessera/reduce/reducers.hpp>
#include <tessera/reduce/stats.hpp>
#include <thread>
#include <vector>

#include "bench_case.hpp"
#include "bench_data.hpp"

namespace tessera::apps::bench {

/// Calls each(part, begin, end) for parts of 0 .. count-1, one a host thread.
template <class Each>
void for_parts(std::int64_t count, std::int64_t parts, const Each& each) {
  std::vector<std::thread> threads;
  for (std::int64_t part = 0; part < parts; ++part) {
    threads.emplace_back(
        [=, &each] { each(part, count / parts * part, part + 1 == parts ? count : count / parts * (part + 1)); });
  }
  for (auto& thread : threads) thread.join();
}

inline std::int64_t host_parts() { return std::max<std::int64_t>(1, std::thread::hardware_concurrency()); }

/// Sums of numerators and of their magnitudes.
struct ExpectedSums {
  std::int64_t sum = 0;
  long double magnitude_sum = 0;
};

/// On the host, element by element, without Kokkos.
template <class T>
ExpectedSums expected_sums(std::int64_t count) {
  std::vector<ExpectedSums> partial(host_parts());
  for_parts(count, host_parts(), [&partial](std::int64_t part, std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    std::uint64_t magnitude_sum = 0;  // 33 bits at most each
    for (std::int64_t i = begin; i < end; ++i) {
      const auto value = numerator<T>(static_cast<std::uint64_t>(i));
      sum += value;
      magnitude_sum += static_cast<std::uint64_t>(std::abs(value));
    }
    partial[part] = {sum, static_cast<long double>(magnitude_sum)};
  });
  ExpectedSums total;
  for (const auto& part : partial) {
    total.sum += part.sum;
    total.magnitude_sum += part.magnitude_sum;
  }
  return total;
}

template <class T>
long double exact_sum_of(const ExpectedSums& sums) {
  return static_cast<long double>(sums.sum) / static_cast<long double>(denominator<T>);
}

template <class Space, class T, class Result>
struct SumElements {
  const T* data;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Result& sum) const { sum += data[i]; }
};

/// The smallest numerator and the first place where it stands.
struct Lowest {
  std::int64_t numerator = 0, index = 0;
};

template <class T>
Lowest lowest(std::int64_t count) {
  std::vector<Lowest> partial(host_parts(), {numerator<T>(0), 0});
  for_parts(count, host_parts(), [&partial](std::int64_t part, std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    Lowest best{numerator<T>(static_cast<std::uint64_t>(begin)), begin};
    for (std::int64_t i = begin; i < end; ++i) {
      const auto value = numerator<T>(static_cast<std::uint64_t>(i));
      if (value < best.numerator) best = {value, i};
    }
    partial[part] = best;
  });
  Lowest best = partial[0];
  for (const auto& part : partial) {
    if (part.numerator < best.numerator) best = part;
  }
  return best;
}

/// "" where a number is within tolerance of what is expected.
template <class Result>
std::string compared(Result got, long double expected, long double tolerance) {
  const long double error = std::fabs(static_cast<long double>(got) - expected);
  if (error <= tolerance) return "";
  return "got " + std::to_string(got) + ", expected " + std::to_string(expected);
}

inline Plan reduce_fields(const ReducePlan& plan) {
  return {{"league_size", plan.league_size},     {"team_size", plan.team_size},
          {"vector_length", plan.vector_length}, {"loads_in_flight", plan.loads_in_flight},
          {"scratch_bytes", plan.scratch_bytes}, {"workspace_bytes", plan.workspace_bytes}};
}

/// The bits of a result, without padding.
template <class... Numbers>
std::uint64_t joined_bits(const Numbers&... numbers) {
  std::uint64_t bits = 0;
  ((bits = random_word(bits ^ spread_bits(numbers))), ...);
  return bits;
}
template <class T>
std::uint64_t result_bits(const T& result) {
  return joined_bits(result);
}
template <class T>
std::uint64_t result_bits(const ArgResult<T>& result) {
  return joined_bits(result.value, result.index);
}
template <class T>
std::uint64_t result_bits(const Kokkos::ValLocScalar<T, std::int64_t>& result) {
  return joined_bits(result.val, result.loc);
}
template <class T>
std::uint64_t result_bits(const StatsResult<T>& s) {
  return joined_bits(s.count, s.count_nan, s.count_inf, s.count_zero, s.min, s.max, s.argmin, s.argmax, s.sum, s.mean,
                     s.var, s.std, s.l1, s.l2, s.linf);
}

template <class Space, class T>
class ReducingCase {
 public:
  /// arrays: as large as the one it holds, that are read.
  ReducingCase(const Space& space, const Request& request, std::uint64_t arrays = 1)
      : m_space(space),
        m_request(request),
        m_count(static_cast<std::int64_t>(request.size())),
        m_in(make_elements<Space, T>(space, m_count)) {
    m_case.bytes = arrays * request.size() * sizeof(T);
    add_stopwatch(m_case, space);
  }

  [[nodiscard]] const Space& space() const { return m_space; }
  [[nodiscard]] std::int64_t count() const { return m_count; }
  [[nodiscard]] const Kokkos::View<T*, Space>& in() const { return m_in; }
  [[nodiscard]] const Case& get() const { return m_case; }

  template <class Output>
  [[nodiscard]] Kokkos::View<Output, Space> scalar() const {
    return Kokkos::View<Output, Space>(Kokkos::view_alloc(m_space, Kokkos::WithoutInitializing, "tessera::bench::out"));
  }

  /// run: submits work that fills out; wrong(result): what is wrong with it, "" for nothing.
  template <class Output, class Run, class Wrong>
  void add(Contender contender, const Kokkos::View<Output, Space>& out, Run run, Wrong wrong) {
    contender.run = run;
    contender.check = [space = m_space, out, run, wrong] {
      Output result;
      std::memset(static_cast<void*>(&result), 0xa5, sizeof(Output));
      const Kokkos::View<Output, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(&result);
      Kokkos::deep_copy(space, out, host);
      run();
      Kokkos::deep_copy(space, host, out);
      space.fence("tessera::bench::result");
      return std::string(wrong(result));
    };
    add_checked(std::move(contender), out);
  }
  /// One that has its own run and check.
  template <class Output>
  void add_checked(Contender contender, const Kokkos::View<Output, Space>& out) {
    contender.bits = [space = m_space, out] {
      Output result;
      Kokkos::deep_copy(space,
                        Kokkos::View<Output, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&result), out);
      space.fence("tessera::bench::result");
      return result_bits(result);
    };
    m_case.contenders.push_back(std::move(contender));
  }
  template <class Output, class Run, class Wrong>
  void add_peer(const std::string& name, const Kokkos::View<Output, Space>& out, Run run, Wrong wrong) {
    add({name, Role::peer, {}, {}, {}, {}, {}}, out, run, wrong);
  }

  /// A reduction by the library.
  template <class R, class Wrong>
  void add_tessera(const std::string& name, const R& reducer, ReduceVariant variant, Wrong wrong) {
    add_reduction<T>(
        name, reducer, variant, wrong,
        [space = m_space, in = m_in, reducer](const auto& out, const auto& options, const auto& workspace) {
          tessera::reduce(space, in, reducer, out, options, workspace);
        });
  }
  /// The same of what submit(out, options, workspace) reduces: elements of Element.
  template <class Element, class R, class Wrong, class Submit>
  void add_reduction(const std::string& name, const R& reducer, ReduceVariant variant, Wrong wrong, Submit submit) {
    const std::string summation = SummationName<R>::value;
    if (!wants_summation(m_request, summation)) return;
    for_team_sizes(m_request, [&](int team_size, const std::string& suffix) {
      Contender contender{name + suffix, Role::tessera, std::string(to_string(variant)), {}, {}, {}, {}};
      contender.summation = summation;
      const ReduceOptions options{.variant = variant, .league_size = m_request.league_size, .team_size = team_size};
      try {
        const auto plan = reduce_plan<Element>(m_space, reducer, static_cast<std::uint64_t>(m_count), options);
        contender.plan = reduce_fields(plan);
        const Workspace<Space> workspace(m_space, plan.workspace_bytes);
        const auto out = scalar<reduce_result_t<R>>();
        add(
            contender, out, [submit, out, options, workspace] { submit(out, options, workspace); }, wrong);
      } catch (const Error& error) {
        contender.refusal = error.what();
        m_case.contenders.push_back(contender);
      }
    });
  }

  /// Memory that contenders use without owning it.
  template <class V>
  void keep(const V& view) {
    m_case.start = [start = m_case.start, view] { start(); };
  }

  /// One contender for each variant asked for.
  template <class R, class Wrong>
  void add_variants(const R& reducer, Wrong wrong) {
    for (const auto variant : reduce_variants) {
      const std::string name(to_string(variant));
      if (is_asked_for(variant)) add_tessera("tessera " + name, reducer, variant, wrong);
    }
  }
  [[nodiscard]] bool is_asked_for(ReduceVariant variant) const {
    return std::find(m_request.variants.begin(), m_request.variants.end(), to_string(variant)) !=
           m_request.variants.end();
  }

 private:
  Space m_space;
  Request m_request;
  std::int64_t m_count;
  Kokkos::View<T*, Space> m_in;
  Case m_case;
};

inline std::vector<std::string> reduce_variant_names() {
  std::vector<std::string> names;
  for (const auto variant : reduce_variants) names.emplace_back(to_string(variant));
  return names;
}

}  // namespace tessera::apps::bench

#endif
