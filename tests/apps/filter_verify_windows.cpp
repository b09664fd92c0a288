// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tells right outputs from wrong ones: moving windows, and sums that modes and NaN policies change.
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "apps/verify_support.hpp"
#include "filter/filter_verify.hpp"
#include "support/limits.hpp"

namespace tessera::apps::test {
namespace {

using tessera::test::infinity;
using tessera::test::nan;
using Doubles = std::vector<double>;

template <class In, class Out>
Verification check_windows(const FilterRequest& request, const std::vector<In>& input, const std::vector<Out>& output) {
  return verify_filter(request, host_array(input), host_array(output), true, plain_norms, no_progress);
}

FilterRequest window_of(const std::string& operation, std::int64_t window, const std::string& mode = "reflect") {
  FilterRequest request;
  request.operation = operation;
  request.window = window;
  request.mode_left = request.mode_right = mode;
  return request;
}

FilterRequest sum_of(std::vector<double> weights, const std::string& mode) {
  FilterRequest request;
  request.weights = std::move(weights);
  request.mode_left = request.mode_right = mode;
  return request;
}

/// The outputs are right, and each is checked: no other value passes for it.
template <class In, class Out>
void expect(const FilterRequest& request, const std::vector<In>& input, std::vector<Out> output) {
  INFO(request.operation << ", " << request.mode_left);
  const Verification right = check_windows(request, input, output);
  INFO(right.first_wrong);
  CHECK(right.passed);
  CHECK(right.checked == output.size());
  for (auto& value : output) {
    const Out kept = value;
    value = value == value ? static_cast<Out>(value + Out(1)) : Out(0);
    CHECK(check_windows(request, input, output).wrong == 1);
    value = kept;
  }
}

}  // namespace

TEST_CASE("moving windows by hand") {
  const Doubles x{5, 2, 8, 3, 9};
  expect(window_of("min", 3), x, Doubles{2, 2, 2, 3, 3});
  expect(window_of("max", 3), x, Doubles{5, 8, 8, 9, 9});
  expect(window_of("median", 3), x, Doubles{5, 5, 3, 8, 9});
  expect(window_of("median", 4, "wrap"), x, Doubles{5, 8, 5, 8, 8});  // windows begin two before
  expect(window_of("box", 2, "nearest"), x, Doubles{5, 3.5, 5, 5.5, 6});
  expect(window_of("max", 3, "keep"), x, Doubles{5, 8, 8, 9, 9});
  FilterRequest constant = window_of("min", 3, "constant");
  constant.cval = std::int64_t{-4};
  constant.origin = 1;
  expect(constant, std::vector<std::int32_t>{7, 6, 8}, std::vector<std::int32_t>{-4, -4, 6});
  expect(window_of("box", 3, "mirror"), std::vector<std::int64_t>{1, 2, 4}, Doubles{5 / 3.0, 7 / 3.0, 8 / 3.0});
  CHECK(check_windows(window_of("box", 3), x, Doubles{4, 5, 13 / 3.0, 20 / 3.0, 7}).method ==
        "gathering the windows of all outputs");
}

TEST_CASE("moving windows: NaN, infinities, zeros of both signs, overflow") {
  expect(window_of("min", 2, "nearest"), Doubles{1, nan, 3, 4}, Doubles{1, nan, nan, 3});
  expect(window_of("median", 2, "nearest"), Doubles{1, nan, 3, 4}, Doubles{1, nan, nan, 4});
  expect(window_of("box", 2, "nearest"), Doubles{1, nan, 3, 5}, Doubles{1, nan, nan, 4});
  CHECK(check_windows(window_of("box", 2, "nearest"), Doubles{1, infinity, 3, 5}, Doubles{1, infinity, infinity, 4})
            .passed);
  CHECK_FALSE(
      check_windows(window_of("box", 2, "nearest"), Doubles{1, infinity, 3, 5}, Doubles{1, infinity, 3, 4}).passed);
  CHECK(check_windows(window_of("min", 2, "nearest"), Doubles{0.0, -0.0}, Doubles{0.0, -0.0}).passed);
  const Verification sign = check_windows(window_of("min", 2, "nearest"), Doubles{0.0, -0.0}, Doubles{0.0, 0.0});
  CHECK(sign.first_wrong == "index 1: got 0, expected -0");
  CHECK_FALSE(check_windows(window_of("max", 2, "nearest"), Doubles{0.0, -0.0}, Doubles{-0.0, 0.0}).passed);
  CHECK(check_windows(window_of("box", 2, "nearest"), Doubles{1e308, 1.5e308}, Doubles{1e308, infinity}).passed);
}

TEST_CASE("means of integers are rounded once") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  expect(window_of("box", 2, "nearest"), std::vector<std::int64_t>{1, 2}, Doubles{1, 1.5});
  CHECK(check_windows(window_of("box", 1), std::vector<std::int64_t>{most, -most}, Doubles{0x1p63, -0x1p63}).passed);
  CHECK_FALSE(check_windows(window_of("box", 1), std::vector<std::int64_t>{most}, Doubles{0x1p63 + 2048}).passed);
  CHECK_FALSE(
      check_windows(window_of("box", 3), std::vector<std::int64_t>{1, 1, 2}, Doubles{1, 1.3333333333333335, 5 / 3.0})
          .passed);
}

TEST_CASE("odd ends, scaled sums and shorter lines by hand") {
  const std::vector<std::int64_t> whole{1, 2, 4, 8};
  const Doubles x{1, 2, 4, 8};
  // .. -10 -6 -2 0 | 1 2 4 8 | 12 14 15 16 ..
  expect(sum_of({1, 10, 100}, "odd"), whole, std::vector<std::int64_t>{210, 421, 842, 1284});
  expect(sum_of({1, 0, 0, 0, 0, 0, 0, 0, 0}, "odd"), x, Doubles{-10, -6, -2, 0});
  expect(sum_of({0, 0, 0, 0, 0, 0, 0, 0, 1}, "odd"), x, Doubles{12, 14, 15, 16});
  expect(sum_of({1, 2}, "odd"), Doubles{3}, Doubles{9});
  expect(sum_of({0.25, 0.5, 0.25}, "renormalise"), x, Doubles{4 / 3.0, 2.25, 4.5, 20 / 3.0});
  expect(sum_of({1, 1, -1}, "renormalise"), Doubles{1, 2, 4}, Doubles{nan, -1, 3});
  expect(sum_of({1, 10, 100}, "valid"), whole, std::vector<std::int64_t>{421, 842});
  FilterRequest left = sum_of({1, 10, 100, 1000}, "valid");
  left.mode_right = "constant";
  left.cval = std::int64_t{7};
  expect(left, whole, std::vector<std::int64_t>{8421, 7842});
  left.convolve = true;
  expect(left, whole, std::vector<std::int64_t>{1248, 2487, 4877});
  CHECK(check_windows(sum_of({1, 2, 3}, "valid"), Doubles{1, 2}, Doubles{}).passed);
}

TEST_CASE("NaN that are omitted count in no output") {
  FilterRequest request = sum_of({1, 1, 1}, "reflect");
  request.nan = "omit";
  expect(request, Doubles{1, nan, 4}, Doubles{3, 7.5, 12});
  expect(request, Doubles{nan, nan, nan, 4}, Doubles{nan, nan, 12, 12});
}

}  // namespace tessera::apps::test
