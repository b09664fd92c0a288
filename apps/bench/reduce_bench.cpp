// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of whole arrays.
#include <KokkosBlas1_nrm1.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdlib>
#include <tessera/reduce/reduce.hpp>
#include <thread>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "device/spaces.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cub_sum.hpp"
#endif

namespace tessera::apps::bench {
namespace {

/// Sums of numerators and of their magnitudes.
struct Expected {
  std::int64_t sum = 0;
  long double magnitude_sum = 0;
};

/// On the host, element by element, without Kokkos.
template <class T>
Expected expected_sums(std::int64_t count) {
  const std::int64_t parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Expected> partial(parts);
  std::vector<std::thread> threads;
  for (std::int64_t part = 0; part < parts; ++part) {
    threads.emplace_back([&partial, part, parts, count] {
      std::int64_t sum = 0;
      std::uint64_t magnitude_sum = 0;  // 33 bits at most each
      for (std::int64_t i = count / parts * part; i < (part + 1 == parts ? count : count / parts * (part + 1)); ++i) {
        const auto value = numerator<T>(static_cast<std::uint64_t>(i));
        sum += value;
        magnitude_sum += static_cast<std::uint64_t>(std::abs(value));
      }
      partial[part] = {sum, static_cast<long double>(magnitude_sum)};
    });
  }
  Expected total;
  for (std::int64_t part = 0; part < parts; ++part) {
    threads[part].join();
    total.sum += partial[part].sum;
    total.magnitude_sum += partial[part].magnitude_sum;
  }
  return total;
}

template <class Space, class T, class Result>
struct SumElements {
  const T* data;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Result& sum) const { sum += data[i]; }
};

template <class Result>
std::string compared(Result got, long double expected, long double tolerance) {
  const long double error = std::fabs(static_cast<long double>(got) - expected);
  if (error <= tolerance) return "";
  return "got " + std::to_string(got) + ", expected " + std::to_string(expected);
}

template <class Space, class T>
class ReduceCase {
 public:
  using FastSum = Sum<T, Summation::fast>;
  using Result = typename FastSum::result_type;
  using Scalar = Kokkos::View<Result, Space>;

  ReduceCase(const Space& space, const Request& request)
      : m_space(space),
        m_count(static_cast<std::int64_t>(request.size())),
        m_in(make_elements<Space, T>(space, m_count)),
        m_expected(expected_sums<T>(m_count)) {
    m_case.bytes = request.size() * sizeof(T);
    add_stopwatch(m_case, space);
    for (const auto variant : reduce_variants) {
      const std::string name(to_string(variant));
      for (const auto& wanted : request.variants) {
        if (wanted == name) {
          add_tessera({.variant = variant, .league_size = request.league_size, .team_size = request.team_size});
        }
      }
    }
    add_parallel_reduce();
    if constexpr (std::is_floating_point_v<T>) add_nrm1();
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (std::is_same_v<Space, Kokkos::Cuda>) add_cub();
#endif
  }

  [[nodiscard]] const Case& get() const { return m_case; }

 private:
  // run: submits a sum to the scalar; wraps: the sum modulo the range of T.
  template <class Output, class Run>
  void add(Contender contender, const Kokkos::View<Output, Space>& out, Run run, long double expected,
           long double tolerance) {
    contender.run = run;
    contender.check = [space = m_space, out, run, expected, tolerance] {
      Kokkos::deep_copy(space, out, static_cast<Output>(-12345));
      run();
      Output result;
      Kokkos::deep_copy(space, result, out);
      space.fence("tessera::bench::result");
      return compared(result, expected, tolerance);
    };
    m_case.contenders.push_back(std::move(contender));
  }
  template <class Output>
  [[nodiscard]] Kokkos::View<Output, Space> scalar() const {
    return Kokkos::View<Output, Space>(Kokkos::view_alloc(m_space, "tessera::bench::out"));
  }
  [[nodiscard]] long double exact_sum() const { return m_expected.sum / static_cast<long double>(denominator<T>); }
  // Up to 2^30 elements every partial sum is exact; beyond, float may have to round.
  [[nodiscard]] long double sum_tolerance() const {
    return std::is_same_v<T, float> && m_count > (std::int64_t{1} << 30) ? 0x1p-20L * m_count : 0;
  }

  void add_tessera(const ReduceOptions& options) {
    Contender contender{"tessera " + std::string(to_string(options.variant)),
                        Role::tessera,
                        std::string(to_string(options.variant)),
                        {},
                        {},
                        {},
                        {}};
    try {
      const auto plan = reduce_plan<T>(m_space, FastSum{}, static_cast<std::uint64_t>(m_count), options);
      contender.plan = {{"league_size", plan.league_size},     {"team_size", plan.team_size},
                        {"vector_length", plan.vector_length}, {"loads_in_flight", plan.loads_in_flight},
                        {"scratch_bytes", plan.scratch_bytes}, {"workspace_bytes", plan.workspace_bytes}};
      const Workspace<Space> workspace(m_space, plan.workspace_bytes);
      const auto out = scalar<Result>();
      add(
          contender, out,
          [space = m_space, in = m_in, out, options, workspace] {
            tessera::reduce(space, in, FastSum{}, out, options, workspace);
          },
          exact_sum(), sum_tolerance());
    } catch (const Error& error) {
      contender.refusal = error.what();
      m_case.contenders.push_back(contender);
    }
  }
  void add_parallel_reduce() {
    const auto out = scalar<Result>();
    add(
        {"Kokkos::parallel_reduce", Role::peer, {}, {}, {}, {}, {}}, out,
        [policy = Range<Space>(m_space, 0, m_count), in = m_in, out] {
          Kokkos::parallel_reduce("tessera::bench::parallel_reduce", policy, SumElements<Space, T, Result>{in.data()},
                                  out);
        },
        exact_sum(), sum_tolerance());
  }
  void add_nrm1() {
    const auto out = scalar<T>();
    const auto expected = m_expected.magnitude_sum / static_cast<long double>(denominator<T>);
    add(
        {"KokkosBlas::nrm1", Role::peer, {}, {}, {}, {}, {}}, out,
        [space = m_space, in = m_in, out] { KokkosBlas::nrm1(space, out, in); }, expected,
        expected * (sizeof(T) == 4 ? 1e-3L : 1e-10L));
  }
#ifdef KOKKOS_ENABLE_CUDA
  void add_cub() {
    const auto out = scalar<T>();
    const Kokkos::View<char*, Space> scratch(Kokkos::view_alloc(m_space, "tessera::bench::cub"),
                                             cub_sum_scratch_bytes<T>(m_count));
    // Into the type of the elements: modulo 2^32 for int32.
    const auto expected =
        std::is_integral_v<T> ? static_cast<long double>(static_cast<T>(m_expected.sum)) : exact_sum();
    add(
        {"cub::DeviceReduce::Sum", Role::peer, {}, {}, {}, {}, {}}, out,
        [stream = m_space.cuda_stream(), count = m_count, in = m_in, out, scratch] {
          cub_sum(in.data(), count, out.data(), scratch.data(), scratch.extent(0), stream);
        },
        expected, sum_tolerance());
  }
#endif

  Space m_space;
  std::int64_t m_count;
  Kokkos::View<T*, Space> m_in;
  Expected m_expected;
  Case m_case;
};

Case make_reduce_case(const Request& request) {
  return visit_space(request.space, [&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    switch (request.type) {
      case ElementType::int32:
        return ReduceCase<Space, std::int32_t>(space, request).get();
      case ElementType::int64:
        return ReduceCase<Space, std::int64_t>(space, request).get();
      case ElementType::float32:
        return ReduceCase<Space, float>(space, request).get();
      default:
        return ReduceCase<Space, double>(space, request).get();
    }
  });
}

}  // namespace

Operation reduce_operation() {
  Operation operation{"reduce",
                      {ElementType::int32, ElementType::int64, ElementType::float32, ElementType::float64},
                      {},
                      1,
                      make_reduce_case};
  for (const auto variant : reduce_variants) operation.variants.emplace_back(to_string(variant));
  return operation;
}

}  // namespace tessera::apps::bench
