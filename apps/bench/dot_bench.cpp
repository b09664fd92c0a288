// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products of two arrays: rounded once from the exact value, and fast.
#include <KokkosBlas1_dot.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <memory>
#include <tessera/reduce/dot.hpp>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "device/spaces.hpp"
#include "reducing_case.hpp"
#ifdef TESSERA_BENCH_HAS_CUBLAS
#include "cublas_peers.hpp"
#endif

namespace tessera::apps::bench {
namespace {

/// x . y of elements 0 .. count-1 and count .. 2 count-1, rounded once: products of numerators have 62 bits at most,
/// whose halves are summed in integers. While the high half's sum is below 2^53 in magnitude (always up to 2^23
/// elements; as signs are random, well beyond 2^32), joining the two in double rounds once. Sums of float's products
/// fit double, so that rounding them to float is the only one.
template <class T>
T exact_dot(std::int64_t count) {
  struct Halves {
    std::int64_t high = 0;
    std::uint64_t low = 0;
  };
  std::vector<Halves> partial(host_parts());
  for_parts(count, host_parts(), [&partial, count](std::int64_t part, std::int64_t begin, std::int64_t end) {
    Halves sum;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t product =
          numerator<T>(static_cast<std::uint64_t>(i)) * numerator<T>(static_cast<std::uint64_t>(count + i));
      sum.high += product >> 32;
      sum.low += static_cast<std::uint32_t>(product);
    }
    partial[part] = sum;
  });
  Halves sum;
  for (const auto& part : partial) {
    sum.high += part.high;
    sum.low += part.low;
  }
  sum.high += static_cast<std::int64_t>(sum.low >> 32);
  const auto low = static_cast<std::uint32_t>(sum.low);
  const double numerators = std::fma(static_cast<double>(sum.high), 0x1p32, static_cast<double>(low));
  return static_cast<T>(numerators / (denominator<T> * denominator<T>));
}

template <class Space, class T>
struct SumProducts {
  const T *x, *y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, T& sum) const { sum += x[i] * y[i]; }
};

template <class Space, class T>
Case make_dot(const Space& space, const Request& request) {
  ReducingCase<Space, T> bench(space, request, 2);
  const std::int64_t count = bench.count();
  const auto x = bench.in();
  const auto y = make_elements<Space, T>(space, count, count);
  const T expected = exact_dot<T>(count);
  // The result is about a third of that root. Up to 2^31 elements even additions one after the other err by less.
  const auto tolerance = std::sqrt(static_cast<long double>(count)) * (sizeof(T) == 4 ? 1e-3L : 1e-10L);
  const auto exactly = [expected](T got) { return compared(got, expected, 0); };
  const auto nearly = [expected, tolerance](T got) { return compared(got, expected, tolerance); };
  const auto add = [&](const std::string& name, const auto& dot, const auto& wrong) {
    bench.template add_reduction<ElementPair<T>>(
        name, dot, ReduceVariant::automatic, wrong,
        [space, x, y, dot](const auto& out, const auto& options, const auto& workspace) {
          tessera::reduce(space, x, y, dot, out, options, workspace);
        });
  };
  if (bench.is_asked_for(ReduceVariant::automatic)) {
    add("tessera exact", Dot<T>{}, exactly);
    add("tessera fast", Dot<T, Summation::fast>{}, nearly);
  }
  const auto out = bench.template scalar<T>();
  bench.add_peer(
      "Kokkos::parallel_reduce", out,
      [policy = Range<Space>(space, 0, count), x, y, out] {
        Kokkos::parallel_reduce("tessera::bench::parallel_reduce", policy, SumProducts<Space, T>{x.data(), y.data()},
                                out);
      },
      nearly);
  bench.add_peer(
      "KokkosBlas::dot", out, [space, x, y, out] { KokkosBlas::dot(space, out, x, y); }, nearly);
#ifdef TESSERA_BENCH_HAS_CUBLAS
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    const auto cublas = std::make_shared<CublasPeers>(space.cuda_stream());
    bench.add_peer(
        "cuBLAS dot", out, [cublas, x, y, count, out] { cublas->dot(x.data(), y.data(), count, out.data()); }, nearly);
  }
#endif
  return bench.get();
}

}  // namespace

Operation dot_operation() {
  return {"dot",
          {NumberType::float32, NumberType::float64},
          {"automatic"},
          2,
          [](const Request& request) {
            return visit_space(request.space, [&](const auto& space) {
              using Space = std::decay_t<decltype(space)>;
              if (request.type == NumberType::float32) return make_dot<Space, float>(space, request);
              return make_dot<Space, double>(space, request);
            });
          },
          {},
          true};
}

}  // namespace tessera::apps::bench
