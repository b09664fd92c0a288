// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moving windows of lines that go on in views of the caller's: lines cut into pieces, of which each has its neighbours
// for halos, give what they give as a whole.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/filter/median_filter.hpp>

#include "median_check.hpp"
#include "support/message.hpp"
#include "window_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::Halo;
using tessera::NanPolicy;
using tessera::NoHalo;
using tessera::WindowOperation;
using tessera::WindowOptions;
using test::Extents;
using Range = std::pair<std::size_t, std::size_t>;

constexpr std::size_t halo_line = 500, halo_lines = 9;

/// Elements begin .. end - 1 of all lines; Axis: 0 or 1, that lines run along.
template <int Axis, class View>
auto piece_of(const View& view, std::size_t begin, std::size_t end) {
  if constexpr (Axis == 0) {
    return Kokkos::subview(view, Range(begin, end), Kokkos::ALL);
  } else {
    return Kokkos::subview(view, Kokkos::ALL, Range(begin, end));
  }
}

/// call(in, out, options, halo..) of the whole, and of three pieces: what the pieces give must have the same bits, or
/// satisfy check(got, whole).
template <int Axis, class Result, class T, class Space, class Call, class Check>
void check_pieces(const Space& space, const std::vector<T>& data, std::int64_t window, WindowOptions options,
                  const Call& call, const Check& check) {
  options.axis = Axis;
  INFO(test::described(options, window) << ", axis " << Axis);
  const Extents<2> extents = Axis == 0 ? Extents<2>{halo_line, halo_lines} : Extents<2>{halo_lines, halo_line};
  const test::GuardedView<T, test::Block, Space, 2> in(extents, data);
  const test::GuardedView<Result, test::Block, Space, 2> whole(extents), cut(extents);
  call(in.const_view(), whole.view(), options);
  const std::size_t ends[] = {0, 170, 330, halo_line};
  for (int p = 0; p < 3; ++p) {
    const auto part = [&](const auto& view) { return piece_of<Axis>(view, ends[p], ends[p + 1]); };
    const auto before = piece_of<Axis>(in.const_view(), 0, ends[p]);
    const auto after = piece_of<Axis>(in.const_view(), ends[p + 1], halo_line);
    if (p == 0) {
      call(part(in.const_view()), part(cut.view()), options, Halo{NoHalo{}, after});
    } else if (p == 1) {
      call(part(in.const_view()), part(cut.view()), options, Halo{before, after});
    } else {
      call(part(in.const_view()), part(cut.view()), options, Halo{before, NoHalo{}});
    }
  }
  space.fence();
  cut.check_guards();
  check(cut.read(), whole.read());
}

/// Some NaN of both signs, near the cuts too.
template <class T>
std::vector<T> data_with_nan() {
  std::vector<T> data = test::values<T>(halo_line * halo_lines, 8);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (test::mixed(i, 4) % 40 == 0) data[i] = i % 2 == 0 ? test::poison<T>() : -test::poison<T>();
  }
  return data;
}

/// Modes that need no more than a piece has.
WindowOptions halo_options(std::int64_t window, int which, NanPolicy nan = NanPolicy::propagate) {
  const BoundaryMode modes[] = {BoundaryMode::reflect, BoundaryMode::constant, BoundaryMode::keep,
                                BoundaryMode::mirror};
  const std::int64_t origins[] = {0, -(window / 2), (window - 1) / 2};
  return {.mode_left = modes[which % 4],
          .mode_right = modes[(which / 2 + 1) % 4],
          .cval = 3.0,
          .origin = origins[which % 3],
          .nan = nan};
}

template <int Axis, WindowOperation Operation, class T, class Space>
void check_extrema(const Space& space, const std::vector<T>& data) {
  int which = 0;
  for (const std::int64_t window : {1, 2, 5, 12, 64, 150}) {
    for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit}) {
      check_pieces<Axis, T>(
          space, data, window, halo_options(window, which++, nan),
          [&](const auto& in, const auto& out, const WindowOptions& options, const auto&... halo) {
            test::filter_window<Operation>(space, in, window, out, options, halo...);
          },
          [](const auto& got, const auto& whole) { test::check_bits(got, whole); });
    }
  }
}

TEMPLATE_LIST_TEST_CASE("window extrema with a halo of the caller's", "[window][halo]", test::OneSpace) {
  const TestType space;
  check_extrema<1, WindowOperation::min>(space, data_with_nan<float>());
  check_extrema<0, WindowOperation::min>(space, data_with_nan<float>());
  check_extrema<1, WindowOperation::max>(space, test::values<std::int32_t>(halo_line * halo_lines));
}

TEMPLATE_LIST_TEST_CASE("medians with a halo of the caller's", "[median][halo]", test::OneSpace) {
  const TestType space;
  int which = 0;
  const std::vector<float> data = data_with_nan<float>();
  const auto check = [&](std::int64_t window, NanPolicy nan, auto axis) {
    check_pieces<decltype(axis)::value, float>(
        space, data, window, halo_options(window, which++, nan),
        [&](const auto& in, const auto& out, const WindowOptions& options, const auto&... halo) {
          tessera::median_filter(space, in, window, out, options, halo...);
        },
        [](const auto& got, const auto& whole) { test::check_bits(got, whole); });
  };
  for (const std::int64_t window : {1, 3, 4, 9, 40}) {
    for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit}) {
      check(window, nan, std::integral_constant<int, 1>());
      check(window, nan, std::integral_constant<int, 0>());
    }
  }
}

template <int Axis, class T, class Space>
void check_means(const Space& space, const std::vector<T>& data, std::int64_t window, const WindowOptions& options) {
  using Result = tessera::window_result_t<T, WindowOperation::box>;
  check_pieces<Axis, Result>(
      space, data, window, options,
      [&](const auto& in, const auto& out, const WindowOptions& asked, const auto&... halo) {
        tessera::box_filter(space, in, window, out, asked, halo...);
      },
      [&](const std::vector<Result>& got, const std::vector<Result>& whole) {
        if constexpr (std::is_integral_v<T>) {
          test::check_bits(got, whole);
        } else {
          for (std::size_t i = 0; i < got.size(); ++i) {
            const bool same = std::isnan(whole[i]) ? std::isnan(got[i]) : std::abs(got[i] - whole[i]) < 1e-13;
            if (!same) FAIL("element " << i << ": got " << got[i] << ", expected " << whole[i]);
          }
        }
      });
}

TEMPLATE_LIST_TEST_CASE("window means with a halo of the caller's", "[window][halo]", test::OneSpace) {
  const TestType space;
  int which = 0;
  for (const std::int64_t window : {1, 2, 5, 12, 64, 150}) {
    check_means<1>(space, data_with_nan<double>(), window, halo_options(window, which++));
    check_means<0>(space, data_with_nan<double>(), window, halo_options(window, which++, NanPolicy::omit));
    check_means<0>(space, test::values<std::int32_t>(halo_line * halo_lines), window, halo_options(window, which++));
  }
}

/// Against the reference, within the bound, of windows wider than the line.
TEST_CASE("window means at a halo keep the bound", "[window][halo]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  constexpr std::size_t begin = 1500, end = 1510, size = 3010;
  constexpr std::int64_t window = 2999;
  std::vector<double> line = test::values<double>(size);
  for (std::size_t i = 0; i < size; ++i) line[i] *= i % 7 == 0 ? 1e12 : 1;
  const test::GuardedView<double, test::Right, Space, 1> in({size}, line), out({end - begin});
  const auto part = [&](std::size_t first, std::size_t last) {
    return Kokkos::subview(in.const_view(), Range(first, last));
  };
  tessera::box_filter(space, part(begin, end), window, out.view(), {}, Halo{part(0, begin), part(end, size)});
  space.fence();
  std::vector<long double> expected, bounds;
  for (std::size_t i = begin; i < end; ++i) {
    const auto elements = tessera::reference::window_elements<double>(line, static_cast<std::int64_t>(i), {window});
    const auto mean = tessera::reference::window_mean(elements);
    expected.push_back(mean.value);
    bounds.push_back(mean.bound);
  }
  test::check_within(out.read(), expected, bounds);
}

TEST_CASE("halos that windows cannot take are errors", "[window][median][halo][errors]") {
  using Space = Kokkos::DefaultExecutionSpace;
  using View = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  const Space space;
  const View in("in", 3, 20), out("out", 3, 20), two("two", 3, 2), one("one", 3, 1);
  const auto refused = [&](bool is_median, const WindowOptions& options, const auto& halo) {
    return test::message_of<tessera::InvalidArgument>([&] {
      if (is_median) {
        tessera::median_filter(space, in, 5, out, options, halo);
      } else {
        tessera::box_filter(space, in, 5, out, options, halo);
      }
    });
  };
  for (const bool is_median : {false, true}) {
    const std::string function = is_median ? "tessera::median_filter" : "tessera::box_filter";
    test::check_message(refused(is_median, {}, Halo{one, two}),
                        {function, "`halo.left`", "(3, 1)", "expected", "(3, 20)", "along axis 1 at least 2", ";"});
    test::check_message(refused(is_median, {.origin = -1}, Halo{one, two}), {function, "`halo.right`", "at least 3"});
    test::check_message(refused(is_median, {.origin = 3}, Halo{two, two}), {function, "origin 3", "expected", ";"});
    test::check_message(refused(is_median, {.axis = 2}, Halo{two, two}), {function, "axis 2", "expected", "-2 to 1"});
    test::check_message(refused(is_median, {.mode_right = BoundaryMode::odd}, Halo{two, NoHalo{}}),
                        {function, "mode odd", "expected", "reflect", ";"});
    test::check_message(refused(is_median, {.nan = NanPolicy::error}, Halo{two, two}),
                        {function, "NaN policy error without a workspace", ";"});
    const auto shared = Kokkos::subview(out, Kokkos::ALL, std::pair<int, int>(3, 5));
    test::check_message(refused(is_median, {}, Halo{two, shared}),
                        {function, "`out`", "overlaps", "`halo.right`", ";"});
  }
}

TEST_CASE("windows with a halo of lines that are not there", "[window][median][halo]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Kokkos::View<float**, Kokkos::LayoutRight, Space> in("in", 0, 7), out("out", 0, 7), side("side", 0, 1);
  tessera::min_filter(Space(), in, 3, out, {}, Halo{side, side});
  tessera::median_filter(Space(), in, 3, out, {}, Halo{side, NoHalo{}});
}

}  // namespace
