// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to hand a reduction its operation: the sum of twice the elements, written by hand as a TeamPolicy
// kernel and given to the library as a user's struct, as a lambda, through a function pointer and through a virtual
// call. The built-in sum, which need not double, stands beside them.
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "device/spaces.hpp"
#include "reducing_case.hpp"

namespace tessera::apps::bench {
namespace {

/// A kernel as one writes it for this very sum: 16-byte loads, four in flight, a tree in scratch memory, partials, and
/// the last team to finish adds them.
template <class Space>
struct TwiceByHand {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<1024, 1>>;
  struct alignas(16) Pair {
    double first, second;
  };
  static constexpr int loads = 4;

  const double* data;
  std::int64_t count, block;  // block: even
  double* out;
  double* partials;
  unsigned* ticket;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    const int rank = team.team_rank();
    const std::int64_t step = team.team_size();
    auto* const values = static_cast<double*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<std::size_t>(team.team_size()) * sizeof(double), 16));
    auto* const last = static_cast<int*>(team.team_scratch(0).get_shmem_aligned(sizeof(int), 16));
    const std::int64_t begin = Kokkos::min(count, team.league_rank() * block);
    const std::int64_t end = Kokkos::min(count, begin + block);
    const auto* const pairs = reinterpret_cast<const Pair*>(data + begin);
    const std::int64_t pair_count = (end - begin) / 2;

    double sums[2 * loads] = {};
    std::int64_t i = rank;
    for (; i + (loads - 1) * step < pair_count; i += loads * step) {
      Pair loaded[loads];
      for (int k = 0; k < loads; ++k) loaded[k] = pairs[i + k * step];
      for (int k = 0; k < loads; ++k) {
        sums[2 * k] += 2 * loaded[k].first;
        sums[2 * k + 1] += 2 * loaded[k].second;
      }
    }
    for (; i < pair_count; i += step) {
      sums[0] += 2 * pairs[i].first;
      sums[1] += 2 * pairs[i].second;
    }
    if (rank == 0 && (end - begin) % 2 == 1) sums[0] += 2 * data[end - 1];
    for (int k = 1; k < 2 * loads; ++k) sums[0] += sums[k];
    const double mine = tree(team, values, sums[0]);
    if (rank == 0) {
      partials[team.league_rank()] = mine;
      Kokkos::memory_fence();
      *last = Kokkos::atomic_fetch_add(ticket, 1u) + 1 == static_cast<unsigned>(team.league_size());
    }
    team.team_barrier();
    if (*last == 0) return;
    Kokkos::memory_fence();
    double sum = 0;
    for (int part = rank; part < team.league_size(); part += team.team_size()) sum += partials[part];
    sum = tree(team, values, sum);
    if (rank == 0) {
      *out = sum;
      *ticket = 0;
    }
  }

 private:
  KOKKOS_FUNCTION static double tree(const typename policy_type::member_type& team, double* values, double mine) {
    const int rank = team.team_rank();
    values[rank] = mine;
    team.team_barrier();
    for (int active = team.team_size(); active > 1;) {
      const int half = (active + 1) / 2;
      if (rank + half < active) values[rank] += values[rank + half];
      team.team_barrier();
      active = half;
    }
    const double sum = values[0];
    team.team_barrier();
    return sum;
  }
};

template <class Space>
void add_by_hand(ReducingCase<Space, double>& bench, const ReducePlan& plan, const std::string& suffix,
                 long double expected) {
  using Kernel = TwiceByHand<Space>;
  const auto out = bench.template scalar<double>();
  const Kokkos::View<double*, Space> partials("tessera::bench::partials", plan.league_size);
  const Kokkos::View<unsigned, Space> ticket("tessera::bench::ticket");
  const std::int64_t block = (bench.count() / plan.league_size / 2 + 1) * 2;
  const Kernel kernel{bench.in().data(), bench.count(), block, out.data(), partials.data(), ticket.data()};
  const int scratch_bytes = plan.team_size * static_cast<int>(sizeof(double)) + 64;
  const auto policy = typename Kernel::policy_type(bench.space(), plan.league_size, plan.team_size)
                          .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
  bench.add_peer(
      "by hand" + suffix, out,
      // The views live as long as the lambda.
      [policy, kernel, partials, ticket, out] { Kokkos::parallel_for("tessera::bench::by_hand", policy, kernel); },
      [expected](double got) { return compared(got, expected, 0); });
}

/// A sum of what a map makes of the elements.
template <class Map>
struct SumOf {
  using value_type = double;
  Map function;
  KOKKOS_FUNCTION value_type identity() const { return 0; }
  KOKKOS_FUNCTION value_type map(double element) const { return function(element); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
};

/// The same, as a user writes it.
struct SumOfTwice {
  using value_type = double;
  KOKKOS_FUNCTION value_type identity() const { return 0; }
  KOKKOS_FUNCTION value_type map(double element) const { return 2 * element; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
};

KOKKOS_FUNCTION double twice(double element) { return 2 * element; }
struct PointerCall {
  double (*function)(double);
  KOKKOS_FUNCTION double operator()(double element) const { return function(element); }
};

struct Mapping {
  KOKKOS_FUNCTION virtual double of(double element) const = 0;
  KOKKOS_FUNCTION virtual ~Mapping() {}
};
struct Twice final : Mapping {
  KOKKOS_FUNCTION double of(double element) const override { return 2 * element; }
};
struct VirtualCall {
  const Mapping* mapping;
  KOKKOS_FUNCTION double operator()(double element) const { return mapping->of(element); }
};

/// Addresses of functions and of tables of virtual functions hold where they were taken: on the device.
struct Addresses {
  PointerCall* call;
  void* mapping;
  KOKKOS_FUNCTION void operator()(int) const {
    call->function = &twice;
    new (mapping) Twice;
  }
};

template <class Space>
Case make_dispatch(const Space& space, const Request& request) {
  ReducingCase<Space, double> bench(space, request);
  const auto expected = exact_sum_of<double>(expected_sums<double>(bench.count()));
  const auto is_twice = [expected](double got) { return compared(got, 2 * expected, 0); };
  for_team_sizes(request, [&](int team_size, const std::string& suffix) {
    const auto plan = reduce_plan<double>(space, SumOfTwice{}, request.size(),
                                          {.league_size = request.league_size, .team_size = team_size});
    add_by_hand(bench, plan, suffix, 2 * expected);
  });
  constexpr auto automatic = ReduceVariant::automatic;
  bench.add_tessera("built-in sum", Sum<double, Summation::fast>{}, automatic,
                    [expected](double got) { return compared(got, expected, 0); });
  bench.add_tessera("user's struct", SumOfTwice{}, automatic, is_twice);
  const auto lambda = KOKKOS_LAMBDA(double element) { return 2 * element; };
  bench.add_tessera("lambda", SumOf<std::decay_t<decltype(lambda)>>{lambda}, automatic, is_twice);

  const Kokkos::View<PointerCall, Space> call("tessera::bench::call");
  const Kokkos::View<std::byte*, Space> memory("tessera::bench::mapping", sizeof(Twice));
  Kokkos::parallel_for("tessera::bench::addresses", Kokkos::RangePolicy<Space>(space, 0, 1),
                       Addresses{call.data(), memory.data()});
  PointerCall pointer_call;
  Kokkos::deep_copy(space, pointer_call, call);
  space.fence("tessera::bench::addresses");
  const VirtualCall virtual_call{reinterpret_cast<const Mapping*>(memory.data())};
  bench.add_tessera("function pointer", SumOf<PointerCall>{pointer_call}, automatic, is_twice);
  bench.add_tessera("virtual call", SumOf<VirtualCall>{virtual_call}, automatic, is_twice);
  bench.keep(memory);
  return bench.get();
}

}  // namespace

Operation dispatch_operation() {
  return {"dispatch", {NumberType::float64}, {"automatic"}, 1, [](const Request& request) {
            return visit_space(request.space, [&](const auto& space) { return make_dispatch(space, request); });
          }};
}

}  // namespace tessera::apps::bench
