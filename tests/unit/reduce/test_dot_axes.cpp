// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of two views over axes: dot products of lines against schoolbook integers, and a reducer that sees each
// pair and its position.
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/reduce/dot_axes.hpp>

#include "axes_check.hpp"
#include "reference/dot_reference.hpp"
#include "support/limits.hpp"
#include "support/message.hpp"
#include "support/spaces.hpp"
#include "support/tools_recorder.hpp"

namespace {

namespace test = tessera::test;
using tessera::Axes;
using tessera::Dot;
using tessera::ElementPair;
using tessera::InvalidArgument;
using tessera::NanPolicy;
using tessera::ReduceOptions;
using tessera::Summation;
using test::Extents;

/// No exchange of positions, or of x and y, leaves its result as it is. 64-bit sums, wrapping.
struct PairPositionSum {
  using value_type = std::uint64_t;
  KOKKOS_FUNCTION value_type identity() const { return 0; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
  KOKKOS_FUNCTION value_type map(const ElementPair<std::int32_t>& pair, std::int64_t position) const {
    return static_cast<std::uint64_t>(3 * pair.x + 5000 * pair.y) * static_cast<std::uint64_t>(2 * position + 1);
  }
};

template <class T>
T expected_of(const Dot<T>&, const std::vector<T>& x, const std::vector<T>& y) {
  return tessera::reference::exact_dot(x, y);
}
std::int64_t expected_of(const Dot<std::int32_t>&, const std::vector<std::int32_t>& x,
                         const std::vector<std::int32_t>& y) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::int64_t{x[i]} * y[i];
  return sum;
}
std::uint64_t expected_of(const PairPositionSum& reducer, const std::vector<std::int32_t>& x,
                          const std::vector<std::int32_t>& y) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += reducer.map({x[i], y[i]}, static_cast<std::int64_t>(i));
  return sum;
}

/// Calls visit(x, y) for the elements behind each output of the axes in mask, in row-major order.
template <class T, std::size_t Rank, class Visit>
void for_each_line(const Extents<Rank>& extents, unsigned mask, const std::vector<T>& x, const std::vector<T>& y,
                   const Visit& visit) {
  std::vector<bool> reduced;
  for (std::size_t d = 0; d < Rank; ++d) reduced.push_back((mask >> d & 1) != 0);
  for (const auto& line : tessera::reference::lines({extents.begin(), extents.end()}, reduced)) {
    visit(tessera::reference::gathered(x, line), tessera::reference::gathered(y, line));
  }
}

/// Every set of axes of two arrays, the second in a layout of the same strides.
template <class T, class XLayout, class YLayout, class OutLayout, class Space, class R, std::size_t Rank>
void check_pairs(const Space& space, const R& reducer, const Extents<Rank>& extents,
                 const ReduceOptions& options = {}) {
  const std::size_t size = test::detail::product(extents);
  const std::vector<T> x = test::values<T>(size, 3), y = test::values<T>(size, 4);
  const test::GuardedView<T, XLayout, Space, Rank> x_view(extents, x);
  const test::GuardedView<T, YLayout, Space, Rank> y_view(extents, y);
  for (unsigned mask = 0; mask < (1u << Rank); ++mask) {
    std::vector<tessera::reduce_result_t<R>> expected;
    for_each_line(extents, mask, x, y,
                  [&](const auto& left, const auto& right) { expected.push_back(expected_of(reducer, left, right)); });
    test::check_axes_expected<OutLayout>(space, reducer, test::strided(x_view.const_view()), expected, mask, options,
                                         test::strided(y_view.const_view()));
  }
}

template <class XLayout, class YLayout, class OutLayout, class Space>
void check_pair_ranks(const Space& space, const ReduceOptions& options = {}) {
  const auto check = [&](const auto& extents) {
    check_pairs<std::int32_t, XLayout, YLayout, OutLayout>(space, PairPositionSum{}, extents, options);
  };
  check(Extents<1>{1});
  check(Extents<1>{1009});
  check(Extents<2>{3, 67});
  check(Extents<2>{67, 3});
  check(Extents<3>{5, 33, 7});
  check(Extents<4>{2, 1, 9, 35});
}

TEMPLATE_LIST_TEST_CASE("pairs: all sets of axes, in each layout", "[reduce][dot][axes]", test::OneSpace) {
  const TestType space;
  check_pair_ranks<test::Right, test::Right, test::Right>(space);
  check_pair_ranks<test::Left, test::Left, test::Right>(space);
  check_pair_ranks<test::Misaligned, test::Misaligned, test::Strided>(space);
  check_pair_ranks<test::Strided, test::Strided, test::Left>(space);
  check_pair_ranks<test::Block, test::Block, test::BlockLeft>(space);
  check_pair_ranks<test::BlockLeft, test::BlockLeft, test::Block>(space);
  // 16-byte boundaries at other elements.
  check_pair_ranks<test::Right, test::Misaligned, test::Right>(space);
}

TEMPLATE_LIST_TEST_CASE("pairs: plans that no tuning would choose, and divided outputs", "[reduce][dot][axes]",
                        test::OneSpace) {
  const TestType space;
  for (const int team_size : test::odd_team_sizes(space)) {
    for (const int league_size : test::odd_league_sizes()) {
      check_pair_ranks<test::Right, test::Right, test::Right>(space,
                                                              {.league_size = league_size, .team_size = team_size});
    }
  }
  const auto check = [&](const auto& extents, const ReduceOptions& options) {
    check_pairs<std::int32_t, test::Right, test::Misaligned, test::Right>(space, PairPositionSum{}, extents, options);
  };
  constexpr std::size_t many = test::is_sanitized ? 20011 : 100003;
  check(Extents<2>{3, many}, {.league_size = 64});
  check(Extents<2>{many, 3}, {.league_size = 64});
  check(Extents<3>{1009, 2, 30}, {});
  for (const std::size_t n : {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 64, 127, 129, 511, 512, 513, 1025}) {
    check(Extents<2>{n, 37}, {});
    check(Extents<2>{131, n}, {});
  }
}

TEMPLATE_LIST_TEST_CASE("dot products of lines are rounded once", "[reduce][dot][axes][exact]", test::OneSpace) {
  const TestType space;
  const auto check = [&]<class T>(const Dot<T>& dot) {
    check_pairs<T, test::Right, test::Right, test::Right>(space, dot, Extents<3>{5, 33, 7});
    check_pairs<T, test::Left, test::Left, test::Strided>(space, dot, Extents<3>{5, 33, 7});
    check_pairs<T, test::Block, test::Block, test::Right>(space, dot, Extents<4>{3, 5, 1, 11});
    check_pairs<T, test::Right, test::Misaligned, test::Right>(space, dot, Extents<2>{3, 1009}, {.league_size = 64});
    check_pairs<T, test::Right, test::Right, test::Right>(space, dot, Extents<2>{1009, 3}, {.league_size = 64});
    check_pairs<T, test::Right, test::Right, test::Right>(space, dot, Extents<2>{4, 0});
    check_pairs<T, test::Right, test::Right, test::Right>(space, dot, Extents<3>{0, 3, 5});
  };
  check(Dot<float>{});
  check(Dot<double>{});
  check(Dot<std::int32_t>{});
}

TEMPLATE_LIST_TEST_CASE("dot products of lines that two doubles do not hold, or hold beside a tie",
                        "[reduce][dot][axes][exact]", test::OneSpace) {
  const Extents<2> extents{65, 67};
  std::vector<float> x = test::values<float>(65 * 67, 8), y = test::values<float>(65 * 67, 9);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::ldexp(x[i], static_cast<int>(test::mixed(i) % 200) - 140);
    y[i] = std::ldexp(y[i], static_cast<int>(test::mixed(i, 2) % 200) - 140);
  }
  for (std::size_t i = 0; i < 67; ++i) {  // two rows with 1 + 2^-24 and a little more or less
    x[i] = x[67 + i] = i == 0 ? 1.0f : i == 1 ? 0x1p-24f : i == 2 ? 0x1p-60f : 0.0f;
    y[i] = y[67 + i] = 1;
  }
  y[67 + 2] = -1;
  const test::GuardedView<float, test::Right, TestType, 2> x_view(extents, x), y_view(extents, y);
  for (const unsigned mask : {1u, 2u}) {
    std::vector<float> expected;
    for_each_line(extents, mask, x, y, [&](const auto& left, const auto& right) {
      expected.push_back(tessera::reference::exact_dot(left, right));
    });
    test::check_axes_expected<test::Right>(TestType(), Dot<float>{}, test::strided(x_view.const_view()), expected, mask,
                                           {}, test::strided(y_view.const_view()));
    if (mask == 2) CHECK((expected[0] == 1 + 0x1p-23f && expected[1] == 1));
  }
}

template <class T, class Space, std::size_t Rank>
void check_fast(const Space& space, const Extents<Rank>& extents) {
  const std::size_t size = test::detail::product(extents);
  const std::vector<T> x = test::values<T>(size, 5), y = test::values<T>(size, 6);
  const test::GuardedView<T, test::Right, Space, Rank> x_view(extents, x), y_view(extents, y);
  for (unsigned mask = 0; mask < (1u << Rank); ++mask) {
    std::vector<long double> expected, bounds;
    for_each_line(extents, mask, x, y, [&](const auto& left, const auto& right) {
      long double sum_abs = 0;
      for (std::size_t i = 0; i < left.size(); ++i) sum_abs += std::abs(static_cast<long double>(left[i]) * right[i]);
      expected.push_back(tessera::reference::exact_dot(left, right));
      // Products are rounded too, and what is expected is.
      bounds.push_back(tessera::reference::fast_sum_bound<T>(sum_abs, left.size()) +
                       sum_abs * std::numeric_limits<T>::epsilon());
    });
    Extents<Rank> kept = extents;
    for (std::size_t d = 0; d < Rank; ++d) kept[d] = (mask >> d & 1) != 0 ? 1 : kept[d];
    const test::GuardedView<T, test::Right, Space, Rank> out(kept);
    INFO("axes " << mask << " of " << size);
    tessera::reduce_axes(space, x_view.const_view(), y_view.const_view(), test::axes_of(mask, Rank),
                         Dot<T, Summation::fast>{}, out.view());
    test::check_within(out.read(), expected, bounds);
    out.check_guards();
  }
}

TEMPLATE_LIST_TEST_CASE("fast dot products of lines keep their bound", "[reduce][dot][axes]", test::OneSpace) {
  check_fast<float>(TestType(), Extents<3>{6, 67, 5});
  check_fast<float>(TestType(), Extents<2>{2, 3001});
  check_fast<float>(TestType(), Extents<1>{0});
  check_fast<double>(TestType(), Extents<2>{2003, 3});
}

/// Of the rows of 3 x 4 matrices.
template <class R, class Space>
std::vector<double> of_rows(const Space& space, const R& dot, const std::vector<double>& x,
                            const std::vector<double>& y, NanPolicy nan = NanPolicy::propagate) {
  const test::GuardedView<double, test::Right, Space, 2> x_view({3, 4}, x), y_view({3, 4}, y);
  const test::GuardedView<double, test::Right, Space, 1> out({3});
  tessera::reduce_axes(space, x_view.const_view(), y_view.const_view(), {1}, dot, out.view(), {.nan = nan});
  return out.read();
}

TEMPLATE_LIST_TEST_CASE("dot products of lines with NaN, under each policy", "[reduce][dot][axes]", test::OneSpace) {
  const TestType space;
  const std::vector<double> x{1, 2, 3, 4, 5, test::nan, 7, 8, test::nan, 10, 11, 12};
  const std::vector<double> y{1, 1, 1, 1, 1, 1, 1, test::nan, test::nan, 2, 2, 2};
  const auto check = [&](const auto& dot) {
    test::check_values(of_rows(space, dot, x, y), {10, test::nan, test::nan});
    test::check_values(of_rows(space, dot, x, y, NanPolicy::omit), {10.0, 12.0, 66.0});
    const auto refused = [&] { of_rows(space, dot, x, y, NanPolicy::error); };
    test::check_message(test::message_of<InvalidArgument>(refused), {"`in`", "element 5 is NaN"});
  };
  check(Dot<double>{});
  check(Dot<double, Summation::fast>{});
}

TEMPLATE_LIST_TEST_CASE("dot products of lines with infinities", "[reduce][dot][axes]", test::OneSpace) {
  const std::vector<double> x{1, test::infinity, 3, 4, test::infinity, 6, test::infinity, 8, 9, test::infinity, 11, 12};
  const std::vector<double> y{1, -2, 1, 1, 1, 1, -1, 1, 1, 0, 1, 1};
  test::check_values(of_rows(TestType(), Dot<double>{}, x, y), {-test::infinity, test::nan, test::nan});
  test::check_values(of_rows(TestType(), Dot<double, Summation::fast>{}, x, y),
                     {-test::infinity, test::nan, test::nan});
}

TEMPLATE_LIST_TEST_CASE("vdot of complex columns", "[reduce][dot][axes]", test::OneSpace) {
  using T = Kokkos::complex<double>;
  const std::vector<T> x{{1, 2}, {3, -4}, {0, 1}, {-2, 5}}, y{{2, 0}, {1, 1}, {4, -3}, {0.5, 7}};
  const test::GuardedView<T, test::Left, TestType, 2> x_view({2, 2}, x), y_view({2, 2}, y);
  const test::GuardedView<T, test::Right, TestType, 1> out({2});
  const auto check = [&](const auto& vdot) {
    tessera::reduce_axes(TestType(), x_view.const_view(), y_view.const_view(), {0}, vdot, out.view());
    // (1 - 2i) 2 - i (4 - 3i); (3 + 4i) (1 + i) + (-2 - 5i) (0.5 + 7i)
    test::check_bits(out.read(), {T{-1, -8}, T{33, -9.5}});
  };
  check(tessera::Vdot<T>{});
  check(tessera::Vdot<T, Summation::fast>{});
}

TEMPLATE_LIST_TEST_CASE("a dot product of a line that no int64 holds is reported with its output",
                        "[reduce][dot][axes][errors]", test::OneSpace) {
  std::vector<std::int32_t> large(3 * 8, 1);
  for (std::size_t i = 8; i < 16; ++i) large[i] = std::numeric_limits<std::int32_t>::min();
  const test::GuardedView<std::int32_t, test::Right, TestType, 2> in({3, 8}, large);
  const test::GuardedView<std::int64_t, test::Right, TestType, 1> out({3});
  const auto call = [&] {
    tessera::reduce_axes(TestType(), in.const_view(), in.const_view(), {1}, Dot<std::int32_t>{}, out.view());
  };
  test::check_message(test::message_of<InvalidArgument>(call), {"`in`", "does not fit", "output 1"});
  CHECK(out.read() == std::vector<std::int64_t>{8, 0, 8});
}

template <class Space, class YView, class Out>
std::string message_of_pairs(const YView& y, const Axes& axes, const Out& out, const ReduceOptions& options = {}) {
  const Kokkos::View<float***, Kokkos::LayoutRight, Space> x("x", 2, 3, 4);
  return test::message_of<InvalidArgument>(
      [&] { tessera::reduce_axes(Space(), x, y, axes, Dot<float>{}, out, options); });
}

TEMPLATE_LIST_TEST_CASE("pairs of views that do not go together are errors", "[reduce][dot][axes][errors]",
                        test::OneSpace) {
  const Kokkos::View<float**, TestType> out("out", 2, 4);
  const Kokkos::View<float***, Kokkos::LayoutRight, TestType> longer("longer", 2, 3, 5);
  const Kokkos::View<float***, Kokkos::LayoutLeft, TestType> turned("turned", 2, 3, 4);
  test::check_message(message_of_pairs<TestType>(longer, {1}, out),
                      {"tessera::reduce_axes", "`y`", "extents (2, 3, 5)", "expected", "(2, 3, 4)", ";"});
  test::check_message(message_of_pairs<TestType>(turned, {1}, out),
                      {"tessera::reduce_axes", "`y`", "strides (1, 2, 6)", "expected", "`x`, (12, 4, 1)", ";", "copy"});
  // What an axis of extent 1 has for a stride does not matter.
  const Kokkos::View<float**, Kokkos::LayoutRight, TestType> row("row", 1, 4);
  const Kokkos::View<float**, Kokkos::LayoutStride, TestType> other_row("other", Kokkos::LayoutStride(1, 7, 4, 1));
  tessera::reduce_axes(TestType(), row, other_row, {1}, Dot<float>{}, Kokkos::View<float*, TestType>("one", 1));
}

TEMPLATE_LIST_TEST_CASE("axes, outputs and options of pairs that cannot be are errors", "[reduce][dot][axes][errors]",
                        test::OneSpace) {
  const TestType space;
  const Kokkos::View<float***, Kokkos::LayoutRight, TestType> y("y", 2, 3, 4);
  const Kokkos::View<float**, TestType> out("out", 2, 4), wrong("wrong", 2, 3);
  test::check_message(message_of_pairs<TestType>(y, {3}, out),
                      {"tessera::reduce_axes", "`axes`", "axis 3", "expected", "-3 to 2", ";"});
  test::check_message(message_of_pairs<TestType>(y, {1, -2}, out),
                      {"tessera::reduce_axes", "`axes`", "axis -2 is repeated", "expected", "once", ";"});
  test::check_message(message_of_pairs<TestType>(y, {1}, wrong),
                      {"tessera::reduce_axes", "`out`", "extents (2, 3)", "expected", "(2, 4)", ";"});
  test::check_message(message_of_pairs<TestType>(y, {1}, out, {.variant = tessera::ReduceVariant::single_pass}),
                      {"tessera::reduce_axes", "`options`", "variant single_pass", "expected", "automatic", ";"});
  const Kokkos::View<float**, Kokkos::LayoutRight, TestType> a("a", 4, 4), b("b", 4, 4);
  const auto into = [&](const auto& overlapped) {
    return test::message_of<InvalidArgument>(
        [&] { tessera::reduce_axes(space, a, b, {0}, Dot<float>{}, Kokkos::subview(overlapped, 1, Kokkos::ALL())); });
  };
  test::check_message(into(a), {"tessera::reduce_axes", "`out`", "overlaps", "`x`", ";"});
  test::check_message(into(b), {"tessera::reduce_axes", "`out`", "overlaps", "`y`", ";"});
}

TEMPLATE_LIST_TEST_CASE("pairs with a workspace: kernels and nothing else, of the size that the plan says",
                        "[reduce][dot][axes]", test::OneSpace) {
  const auto space = test::another_instance<TestType>();
  const test::GuardedView<float, test::Right, TestType, 2> x({2, 30000}, test::values<float>(60000)),
      y({2, 30000}, test::values<float>(60000, 2));
  const test::GuardedView<float, test::Right, TestType, 1> out({2});
  const Dot<float> dot;
  for (const int league_size : {1, 8}) {
    const ReduceOptions options{.league_size = league_size};
    const auto plan = tessera::reduce_axes_plan(space, x.const_view(), y.const_view(), {1}, dot, options);
    const auto call = [&](const tessera::Workspace<TestType>& workspace) {
      tessera::reduce_axes(space, x.const_view(), y.const_view(), {1}, dot, out.view(), options, workspace);
    };
    const tessera::Workspace<TestType> workspace(space, plan.workspace_bytes);
    call(workspace);  // Kokkos' own scratch memory grows on the first call
    const test::ToolsRecord record = test::recorded([&] { call(workspace); });
    test::check_kernels(record, space);
    CHECK(record.kernels.size() == (plan.parts > 1 ? 2 : 1));
    test::check_asynchronous(record);
    CHECK(record.regions == std::vector<std::string>{"tessera::reduce_axes"});
    space.fence();
    if (plan.workspace_bytes == 0) continue;
    const tessera::Workspace<TestType> small(space, plan.workspace_bytes - 1);
    test::check_message(test::message_of<InvalidArgument>([&] { call(small); }),
                        {"tessera::reduce_axes", "`workspace`", "bytes", "expected", "at least", ";"});
  }
}

}  // namespace
