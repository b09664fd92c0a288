// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A private part of exact sums: counters that a team's threads share, against digits that one thread fills.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <vector>

#include "support/data.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
namespace detail = tessera::detail;

constexpr int terms_of_thread = 6000;
constexpr std::int64_t largest = (std::int64_t{1} << 53) - 1;

enum class Kind { positive, negative, alternating, any, zeros, highest, none };

/// Term i of all. Those of one position fill their counters many times over.
template <class Digits>
detail::DigitTerm term(Kind kind, std::uint64_t i) {
  const auto bits = static_cast<std::int64_t>(test::mixed(i, 1) >> 11);
  switch (kind) {
    case Kind::positive:
      return {largest, 40};
    case Kind::negative:
      return {-largest, 41};
    case Kind::alternating:
      return {i % 2 == 0 ? largest : -largest, static_cast<int>(37 + i % 7)};
    case Kind::any: {
      constexpr std::uint64_t positions = 32 * Digits::count - 150;  // no type has higher bits
      return {i % 3 == 0 ? -bits : bits, static_cast<int>(test::mixed(i, 2) % positions)};
    }
    case Kind::zeros:
      return {i % 5 == 0 ? bits : 0, static_cast<int>(i % 100)};
    case Kind::highest:
      return {1 - 2 * static_cast<std::int64_t>(i % 3), 32 * Digits::count - 115};
    case Kind::none:
      break;
  }
  return {0, 0};
}

template <class Space, class Digits>
struct FillCounters {
  using policy_type = Kokkos::TeamPolicy<Space>;
  Kokkos::View<const detail::DigitTerm*, Space> terms;
  Kokkos::View<Digits, Space> total;  // zero() before
  bool adds;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    using Counters = detail::ExactCounters<Digits>;
    std::byte* scratch = detail::team_scratch(team, Counters::bytes(team.team_size()));
    Counters counters;
    counters.lend(team, scratch);
    team.team_barrier();
    const auto at = [&](int i) { return terms(team.team_rank() * terms_of_thread + i); };
    int i = adds ? 0 : terms_of_thread;
    // Some alone, the others as many at a time as it takes.
    for (; i < terms_of_thread / 3; ++i) counters.deposit(at(i).value, at(i).position);
    constexpr int step = Counters::terms_max;
    for (; i + step <= terms_of_thread; i += step) {
      counters.template add<53, step>([&](int k) { return at(i + k); });
    }
    for (; i < terms_of_thread; ++i) counters.template add<53, 1>([&](int) { return at(i); });
    if (adds) counters.note_use(team);
    team.team_barrier();
    Digits mine;
    mine.clear();
    counters.collect(team, mine);
    mine.carry();
    total().atomic_add(mine);
  }
};

template <class Digits, class Space>
void check_counters(const Space& space, int team_size, Kind kind) {
  INFO("team " << team_size << ", kind " << static_cast<int>(kind));
  const auto size = static_cast<std::size_t>(team_size) * terms_of_thread;
  const Kokkos::View<detail::DigitTerm*, Space> terms("terms", size);
  const auto terms_here = Kokkos::create_mirror_view(terms);
  Digits expected;
  expected.zero();
  for (std::size_t i = 0; i < size; ++i) {
    terms_here(i) = term<Digits>(kind, i);
    expected.deposit(terms_here(i).value, terms_here(i).position);
  }
  expected.carry();
  Kokkos::deep_copy(space, terms, terms_here);

  const FillCounters<Space, Digits> fill{terms, Kokkos::View<Digits, Space>("total"), kind != Kind::none};
  const auto host = Kokkos::create_mirror_view(fill.total);
  host().zero();
  Kokkos::deep_copy(space, fill.total, host);
  const std::size_t bytes = detail::ExactCounters<Digits>::bytes(team_size);
  auto policy = typename FillCounters<Space, Digits>::policy_type(space, 1, team_size)
                    .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(detail::scratch_request(bytes))));
  Kokkos::parallel_for("fill", policy, fill);
  Kokkos::deep_copy(space, host, fill.total);
  space.fence();
  Digits got = host();
  got.carry();
  REQUIRE(got.begin == expected.begin);
  REQUIRE(got.end == expected.end);
  for (int j = got.begin; j < got.end; ++j) CHECK(got.digit[j] == expected.digit[j]);
}

template <class Digits, class Space>
void check_all(const Space& space) {
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const Kind kind :
         {Kind::positive, Kind::negative, Kind::alternating, Kind::any, Kind::zeros, Kind::highest, Kind::none}) {
      check_counters<Digits>(space, team_size, kind);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("counters that threads share hold what digits hold", "[reduce][exact]", test::Spaces) {
  const TestType space;
  check_all<typename detail::ExactFormat<float>::sum_digits>(space);
  check_all<typename detail::ExactFormat<float>::product_digits>(space);
  check_all<typename detail::ExactFormat<double>::sum_digits>(space);
  check_all<typename detail::ExactFormat<double>::product_digits>(space);
}

}  // namespace
