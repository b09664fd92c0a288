// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that pairs of doubles hold but for less than what rounding depends on, and those where that is not enough.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/reduce/reduce_axes.hpp>
#include <vector>

#include "axes_check.hpp"
#include "reference/exact_reference.hpp"
#include "support/compare.hpp"
#include "support/data.hpp"
#include "support/guarded_view.hpp"
#include "support/spaces.hpp"

namespace {

namespace test = tessera::test;
namespace detail = tessera::detail;
using detail::BoundedPair;
using test::Extents;

/// Of any size between 2^-span and 1, and sign.
double any_double(std::uint64_t i, std::uint64_t k, int span) {
  const auto random = static_cast<std::int64_t>(test::mixed(i, k));
  return std::ldexp(static_cast<double>(random),
                    -63 - static_cast<int>(test::mixed(k, i) % static_cast<unsigned>(span)));
}

TEST_CASE("private: joined sums are within their bounds", "[reduce][exact]") {
  std::size_t wrong = 0, inexact = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const int span = i % 3 == 0 ? 40 : i % 3 == 1 ? 300 : 2000;
    std::vector<double> terms;
    BoundedPair joined = detail::BoundedPairSum{}.identity();
    for (std::uint64_t part = 0; part < 4; ++part) {
      detail::ExactFew<double> few;
      for (std::uint64_t k = 0; k < 4; ++k) {
        // The last part takes the first one back.
        terms.push_back(part < 3 ? any_double(i, 4 * part + k, span) : -terms[k]);
        few.add(terms.back());
      }
      detail::BoundedPairSum{}.join(joined, few.total());
    }
    terms.insert(terms.end(), {-joined.high, -joined.low});
    const double off = std::fabs(tessera::reference::ExactSums(terms).sum<double>());
    wrong += off <= joined.bound && joined.bound <= 0x1p-95 ? 0 : 1;
    inexact += off > 0 ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(inexact > 500);
}

TEST_CASE("private: outputs that are left are listed until they are too many", "[reduce][exact]") {
  std::uint32_t word = 0, ticket = 0;
  std::vector<std::int64_t> list(detail::left_listed_max);
  const detail::LeftOutputs left{&word, &ticket, list.data()};
  std::vector<float> out(detail::left_listed_max + 2, 1.0F);
  CHECK(left.none());
  std::int64_t count = 0;
  for (; count < detail::left_listed_max; ++count) left.leave(out[static_cast<std::size_t>(count)], 3 * count);
  std::vector<std::int64_t> seen;
  for (const std::int64_t rank : {0, 1}) {
    CHECK(left.visit_listed(rank, 2, [&](std::int64_t output) { seen.push_back(output); }));
  }
  std::ranges::sort(seen);
  CHECK(seen == list);
  CHECK(list.back() == 3 * (count - 1));
  for (; static_cast<std::size_t>(count) < out.size(); ++count) left.leave(out[static_cast<std::size_t>(count)], count);
  CHECK(!left.visit_listed(0, 1, [](std::int64_t) {}));
  CHECK(std::ranges::all_of(out, [](float result) { return detail::LeftOutputs::is_left(result); }));
}

template <class R, class T>
bool settles(const BoundedPair& total, std::int64_t size, T expected) {
  std::uint64_t word = tessera::Status::good;
  T result{};
  const bool settled = detail::fold_t<R, T>(R{}, {}).settle(total, size, tessera::Status(&word), result);
  if (settled) CHECK(test::same_bits(result, expected));
  return settled;
}

TEST_CASE("private: a bound settles what is not near the middle between two results", "[reduce][exact]") {
  constexpr double middle = 0x1p-53, tiny = 0x1p-160;
  using SumD = tessera::Sum<double>;
  using MeanD = tessera::Mean<double>;
  using SumF = tessera::Sum<float>;
  CHECK(settles<SumD>({1, middle, 0}, 3, 1.0));
  CHECK(settles<SumD>({1, std::nextafter(middle, 1.0), 0}, 3, 1 + 0x1p-52));
  CHECK(!settles<SumD>({1, middle, tiny}, 3, 1.0));
  CHECK(!settles<SumD>({1, std::nextafter(middle, 1.0), tiny}, 3, 1.0));
  CHECK(settles<SumD>({1, middle * (1 + 0x1p-40), tiny}, 3, 1 + 0x1p-52));
  CHECK(settles<SumD>({1, middle * (1 - 0x1p-40), tiny}, 3, 1.0));
  CHECK(!settles<SumD>({1, 0, 0x1p-53}, 3, 1.0));
  CHECK(!settles<SumD>({0, 0, tiny}, 3, 0.0));
  CHECK(!settles<SumD>({1, 0, std::numeric_limits<double>::quiet_NaN()}, 3, 1.0));
  CHECK(!settles<SumD>({1, 0, std::numeric_limits<double>::infinity()}, 3, 1.0));
  CHECK(!settles<SumD>({std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 0}, 3, 1.0));
  CHECK(settles<SumF>({1 + 0x1p-24, 0, 0}, 3, 1.0f));
  CHECK(!settles<SumF>({1 + 0x1p-24, 0, tiny}, 3, 1.0f));
  CHECK(settles<SumF>({1 + 0x1p-24, 0x1p-80, tiny}, 3, 1 + 0x1p-23f));
  CHECK(settles<SumF>({0x1p200, 0, 1}, 3, std::numeric_limits<float>::infinity()));
  CHECK(!settles<SumF>({0x1p-160, 0, 0x1p-300}, 3, 0.0f));
  CHECK(!settles<MeanD>({2, 0x1p-52, tiny}, 2, 1.0));
  CHECK(settles<MeanD>({2, 0x1p-52, 0}, 2, 1.0));
  CHECK(settles<MeanD>({2, 0x1p-60, tiny}, 2, 1.0));
  CHECK(settles<tessera::L2<float>>({4, 0x1p-60, tiny}, 2, 2.0f));
  CHECK(!settles<tessera::L2<float>>({0, 0, tiny}, 2, 0.0f));
}

template <class R, class T>
T expected_of(const std::vector<T>& line) {
  const tessera::reference::ExactSums sums(line);
  if (R::name() == "mean") return sums.template mean<T>();
  if (R::name() == "l2") return sums.template l2<T>();
  if (R::name() == "var") return sums.template variance<T>(0);
  if (R::name() == "std") return sums.template deviation<T>(0);
  return sums.template sum<T>();
}

/// What is not finite, and sums of doubles that overflow on the way.
template <class R, class T, class Space>
void check_not_finite(const Space& space, const R& reducer) {
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T most = std::numeric_limits<T>::max();
  for (const std::size_t n : {1, 2, 3, 5, 40, 100}) {
    std::vector<T> values;
    for (const T element : {infinity, -infinity, nan, most, -most}) {
      for (const bool cancels : {false, true}) {
        for (std::size_t k = 0; k < n; ++k) values.push_back(cancels && k % 2 == 1 ? -element : element);
      }
    }
    const std::size_t count = values.size() / n;
    const test::GuardedView<T, test::Right, Space, 2> rows({count, n}, values);
    const test::GuardedView<T, test::Left, Space, 2> columns({count, n}, values);
    const test::GuardedView<T, test::Right, Space, 1> out({count}), out_of_columns({count});
    tessera::reduce_axes(space, rows.const_view(), {1}, reducer, out.view());
    tessera::reduce_axes(space, columns.const_view(), {1}, reducer, out_of_columns.view());
    for (std::size_t line = 0; line < count; ++line) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(line * n);
      const T expected = expected_of<R, T>(std::vector<T>(first, first + static_cast<std::ptrdiff_t>(n)));
      INFO(R::name() << " of line " << line << " of " << n);
      for (const T result : {out.read()[line], out_of_columns.read()[line]}) {
        CHECK((test::same_bits(result, expected) || (result != result && expected != expected)));
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("lines that are not finite, or overflow on the way", "[reduce][axes][exact]", test::OneSpace) {
  check_not_finite<tessera::Sum<double>, double>(TestType(), {});
  check_not_finite<tessera::Sum<float>, float>(TestType(), {});
  check_not_finite<tessera::L2<float>, float>(TestType(), {});
  check_not_finite<tessera::Std<float>, float>(TestType(), {});
  check_not_finite<tessera::L2<double>, double>(TestType(), {});
  check_not_finite<tessera::Var<double>, double>(TestType(), {});
}

/// Lines that are sums of what one double holds, of any doubles, and such that their last terms decide; and of elements
/// that are much larger than what they differ by, or the same.
template <class T>
T element_of(std::size_t line, std::size_t k) {
  constexpr bool narrow = sizeof(T) < sizeof(double);
  const T sign = line % 2 == 0 ? T(1) : T(-1);
  const auto random = static_cast<double>(static_cast<std::int64_t>(test::mixed(line, k)));
  switch (line % 97) {
    case 5: {
      const T doubles[] = {T(1), std::ldexp(T(1), -53), sign * std::ldexp(T(1), narrow ? -100 : -160)};
      const T floats[] = {std::ldexp(T(1), 100), std::ldexp(T(1), 76), sign * std::ldexp(T(1), -100),
                          std::ldexp(T(1), 40), -std::ldexp(T(1), 40)};
      return narrow ? (k < 5 ? floats[k] : T(0)) : (k < 3 ? doubles[k] : T(0));
    }
    case 11:
      return k == 0 ? std::numeric_limits<T>::infinity() : T(1);
    case 23:
    case 24: {
      const int span = narrow ? 200 : 1600;
      return static_cast<T>(
          std::ldexp(random, static_cast<int>(test::mixed(k, line) % static_cast<unsigned>(span)) - span / 2 - 63));
    }
    case 31:
      return static_cast<T>(0x1p20 + std::ldexp(random, -63));
    case 37:
      return static_cast<T>(std::ldexp(static_cast<double>(line) + 0.1, -10));
    default:
      return static_cast<T>(std::ldexp(random, -63));
  }
}
constexpr std::size_t special_lines[] = {5, 11, 23, 31, 37};

/// Those lines, of 97: all over the data, or the first of each kind alone.
enum class Special { many, few };

template <class R, class T, class Space>
void check_lines_of_any(const Space& space, std::size_t length, bool by_rows, Special kind) {
  // On a device what one kernel leaves is another one's, if there is so much.
  constexpr std::size_t bytes = detail::is_host_space<Space> ? 1 << 17 : detail::left_bytes_min + (2 << 20);
  constexpr std::size_t elements = bytes / sizeof(T), few = 97 * 12;
  const std::size_t count = elements / length, pitch = by_rows ? length : 1, step = by_rows ? 1 : count;
  std::vector<T> values(count * length);
  for (std::size_t line = 0; line < count; ++line) {
    for (std::size_t k = 0; k < length; ++k)
      values[line * pitch + k * step] = element_of<T>(kind == Special::many || line < few ? line : 97 * line, k);
  }
  const test::GuardedView<T, test::Right, Space, 2> in(by_rows ? Extents<2>{count, length} : Extents<2>{length, count},
                                                       values);
  const test::GuardedView<T, test::Right, Space, 1> out({count});
  const std::vector<int> axes{by_rows ? 1 : 0};
  INFO(R::name() << " of " << count << " lines of " << length << ", "
                 << to_string(tessera::reduce_axes_plan(space, in.const_view(), axes, R{})));
  const tessera::Workspace<Space> workspace(
      space, tessera::reduce_axes_plan(space, in.const_view(), axes, R{}).workspace_bytes);
  tessera::reduce_axes(space, in.const_view(), axes, R{}, out.view(), {}, workspace);
  CHECK(test::left_in(space, workspace) == 0);
  const std::vector<T> results = out.read();
  std::size_t wrong = 0, compared = 0;
  for (std::size_t line = 0; line < count; ++line) {
    const bool special = std::ranges::count(special_lines, line % 97) > 0;
    if (!(special && line < few) && line % (1 + count / 16) != 0 && line + 97 < count) continue;
    std::vector<T> of(length);
    for (std::size_t k = 0; k < length; ++k) of[k] = values[line * pitch + k * step];
    const T expected = expected_of<R, T>(of);
    ++compared;
    wrong +=
        test::same_bits(results[line], expected) || (expected != expected && results[line] != results[line]) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(compared > 0);
  out.check_guards();
}

template <class R, class T, class Space>
void check_all_of_any(const Space& space) {
  for (const std::size_t length : {3, 7, 16, 100, 1000, 3001}) {
    check_lines_of_any<R, T>(space, length, true, Special::many);
  }
  for (const std::size_t length : {5, 200, 1500}) check_lines_of_any<R, T>(space, length, false, Special::many);
  for (const std::size_t length : {1, 2, 5}) check_lines_of_any<R, T>(space, length, true, Special::few);
  for (const std::size_t length : {2, 17}) check_lines_of_any<R, T>(space, length, false, Special::few);
}

TEMPLATE_LIST_TEST_CASE("many rows and columns of any exponents, on and beside middles", "[reduce][axes][exact]",
                        test::OneSpace) {
  check_all_of_any<tessera::Sum<double>, double>(TestType());
  check_all_of_any<tessera::Std<float>, float>(TestType());
  if (!test::is_sanitized) {
    check_all_of_any<tessera::Sum<float>, float>(TestType());
    check_all_of_any<tessera::Mean<float>, float>(TestType());
    check_all_of_any<tessera::L2<float>, float>(TestType());
    check_all_of_any<tessera::Std<double>, double>(TestType());
    check_all_of_any<tessera::L2<double>, double>(TestType());
  }
}

}  // namespace
