// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter/filter_verify.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "apps/verify_support.hpp"
#include "support/limits.hpp"

namespace tessera::apps::test {
namespace {

using tessera::test::infinity;
using tessera::test::nan;

template <class In, class Out>
Verification check(FilterRequest request, const std::vector<In>& input, const std::vector<Out>& output,
                   Shape shape = {}, bool full = true, std::uint64_t samples = 4096) {
  if (!shape.empty()) request.axis = shape.size() - 1;
  return verify_filter(request, host_array(input, shape), host_array(output, shape), full, plain_norms, no_progress,
                       samples);
}

FilterRequest request_of(std::vector<double> weights, const std::string& mode = "reflect") {
  FilterRequest request;
  request.weights = std::move(weights);
  request.mode_left = request.mode_right = mode;
  return request;
}

}  // namespace

TEST_CASE("each boundary mode by hand") {
  // x = 1 2 4 8, weights 1 10 100: out[i] = x[i-1] + 10 x[i] + 100 x[i+1]
  const std::vector<std::int64_t> x{1, 2, 4, 8};
  const auto expect = [&](const std::string& mode, std::int64_t first, std::int64_t last) {
    INFO(mode);
    FilterRequest request = request_of({1, 10, 100}, mode);
    request.cval = std::int64_t{7};
    CHECK(check<std::int64_t, std::int64_t>(request, x, {first, 421, 842, last}).passed);
    CHECK_FALSE(check<std::int64_t, std::int64_t>(request, x, {first + 1, 421, 842, last}).passed);
    CHECK_FALSE(check<std::int64_t, std::int64_t>(request, x, {first, 421, 842, last - 1}).passed);
  };
  expect("reflect", 1 + 10 + 200, 4 + 80 + 800);
  expect("mirror", 2 + 10 + 200, 4 + 80 + 400);
  expect("nearest", 1 + 10 + 200, 4 + 80 + 800);
  expect("wrap", 8 + 10 + 200, 4 + 80 + 100);
  expect("constant", 7 + 10 + 200, 4 + 80 + 700);
  expect("keep", 1, 8);
}

TEST_CASE("each side has its mode") {
  const std::vector<std::int64_t> x{1, 2, 4, 8};
  FilterRequest request = request_of({1, 10, 100}, "constant");
  request.cval = std::int64_t{7};
  request.mode_right = "wrap";
  CHECK(check<std::int64_t, std::int64_t>(request, x, {217, 421, 842, 184}).passed);
  CHECK_FALSE(check<std::int64_t, std::int64_t>(request, x, {218, 421, 842, 184}).passed);
  CHECK_FALSE(check<std::int64_t, std::int64_t>(request, x, {217, 421, 842, 784}).passed);
  request.mode_left = "keep";
  CHECK(check<std::int64_t, std::int64_t>(request, x, {1, 421, 842, 184}).passed);
  CHECK_FALSE(check<std::int64_t, std::int64_t>(request, x, {217, 421, 842, 184}).passed);
  request.mode_left = "constant";
  request.mode_right = "keep";
  CHECK(check<std::int64_t, std::int64_t>(request, x, {217, 421, 842, 8}).passed);
  // A window that leaves both ends is kept where either says so.
  CHECK(check<std::int64_t, std::int64_t>(request, {5}, {5}).passed);
  CHECK_FALSE(check<std::int64_t, std::int64_t>(request, {5}, {757}).passed);
}

TEST_CASE("a window wider than the line") {
  const std::vector<std::int64_t> x{1, 2};
  // reflect: .. 2 1 | 1 2 | 2 1 1 2 ..; five taps of 1, 10, .. around each output
  CHECK(check<std::int64_t, std::int64_t>(request_of({1, 10, 100, 1000, 10000}), x, {22112, 12211}).passed);
  // mirror of one element is that element
  CHECK(check<std::int64_t, std::int64_t>(request_of({1, 10, 100}, "mirror"), {3}, {333}).passed);
}

TEST_CASE("convolution and origin") {
  const std::vector<std::int64_t> x{1, 2, 4, 8};
  FilterRequest request = request_of({1, 10, 100, 1000}, "constant");
  // correlate: out[i] = sum w[k] x[i - 2 + k]
  CHECK(check<std::int64_t, std::int64_t>(request, x, {2100, 4210, 8421, 842}).passed);
  request.origin = 1;
  CHECK(check<std::int64_t, std::int64_t>(request, x, {1000, 2100, 4210, 8421}).passed);
  request.origin = 0;
  request.convolve = true;
  // convolve: out[i] = sum w[k] x[i - k + 2]
  CHECK(check<std::int64_t, std::int64_t>(request, x, {124, 1248, 2480, 4800}).passed);
}

TEST_CASE("integers are exact and clamped") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(check<std::int64_t, std::int64_t>(request_of({2, -2}, "nearest"), {most, most}, {0, 0}).passed);
  CHECK(check<std::int64_t, std::int64_t>(request_of({2}), {most, -most, 3}, {most, -most - 1, 6}).passed);
  CHECK_FALSE(check<std::int64_t, std::int64_t>(request_of({2}), {most}, {-2}).passed);
  CHECK(check<std::uint64_t, std::uint64_t>(request_of({1}), {~std::uint64_t{0}}, {~std::uint64_t{0}}).passed);
  CHECK(check<std::uint64_t, std::int64_t>(request_of({-1}), {~std::uint64_t{0}}, {-most - 1}).passed);
  const auto wrong = check<std::int64_t, std::int64_t>(request_of({1}), {9007199254740993}, {9007199254740992});
  CHECK(wrong.first_wrong == "index 0: got 9007199254740992, expected 9007199254740993");
  CHECK(wrong.method == "direct evaluation in 128-bit integers of all outputs");
}

TEST_CASE("floating results must lie within their bound") {
  const FilterRequest request = request_of({0.25, 0.5, 0.25});
  // Of four equal elements every output is that element; the bound is (3 + 2) u |x|.
  const double bound = 5 * 0x1p-53 * 3;
  const std::vector<double> x(4, 3.0);
  CHECK(check<double, double>(request, x, {3, 3, 3, 3}).passed);
  CHECK(check<double, double>(request, x, {3, 3 + 0.8 * bound, 3, 3}).passed);
  const Verification wrong = check<double, double>(request, x, {3, 3, 3 + 1.6 * bound, 3 - 1.6 * bound});
  CHECK(wrong.wrong == 2);
  CHECK(wrong.checked == 4);
  CHECK(wrong.first_wrong == "index 2: got 3.0000000000000027, expected 3");
  CHECK(wrong.max_abs_error > bound);

  const std::vector<float> single(4, 3.0F);
  const float float_bound = 5 * 0x1p-24F * 3;
  CHECK(check<float, float>(request, single, {3, 3 + 0.8F * float_bound, 3, 3}).passed);
  CHECK_FALSE(check<float, float>(request, single, {3, 3 + 1.6F * float_bound, 3, 3}).passed);
  FilterRequest in_double = request;
  in_double.accumulate_double = true;  // now only the output's rounding is left
  CHECK_FALSE(check<float, float>(in_double, single, {3, 3 + 0.8F * float_bound, 3, 3}).passed);
  CHECK(check<float, float>(in_double, single, {3, 3, 3, 3}).passed);
}

TEST_CASE("integers with other weights are computed in double") {
  CHECK(check<std::int32_t, double>(request_of({0.5}), {3, -5}, {1.5, -2.5}).passed);
  CHECK_FALSE(check<std::int32_t, double>(request_of({0.5}), {3, -5}, {1.5, -3}).passed);
  CHECK(check<std::int64_t, double>(request_of({0.5, 0.25, 0.25}, "keep"), {3, 4, 5}, {3, 3.75, 5}).passed);
  CHECK_FALSE(check<std::int64_t, double>(request_of({0.5, 0.25, 0.25}, "keep"), {3, 4, 5}, {3.5, 3.75, 5}).passed);
}

TEST_CASE("results in other types are rounded once") {
  // 2^53 + 1 and the sum 2^64 - 2: exact, then to the nearest double.
  const auto exact = check<std::int64_t, double>(request_of({1}), {9007199254740993, -3}, {0x1p53, -3});
  CHECK(exact.passed);
  CHECK(exact.method == "direct evaluation in 128-bit integers of all outputs");
  CHECK_FALSE(check<std::int64_t, double>(request_of({1}), {9007199254740993}, {0x1p53 + 2}).passed);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(check<std::int64_t, double>(request_of({2}), {most}, {0x1p64}).passed);
  CHECK_FALSE(check<std::int64_t, double>(request_of({2}), {most}, {0x1p63}).passed);
  CHECK(check<std::int64_t, std::uint64_t>(request_of({2}), {most, -1}, {~std::uint64_t{1}, 0}).passed);
  CHECK_FALSE(check<std::int64_t, std::uint64_t>(request_of({2}), {most}, {std::uint64_t{most}}).passed);
  CHECK(check<std::int64_t, std::int64_t>(request_of({0.5}), {1, 3, 4}, {0, 2, 2}).passed);
  CHECK_FALSE(check<std::int64_t, std::int64_t>(request_of({0.5}), {1, 3, 4}, {0, 2, 3}).passed);
  CHECK(check<std::int64_t, std::int64_t>(request_of({2.5}), {most, -most}, {most, -most - 1}).passed);
  CHECK_FALSE(check<std::int64_t, std::int64_t>(request_of({2.5}), {most}, {-most}).passed);
  FilterRequest in_double = request_of({0.1});
  in_double.accumulate_double = true;
  CHECK(check<float, double>(in_double, {3}, {0.1 * 3}).passed);
  CHECK_FALSE(check<float, double>(in_double, {3}, {static_cast<double>(0.1F * 3)}).passed);
}

TEST_CASE("NaN and infinities reach exactly the outputs whose window holds them") {
  const FilterRequest request = request_of({1, 1, 1}, "constant");
  const std::vector<double> x{1, 1, nan, 1, 1};
  CHECK(check<double, double>(request, x, {2, nan, nan, nan, 2}).passed);
  CHECK_FALSE(check<double, double>(request, x, {2, nan, nan, nan, nan}).passed);
  CHECK_FALSE(check<double, double>(request, x, {2, nan, nan, 2, 2}).passed);
  CHECK(check<double, double>(request, {1, infinity, 1}, {infinity, infinity, infinity}).passed);
  CHECK_FALSE(check<double, double>(request, {1, infinity, 1}, {infinity, -infinity, infinity}).passed);
  CHECK(check<double, double>(request_of({1, -1}, "nearest"), {infinity, infinity}, {nan, nan}).passed);
  CHECK(check<double, double>(request, {1e308, 1e308, 0}, {infinity, infinity, 1e308}).passed);
  FilterRequest constant = request;
  constant.cval = nan;
  CHECK(check<double, double>(constant, {1, 2, 3}, {nan, 6, nan}).passed);
}

TEST_CASE("samples hold every output whose window leaves its line") {
  const std::uint64_t lines = 50, extent = 400;
  std::vector<std::int64_t> x(lines * extent);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i * i % 1009);
  std::vector<std::int64_t> out = x;
  const FilterRequest identity = request_of({0, 0, 1, 0, 0});
  const Verification good = check(identity, x, out, {lines, extent}, false, 64);
  CHECK(good.passed);
  CHECK(good.checked == lines * 4 + 64);
  CHECK(good.method == "direct evaluation in 128-bit integers of 64 sampled outputs and all edges");
  for (const std::size_t i :
       {std::size_t{0}, std::size_t{1}, extent - 1, 7 * extent + extent - 2, lines * extent - 1}) {
    out[i] += 1;
    INFO(i);
    CHECK(check(identity, x, out, {lines, extent}, false, 64).wrong >= 1);
    out[i] -= 1;
  }
  out[3 * extent + 9] += 1;
  CHECK(check(identity, x, out, {lines, extent}, true).first_wrong.starts_with("index (3, 9): got "));
}

TEST_CASE("lines along another axis than the last") {
  FilterRequest request = request_of({1, 2}, "constant");
  const std::vector<std::int64_t> in{1, 2, 3, 10, 20, 30}, out{2, 4, 6, 21, 42, 63};
  const auto along_first = [&](const std::vector<std::int64_t>& results) {
    return verify_filter(request, host_array(in, {2, 3}), host_array(results, {2, 3}), true, plain_norms, no_progress);
  };
  CHECK(along_first(out).passed);
  const Verification wrong = along_first({2, 4, 6, 21, 43, 63});
  CHECK(wrong.wrong == 1);
  CHECK(wrong.first_wrong.starts_with("index (1, 1): got 43, expected 42"));
}

TEST_CASE("complex elements are checked part by part") {
  const auto check_parts = [](const FilterRequest& request, const std::vector<double>& input,
                              const std::vector<double>& output) {
    HostArray in = host_array(input, {input.size() / 2}), out = host_array(output, {output.size() / 2});
    in.is_complex = out.is_complex = true;
    return verify_filter(request, in, out, true, plain_norms, no_progress);
  };
  FilterRequest request = request_of({1, 1}, "constant");
  request.cval = 100.0;  // of the real parts
  const std::vector<double> x{1, 10, 2, 20, 3, 30}, sums{101, 10, 3, 30, 5, 50};
  CHECK(check_parts(request, x, sums).passed);
  CHECK(check_parts(request, x, sums).checked == 6);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    auto wrong = sums;
    wrong[i] += 1;
    const Verification found = check_parts(request, x, wrong);
    CHECK(found.wrong == 1);
    CHECK(found.first_wrong.starts_with("index " + std::to_string(i / 2) + ": got "));
  }
  CHECK_FALSE(check_parts(request, x, {101, 110, 3, 30, 5, 50}).passed);

  const std::vector<double> gaps{1, 10, nan, 20, 3, 30};
  CHECK(check_parts(request, gaps, {101, 10, nan, 30, nan, 50}).passed);
  CHECK_FALSE(check_parts(request, gaps, {101, 10, nan, nan, nan, nan}).passed);
  request.nan = "omit";
  CHECK(check_parts(request, gaps, {101, 10, 2, 20, 6, 60}).passed);
  CHECK_FALSE(check_parts(request, gaps, {101, 10, 2, 30, 6, 50}).passed);  // part by part
  request.cval = nan;
  CHECK(check_parts(request, gaps, {2, 20, 2, 20, 6, 60}).passed);
  request.mode_left = request.mode_right = "keep";
  CHECK(check_parts(request, {nan, 10, 2, 20}, {nan, 10, 4, 40}).passed);
  CHECK_FALSE(check_parts(request, {nan, 10, 2, 20}, {nan, nan, 4, 40}).passed);

  FilterRequest box = request_of({}, "nearest");
  box.operation = "box";
  box.window = 2;
  CHECK(check_parts(box, x, {1, 10, 1.5, 15, 2.5, 25}).passed);
  CHECK_FALSE(check_parts(box, x, {1, 10, 1.5, 15, 2.5, 25.5}).passed);
  CHECK(check_parts(box, gaps, {1, 10, nan, 15, nan, 25}).passed);
  box.nan = "omit";
  CHECK(check_parts(box, gaps, {1, 10, 1, 10, 3, 30}).passed);
  CHECK_FALSE(check_parts(box, gaps, {1, 10, 1, 15, 3, 25}).passed);
}

TEST_CASE("no elements, nothing to check") {
  CHECK(check<double, double>(request_of({1}), {}, {}, {0}).passed);
  CHECK(check<double, double>(request_of({1}), {}, {}, {3, 0}).checked == 0);
}

}  // namespace tessera::apps::test
