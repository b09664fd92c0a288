// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reduction over axes through the public interface, compared with the reference.
#ifndef TESSERA_TESTS_UNIT_REDUCE_AXES_CHECK_HPP
#define TESSERA_TESTS_UNIT_REDUCE_AXES_CHECK_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <tessera/reduce/reduce_axes.hpp>
#include <tessera/workspace.hpp>
#include <type_traits>
#include <vector>

#include "reference/axes_reference.hpp"
#include "reference/reduce_reference.hpp"
#include "support/compare.hpp"
#include "support/data.hpp"
#include "support/guarded_view.hpp"

namespace tessera::test {

/// A user's reducer whose result no exchange of positions leaves as it is. 64-bit sums, wrapping.
struct PositionSum {
  using value_type = std::uint64_t;
  KOKKOS_FUNCTION value_type identity() const { return 0; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
  KOKKOS_FUNCTION value_type map(std::int32_t element, std::int64_t position) const {
    return static_cast<std::uint64_t>(element) * static_cast<std::uint64_t>(2 * position + 1);
  }
};

/// What a reducer gives for one line; the reference's answer by name, or by plain loops.
template <class Result, class R, class T>
Result expected_of(const R&, const std::vector<T>& line) {
  const auto answer = reference::reduced<Result>(R::name(), line);
  REQUIRE(answer.defined);
  return static_cast<Result>(answer.value);
}
template <class Result, class T>
Result expected_of(const PositionSum& reducer, const std::vector<T>& line) {
  Result sum = 0;
  for (std::size_t i = 0; i < line.size(); ++i) sum += reducer.map(line[i], static_cast<std::int64_t>(i));
  return sum;
}

/// The word of a workspace by which one kernel leaves outputs to the next.
template <class Space>
std::uint32_t left_in(const Space& space, const Workspace<Space>& workspace) {
  std::uint32_t left = 1;
  Kokkos::deep_copy(space, left,
                    Kokkos::View<std::uint32_t, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        workspace.left()));
  space.fence();
  return left;
}

/// A view as one of run-time strides, so that few types stand for all layouts.
template <class V>
auto strided(const V& view) {
  return Kokkos::View<typename V::data_type, Kokkos::LayoutStride, typename V::device_type,
                      Kokkos::MemoryTraits<Kokkos::Unmanaged>>(view);
}

inline std::vector<int> axes_of(unsigned mask, std::size_t rank) {
  std::vector<int> axes;
  for (std::size_t d = 0; d < rank; ++d) {
    // Every second one from the end.
    if ((mask >> d & 1) != 0) axes.push_back(static_cast<int>(d) - (axes.size() % 2 == 1 ? static_cast<int>(rank) : 0));
  }
  return axes;
}

/// What the axes in mask of an array give.
template <class R, class T, std::size_t Rank>
std::vector<reduce_result_t<R>> expected_of_axes(const R& reducer, const Extents<Rank>& extents,
                                                 const std::vector<T>& values, unsigned mask) {
  std::vector<bool> reduced;
  for (std::size_t d = 0; d < Rank; ++d) reduced.push_back((mask >> d & 1) != 0);
  std::vector<reduce_result_t<R>> expected;
  for (const auto& line : reference::lines({extents.begin(), extents.end()}, reduced)) {
    expected.push_back(expected_of<reduce_result_t<R>>(reducer, reference::gathered(values, line)));
  }
  return expected;
}

/// The axes in mask of `in`, and of a second view beside it, into an output of OutRank axes, in layout OutLayout.
template <class OutLayout, std::size_t OutRank, class Space, class R, class Result, class InView, class... Second>
void check_axes_into(const Space& space, const R& reducer, const InView& in, const std::vector<Result>& expected,
                     unsigned mask, const ReduceOptions& options, const Second&... second) {
  constexpr std::size_t rank = InView::rank();
  const std::vector<int> axes = axes_of(mask, rank);
  Extents<OutRank> out_extents{};
  std::size_t kept = 0;
  std::string text;
  for (std::size_t d = 0; d < rank; ++d) {
    const bool reduced = (mask >> d & 1) != 0;
    text += (d == 0 ? "" : " x ") + std::to_string(in.extent(d)) + (reduced ? "*" : "");
    if (OutRank == rank) out_extents[d] = reduced ? 1 : in.extent(d);
    if (OutRank != rank && !reduced) out_extents[kept++] = in.extent(d);
  }
  INFO(text << ", " << to_string(reduce_axes_plan(space, in, second..., axes, reducer, options)));
  const GuardedView<Result, OutLayout, Space, OutRank> out(out_extents);
  reduce_axes(space, in, second..., axes, reducer, strided(out.view()), options);
  check_values(out.read(), expected);
  out.check_guards();
}

/// Into the kept axes, and with the reduced ones kept at extent 1.
template <class OutLayout, std::size_t Kept = 0, class Space, class R, class Result, class InView, class... Second>
void check_axes_expected(const Space& space, const R& reducer, const InView& in, const std::vector<Result>& expected,
                         unsigned mask, const ReduceOptions& options, const Second&... second) {
  constexpr std::size_t rank = InView::rank();
  std::size_t kept = 0;
  for (std::size_t d = 0; d < rank; ++d) kept += (mask >> d & 1) == 0 ? 1 : 0;
  if (kept == Kept || Kept == rank) {
    check_axes_into<OutLayout, Kept>(space, reducer, in, expected, mask, options, second...);
  }
  if constexpr (Kept < rank) {
    check_axes_expected<OutLayout, Kept + 1>(space, reducer, in, expected, mask, options, second...);
  }
}

template <class OutLayout, class Space, class R, class T, class InView>
void check_axes(const Space& space, const R& reducer, const InView& in, const std::vector<T>& values, unsigned mask,
                const ReduceOptions& options = {}) {
  Extents<InView::rank()> extents;
  for (std::size_t d = 0; d < InView::rank(); ++d) extents[d] = in.extent(d);
  check_axes_expected<OutLayout>(space, reducer, in, expected_of_axes(reducer, extents, values, mask), mask, options);
}

/// Every set of axes of a view of these extents.
template <class Layout, class OutLayout, class T, class Space, class R, std::size_t Rank>
void check_all_axes(const Space& space, const R& reducer, const Extents<Rank>& extents,
                    const ReduceOptions& options = {}) {
  const std::vector<T> values = test::values<T>(detail::product(extents), 7);
  const GuardedView<T, Layout, Space, Rank> in(extents, values);
  for (unsigned mask = 0; mask < (1u << Rank); ++mask) {
    check_axes<OutLayout>(space, reducer, strided(in.const_view()), values, mask, options);
  }
}

}  // namespace tessera::test

#endif
