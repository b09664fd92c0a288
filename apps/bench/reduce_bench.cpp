// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of whole arrays: exact, as is the default, and fast, in every variant.
#include <KokkosBlas1_nrm1.hpp>
#include <Kokkos_Core.hpp>
#include <functional>
#include <numeric>
#include <span>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "device/spaces.hpp"
#include "python_peer.hpp"
#include "reducing_case.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cub_reduce.hpp"
#endif

namespace tessera::apps::bench {
namespace {

template <class T>
class SumIs {
 public:
  SumIs(const ExpectedSums& expected, std::int64_t count)
      : m_expected(exact_sum_of<T>(expected)),
        // Up to 2^30 elements every partial sum is exact; beyond, float may have to round.
        m_tolerance(std::is_same_v<T, float> && count > (std::int64_t{1} << 30) ? 0x1p-20L * count : 0) {}
  template <class Result>
  std::string operator()(Result got) const {
    return compared(got, m_expected, m_tolerance);
  }

 private:
  long double m_expected, m_tolerance;
};

template <class Space, class T>
void add_host_peers(ReducingCase<Space, T>& sums, const SumIs<T>& wrong) {
  using Result = typename Sum<T, Summation::fast>::result_type;
  const auto out = sums.template scalar<Result>();
  const T* data = sums.in().data();
  const std::int64_t count = sums.count();
  if constexpr (std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>) {
#ifdef _OPENMP
    sums.add_peer(
        "OpenMP loop", out,
        [out, data, count] {
          Result sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
          for (std::int64_t i = 0; i < count; ++i) sum += data[i];
          out() = sum;
        },
        wrong);
#endif
  }
  // Not std::reduce, which adds elements to each other in their own type.
  sums.add_peer(
      "std::transform_reduce, one thread", out,
      [out, data, count] {
        out() = std::transform_reduce(data, data + count, Result(0), std::plus<>(),
                                      [](T element) { return static_cast<Result>(element); });
      },
      wrong);
}

/// numpy.sum, in the elements' own type, as its users call it.
template <class Space, class T>
void add_numpy(ReducingCase<Space, T>& sums, NumberType type, long double expected, long double tolerance) {
  const auto out = sums.template scalar<T>();
  sums.add_checked(
      python_contender("numpy.sum", {"numpy", "y[0] = numpy.sum(x)", type},
                       std::as_bytes(std::span<const T>(sums.in().data(), static_cast<std::size_t>(sums.count()))),
                       std::as_writable_bytes(std::span<T>(out.data(), 1)),
                       [out, expected, tolerance] { return compared(out(), expected, tolerance); }),
      out);
}

template <class Space, class T>
Case make_sums(const Space& space, const Request& request) {
  ReducingCase<Space, T> sums(space, request);
  const std::int64_t count = sums.count();
  const ExpectedSums expected = expected_sums<T>(count);
  const SumIs<T> wrong(expected, count);
  using FastSum = Sum<T, Summation::fast>;
  using Result = typename FastSum::result_type;

  if constexpr (std::is_floating_point_v<T>) {
    if (sums.is_asked_for(ReduceVariant::automatic)) {
      sums.add_tessera("tessera exact", Sum<T>{}, ReduceVariant::automatic, wrong);
    }
  }
  sums.add_variants(FastSum{}, wrong);

  const auto out = sums.template scalar<Result>();
  sums.add_peer(
      "Kokkos::parallel_reduce", out,
      [policy = Range<Space>(space, 0, count), in = sums.in(), out] {
        Kokkos::parallel_reduce("tessera::bench::parallel_reduce", policy, SumElements<Space, T, Result>{in.data()},
                                out);
      },
      wrong);
  if constexpr (std::is_floating_point_v<T>) {
    const auto magnitude = expected.magnitude_sum / static_cast<long double>(denominator<T>);
    const auto tolerance = magnitude * (sizeof(T) == 4 ? 1e-3L : 1e-10L);
    sums.add_peer(
        "KokkosBlas::nrm1", out, [space, in = sums.in(), out] { KokkosBlas::nrm1(space, out, in); },
        [magnitude, tolerance](T got) { return compared(got, magnitude, tolerance); });
    if constexpr (is_host_space<Space>) {
      add_numpy(sums, request.type, exact_sum_of<T>(expected), tolerance);
    }
  }
  if constexpr (is_host_space<Space>) add_host_peers(sums, wrong);
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    const auto total = sums.template scalar<T>();
    const Kokkos::View<char*, Space> scratch(Kokkos::view_alloc(space, "tessera::bench::cub"),
                                             cub_sum_scratch_bytes<T>(count));
    sums.add_peer(
        "cub::DeviceReduce::Sum", total,
        [stream = space.cuda_stream(), count, in = sums.in(), total, scratch] {
          cub_sum(in.data(), count, total.data(), scratch.data(), scratch.extent(0), stream);
        },
        // Into the type of the elements: modulo 2^32 for int32.
        [sum = expected.sum, wrong](T got) {
          if constexpr (std::is_integral_v<T>) return compared(got, static_cast<long double>(static_cast<T>(sum)), 0);
          return wrong(got);
        });
  }
#endif
  return sums.get();
}

Case make_reduce_case(const Request& request) {
  return visit_space(request.space, [&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    switch (request.type) {
      case NumberType::int32:
        return make_sums<Space, std::int32_t>(space, request);
      case NumberType::int64:
        return make_sums<Space, std::int64_t>(space, request);
      case NumberType::float32:
        return make_sums<Space, float>(space, request);
      default:
        return make_sums<Space, double>(space, request);
    }
  });
}

}  // namespace

Operation reduce_operation() {
  return {"reduce",
          {NumberType::int32, NumberType::int64, NumberType::float32, NumberType::float64},
          reduce_variant_names(),
          1,
          make_reduce_case,
          {},
          true};
}

}  // namespace tessera::apps::bench
