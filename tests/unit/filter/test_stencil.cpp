// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils: the functor must be given exactly the elements of each window, in order, bit for bit.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/filter/stencil.hpp>
#include <tessera/filter/window_filter.hpp>
#include <vector>

#include "filter_check.hpp"
#include "reference/window_reference.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::StencilOptions;
using tessera::StencilWindow;
using test::Extents;

/// Elements without arithmetic, of a size that no 16-byte piece is a multiple of.
struct Triple {
  float a, b, c;
};

KOKKOS_INLINE_FUNCTION std::uint64_t bits_of(double x) { return Kokkos::bit_cast<std::uint64_t>(x); }
KOKKOS_INLINE_FUNCTION std::uint64_t bits_of(float x) { return Kokkos::bit_cast<std::uint32_t>(x); }
KOKKOS_INLINE_FUNCTION std::uint64_t bits_of(std::int8_t x) { return static_cast<std::uint64_t>(x); }
KOKKOS_INLINE_FUNCTION std::uint64_t bits_of(const Kokkos::complex<double>& x) {
  return bits_of(x.real()) * 7 + bits_of(x.imag());
}
KOKKOS_INLINE_FUNCTION std::uint64_t bits_of(const Triple& x) {
  return (bits_of(x.a) * 11 + bits_of(x.b)) * 11 + bits_of(x.c);
}

/// Different for every other element, order or bit.
template <class Window>
KOKKOS_INLINE_FUNCTION std::uint64_t hash_of(const Window& window, int radius) {
  std::uint64_t hash = 17;
  for (int k = -radius; k <= radius; ++k) hash = hash * 0x9e3779b97f4a7c15u + bits_of(window[k]);
  return hash;
}

struct Hash {
  template <class T, int Radius>
  KOKKOS_INLINE_FUNCTION std::uint64_t operator()(const StencilWindow<T, Radius>& window) const {
    return hash_of(window, Radius);
  }
};

/// For results of the input's type.
struct Mix {
  template <class T, int Radius>
  KOKKOS_INLINE_FUNCTION T operator()(const StencilWindow<T, Radius>& window) const {
    T most = window[0];
    for (int k = -Radius; k <= Radius; ++k) most = window[k] > most ? window[k] : most;
    return most - window[-Radius];
  }
};

template <class T>
std::string described(int radius, const StencilOptions<T>& options) {
  return "radius " + std::to_string(radius) + ", axis " + std::to_string(options.axis) + ", left " +
         std::string(to_string(options.mode_left)) + ", right " + std::string(to_string(options.mode_right)) +
         ", team " + std::to_string(options.team_size) + ", league " + std::to_string(options.league_size);
}

/// What the functor should see of one line.
template <int Radius, class Functor, class Out, class T>
std::vector<Out> expected_of(const std::vector<T>& line, const StencilOptions<T>& options) {
  const tessera::reference::Window<T> shape{2 * Radius + 1, 0, test::edge_of(options.mode_left),
                                            test::edge_of(options.mode_right), options.cval};
  const auto n = static_cast<std::int64_t>(line.size());
  const bool drops_left = options.mode_left == BoundaryMode::valid;
  const bool drops_right = options.mode_right == BoundaryMode::valid;
  std::vector<Out> expected;
  for (std::int64_t i = drops_left ? Radius : 0; i < (drops_right ? n - Radius : n); ++i) {
    const std::vector<T> elements = tessera::reference::window_elements(line, i, shape);
    if (!elements.empty()) {
      expected.push_back(static_cast<Out>(Functor()(StencilWindow<T, Radius>(elements.data() + Radius))));
    } else if constexpr (std::is_arithmetic_v<T>) {
      expected.push_back(static_cast<Out>(line[static_cast<std::size_t>(i)]));
    }
  }
  return expected;
}

/// Lines along the last axis.
template <int Radius, class Functor, class Out, class InLayout = test::Right, class OutLayout = test::Right,
          class Space, class T, std::size_t Rank>
void check_lines(const Space& space, const Extents<Rank>& extents, const std::vector<T>& data,
                 const StencilOptions<T>& options) {
  INFO(described(Radius, options) << ", lines of " << extents[Rank - 1]);
  const std::size_t size = extents[Rank - 1];
  std::vector<Out> expected;
  for (std::size_t begin = 0; begin < data.size(); begin += size) {
    const auto at = static_cast<std::ptrdiff_t>(begin);
    const std::vector<T> line(data.begin() + at, data.begin() + at + static_cast<std::ptrdiff_t>(size));
    const auto outputs = expected_of<Radius, Functor, Out>(line, options);
    expected.insert(expected.end(), outputs.begin(), outputs.end());
  }
  Extents<Rank> out_extents = extents;
  const std::size_t dropped = (options.mode_left == BoundaryMode::valid ? Radius : 0) +
                              (options.mode_right == BoundaryMode::valid ? Radius : 0);
  out_extents[Rank - 1] -= std::min(out_extents[Rank - 1], dropped);
  const test::GuardedView<T, InLayout, Space, Rank> in(extents, data);
  const test::GuardedView<Out, OutLayout, Space, Rank> out(out_extents);
  tessera::stencil<Radius>(space, in.const_view(), out.view(), Functor(), options);
  space.fence();
  out.check_guards();
  test::check_bits(out.read(), expected);
}

template <int Radius, class T, class Space>
void check_sizes(const Space& space) {
  const Kokkos::View<T*, Space> in("in", 100000);
  const Kokkos::View<std::uint64_t*, Space> out("out", 100000);
  const auto tile = static_cast<std::size_t>(tessera::stencil_plan<Radius>(space, in, out).tile);
  for (const std::size_t size : test::sizes_around(tile)) {
    const std::vector<T> line = test::values<T>(size);
    check_lines<Radius, Hash, std::uint64_t>(space, Extents<1>{size}, line, StencilOptions<T>{});
  }
}

TEMPLATE_LIST_TEST_CASE("stencils of every radius and element size, sizes around the tile", "[filter][stencil]",
                        test::OneSpace) {
  const TestType space;
  check_sizes<0, float>(space);
  check_sizes<1, float>(space);
  check_sizes<2, double>(space);
  check_sizes<3, std::int8_t>(space);
  check_sizes<16, double>(space);
  check_sizes<1, Kokkos::complex<double>>(space);
  check_sizes<2, Triple>(space);
}

TEMPLATE_LIST_TEST_CASE("stencils under each mode", "[filter][stencil]", test::Spaces) {
  const TestType space;
  constexpr BoundaryMode modes[] = {BoundaryMode::reflect, BoundaryMode::mirror,   BoundaryMode::nearest,
                                    BoundaryMode::wrap,    BoundaryMode::constant, BoundaryMode::valid,
                                    BoundaryMode::keep};
  for (const std::size_t size : {1, 2, 5, 60, 1009}) {
    const std::vector<std::int32_t> line = test::values<std::int32_t>(3 * size);
    for (const BoundaryMode mode : modes) {
      for (const BoundaryMode other : {mode, BoundaryMode::nearest, BoundaryMode::valid, BoundaryMode::keep}) {
        const StencilOptions<std::int32_t> options{.mode_left = mode, .mode_right = other, .cval = -77};
        check_lines<2, Mix, std::int32_t>(space, Extents<2>{3, size}, line, options);
        check_lines<2, Mix, double>(space, Extents<2>{3, size}, line, options);
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("stencils of any layout and rank", "[filter][stencil]", test::OneSpace) {
  const TestType space;
  const StencilOptions<double> options{.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::mirror};
  const auto data = [](std::size_t size) { return test::values<double>(size); };
  check_lines<2, Hash, std::uint64_t, test::Strided, test::Block>(space, Extents<1>{1031}, data(1031), options);
  check_lines<1, Hash, std::uint64_t, test::Misaligned, test::Misaligned>(space, Extents<2>{7, 131}, data(917),
                                                                          options);
  check_lines<3, Hash, std::uint64_t, test::Block, test::Block>(space, Extents<3>{2, 3, 1067}, data(6402), options);
  // Lines across memory: the plan's columns, and a layout where only the input is.
  check_lines<2, Hash, std::uint64_t, test::Left, test::Left>(space, Extents<2>{45, 131}, data(5895), options);
  check_lines<4, Hash, std::uint64_t, test::BlockLeft, test::Left>(space, Extents<2>{201, 19}, data(3819), options);
  check_lines<1, Hash, std::uint64_t, test::Left, test::Right>(space, Extents<3>{3, 5, 67}, data(1005), options);
  const StencilOptions<double> less{.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::nearest};
  check_lines<2, Hash, std::uint64_t, test::Left, test::Left>(space, Extents<2>{33, 131}, data(4323), less);
  const StencilOptions<double> keep{.mode_left = BoundaryMode::keep, .mode_right = BoundaryMode::valid};
  check_lines<2, Mix, double, test::Left, test::Left>(space, Extents<2>{33, 131}, data(4323), keep);
  check_lines<2, Hash, std::uint64_t, test::BlockLeft, test::Left>(space, Extents<2>{33, 131}, data(4323), less);
  check_lines<2, Mix, double, test::Left, test::BlockLeft>(space, Extents<2>{33, 131}, data(4323), keep);
  check_lines<16, Hash, std::uint64_t, test::Left, test::Left>(space, Extents<2>{40, 37}, data(1480), options);
}

/// Colours of pixels, components of vectors: few lines side by side, which devices take together.
template <int Radius, class T, class Space>
void check_pixel_stencils(const Space& space) {
  for (const std::size_t columns : {2, 3, 33}) {
    for (const std::size_t size : {1, 2, 9, 40, 1009}) {
      const std::vector<T> data = test::values<T>(columns * size);
      const Extents<2> extents{columns, size};
      const StencilOptions<T> options{.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::mirror};
      check_lines<Radius, Hash, std::uint64_t, test::Left, test::Left>(space, extents, data, options);
      const StencilOptions<T> less{.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::constant};
      check_lines<Radius, Hash, std::uint64_t, test::Left, test::Left>(space, extents, data, less);
      const StencilOptions<T> keep{
          .mode_left = BoundaryMode::keep, .mode_right = BoundaryMode::valid, .league_size = 2};
      if constexpr (std::is_arithmetic_v<T>) {
        check_lines<Radius, Mix, T, test::Left, test::Left>(space, extents, data, keep);
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("stencils of few lines side by side", "[filter][stencil][interleaved]", test::OneSpace) {
  const TestType space;
  check_pixel_stencils<1, float>(space);
  check_pixel_stencils<2, std::int8_t>(space);
  check_pixel_stencils<4, double>(space);
  check_pixel_stencils<2, Triple>(space);
}

/// Elements of every size, of which a device copies some by itself.
template <int Radius, class T, class Space>
void check_short_lines(const Space& space) {
  for (const std::size_t size : {1, 2, 8, 9, 10, 17, 100, 301}) {
    const std::size_t lines = size > 50 ? 7 : 90;
    const std::vector<T> data = test::values<T>(lines * size);
    const Extents<2> extents{lines, size};
    const StencilOptions<T> options{.mode_left = BoundaryMode::wrap, .mode_right = BoundaryMode::mirror};
    check_lines<Radius, Hash, std::uint64_t>(space, extents, data, options);
    const StencilOptions<T> constant{.mode_right = BoundaryMode::constant, .cval = data[0], .league_size = 2};
    check_lines<Radius, Hash, std::uint64_t, test::Misaligned, test::Block>(space, extents, data, constant);
    const StencilOptions<T> less{.mode_left = BoundaryMode::valid, .mode_right = BoundaryMode::nearest, .team_size = 1};
    check_lines<Radius, Hash, std::uint64_t, test::Block, test::Misaligned>(space, extents, data, less);
  }
}

TEMPLATE_LIST_TEST_CASE("stencils of many short lines", "[filter][stencil][padded]", test::OneSpace) {
  const TestType space;
  check_short_lines<1, float>(space);
  check_short_lines<4, double>(space);
  check_short_lines<2, std::int8_t>(space);
  check_short_lines<2, Triple>(space);
  check_short_lines<1, Kokkos::complex<double>>(space);
  check_short_lines<8, float>(space);
  check_short_lines<16, float>(space);
}

/// Of rank 3, along its middle axis.
template <class Layout, class Space>
void check_middle_axis(const Space& space, const Extents<3>& extents, const StencilOptions<float>& asked) {
  StencilOptions<float> options = asked;
  options.axis = 1;
  INFO(described(3, options) << ", " << extents[0] << " times " << extents[1] << " rows of " << extents[2]);
  const std::vector<float> data = test::values<float>(extents[0] * extents[1] * extents[2]);
  const std::size_t dropped =
      (asked.mode_left == BoundaryMode::valid ? 3 : 0) + (asked.mode_right == BoundaryMode::valid ? 3 : 0);
  const std::size_t outputs = extents[1] - dropped;
  const test::GuardedView<float, Layout, Space, 3> in(extents, data);
  const test::GuardedView<std::uint64_t, test::Right, Space, 3> out({extents[0], outputs, extents[2]});
  tessera::stencil<3>(space, in.const_view(), out.view(), Hash(), options);
  space.fence();
  out.check_guards();
  const std::vector<std::uint64_t> got = out.read();
  for (std::size_t a = 0; a < extents[0]; ++a) {
    for (std::size_t c = 0; c < extents[2]; ++c) {
      std::vector<float> line;
      std::vector<std::uint64_t> line_outputs;
      for (std::size_t b = 0; b < extents[1]; ++b) line.push_back(data[(a * extents[1] + b) * extents[2] + c]);
      for (std::size_t b = 0; b < outputs; ++b) line_outputs.push_back(got[(a * outputs + b) * extents[2] + c]);
      test::check_bits(line_outputs, expected_of<3, Hash, std::uint64_t>(line, options));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("stencils along another axis", "[filter][stencil][interleaved]", test::OneSpace) {
  const TestType space;
  check_middle_axis<test::Right>(space, {5, 23, 37}, {.mode_right = BoundaryMode::wrap});
  check_middle_axis<test::Block>(space, {5, 23, 37}, {.mode_right = BoundaryMode::wrap});
  // Blocks of which a device takes several at a time.
  for (const BoundaryMode left : {BoundaryMode::valid, BoundaryMode::nearest}) {
    for (const BoundaryMode right : {BoundaryMode::valid, BoundaryMode::constant}) {
      check_middle_axis<test::Right>(space, {201, 7, 2}, {.mode_left = left, .mode_right = right});
    }
  }
}

TEMPLATE_LIST_TEST_CASE("stencils do not depend on league and team", "[filter][stencil]", test::OneSpace) {
  const TestType space;
  for (const int team_size : test::odd_team_sizes(space)) {
    if (team_size > tessera::detail::window_chunk_team_size) continue;
    for (const int league_size : test::odd_league_sizes()) {
      const StencilOptions<float> options{.league_size = league_size, .team_size = team_size};
      check_lines<2, Hash, std::uint64_t>(space, Extents<2>{3, 7001}, test::values<float>(21003), options);
      check_lines<2, Hash, std::uint64_t, test::Left, test::Left>(space, Extents<2>{300, 71},
                                                                  test::values<float>(21300), options);
    }
  }
}

TEST_CASE("stencils carry NaN as they are, and lambdas what they hold", "[filter][stencil]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  std::vector<float> line = test::values<float>(3000);
  for (const std::size_t at : {0, 17, 2999}) line[at] = test::poison<float>();
  check_lines<1, Hash, std::uint64_t>(space, Extents<1>{3000}, line, StencilOptions<float>{});
  check_lines<1, Hash, std::uint64_t>(
      space, Extents<1>{3000}, line,
      StencilOptions<float>{.mode_left = BoundaryMode::constant, .cval = std::numeric_limits<float>::quiet_NaN()});

  const std::vector<double> data = test::values<double>(5000);
  const test::GuardedView<double, test::Right, Space, 1> in({5000}, data), out({5000}), same({5000});
  const double limit = 0.25;
  tessera::stencil<1>(
      space, in.const_view(), out.view(), KOKKOS_LAMBDA(const StencilWindow<double, 1>& w) {
        const double least = Kokkos::min(Kokkos::min(w[-1], w[0]), w[1]);
        return least < limit ? least : limit;
      });
  tessera::min_filter(space, in.const_view(), 3, same.view());
  space.fence();
  std::vector<double> expected = same.read();
  for (double& value : expected) value = std::min(value, limit);
  test::check_bits(out.read(), expected);
}

TEST_CASE("the plan of a stencil", "[filter][stencil][plan]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  const Kokkos::View<float**, Kokkos::LayoutRight, Space> in("in", 40, 64), out("out", 40, 64);
  const auto along = tessera::stencil_plan<2>(space, in, out),
             across = tessera::stencil_plan<2>(space, in, out, {.axis = 0});
  const auto of_host = test::runs_on_host<Space>;
  CHECK(along.variant == (of_host ? tessera::WindowVariant::chunks : tessera::WindowVariant::padded));
  CHECK((along.scratch_bytes > 0) == !test::runs_on_host<Space>);
  CHECK(across.variant == tessera::WindowVariant::columns);
  CHECK(across.scratch_bytes == 0);
  CHECK(to_string(across).starts_with("columns league "));
  const Kokkos::View<float**, Kokkos::LayoutRight, Space> pixels("pixels", 1000, 3), others("others", 1000, 3);
  const auto few = tessera::stencil_plan<2>(space, pixels, others, {.axis = 0});
  CHECK(few.variant == (of_host ? tessera::WindowVariant::columns : tessera::WindowVariant::interleaved));
  const auto asked = tessera::stencil_plan<2>(space, in, out, {.league_size = 3, .team_size = 1});
  CHECK(asked.league_size == 3);
  CHECK(asked.team_size == 1);
}

/// The text of a refused stencil, which writes nothing.
template <class T, class Out, class... More>
std::string refusal(const Extents<1>& size, const Extents<1>& out_size, const StencilOptions<T>& options,
                    const More&... more) {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  const test::GuardedView<T, test::Right, Space, 1> in(size, test::values<T>(size[0]));
  const test::GuardedView<Out, test::Right, Space, 1> out(out_size);
  const std::string text = test::message_of<tessera::InvalidArgument>(
      [&] { tessera::stencil<1>(space, in.view(), out.view(), Hash(), options, more...); });
  test::check_bits(out.read(), std::vector<Out>(out_size[0], test::poison<Out>()));
  return text;
}

TEST_CASE("what a stencil cannot take is an error", "[filter][stencil][errors]") {
  using Options = StencilOptions<double>;
  const auto message = [](std::size_t out_size, const Options& options) {
    return refusal<double, std::uint64_t>({9}, {out_size}, options);
  };
  test::check_message(message(9, {.axis = 1}), {"tessera::stencil", "`options`", "axis 1", "expected", "-1 to 0", ";"});
  test::check_message(message(8, {}), {"tessera::stencil", "`out`", "(8)", "expected", "(9)", ";", "valid"});
  test::check_message(message(9, {.mode_left = BoundaryMode::valid}),
                      {"tessera::stencil", "`out`", "(9)", "expected", "(8)", ";"});
  test::check_message(message(9, {.mode_right = BoundaryMode::odd}),
                      {"tessera::stencil", "`options`", "mode odd", "reflect", "keep, valid", ";", "linear"});
  test::check_message(message(9, {.league_size = -1}), {"tessera::stencil", "league_size -1", "expected", ";"});
  test::check_message(message(9, {.team_size = 1000000}), {"tessera::stencil", "team_size 1000000", "expected", ";"});
  const StencilOptions<Triple> keep{.mode_left = BoundaryMode::keep};
  test::check_message(refusal<Triple, std::uint64_t>({9}, {9}, keep),
                      {"tessera::stencil", "`options`", "mode keep", "expected", "input's type", ";"});

  using Space = Kokkos::DefaultExecutionSpace;
  const test::GuardedView<std::uint64_t, test::Right, Space, 1> in({90});
  const auto part = [&](std::size_t begin, std::size_t end) {
    return Kokkos::subview(in.view(), std::pair<std::size_t, std::size_t>(begin, end));
  };
  test::check_message(test::message_of<tessera::InvalidArgument>([&] {
                        tessera::stencil<1>(
                            Space(), part(0, 9), part(8, 17),
                            KOKKOS_LAMBDA(const StencilWindow<std::uint64_t, 1>& w) { return w[0]; });
                      }),
                      {"tessera::stencil", "`out`", "overlap", "`in`", "expected", "separate", ";"});
}

}  // namespace
