// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions past 2^31 elements, and past 2^32. The references are sums over whole periods of the data.
#include <Kokkos_Core.hpp>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <tessera/reduce/reduce.hpp>
#include <tessera/reduce/reduce_axes.hpp>
#include <tessera/reduce/reduce_segments.hpp>

#include "large_line.hpp"

namespace {

using Space = tessera::test::LargeSpace;
using Range = tessera::test::LargeRange;
using Line = tessera::test::LargeLine;
using Element = std::int8_t;

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_to_32 = std::int64_t{1} << 32;
constexpr std::int64_t line_size = two_to_31 + 11;

/// Period 127, so that an index that wraps meets other values; the sum of a period is not 0, so that elements left out
/// or taken twice show.
struct Wave {
  static constexpr int period = 127;
  static constexpr int lowest = -50;
  KOKKOS_INLINE_FUNCTION static Element value(std::int64_t i) { return static_cast<Element>(i % period + lowest); }

  /// value(0) + .. + value(n - 1)
  static std::int64_t sum(std::int64_t n) {
    const std::int64_t rest = n % period;
    const auto first = [](std::int64_t count) { return count * (count - 1) / 2 + count * lowest; };
    return n / period * first(period) + first(rest);
  }
  /// Elements of the first n that are bound or more.
  static std::int64_t count_from(int bound, std::int64_t n) {
    const std::int64_t rest = n % period - (bound - lowest);
    return n / period * (period - (bound - lowest)) + (rest > 0 ? rest : 0);
  }
};

struct IsHigh {
  static constexpr int bound = 70;
  KOKKOS_FUNCTION bool operator()(Element x) const { return x >= bound; }
};

void put(const Line& line, std::int64_t at, Element value) {
  Kokkos::deep_copy(Kokkos::subview(line, static_cast<std::size_t>(at)), value);
}

template <template <class> class R>
void check_position(const Line& line, std::int64_t index) {
  const auto found = tessera::reduce(Space(), line, R<Element>{});
  INFO(R<Element>::name());
  CHECK(found.index == index);
}

TEST_CASE("positions and counts past 2^32 elements", "[large][minutes]") {
  constexpr std::int64_t size = two_to_32 + 11;
  const Line line = tessera::test::filled_line<Wave>(size);
  CHECK(tessera::reduce(Space(), line, tessera::Count<Element, IsHigh>{}) ==
        static_cast<std::uint64_t>(Wave::count_from(IsHigh::bound, size)));
  put(line, two_to_31 + 1, 100);
  put(line, two_to_32 + 3, 100);
  put(line, size - 1, -100);
  check_position<tessera::ArgMax>(line, two_to_31 + 1);
  check_position<tessera::ArgMaxLast>(line, two_to_32 + 3);
  check_position<tessera::ArgMin>(line, size - 1);
  put(line, two_to_31 - 1, -100);
  put(line, size - 1, 0);
  check_position<tessera::ArgMinLast>(line, two_to_31 - 1);
}

TEST_CASE("every variant past 2^31 elements", "[large][minutes]") {
  const Line line = tessera::test::filled_line<Wave>(line_size);
  for (const tessera::ReduceVariant variant : tessera::reduce_variants) {
    INFO(to_string(variant));
    CHECK(tessera::reduce(Space(), line, tessera::Sum<Element>{}, {.variant = variant}) == Wave::sum(line_size));
  }
  put(line, line_size - 1, 100);
  put(line, two_to_31, -100);
  const auto both = tessera::reduce(Space(), line, tessera::MinMax<Element>{});
  CHECK(both.min == -100);
  CHECK(both.max == 100);
}

using Matrix = Kokkos::View<const Element**, Kokkos::LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Counts outputs that are not the largest of `count` elements of a Wave, `step` apart from first_step * output on.
struct WrongMaxima {
  Line out;
  std::int64_t first_step, count, step;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    Element expected = Wave::value(i * first_step);
    for (std::int64_t k = 1; k < count; ++k) {
      expected = Kokkos::max(expected, Wave::value(i * first_step + k * step));
    }
    wrong += out(i) != expected ? 1 : 0;
  }
};

Matrix as_matrix(const Line& line, std::int64_t rows, std::int64_t columns) {
  return Matrix(line.data(), static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
}

void check_maxima(const Matrix& in, int axis) {
  const auto rows = static_cast<std::int64_t>(in.extent(0)), columns = static_cast<std::int64_t>(in.extent(1));
  INFO(rows << " x " << columns << ", axis " << axis);
  const std::int64_t outputs = axis == 0 ? columns : rows;
  const Line out(Kokkos::view_alloc("out", Kokkos::WithoutInitializing), outputs);
  tessera::reduce_axes(Space(), in, {axis}, tessera::Max<Element>{}, out);
  const WrongMaxima counter = axis == 0 ? WrongMaxima{out, 1, rows, columns} : WrongMaxima{out, columns, columns, 1};
  std::int64_t wrong = -1;
  Kokkos::parallel_reduce("check", Range(0, outputs), counter, wrong);
  CHECK(wrong == 0);
}

/// Sums of all of few rows, or of the one column.
void check_sums(const Matrix& in, int axis) {
  const auto rows = static_cast<std::int64_t>(in.extent(0)), columns = static_cast<std::int64_t>(in.extent(1));
  INFO(rows << " x " << columns << ", axis " << axis);
  const std::int64_t outputs = axis == 0 ? columns : rows, length = axis == 0 ? rows : columns;
  const Kokkos::View<std::int64_t*, Space> out("out", outputs);
  tessera::reduce_axes(Space(), in, {axis}, tessera::Sum<Element>{}, out);
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  for (std::int64_t i = 0; i < outputs; ++i) CHECK(got(i) == Wave::sum((i + 1) * length) - Wave::sum(i * length));
}

TEST_CASE("axes past 2^31 elements", "[large]") {
  constexpr std::int64_t third = (std::int64_t{1} << 30) + 5;
  const Line line = tessera::test::filled_line<Wave>(3 * third);
  check_sums(as_matrix(line, line_size, 1), 0);
  check_sums(as_matrix(line, 1, line_size), 1);
  check_sums(as_matrix(line, 3, third), 1);
  check_maxima(as_matrix(line, 3, third), 0);
  // As many outputs as elements take a host of two cores 20 s each.
  if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible) {
    check_maxima(as_matrix(line, line_size, 1), 1);
    check_maxima(as_matrix(line, 1, line_size), 0);
  }
}

/// Floats of 24 bits, and the exact sum of the first n in units of 2^-17.
struct FloatWave {
  Kokkos::View<float*, Space> line;
  KOKKOS_INLINE_FUNCTION static std::int64_t units(std::int64_t i) {
    return (i % Wave::period + Wave::lowest) * (std::int64_t{1} << 17) + i % Wave::period;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { line(i) = static_cast<float>(units(i)) * 0x1p-17f; }
  static std::int64_t sum(std::int64_t n) {
    std::int64_t whole = 0, rest = 0;
    for (std::int64_t r = 0; r < Wave::period; ++r) {
      whole += units(r);
      if (r < n % Wave::period) rest += units(r);
    }
    return n / Wave::period * whole + rest;
  }
};

TEST_CASE("exact sum past 2^31 floats", "[large][8gib]") {
  const Kokkos::View<float*, Space> line(Kokkos::view_alloc("line", Kokkos::WithoutInitializing), line_size);
  Kokkos::parallel_for("fill", Range(0, line_size), FloatWave{line});
  const float expected = static_cast<float>(FloatWave::sum(line_size)) * 0x1p-17f;
  CHECK(tessera::reduce(Space(), line, tessera::Sum<float>{}) == expected);
}

TEST_CASE("segments past 2^31 elements", "[large]") {
  const Line line = tessera::test::filled_line<Wave>(line_size);
  const std::array<std::int64_t, 8> ends{
      0, 5, 1000000007, two_to_31 - 3, two_to_31 - 3, two_to_31 + 1, two_to_31 + 2, line_size};
  const Kokkos::View<std::int64_t*, Space> offsets("offsets", ends.size()), out("out", ends.size() - 1);
  const auto host_offsets = Kokkos::create_mirror_view(offsets);
  for (std::size_t s = 0; s < ends.size(); ++s) host_offsets(s) = ends[s];
  Kokkos::deep_copy(offsets, host_offsets);
  tessera::reduce_segments(Space(), line, offsets, tessera::Sum<Element>{}, out);
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  for (std::size_t s = 0; s + 1 < ends.size(); ++s) {
    INFO("segment " << s);
    CHECK(got(s) == Wave::sum(ends[s + 1]) - Wave::sum(ends[s]));
  }
}

}  // namespace
