// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of narrow and wide integers, all into 64 bits.
#include <Kokkos_Core.hpp>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "device/spaces.hpp"
#include "reducing_case.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cub_reduce.hpp"
#endif

namespace tessera::apps::bench {
namespace {

template <class Space, class T>
Case make_integer_sums(const Space& space, const Request& request) {
  ReducingCase<Space, T> sums(space, request);
  const std::int64_t count = sums.count();
  const auto wrong = [sum = exact_sum_of<T>(expected_sums<T>(count))](std::int64_t got) {
    return compared(got, sum, 0);
  };
  sums.add_variants(Sum<T>{}, wrong);
  const auto out = sums.template scalar<std::int64_t>();
  sums.add_peer(
      "Kokkos::parallel_reduce", out,
      [policy = Range<Space>(space, 0, count), in = sums.in(), out] {
        Kokkos::parallel_reduce("tessera::bench::parallel_reduce", policy,
                                SumElements<Space, T, std::int64_t>{in.data()}, out);
      },
      wrong);
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    const Kokkos::View<char*, Space> scratch(Kokkos::view_alloc(space, "tessera::bench::cub"),
                                             cub_sum_scratch_bytes<T, std::int64_t>(count));
    sums.add_peer(
        "cub::DeviceReduce::Sum", out,
        [stream = space.cuda_stream(), count, in = sums.in(), out, scratch] {
          cub_sum(in.data(), count, out.data(), scratch.data(), scratch.extent(0), stream);
        },
        wrong);
  }
#endif
  return sums.get();
}

}  // namespace

Operation integer_operation() {
  return {"integer",
          {NumberType::int8, NumberType::int32, NumberType::int64},
          {"automatic"},
          1,
          [](const Request& request) {
            return visit_space(request.space, [&](const auto& space) {
              using Space = std::decay_t<decltype(space)>;
              if (request.type == NumberType::int8) return make_integer_sums<Space, std::int8_t>(space, request);
              if (request.type == NumberType::int32) return make_integer_sums<Space, std::int32_t>(space, request);
              return make_integer_sums<Space, std::int64_t>(space, request);
            });
          }};
}

}  // namespace tessera::apps::bench
