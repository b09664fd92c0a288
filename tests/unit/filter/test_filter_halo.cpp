// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that go on in views of the caller's. The reference is a longer line that holds the halo, or what the mode of a
// side without one makes.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <tessera/filter/stencil.hpp>

#include "filter_check.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
using tessera::BoundaryMode;
using tessera::FilterOptions;
using tessera::Halo;
using tessera::NoHalo;
using test::Extents;

struct Sides {
  bool left = true, right = true;
};

/// Rows of a matrix and their halos, each of which has more elements than windows reach: NaN there must not matter.
template <class T, class Out, class Layout, class Space>
class HaloCheck {
 public:
  static constexpr std::size_t spare = 2;

  HaloCheck(const Space& space, std::size_t lines, std::size_t size, std::size_t reach_left, std::size_t reach_right)
      : m_space(space),
        m_lines(lines),
        m_size(size),
        m_reach_left(reach_left),
        m_reach_right(reach_right),
        m_data(test::values<T>(lines * size, 3)),
        m_left_data(halo_data(reach_left, 0, reach_left + spare, 4)),
        m_right_data(halo_data(reach_right, reach_right, reach_right + spare, 5)),
        m_in({lines, size}, m_data),
        m_out({lines, size}),
        m_left({lines, reach_left + spare}, m_left_data),
        m_right({lines, reach_right + spare}, m_right_data) {}

  [[nodiscard]] std::vector<T>& left_data() { return m_left_data; }
  void upload() { m_left.write(m_left_data); }

  /// A line from reach_left elements before to reach_right after it, and what stands there.
  [[nodiscard]] std::vector<T> extended(std::size_t row, Sides sides, BoundaryMode left, BoundaryMode right,
                                        T cval) const {
    const auto n = static_cast<std::int64_t>(m_size);
    std::vector<T> line;
    for (std::int64_t j = -static_cast<std::int64_t>(m_reach_left); j < n + static_cast<std::int64_t>(m_reach_right);
         ++j) {
      if (j < 0 && sides.left) {
        line.push_back(m_left_data[row * width(m_reach_left) + width(m_reach_left) - static_cast<std::size_t>(-j)]);
      } else if (j >= n && sides.right) {
        line.push_back(m_right_data[row * width(m_reach_right) + static_cast<std::size_t>(j - n)]);
      } else {
        const std::int64_t at = tessera::reference::element_for(test::edge_of(left), test::edge_of(right), j, n);
        line.push_back(at < 0 ? cval : m_data[row * m_size + static_cast<std::size_t>(at)]);
      }
    }
    return line;
  }

  /// Calls call(in, out, halo), and returns out.
  template <class Call>
  [[nodiscard]] std::vector<Out> called(Sides sides, const Call& call) {
    m_out.write(std::vector<Out>(m_out.size(), test::poison<Out>()));
    if (sides.left && sides.right) {
      call(m_in.const_view(), m_out.view(), Halo{m_left.const_view(), m_right.const_view()});
    } else if (sides.left) {
      call(m_in.const_view(), m_out.view(), Halo{m_left.const_view(), NoHalo{}});
    } else {
      call(m_in.const_view(), m_out.view(), Halo{NoHalo{}, m_right.const_view()});
    }
    m_space.fence();
    m_out.check_guards();
    return m_out.read();
  }

  void check_filter(const std::vector<double>& weights, const FilterOptions& options, bool convolve, Sides sides) {
    INFO(test::described(options, convolve, weights.size())
         << ", line of " << m_size << ", halo " << (sides.left ? "left " : "") << (sides.right ? "right" : ""));
    const tessera::FilterWeights<Space> device_weights(m_space, weights);
    const std::vector<Out> got = called(sides, [&](const auto& in, const auto& out, const auto& halo) {
      if (convolve) {
        tessera::convolve(m_space, in, device_weights, out, options, halo);
      } else {
        tessera::correlate(m_space, in, device_weights, out, options, halo);
      }
    });
    tessera::reference::LinearFilter<long double> filter;
    filter.weights.assign(weights.begin(), weights.end());
    filter.convolve = convolve;
    filter.omit_nan = options.nan == tessera::NanPolicy::omit;
    const T cval = static_cast<T>(std::get<double>(options.cval));
    std::vector<long double> expected, bounds;
    for (std::size_t row = 0; row < m_lines; ++row) {
      const std::vector<T> elements = extended(row, sides, options.mode_left, options.mode_right, cval);
      const std::vector<long double> line(elements.begin(), elements.end());
      for (std::size_t i = 0; i < m_size; ++i) {
        const bool is_kept = (!sides.left && options.mode_left == BoundaryMode::keep && i < m_reach_left) ||
                             (!sides.right && options.mode_right == BoundaryMode::keep && i + m_reach_right >= m_size);
        const auto output =
            is_kept ? tessera::reference::FilterOutput<long double>{static_cast<long double>(m_data[row * m_size + i]),
                                                                    0, true}
                    : tessera::reference::filter_output(line, filter, static_cast<std::int64_t>(i));
        expected.push_back(output.value);
        using Accumulator = std::conditional_t<std::is_floating_point_v<T>, T, double>;
        bounds.push_back(std::is_integral_v<Out>
                             ? 0
                             : tessera::reference::linear_filter_bound<Accumulator, Out>(output, weights.size()));
      }
    }
    test::check_within(got, expected, bounds);
  }

 private:
  static std::size_t width(std::size_t reach) { return reach + spare; }

  /// Those that windows reach stand at the end of a left halo, at the beginning of a right one.
  [[nodiscard]] std::vector<T> halo_data(std::size_t reach, std::size_t spare_begin, std::size_t extent,
                                         std::uint64_t seed) const {
    std::vector<T> data = test::values<T>(m_lines * extent, seed);
    for (std::size_t row = 0; row < m_lines; ++row) {
      const std::size_t begin = spare_begin == 0 ? 0 : reach;
      for (std::size_t k = begin; k < begin + spare; ++k) data[row * extent + k] = test::poison<T>();
    }
    return data;
  }

  Space m_space;
  std::size_t m_lines, m_size, m_reach_left, m_reach_right;
  std::vector<T> m_data, m_left_data, m_right_data;
  test::GuardedView<T, Layout, Space, 2> m_in;
  test::GuardedView<Out, Layout, Space, 2> m_out;
  test::GuardedView<T, Layout, Space, 2> m_left, m_right;
};

template <class T, class Out, class Layout = test::Right, class Space>
void check_filters(const Space& space, std::size_t size, std::size_t taps, std::int64_t origin, bool convolve,
                   std::vector<double> (*weights)(std::size_t)) {
  const auto m = static_cast<std::int64_t>(taps);
  const std::int64_t left = convolve ? m - 1 - m / 2 - origin : m / 2 + origin;
  HaloCheck<T, Out, Layout, Space> check(space, 3, size, static_cast<std::size_t>(left),
                                         static_cast<std::size_t>(m - 1 - left));
  const auto options = [&](BoundaryMode a, BoundaryMode b) {
    return FilterOptions{.mode_left = a, .mode_right = b, .cval = 3.0, .origin = origin};
  };
  check.check_filter(weights(taps), options(BoundaryMode::reflect, BoundaryMode::valid), convolve, {});
  for (const BoundaryMode mode : tessera::element_modes) {
    check.check_filter(weights(taps), options(BoundaryMode::odd, mode), convolve, {true, false});
    check.check_filter(weights(taps), options(mode, BoundaryMode::wrap), convolve, {false, true});
  }
}

TEMPLATE_LIST_TEST_CASE("filters with a halo of the caller's", "[filter][halo]", test::Spaces) {
  const TestType space;
  for (const std::size_t size : {1, 2, 7, 40, 1009}) {
    check_filters<float, float>(space, size, 3, 0, false, test::fractional_weights);
    check_filters<std::int32_t, std::int64_t>(space, size, 8, -2, true, test::whole_weights);
  }
}

TEMPLATE_LIST_TEST_CASE("filters with a halo, wide, of layouts and types", "[filter][halo]", test::OneSpace) {
  const TestType space;
  check_filters<double, double>(space, 5000, 129, 7, false, test::fractional_weights);
  check_filters<double, double>(space, 60, 129, 0, true, test::fractional_weights);
  check_filters<double, double, test::Left>(space, 131, 5, 1, false, test::fractional_weights);
  check_filters<float, float, test::Block>(space, 131, 4, 0, true, test::fractional_weights);
  check_filters<std::int32_t, double, test::Strided>(space, 77, 9, 0, false, test::fractional_weights);
  check_filters<double, double>(space, 20, 1, 0, false, test::fractional_weights);
}

TEMPLATE_LIST_TEST_CASE("NaN in a halo", "[filter][halo]", test::OneSpace) {
  const TestType space;
  HaloCheck<double, double, test::Right, TestType> check(space, 3, 30, 2, 2);
  const std::size_t nan_at = 4 + 3;  // of row 1 the one before the line
  check.left_data()[nan_at] = std::numeric_limits<double>::quiet_NaN();
  check.upload();
  const std::vector<double> weights{0.5, -1, 2, 0.25, 1};
  check.check_filter(weights, {}, false, {});
  check.check_filter(weights, {.nan = tessera::NanPolicy::omit}, true, {});
}

TEST_CASE("outputs away from a halo have the bits of a filter without", "[filter][halo]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  const std::size_t size = 9001;
  const std::vector<double> weights = test::fractional_weights(9);
  const tessera::FilterWeights<Space> device_weights(space, weights);
  HaloCheck<float, float, test::Right, Space> check(space, 3, size, 4, 4);
  const auto with = check.called({}, [&](const auto& in, const auto& out, const auto& halo) {
    tessera::correlate(space, in, device_weights, out, {}, halo);
  });
  auto without = check.called(
      {}, [&](const auto& in, const auto& out, const auto&) { tessera::correlate(space, in, device_weights, out); });
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < size; ++i) {
      if (i < 4 || i + 4 >= size) without[row * size + i] = with[row * size + i];
    }
  }
  test::check_bits(with, without);
}

/// Different for other elements and for another order. Unsigned: kernels may call it for poison too.
struct Digits {
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(const tessera::StencilWindow<std::int32_t, 2>& w) const {
    std::uint64_t sum = 0;
    for (int k = -2; k <= 2; ++k) sum = sum * 10007 + static_cast<std::uint64_t>(w[k]);
    return static_cast<std::int64_t>(sum);
  }
};

template <class Layout, class Space>
void check_stencils(const Space& space, std::size_t size) {
  HaloCheck<std::int32_t, std::int64_t, Layout, Space> check(space, 3, size, 2, 2);
  for (const Sides sides : {Sides{true, true}, Sides{true, false}, Sides{false, true}}) {
    for (const BoundaryMode mode : {BoundaryMode::mirror, BoundaryMode::constant, BoundaryMode::wrap}) {
      INFO("line of " << size << ", mode " << to_string(mode) << (sides.left ? ", left" : "")
                      << (sides.right ? ", right" : ""));
      const std::vector<std::int64_t> got = check.called(sides, [&](const auto& in, const auto& out, const auto& halo) {
        tessera::stencil<2>(space, in, out, Digits(), {.mode_left = mode, .mode_right = mode, .cval = 9}, halo);
      });
      std::vector<std::int64_t> expected;
      for (std::size_t row = 0; row < 3; ++row) {
        const std::vector<std::int32_t> line = check.extended(row, sides, mode, mode, 9);
        for (std::size_t i = 0; i < size; ++i) {
          expected.push_back(Digits()(tessera::StencilWindow<std::int32_t, 2>(line.data() + i + 2)));
        }
      }
      test::check_bits(got, expected);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("stencils with a halo of the caller's", "[filter][stencil][halo]", test::OneSpace) {
  for (const std::size_t size : {1, 3, 60, 5003}) check_stencils<test::Right>(TestType(), size);
  check_stencils<test::Left>(TestType(), 131);
}

TEST_CASE("a halo of lines that are not there", "[filter][halo]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Kokkos::View<float**, Kokkos::LayoutRight, Space> in("in", 0, 7), out("out", 0, 7), side("side", 0, 1);
  tessera::correlate(Space(), in, tessera::FilterWeights<Space>(Space(), std::vector<double>{1, 2, 1}), out, {},
                     Halo{side, side});
  tessera::stencil<1>(
      Space(), in, out, KOKKOS_LAMBDA(const tessera::StencilWindow<float, 1>& w) { return w[0]; }, {},
      Halo{side, side});
}

TEST_CASE("halos that cannot be are errors", "[filter][halo][errors]") {
  using Space = Kokkos::DefaultExecutionSpace;
  using View = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  const Space space;
  const View in("in", 3, 20), out("out", 3, 20), two("two", 3, 2), one("one", 3, 1), rows("rows", 4, 2);
  const tessera::FilterWeights<Space> weights(space, std::vector<double>{1, 2, 3, 2, 1});
  const auto refused = [&](const FilterOptions& options, const auto& halo) {
    return test::message_of<tessera::InvalidArgument>(
        [&] { tessera::correlate(space, in, weights, out, options, halo); });
  };
  test::check_message(refused({}, Halo{one, two}), {"tessera::correlate", "`halo.left`", "(3, 1)", "expected",
                                                    "(3, 20)", "along axis 1 at least 2", ";"});
  test::check_message(refused({}, Halo{two, rows}), {"tessera::correlate", "`halo.right`", "(4, 2)", "expected", ";"});
  test::check_message(refused({.origin = 3}, Halo{two, two}), {"origin 3 with 5 taps", "expected", "-2 to 2"});
  test::check_message(refused({.axis = 2}, Halo{two, two}), {"axis 2", "expected", "-2 to 1"});
  test::check_message(refused({.mode_right = BoundaryMode::renormalise}, Halo{two, NoHalo{}}),
                      {"tessera::correlate", "mode renormalise", "expected", "reflect", ";"});
  test::check_message(refused({.nan = tessera::NanPolicy::error}, Halo{two, two}),
                      {"tessera::correlate", "NaN policy error without a workspace", ";"});
  for (const auto variant : {tessera::FilterVariant::automatic, tessera::FilterVariant::vectorized}) {
    test::check_message(refused({.variant = variant, .steps = 2}, Halo{two, two}),
                        {"tessera::correlate", "2 steps with a halo", "expected", "1", ";", "once for each"});
  }
  const auto shared = Kokkos::subview(out, Kokkos::ALL, std::pair<int, int>(3, 5));
  test::check_message(refused({}, Halo{two, shared}), {"`out`", "overlaps", "`halo.right`", ";"});
  test::check_message(test::message_of<tessera::InvalidArgument>([&] {
                        tessera::stencil<2>(
                            space, in, out, KOKKOS_LAMBDA(const tessera::StencilWindow<double, 2>& w) { return w[0]; },
                            {}, Halo{two, one});
                      }),
                      {"tessera::stencil", "`halo.right`", "at least 2"});
}

}  // namespace
