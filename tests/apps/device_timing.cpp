// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/timing.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "device/spaces.hpp"

namespace {

using tessera::apps::RunOptions;
using tessera::apps::time_repeats;

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace

TEST_CASE("time_repeats: calls the function warm-up and repeat times and gives a time for each repeat") {
  const Kokkos::DefaultExecutionSpace space;
  RunOptions options;
  options.warmup = 3;
  options.repeat = 5;
  int calls = 0;
  const auto seconds = time_repeats(space, options, [&] { ++calls; });
  CHECK(calls == 8);
  REQUIRE(seconds.size() == 5);
  CHECK(std::all_of(seconds.begin(), seconds.end(), [](double s) { return s >= 0 && s < 10; }));
}

TEST_CASE("time_repeats: what prepares each call is not timed") {
  const Kokkos::DefaultHostExecutionSpace space;
  RunOptions options;
  options.repeat = 3;
  options.warmup = 1;
  std::string order;
  const auto seconds = time_repeats(
      space, options, [&] { order += 'f'; },
      [&] {
        wait(0.02);
        order += 'p';
      });
  CHECK(order == "pfpfpfpf");
  CHECK(*std::min_element(seconds.begin(), seconds.end()) < 0.02);
}

TEST_CASE("time_repeats: the limit ends warm-up and repeats, but one is timed") {
  const Kokkos::DefaultExecutionSpace space;
  RunOptions options;
  options.warmup = 1000;
  options.repeat = 1000;
  options.time_limit_seconds = 0.02;
  int calls = 0;
  const auto seconds = time_repeats(space, options, [&] {
    ++calls;
    wait(0.015);
  });
  CHECK(seconds.size() == 1);
  CHECK(calls >= 2);
  CHECK(calls <= 3);
}

TEST_CASE("time_repeats: a host space's time is that of the work") {
  const Kokkos::DefaultHostExecutionSpace space;
  RunOptions options;
  options.repeat = 2;
  for (const double second : time_repeats(space, options, [] { wait(0.02); })) CHECK(second >= 0.02);
}

TEST_CASE("visit_space: gives the instance of the name and refuses others") {
#if defined(KOKKOS_ENABLE_OPENMP)
  CHECK(tessera::apps::visit_space(
      "openmp", [](const auto& space) { return std::is_same_v<std::decay_t<decltype(space)>, Kokkos::OpenMP>; }));
#endif
#if !defined(TESSERA_ONE_SPACE)
  CHECK(tessera::apps::visit_space(
      "serial", [](const auto& space) { return std::is_same_v<std::decay_t<decltype(space)>, Kokkos::Serial>; }));
#endif
  try {
    tessera::apps::visit_space("hip", [](const auto&) {});
    FAIL("accepted");
  } catch (const tessera::apps::Failure& failure) {
    CHECK(std::string(failure.what()) == "--space hip: not built in");
    CHECK(failure.status() == tessera::apps::ExitStatus::bad_input);
  }
}
