// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The team level, inside a kernel as a user writes it: each team stages a row with its halo and correlates it.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <tessera/filter/team_filter.hpp>

#include "filter_check.hpp"

namespace {

namespace test = tessera::test;

/// out(row, i) = sum_k weights(k) in(row, i + k), in two passes of taps when `split` is not 0.
template <class Space, class T, class Out>
struct RowFilter {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using scratch_view = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Kokkos::View<const T**, Kokkos::LayoutRight, Space> in;
  Kokkos::View<const T*, Space> weights;
  Kokkos::View<Out**, Kokkos::LayoutRight, Space> out;
  int split;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    const int row = team.league_rank();
    const int span = in.extent_int(1), taps = weights.extent_int(0), size = out.extent_int(1);
    const scratch_view footprint(team.team_scratch(0), span), sums(team.team_scratch(0), size);
    for (int i = team.team_rank(); i < span; i += team.team_size()) footprint(i) = in(row, i);
    team.team_barrier();
    const auto line = Kokkos::subview(out, row, Kokkos::ALL);
    if (split == 0) {
      tessera::team_correlate(team, footprint, weights, line);
      return;
    }
    const scratch_view none(nullptr, 0);
    tessera::team_correlate<T>(team, footprint, Kokkos::subview(weights, Kokkos::pair<int, int>(0, split)), sums, none);
    team.team_barrier();
    tessera::team_correlate<T>(team, Kokkos::subview(footprint, Kokkos::pair<int, int>(split, span)),
                               Kokkos::subview(weights, Kokkos::pair<int, int>(split, taps)), line, sums);
  }
};

template <class T, class Out, class Space>
void check_rows(const Space& space, int team_size, std::size_t size, std::size_t taps, int split) {
  INFO("team " << team_size << ", " << size << " outputs, " << taps << " taps, split " << split);
  constexpr std::size_t rows = 3;
  const std::size_t span = size + taps - 1;
  const std::vector<T> values = test::values<T>(rows * span, size);
  const std::vector<T> weights = test::values<T>(taps, 99);
  const test::GuardedView<T, test::Right, Space, 2> in({rows, span}, values);
  const test::GuardedView<Out, test::Right, Space, 2> out({rows, size});
  const RowFilter<Space, T, Out> kernel{in.view(), test::device_copy<Space>(weights), out.view(), split};
  const auto bytes = RowFilter<Space, T, Out>::scratch_view::shmem_size(span) +
                     RowFilter<Space, T, Out>::scratch_view::shmem_size(size);
  auto policy = Kokkos::TeamPolicy<Space>(space, static_cast<int>(rows), team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
  Kokkos::parallel_for("rows", policy, kernel);
  space.fence();

  std::vector<long double> expected, bounds;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < size; ++i) {
      tessera::reference::FilterOutput<long double> output;
      for (std::size_t k = 0; k < taps; ++k) {
        const long double term = static_cast<long double>(weights[k]) * values[row * span + i + k];
        output.value += term;
        output.sum_abs += std::abs(term);
      }
      expected.push_back(output.value);
      bounds.push_back(std::is_integral_v<T> ? 0 : tessera::reference::linear_filter_bound<double, Out>(output, taps));
    }
  }
  test::check_within(out.read(), expected, bounds);
  out.check_guards();
}

template <class T, class Out, class Space>
void check_shapes(const Space& space) {
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const std::size_t size : {1, 2, 63, 64, 65, 130, 1009}) {
      check_rows<T, Out>(space, team_size, size, 1, 0);
      check_rows<T, Out>(space, team_size, size, 7, 0);
      check_rows<T, Out>(space, team_size, size, 7, 3);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("team_correlate of rows", "[filter][team]", test::Spaces) {
  check_shapes<double, double>(TestType());
}
TEMPLATE_LIST_TEST_CASE("team_correlate of integers", "[filter][team]", test::Spaces) {
  check_shapes<std::int64_t, std::int64_t>(TestType());
}

}  // namespace
