// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// float16 and bfloat16: elements and results of 16 bits where Kokkos has them (CUDA), of float elsewhere.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <tessera/reduce/fused.hpp>
#include <tessera/reduce/reduce.hpp>
#include <tessera/reduce/reduce_axes.hpp>
#include <tessera/reduce/reduce_segments.hpp>
#include <tessera/reduce/stats.hpp>
#include <tuple>
#include <vector>

#include "reference/exact_reference.hpp"
#include "reference/half_reference.hpp"
#include "support/compare.hpp"
#include "support/guarded_view.hpp"

namespace tessera::test {

/// What follows from exact sums, all of it rounded to T: as Sum, Mean, L1, L2, Var and Std do, in one kernel.
template <class T>
struct ShortMoments {
  struct result_type {
    T sum, mean, l1, l2, var, std;
  };
  using fold_type =
      tessera::detail::widened_fold_t<tessera::detail::MomentsFold<ShortMoments, tessera::detail::wide_t<T>>, T>;
  static constexpr bool needs_elements = true;
  static constexpr tessera::detail::Moments wanted{.sum = true, .magnitude = true, .squares = true};
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 1; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return {Sum<T>{}.template result<T>(results), Mean<T>{}.template result<T>(results),
            L1<T>{}.template result<T>(results),  L2<T>{}.template result<T>(results),
            Var<T>{}.template result<T>(results), Std<T>{}.template result<T>(results)};
  }
};

}  // namespace tessera::test

namespace {

namespace test = tessera::test;
namespace reference = tessera::reference;
using Space = Kokkos::DefaultExecutionSpace;
using Half = Kokkos::Experimental::half_t;
using Brain = Kokkos::Experimental::bhalf_t;

template <class T>
constexpr reference::BinaryFormat format_of() {
  if (std::is_same_v<T, float>) return reference::single_format;
  return std::is_same_v<T, Half> ? reference::half_format : reference::brain_format;
}

template <class T>
T from_bits(std::uint32_t bits) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4);
  const auto low = static_cast<std::uint16_t>(bits);
  T value{};
  std::memcpy(static_cast<void*>(&value), sizeof(T) == 2 ? static_cast<const void*>(&low) : &bits, sizeof(T));
  return value;
}
template <class T>
std::uint32_t bits_of(const T& value) {
  std::uint32_t bits = 0;
  std::uint16_t low = 0;
  std::memcpy(sizeof(T) == 2 ? static_cast<void*>(&low) : &bits, &value, sizeof(T));
  return bits | low;
}

/// An exact value as T has it.
template <class T>
T rounded_to(long double exact) {
  return from_bits<T>(reference::encoded(format_of<T>(), reference::nearest(format_of<T>(), exact)));
}
template <class T>
void check_result(const T& got, long double exact) {
  INFO("exact " << exact);
  CHECK(bits_of(got) == bits_of(rounded_to<T>(exact)));
}

/// Elements units[i] * 2^scale, which every format tested has exactly, and their exact sums.
struct Exact {
  __extension__ typedef __int128 Integer;
  std::vector<std::int64_t> units;
  int scale;

  template <class T>
  [[nodiscard]] std::vector<T> elements() const {
    std::vector<T> values;
    for (const std::int64_t k : units) {
      values.push_back(rounded_to<T>(std::ldexp(static_cast<long double>(k), scale)));
    }
    return values;
  }
  [[nodiscard]] Exact part(std::int64_t begin, std::int64_t end, std::int64_t step = 1) const {
    Exact result{{}, scale};
    for (std::int64_t i = begin; i < end; i += step) result.units.push_back(units[static_cast<std::size_t>(i)]);
    return result;
  }

  [[nodiscard]] long double count() const { return static_cast<long double>(units.size()); }
  [[nodiscard]] long double sum() const { return scaled(total(), 1); }
  [[nodiscard]] long double l1() const {
    Integer total = 0;
    for (const std::int64_t k : units) total += k < 0 ? -k : k;
    return scaled(total, 1);
  }
  [[nodiscard]] long double l2() const { return std::sqrt(scaled(squares(), 2)); }
  [[nodiscard]] long double variance() const {
    const Integer numerator = static_cast<Integer>(units.size()) * squares() - total() * total();
    return scaled(numerator, 2) / count() / count();
  }

 private:
  [[nodiscard]] Integer total() const {
    Integer total = 0;
    for (const std::int64_t k : units) total += k;
    return total;
  }
  [[nodiscard]] Integer squares() const {
    Integer total = 0;
    for (const std::int64_t k : units) total += static_cast<Integer>(k) * k;
    return total;
  }
  [[nodiscard]] long double scaled(Integer value, int power) const {
    return std::ldexp(static_cast<long double>(value), power * scale);
  }
};

/// Two of three finite values of float16, in an order that its bits do not have: their sum overflows it and comes back.
Exact all_halves() {
  Exact data{{}, -24};
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const long double value = reference::decoded(reference::half_format, i * 40503u & 0xffffu);
    if (i % 3 != 0 && std::isfinite(value)) data.units.push_back(static_cast<std::int64_t>(std::ldexp(value, 24)));
  }
  return data;
}

/// Values of 7 bits and a sign over 16 binades, which float16 and bfloat16 have.
Exact mixed_values(std::size_t size, int scale = -20) {
  Exact data{{}, scale};
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t word = test::mixed(i, size);
    const auto mantissa = static_cast<std::int64_t>(word % 127 + 1) << (word >> 8 & 15);
    data.units.push_back((word >> 16) % 3 == 0 ? -mantissa : mantissa);
  }
  return data;
}

template <class T>
void check_moments(const Exact& data) {
  INFO("size " << data.units.size() << ", scale " << data.scale);
  const test::GuardedView<T, test::Misaligned, Space, 1> in({data.units.size()}, data.elements<T>());
  const auto got = tessera::reduce(Space(), in.const_view(), test::ShortMoments<T>{});
  check_result(got.sum, data.sum());
  check_result(got.mean, data.sum() / data.count());
  check_result(got.l1, data.l1());
  check_result(got.l2, data.l2());
  check_result(got.var, data.variance());
  check_result(got.std, std::sqrt(data.variance()));
}

TEST_CASE("exact moments of bfloat16", "[reduce][half]") {
  for (const std::size_t size : {1, 7, 8, 9, 16, 127, 1009, 8191, 100003}) check_moments<Brain>(mixed_values(size));
  check_moments<Brain>(mixed_values(1009, -133));  // squares vanish, and so do most of their sums
  check_moments<Brain>(mixed_values(1009, 105));   // the sum of magnitudes does not fit
}

template <class In>
Half sum_of_view(const In& in) {
  const test::GuardedView<Half, test::Right, Space, 1> out({1});
  tessera::reduce_axes(Space(), in, {0}, tessera::Sum<Half>{}, out.view());
  out.check_guards();
  return out.read()[0];
}
Half sum_of(const std::vector<Half>& values) {
  return sum_of_view(test::GuardedView<Half, test::Misaligned, Space, 1>({values.size()}, values).const_view());
}

TEST_CASE("sums of float16", "[reduce][half]") {
  for (const std::size_t size : {0, 1, 7, 8, 9, 31, 127, 8191}) {
    INFO("size " << size);
    const Exact data = mixed_values(size);
    check_result(sum_of(data.elements<Half>()), data.sum());
  }
  const Exact all = all_halves();
  check_result(sum_of(all.elements<Half>()), all.sum());
  const auto on_device = test::device_copy<Space>(all.elements<Half>());
  for (const std::int64_t first : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
    INFO("first element " << first);
    const auto some = Kokkos::subview(on_device, Kokkos::make_pair(first, first + 1009));
    check_result(sum_of_view(some), all.part(first, first + 1009).sum());
  }
  Exact positive = all;
  for (std::int64_t& k : positive.units) k = k < 0 ? -k : k;
  check_result(sum_of(positive.elements<Half>()), positive.sum());  // of 16 bits an infinity
  // Ties, to even both ways, and just off one: 2048 + 1, 2050 + 1, 2048 + 1 + 2^-24; subnormal sums.
  for (const auto& units : std::vector<std::vector<std::int64_t>>{{std::int64_t{2048} << 24, 1 << 24},
                                                                  {std::int64_t{2050} << 24, 1 << 24},
                                                                  {std::int64_t{2048} << 24, 1 << 24, 1},
                                                                  {1, 1, -1023},
                                                                  {std::int64_t{65504} << 24, 16 << 24},
                                                                  {std::int64_t{65504} << 24, 15 << 24},
                                                                  {5, -5}}) {
    const Exact data{units, -24};
    check_result(sum_of(data.elements<Half>()), data.sum());
  }
}

template <class T>
std::uint32_t encoded(long double value) {
  return reference::encoded(format_of<T>(), value);
}

TEST_CASE("NaN, infinities and zeros of float16 sums", "[reduce][half]") {
  const Half one = rounded_to<Half>(1), zero = rounded_to<Half>(-0.0L);
  const Half above = rounded_to<Half>(INFINITY), below = rounded_to<Half>(-INFINITY);
  const std::uint32_t nan = encoded<Half>(NAN);
  CHECK((sizeof(Half) == 4 || nan == 0x7e00));
  // Payloads of NaN, signalling ones and negative ones do not show.
  const std::uint32_t infinity = encoded<Half>(INFINITY), sign = encoded<Half>(-0.0L);
  for (const std::uint32_t bits : {infinity | 1, infinity | sign | 5, nan | 3}) {
    CHECK(bits_of(sum_of({one, from_bits<Half>(bits), one})) == nan);
  }
  CHECK(bits_of(sum_of({one, above, above})) == infinity);
  CHECK(bits_of(sum_of({below, one})) == (infinity | sign));
  CHECK(bits_of(sum_of({above, one, below})) == nan);
  CHECK(bits_of(sum_of({zero, zero})) == 0);
}

/// Sums over each axis of rows x columns.
void check_axes(std::int64_t rows, std::int64_t columns) {
  const Exact data = mixed_values(static_cast<std::size_t>(rows * columns));
  const test::Extents<2> extents{static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)};
  const test::GuardedView<Half, test::Misaligned, Space, 2> in(extents, data.elements<Half>());
  for (const int axis : {0, 1}) {
    INFO(rows << " x " << columns << ", axis " << axis);
    const std::int64_t outputs = axis == 0 ? columns : rows;
    const test::GuardedView<Half, test::Right, Space, 1> out({static_cast<std::size_t>(outputs)});
    tessera::reduce_axes(Space(), in.const_view(), {axis}, tessera::Sum<Half>{}, out.view());
    std::vector<Half> expected;
    for (std::int64_t i = 0; i < outputs; ++i) {
      const Exact line = axis == 0 ? data.part(i, rows * columns, columns) : data.part(i * columns, (i + 1) * columns);
      expected.push_back(rounded_to<Half>(line.sum()));
    }
    test::check_bits(out.read(), expected);
    out.check_guards();
  }
}

TEST_CASE("float16 over axes", "[reduce][half]") {
  check_axes(5, 7001);
  check_axes(7001, 5);
  check_axes(300, 37);
  check_axes(37, 301);
  check_axes(3, 90001);
  check_axes(1, 9);
}

TEST_CASE("segments of float16, to float", "[reduce][half]") {
  const std::vector<std::int64_t> offsets{3, 3, 4, 11, 20, 20, 1000, 9000, 20001};
  const Exact data = mixed_values(20011);
  const test::GuardedView<Half, test::Misaligned, Space, 1> in({data.units.size()}, data.elements<Half>());
  const test::GuardedView<std::int64_t, test::Right, Space, 1> bounds({offsets.size()}, offsets);
  const test::GuardedView<float, test::Misaligned, Space, 1> out({offsets.size() - 1});
  tessera::reduce_segments(Space(), in.const_view(), bounds.const_view(), tessera::Sum<Half>{}, out.view());
  std::vector<float> expected;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    expected.push_back(static_cast<float>(data.part(offsets[s], offsets[s + 1]).sum()));
  }
  test::check_bits(out.read(), expected);
  out.check_guards();
}

/// Position of the smallest of the values, Sign 1, or of the largest; the first.
std::int64_t extreme_position(const Exact& data, int sign) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < data.units.size(); ++i) {
    if (sign * data.units[i] < sign * data.units[best]) best = i;
  }
  return static_cast<std::int64_t>(best);
}

/// One kernel for the rest: floats inside, results of 16 bits.
auto reduced_halves(const std::vector<Half>& values, tessera::NanPolicy nan = tessera::NanPolicy::propagate) {
  const test::GuardedView<Half, test::Misaligned, Space, 1> in({values.size()}, values);
  const auto reducers =
      tessera::fuse<Half>(tessera::Stats<Half>{}, tessera::Max<Half>{}, tessera::LInf<Half>{}, tessera::Prod<Half>{},
                          tessera::ArgMinLast<Half>{}, tessera::Sum<Half, tessera::Summation::fast>{});
  return tessera::reduce(Space(), in.const_view(), reducers, {.nan = nan});
}
std::vector<Half> halves(std::initializer_list<long double> values) {
  std::vector<Half> result;
  for (const long double value : values) result.push_back(rounded_to<Half>(value));
  return result;
}

void check_stats(const Exact& data) {
  INFO("size " << data.units.size());
  const std::vector<Half> values = data.elements<Half>();
  const auto results = reduced_halves(values);
  const auto& stats = tessera::get<0>(results);
  const std::int64_t lowest = extreme_position(data, 1), highest = extreme_position(data, -1);
  const Half &min = values[static_cast<std::size_t>(lowest)], &max = values[static_cast<std::size_t>(highest)];
  CHECK(stats.count == values.size());
  CHECK(stats.argmin == lowest);
  CHECK(stats.argmax == highest);
  CHECK(bits_of(stats.min) == bits_of(min));
  CHECK(bits_of(stats.max) == bits_of(max));
  CHECK(bits_of(tessera::get<1>(results)) == bits_of(max));
  CHECK(bits_of(tessera::get<4>(results).value) == bits_of(min));
  check_result(tessera::get<2>(results), std::max(-static_cast<double>(min), static_cast<double>(max)));
  // Of 53 bits: long double has too few more.
  std::vector<double> wide;
  for (const std::int64_t k : data.units) wide.push_back(std::ldexp(static_cast<double>(k), data.scale));
  const reference::ExactSums sums(wide);
  CHECK(stats.sum == sums.sum<double>());
  CHECK(stats.mean == sums.mean<double>());
  CHECK(stats.l1 == sums.l1<double>());
  CHECK(stats.l2 == sums.l2<double>());
  CHECK(stats.var == sums.variance<double>(0));
}

TEST_CASE("stats and extrema of float16", "[reduce][half]") {
  for (const std::size_t size : {1, 7, 8, 9, 1009, 70001}) check_stats(mixed_values(size));
  check_stats(all_halves());
  const auto zeros = reduced_halves(halves({0.0L, -0.0L, 0.0L}));
  CHECK(bits_of(tessera::get<0>(zeros).min) == encoded<Half>(-0.0L));
  CHECK(bits_of(tessera::get<1>(zeros)) == 0);
  CHECK(tessera::get<0>(zeros).argmin == 0);
  CHECK(tessera::get<4>(zeros).index == 2);
}

TEST_CASE("products and fast sums of float16", "[reduce][half]") {
  // Both leave the range of 16 bits on the way.
  const auto product = reduced_halves(halves({60000, -60000, 0x1p-24L, 3, 0x1p-14L}));
  check_result(tessera::get<3>(product), -60000.0L * 60000 * 0x1p-24L * 3 * 0x1p-14L);
  check_result(tessera::get<5>(reduced_halves(halves({60000, 60000, -60000}))), 60000);
  check_result(tessera::get<5>(reduced_halves(halves({1, 2, 0.5L}))), 3.5L);
}

TEST_CASE("NaN among float16", "[reduce][half]") {
  std::vector<Half> values = halves({1, -2, -INFINITY, -0.0L, 0.0L});
  values.insert(values.begin() + 1, from_bits<Half>(encoded<Half>(INFINITY) | 1));
  const auto spoiled = reduced_halves(values);
  const auto& stats = tessera::get<0>(spoiled);
  for (const Half& x : {stats.min, stats.max, tessera::get<1>(spoiled), tessera::get<2>(spoiled),
                        tessera::get<3>(spoiled), tessera::get<4>(spoiled).value}) {
    CHECK(bits_of(x) == encoded<Half>(NAN));
  }
  CHECK(std::isnan(static_cast<float>(tessera::get<5>(spoiled))));
  CHECK(tessera::get<4>(spoiled).index == 1);
  CHECK(stats.argmax == 1);
  CHECK(stats.count_nan == 1);
  CHECK(stats.count_inf == 1);
  CHECK(stats.count_zero == 2);

  const auto omitted = reduced_halves(values, tessera::NanPolicy::omit);
  CHECK(tessera::get<0>(omitted).count == 5);
  CHECK(bits_of(tessera::get<0>(omitted).min) == encoded<Half>(-INFINITY));
  CHECK(bits_of(tessera::get<0>(omitted).max) == encoded<Half>(1));
  check_result(tessera::get<1>(omitted), 1);
  CHECK(bits_of(tessera::get<2>(omitted)) == encoded<Half>(INFINITY));
  CHECK(tessera::get<4>(omitted).index == 3);
}

/// The results of the built-in reducers have the element's type, and each can be made.
struct ResultTypes {
  template <class R>
  void operator()(const R&) const {
    using Result = tessera::reduce_result_t<R>;
    using Fold = tessera::detail::fold_t<R, Half>;
    static_assert(sizeof(typename Fold::team_type) > 0);
    if constexpr (tessera::detail::is_floating_v<Result>) static_assert(std::is_same_v<Result, Half>);
  }
};

TEST_CASE("results of float16 reducers are float16", "[reduce][half]") {
  tessera::BuiltInReducers::for_each<Half>(ResultTypes{});
}

}  // namespace
