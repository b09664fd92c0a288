// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moving windows of hosts, which threads make by themselves: in which order sums are taken, plans.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>

#include "window_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::WindowOperation;
using tessera::WindowPlan;
using tessera::WindowVariant;
using Host = Kokkos::DefaultHostExecutionSpace;

/// Sums of count = 1, 2, 4 or 8 values from the last on, or up to it, as two of halves.
double sum_behind(const double* x, int count, int from) {
  const int half = count / 2;
  if (count == 1) return x[0];
  if (from >= half) return sum_behind(x + half, half, from - half);
  return sum_behind(x, half, from) + sum_behind(x + half, half, 0);
}
double sum_until(const double* x, int count, int last) {
  const int half = count / 2;
  if (count == 1) return x[0];
  if (last < half) return sum_until(x, half, last);
  return sum_until(x, half, half - 1) + sum_until(x + half, half, last - half);
}

/// Blocks of eight elements, counted from where the window of output 0 begins: no bit tells how long a machine's
/// vectors are.
TEST_CASE("means of doubles on a host are sums of scanned blocks", "[window]") {
  std::vector<double> line;
  for (std::size_t i = 0; i < 3001; ++i) {
    line.push_back(std::ldexp(static_cast<double>(test::mixed(i) >> 11), static_cast<int>(test::mixed(i + 7) % 40)));
  }
  for (const int window : {10, 16, 20}) {
    const auto got = test::windowed<WindowOperation::box>(Kokkos::DefaultHostExecutionSpace(), line, window,
                                                          {.origin = -(window / 2)});
    std::vector<double> expected;
    for (int i = 0; i + window <= 3001; ++i) {
      const int begin = i / 8 * 8, last = i + window - 1, end = last / 8 * 8;
      double between = 0;
      for (int block = begin + 8; block < end; block += 8) between += sum_until(line.data() + block, 8, 7);
      const double ends = sum_behind(line.data() + begin, 8, i - begin) + between;
      // The last block may end behind the line; its first elements are what counts.
      std::vector<double> block(line.begin() + end, line.begin() + std::min(end + 8, 3001));
      block.resize(8);
      expected.push_back((ends + sum_until(block.data(), 8, last - end)) / window);
    }
    INFO("window " << window);
    test::check_bits(std::vector<double>(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(expected.size())),
                     expected);
  }
}

TEST_CASE("plans of a host's windows", "[window][plan]") {
  const Host space;
  const Kokkos::View<std::int64_t*, Host> integers("integers", 100000);
  const Kokkos::View<float*, Host> floats("floats", 100000);
  const auto check = [&](const auto& in, WindowOperation operation, std::int64_t longest) {
    for (const std::int64_t window : {std::int64_t{1}, std::int64_t{9}, std::int64_t{10}, longest, longest + 1}) {
      const WindowPlan plan = tessera::window_plan(space, in, operation, window);
      INFO(to_string(operation) << " " << window << ": " << to_string(plan));
      CHECK(plan.variant == (window <= 9         ? WindowVariant::few
                             : window <= longest ? WindowVariant::chunks
                                                 : WindowVariant::blocks));
      CHECK((plan.scratch_bytes == 0) == (window <= longest));
    }
  };
  check(floats, WindowOperation::box, 4096);
  check(floats, WindowOperation::min, 4096);
  check(integers, WindowOperation::max, 4096);
  check(integers, WindowOperation::box, 2048);  // of 128 bits
}

TEST_CASE("private: a host's tiles of long windows are long where there are enough", "[window][plan]") {
  using Op = tessera::detail::window_op_t<float, WindowOperation::box>;
  const tessera::detail::DeviceLimits limits{true, 8, 32 << 10};
  const auto tile = [&](std::int64_t lines, std::int64_t extent, std::int64_t window) {
    return tessera::detail::make_window_plan<Op>("test", limits, lines, extent, {window, 0}, {}).tile;
  };
  CHECK(tile(1, 100000, 256) == 1024);
  CHECK(tile(1, 100000, 257) == 4096);
  CHECK(tile(1, 7 * 4096, 257) == 1024);
  CHECK(tile(8, 4096, 257) == 4096);
}

}  // namespace
