// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything usual about an array in one read, beside a sum of it.
#include <Kokkos_Core.hpp>
#include <tessera/reduce/stats.hpp>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "device/spaces.hpp"
#include "reducing_case.hpp"

namespace tessera::apps::bench {
namespace {

template <class Space, class T>
Case make_stats(const Space& space, const Request& request) {
  ReducingCase<Space, T> bench(space, request);
  const auto sum = exact_sum_of<T>(expected_sums<T>(bench.count()));
  const Lowest least = lowest<T>(bench.count());
  bench.add_variants(Stats<T>{}, [sum, least, count = request.size()](const StatsResult<T>& got) {
    if (got.count != count || got.argmin != least.index) {
      return "got the minimum at " + std::to_string(got.argmin) + " of " + std::to_string(got.count) +
             ", expected it at " + std::to_string(least.index) + " of " + std::to_string(count);
    }
    return compared(got.sum, sum, 0);
  });
  bench.add_tessera("fast sum", Sum<T, Summation::fast>{}, ReduceVariant::automatic, [sum](T got) {
    // Beyond 2^30 elements float may have to round.
    return compared(got, sum, std::is_same_v<T, float> ? std::fabs(sum) * 0x1p-10L : 0);
  });
  return bench.get();
}

}  // namespace

Operation stats_operation() {
  return {
      "stats", {NumberType::float32, NumberType::float64}, {"automatic", "single_pass"}, 1, [](const Request& request) {
        return visit_space(request.space, [&](const auto& space) {
          using Space = std::decay_t<decltype(space)>;
          if (request.type == NumberType::float32) return make_stats<Space, float>(space, request);
          return make_stats<Space, double>(space, request);
        });
      }};
}

}  // namespace tessera::apps::bench
