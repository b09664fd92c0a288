// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variances and deviations from pairs of doubles: no bit off, and few that need digits.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/reduce/detail/exact_few_squares.hpp>
#include <tessera/reduce/detail/exact_spread.hpp>
#include <tessera/reduce/reduce_axes.hpp>
#include <vector>

#include "reference/exact_reference.hpp"
#include "support/compare.hpp"
#include "support/data.hpp"
#include "support/guarded_view.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
namespace detail = tessera::detail;
using detail::BoundedSpread;
using detail::SpreadFew;

float power(int exponent) { return std::ldexp(1.0f, exponent); }

/// Rows of n elements: any, in few binades and in many; whole numbers; all the same; one far from the others.
template <class T>
std::vector<T> rows_of(std::size_t n, std::size_t count) {
  std::vector<T> values;
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint64_t random = test::mixed(row * n + k, n);
      const T any = static_cast<T>(static_cast<std::int64_t>(random)) * power(-63);
      const T whole = static_cast<T>(random % 16);
      const T same = static_cast<T>(static_cast<std::int64_t>(test::mixed(row, 3))) * power(-40);
      switch (row % 8) {
        case 0:
        case 1:
          values.push_back(any);
          break;
        case 2:
          values.push_back(any * power(static_cast<int>(random % 9) - 30));
          break;
        case 3:
          values.push_back(whole);
          break;
        case 4:
          values.push_back(same);
          break;
        case 5:
          values.push_back(k == row % n ? std::nextafter(same, 0.0f) : same);
          break;
        case 6:
          values.push_back(any * power(-149) * static_cast<float>(1 + random % 5));
          break;
        default:
          values.push_back(k == 0 ? any * power(static_cast<int>(row % 60)) : 1000 + any);
      }
    }
  }
  return values;
}

/// Pairs, the variance of which lies in the middle between two floats, or whose deviation does, and beside it.
std::vector<float> middle_rows() {
  std::vector<float> values;
  for (int i = 0; i < 40; ++i) {
    const float root = static_cast<float>(4097 + 2 * i), odd = static_cast<float>(2 * i + 1);
    for (const float beside : {0.0f, power(-60), -power(-60), power(-100), -power(-100)}) {
      values.insert(values.end(), {root, beside});
      values.insert(values.end(), {power(24), odd + beside});
      values.insert(values.end(), {power(24) * power(-80), -odd * power(-80)});
    }
  }
  return values;
}

template <bool Root>
float expected_spread(const std::vector<float>& row, std::uint64_t ddof) {
  const tessera::reference::ExactSums sums(row);
  return Root ? sums.deviation<float>(ddof) : sums.variance<float>(ddof);
}

struct Counts {
  std::size_t rows = 0, wrong = 0, undecided = 0, undecided_closely = 0;
};

template <bool Root>
void count_spread(const BoundedSpread& total, const std::vector<float>& row, std::uint64_t ddof, Counts& counts) {
  const auto n = static_cast<double>(row.size()), divisor = n * static_cast<double>(row.size() - ddof);
  const float expected = expected_spread<Root>(row, ddof);
  ++counts.rows;
  float result = -1;
  if (!detail::estimate_spread<Root>(total, n, divisor, result)) {
    ++counts.undecided;
  } else if (!test::same_bits(result, expected)) {
    ++counts.wrong;
  }
  if (!detail::round_spread<Root>(total, n, divisor, result)) {
    ++counts.undecided_closely;
  } else if (!test::same_bits(result, expected)) {
    ++counts.wrong;
  }
}

/// The sums of a row as they are taken: one by one, and in groups of N.
template <int N>
BoundedSpread grouped(const std::vector<float>& row) {
  SpreadFew<float> few;
  for (std::size_t first = 0; first < row.size(); first += N) {
    float group[N] = {};
    std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(first), std::min<std::size_t>(N, row.size() - first), group);
    first == 0 ? detail::take_group(few, group) : detail::add_group(few, group);
  }
  return few.total();
}

bool same_pairs(const BoundedSpread& a, const BoundedSpread& b) {
  return a.sum.high == b.sum.high && a.sum.low == b.sum.low && a.squares.high == b.squares.high &&
         a.squares.low == b.squares.low;
}

TEST_CASE("private: sums of squares of groups are exact", "[reduce][exact]") {
  std::size_t compared = 0, different = 0;
  for (const std::size_t n : {1, 2, 3, 8, 13, 100}) {
    const std::vector<float> values = rows_of<float>(n, 4000);
    for (std::size_t first = 0; first < values.size(); first += n) {
      const std::vector<float> row(values.begin() + static_cast<std::ptrdiff_t>(first),
                                   values.begin() + static_cast<std::ptrdiff_t>(first + n));
      SpreadFew<float> few;
      for (const float element : row) few.add(element);
      const BoundedSpread one_by_one = few.total();
      for (const BoundedSpread& pairs : {grouped<1>(row), grouped<3>(row), grouped<8>(row), grouped<16>(row)}) {
        if (!one_by_one.exact() || !pairs.exact()) continue;
        ++compared;
        different += same_pairs(one_by_one, pairs) ? 0 : 1;
      }
    }
  }
  CHECK(compared > 80000);
  CHECK(different == 0);
  const float spoiled[2] = {1, std::numeric_limits<float>::infinity()};
  const float nan[2] = {std::numeric_limits<float>::quiet_NaN(), 1};
  const float both[2] = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
  for (const auto& elements : {spoiled, nan, both}) {
    SpreadFew<float> taken, added;
    detail::take_group(taken, *reinterpret_cast<const float(*)[2]>(elements));
    detail::add_group(added, *reinterpret_cast<const float(*)[2]>(elements));
    CHECK(!taken.total().exact());
    CHECK(!added.total().exact());
  }
}

TEST_CASE("private: what a few terms keep of their sum is within its bound", "[reduce][exact]") {
  std::size_t wrong = 0, bounded = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    std::vector<double> terms;
    double small[4];
    for (std::uint64_t k = 0; k < 6; ++k) {
      const std::uint64_t random = test::mixed(i, k);
      const double term = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random)),
                                     -static_cast<int>(random % (k < 2 ? 1 : 150)));
      terms.push_back(k == 1 ? -terms[0] + term : term);
      if (k >= 2) small[k - 2] = terms.back();
    }
    const detail::BoundedPair sum = detail::bounded_sum(terms[0], terms[1], small);
    terms.insert(terms.end(), {-sum.high, -sum.low});
    const double off = std::fabs(tessera::reference::ExactSums(terms).sum<double>());
    wrong += off <= sum.bound ? 0 : 1;
    bounded += sum.bound > 0 ? 1 : 0;
    wrong += sum.bound <= 0x1p-90 * (std::fabs(terms[0]) + std::fabs(terms[1])) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(bounded > 300);
}

TEST_CASE("private: variances and deviations from pairs have no bit off", "[reduce][exact]") {
  Counts all, middles;
  for (const std::size_t n : {1, 2, 3, 4, 5, 7, 8, 16, 31, 100, 1000}) {
    const std::size_t rows = n >= 100 ? 48 : 600;
    const std::vector<float> values = rows_of<float>(n, test::is_sanitized ? rows / 8 : rows);
    for (std::size_t first = 0; first < values.size(); first += n) {
      const std::vector<float> row(values.begin() + static_cast<std::ptrdiff_t>(first),
                                   values.begin() + static_cast<std::ptrdiff_t>(first + n));
      SpreadFew<float> few;
      for (const float element : row) few.add(element);
      if (!few.total().exact()) continue;
      for (std::uint64_t ddof = 0; ddof < std::min<std::size_t>(n, 3); ++ddof) {
        count_spread<false>(few.total(), row, ddof, all);
        count_spread<true>(few.total(), row, ddof, all);
      }
    }
  }
  const std::vector<float> values = middle_rows();
  for (std::size_t first = 0; first < values.size(); first += 2) {
    const std::vector<float> row{values[first], values[first + 1]};
    SpreadFew<float> few;
    for (const float element : row) few.add(element);
    REQUIRE(few.total().exact());
    count_spread<false>(few.total(), row, 0, middles);
    count_spread<true>(few.total(), row, 0, middles);
  }
  INFO(all.rows << " of which " << all.undecided << " and " << all.undecided_closely << " need more; " << middles.rows
                << " of which " << middles.undecided << " and " << middles.undecided_closely << " do");
  CHECK(all.wrong == 0);
  CHECK(middles.wrong == 0);
  CHECK(all.rows > (test::is_sanitized ? 1000 : 10000));
  CHECK(all.undecided < all.rows / 10);
  CHECK(all.undecided_closely < all.rows / 1000);
  CHECK(middles.undecided_closely == 0);
}

TEST_CASE("private: no variance is estimated from what cancels", "[reduce][exact]") {
  for (std::uint64_t i = 0; i < 100; ++i) {
    // n S2 is S^2, but for what two doubles do not hold of that.
    const double sum = 1 + static_cast<double>(test::mixed(i, 1) >> 12) * 0x1p-52;
    const double sum_low = (1 + static_cast<double>(test::mixed(i, 2) >> 12) * 0x1p-52) * 0x1p-54;
    const double square = sum * sum, mixed = 2 * sum * sum_low;
    const detail::ExactPair squares = detail::two_sum(square, std::fma(sum, sum, -square) + mixed);
    float result = -1;
    CHECK(!detail::estimate_spread<false>({{sum, sum_low, 0}, {squares.high, squares.low, 0}}, 1.0, 1.0, result));
  }
}

TEST_CASE("private: variances of sums of squares on and beside the middle", "[reduce][exact]") {
  std::size_t wrong = 0, undecided = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    // n m over n, of any length: the quotient is a middle between two floats, or as little off as two doubles hold.
    const auto n = static_cast<double>(1 + (test::mixed(i, 1) >> (38 + test::mixed(i, 2) % 26)));
    const auto middle = static_cast<double>(test::mixed(i, 3) >> 39 | 1);
    const double high = middle * n, far = std::ldexp(high, -static_cast<int>(54 + test::mixed(i, 4) % 50));
    for (const double low : {0.0, far, -far}) {
      float result = -1;
      if (low == 0 && middle >= 0x1p24)
        wrong += detail::estimate_spread<false>({{0, 0, 0}, {high, low, 0}}, n, n * n, result) ? 1 : 0;
      const bool decided = detail::round_spread<false>({{0, 0, 0}, {high, low, 0}}, n, n * n, result);
      undecided += decided ? 0 : 1;
      const auto below = static_cast<float>(std::nextafter(middle, 0.0)), above = std::nextafter(below, 1e30f);
      const bool even = (std::lround(std::ldexp(below, 24 - std::ilogb(below) - 1)) & 1) == 0;
      const float expected = low > 0 ? above : low < 0 ? below : even ? below : above;
      if (middle >= 0x1p24) wrong += !decided || test::same_bits(result, expected) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(undecided == 0);
}

template <bool Root>
void count_double(const std::vector<double>& row, std::uint64_t ddof, Counts& counts) {
  SpreadFew<double> few;
  constexpr std::size_t size = 8;
  std::size_t k = 0;
  for (; k + size <= row.size(); k += size) {
    double group[size];
    std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(k), size, group);
    k == 0 ? detail::take_group(few, group) : detail::add_group(few, group);
  }
  for (; k < row.size(); ++k) few.add(row[k]);
  const auto n = static_cast<double>(row.size()), divisor = n * static_cast<double>(row.size() - ddof);
  const tessera::reference::ExactSums sums(row);
  const auto expected = Root ? sums.deviation<double>(ddof) : sums.variance<double>(ddof);
  ++counts.rows;
  double result = -1;
  if (!detail::estimate_spread<Root>(few.total(), n, divisor, result)) {
    ++counts.undecided;
  } else {
    counts.wrong += test::same_bits(result, expected) ? 0 : 1;
  }
}

TEST_CASE("private: variances and deviations of doubles from an estimate have no bit off", "[reduce][exact]") {
  Counts all, usual;
  for (const std::size_t n : {1, 2, 3, 5, 8, 16, 31, 100, 1000}) {
    const std::size_t rows = n < 100 ? 200 : 16;
    const std::vector<double> values = rows_of<double>(n, test::is_sanitized && n < 100 ? rows / 4 : rows);
    for (std::size_t first = 0; first < values.size(); first += n) {
      const std::vector<double> row(values.begin() + static_cast<std::ptrdiff_t>(first),
                                    values.begin() + static_cast<std::ptrdiff_t>(first + n));
      for (std::uint64_t ddof = 0; ddof < std::min<std::size_t>(n, 3); ++ddof) {
        Counts& counts = n > 2 && first / n % 8 < 2 ? usual : all;
        count_double<false>(row, ddof, counts);
        count_double<true>(row, ddof, counts);
      }
    }
  }
  INFO(usual.rows << " of which " << usual.undecided << " need more; " << all.rows << " of which " << all.undecided);
  CHECK(all.wrong == 0);
  CHECK(usual.wrong == 0);
  CHECK(usual.rows > (test::is_sanitized ? 300 : 1500));
  CHECK(usual.undecided == 0);
  CHECK(all.undecided < all.rows / 2);
}

/// Each row through the library.
template <bool Root, class Reducer, class Result, class T, class Space>
void check_spread_rows(const Space& space, const Reducer& reducer, const std::vector<T>& values, std::size_t n) {
  const std::size_t count = values.size() / n;
  const test::GuardedView<T, test::Right, Space, 2> in({count, n}, values);
  const test::GuardedView<Result, test::Right, Space, 1> out({count});
  tessera::reduce_axes(space, in.const_view(), {1}, reducer, out.view());
  const std::vector<Result> results = out.read();
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < count; ++row) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * n);
    const tessera::reference::ExactSums sums(std::vector<T>(first, first + static_cast<std::ptrdiff_t>(n)));
    const auto ddof = static_cast<std::uint64_t>(reducer.ddof);
    const Result expected = Root ? sums.template deviation<Result>(ddof) : sums.template variance<Result>(ddof);
    wrong += test::same_bits(results[row], expected) ? 0 : 1;
  }
  INFO(Reducer::name() << " of " << count << " x " << n << ", ddof " << reducer.ddof);
  CHECK(wrong == 0);
  out.check_guards();
}

TEMPLATE_LIST_TEST_CASE("variances and deviations of rows of any kind", "[reduce][axes][exact]", test::OneSpace) {
  constexpr std::size_t rows = test::is_sanitized ? 24 : 304;
  for (const std::size_t n : {2, 3, 5, 16, 31, 100, 200}) {
    const std::vector<float> values = rows_of<float>(n, rows);
    for (const std::int64_t ddof : {0, 1}) {
      check_spread_rows<false, tessera::Var<float>, float>(TestType(), {.ddof = ddof}, values, n);
      check_spread_rows<true, tessera::Std<float>, float>(TestType(), {.ddof = ddof}, values, n);
    }
    // What has more bits than doubles tell apart goes to digits.
    check_spread_rows<false, tessera::Var<float>, double>(TestType(), {.ddof = 1}, values, n);
    check_spread_rows<true, tessera::Std<float>, double>(TestType(), {}, values, n);
    const std::vector<double> doubles = rows_of<double>(n, rows);
    for (const std::int64_t ddof : {0, 1}) {
      check_spread_rows<false, tessera::Var<double>, double>(TestType(), {.ddof = ddof}, doubles, n);
      check_spread_rows<true, tessera::Std<double>, double>(TestType(), {.ddof = ddof}, doubles, n);
    }
  }
  check_spread_rows<false, tessera::Var<float>, float>(TestType(), {}, middle_rows(), 2);
  check_spread_rows<true, tessera::Std<float>, float>(TestType(), {}, middle_rows(), 2);
}

TEST_CASE("private: variances of more elements than products of doubles count go to digits", "[reduce][exact]") {
  using Fold = detail::fold_t<tessera::Var<float>, float>;
  std::uint64_t word = tessera::Status::good;
  // Half of them 1, the others 0.
  constexpr std::int64_t size = std::int64_t{1} << 27;
  const BoundedSpread total{{0x1p26, 0, 0}, {0x1p26, 0, 0}};
  const tessera::Status status(&word);
  float result = -1;
  CHECK(Fold(tessera::Var<float>{}, {}).settle(total, size, status, result));
  CHECK(result == 0.25f);
  CHECK(Fold(tessera::Var<float>{.ddof = size - 4}, {}).settle(total, size, status, result));
  CHECK(result == 0x1p23f);
  CHECK(word == tessera::Status::good);
  CHECK(!Fold(tessera::Var<float>{.ddof = size}, {}).settle(total, size, status, result));
}

}  // namespace
