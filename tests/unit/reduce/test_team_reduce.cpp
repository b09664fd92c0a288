// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The team level, inside kernels as a user writes them.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <tessera/reduce/exact_accumulator.hpp>
#include <tessera/reduce/stats.hpp>
#include <tessera/reduce/team_reduce.hpp>

#include "reduce_check.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;

/// Reduces each row of a matrix with one team, twice in a row in the same scratch memory. Counts the threads that see
/// another result than the team's first one.
template <class Space, class Matrix, class Reducer>
struct RowReduction {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using element_type = typename Matrix::non_const_value_type;
  using result_type = tessera::reduce_result_t<Reducer>;

  Matrix in;
  Kokkos::View<result_type*, Space> out;
  Kokkos::View<int, Space> differing_threads;
  Kokkos::View<std::uint64_t, Space> status_word;
  Reducer reducer;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    const std::size_t bytes = tessera::team_reduce_scratch_bytes<element_type, Reducer>(team.team_size());
    void* scratch = team.team_scratch(0).get_shmem_aligned(bytes, 16);
    const int row = team.league_rank();
    const auto line = Kokkos::subview(in, row, Kokkos::ALL);
    const tessera::Status status(&status_word());
    const result_type first = tessera::team_reduce(team, line, reducer, scratch, status);
    const result_type again = tessera::team_reduce(team, line, reducer, scratch, status);
    if (team.team_rank() == 0) out(row) = first;
    team.team_barrier();
    if (!(first == again) || !(first == out(row))) Kokkos::atomic_inc(&differing_threads());
  }
};

template <class Layout, class Reducer, class T, class Space>
void check_rows(const Space& space, int team_size, std::size_t rows, std::size_t columns) {
  INFO("team " << team_size << ", " << rows << " x " << columns);
  const std::vector<T> values = test::values<T>(rows * columns, columns);
  const test::GuardedView<T, Layout, Space, 2> in({rows, columns}, values);
  using Kernel = RowReduction<Space, decltype(in.const_view()), Reducer>;
  const Kernel kernel{in.const_view(),
                      decltype(Kernel::out)("out", rows),
                      decltype(Kernel::differing_threads)("threads"),
                      decltype(Kernel::status_word)("status"),
                      {}};
  Kokkos::deep_copy(kernel.status_word, tessera::Status::good);
  const std::size_t scratch_bytes = tessera::team_reduce_scratch_bytes<T, Reducer>(team_size) + 16;
  auto policy = typename Kernel::policy_type(space, static_cast<int>(rows), team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
  Kokkos::parallel_for("rows", policy, kernel);
  space.fence();

  int differing_threads = -1;
  Kokkos::deep_copy(differing_threads, kernel.differing_threads);
  CHECK(differing_threads == 0);
  std::uint64_t status = 0;
  Kokkos::deep_copy(status, kernel.status_word);
  CHECK(status == tessera::Status::good);
  const auto got = test::host_copy(kernel.out);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * columns);
    test::check_reduced(got[row], Reducer::name(), std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(columns)));
  }
}

template <class Layout, class Reducer, class T, class Space>
void check_shapes(const Space& space) {
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const std::size_t columns : {1, 2, 31, 33, 127, 1009, 5003}) {
      check_rows<Layout, Reducer, T>(space, team_size, 5, columns);
    }
  }
  check_rows<Layout, Reducer, T>(space, test::runs_on_host<Space> ? 1 : 100, 5, 1009);
}

TEMPLATE_LIST_TEST_CASE("team_reduce of rows", "[reduce][team]", test::Spaces) {
  check_shapes<test::Right, tessera::Sum<float>, float>(TestType());
  check_shapes<test::Right, tessera::Min<std::int64_t>, std::int64_t>(TestType());
}

TEMPLATE_LIST_TEST_CASE("team_reduce of rows that lie strided in memory", "[reduce][team]", test::Spaces) {
  check_shapes<test::Left, tessera::Max<double>, double>(TestType());
  check_shapes<test::Block, tessera::Sum<float>, float>(TestType());
}

TEMPLATE_LIST_TEST_CASE("team_reduce of an empty row gives the identity", "[reduce][team]", test::Spaces) {
  check_rows<test::Right, tessera::Sum<float>, float>(TestType(), 1, 3, 0);
}

/// Reduces with a team of one in scratch of the bytes that are asked for, and says how many behind it have changed.
template <class Space, class Reducer, class T>
struct GuardedReduction {
  static constexpr std::size_t guard = 1024;
  Kokkos::View<const T*, Space> in;
  Kokkos::View<int, Space> changed;
  Kokkos::View<std::uint64_t, Space> status_word;

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const std::size_t bytes = tessera::team_reduce_scratch_bytes<T, Reducer>(1);
    auto* const scratch = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(bytes + guard, 16));
    for (std::size_t k = 0; k < guard; ++k) scratch[bytes + k] = std::byte{0xa5};
    (void)tessera::team_reduce(team, in, Reducer{}, scratch, tessera::Status(&status_word()));
    for (std::size_t k = 0; k < guard; ++k) changed() += scratch[bytes + k] != std::byte{0xa5};
  }
};

template <class Reducer, class T, class Space>
void check_scratch(const Space& space) {
  using Kernel = GuardedReduction<Space, Reducer, T>;
  const Kernel kernel{test::device_copy<Space>(test::values<T>(100)), Kokkos::View<int, Space>("changed"),
                      Kokkos::View<std::uint64_t, Space>("status")};
  const std::size_t bytes = tessera::team_reduce_scratch_bytes<T, Reducer>(1) + Kernel::guard + 16;
  Kokkos::parallel_for(
      "guarded", Kokkos::TeamPolicy<Space>(space, 1, 1).set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes))),
      kernel);
  space.fence();
  int changed = -1;
  Kokkos::deep_copy(changed, kernel.changed);
  CHECK(changed == 0);
}

TEMPLATE_LIST_TEST_CASE("team_reduce keeps to its scratch, whatever the size of its result", "[reduce][team]",
                        test::OneSpace) {
  const TestType space;
  check_scratch<tessera::Stats<double>, double>(space);
  check_scratch<tessera::AccumulateExactly<float>, float>(space);
  check_scratch<tessera::Sum<float>, float>(space);
}

TEST_CASE("scratch of team_reduce holds a value a thread", "[reduce][team]") {
  CHECK(tessera::team_reduce_scratch_bytes<double, tessera::Max<double>>(256) >= 256 * sizeof(double));
  CHECK(tessera::team_reduce_scratch_bytes<float, tessera::Sum<float>>(1) % 16 == 0);
}

}  // namespace
