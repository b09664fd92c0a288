// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a code that goes on after an exception relies on.
#ifndef TESSERA_TESTS_UNIT_FAILURES_FAILURE_CHECK_HPP
#define TESSERA_TESTS_UNIT_FAILURES_FAILURE_CHECK_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <tessera/error.hpp>
#include <vector>

#include "support/compare.hpp"
#include "support/data.hpp"
#include "support/guarded_view.hpp"
#include "support/tools_recorder.hpp"

namespace tessera::test {

/// The elements of a contiguous view of any rank, in the order of memory.
template <class View>
auto elements_of(const View& view) {
  return host_copy(
      Kokkos::View<const typename View::value_type*, typename View::memory_space>(view.data(), view.size()));
}

/// Fails the test unless all that Tessera allocated was freed; Kokkos' own scratch memory may have grown.
inline void check_freed(const ToolsRecord& record) {
  const auto own = [](const std::vector<std::string>& labels) {
    std::multiset<std::string> result;
    for (const auto& label : labels) {
      if (label.rfind("tessera::", 0) == 0) result.insert(label);
    }
    return result;
  };
  CHECK(own(record.allocations) == own(record.deallocations));
}

/// Fails the test unless `bad` throws Exception, runs no kernel, closes its regions, and frees what it allocated.
template <class Exception, class Bad>
void check_refused(const Bad& bad) {
  const ToolsRecord record = recorded([&] { CHECK_THROWS_AS(bad(), Exception); });
  for (const ToolsEvent& kernel : record.kernels) UNSCOPED_INFO("kernel " << kernel.label);
  CHECK(record.kernels.empty());
  CHECK(record.open_regions == 0);
  check_freed(record);
}

/// Fails the test unless `bad` is refused, and leaves the views, and `good`'s work on the same instance, as they were:
/// what had been submitted before it, and what is submitted after it. good: from in to out.
template <class Exception, class Space, class InView, class OutView, class Good, class Bad>
void check_survived(const Space& space, const InView& in, const OutView& out, const Good& good, const Bad& bad) {
  const auto run = [&](const auto& between) {
    Kokkos::deep_copy(space, out, poison<typename OutView::value_type>());
    good();
    between();
    space.fence();
    return elements_of(out);
  };
  const auto elements = elements_of(in);
  const auto expected = run([] {});
  const int in_users = in.use_count(), out_users = out.use_count();
  check_bits(run([&] { check_refused<Exception>(bad); }), expected);
  check_bits(elements_of(in), elements);
  CHECK(in.use_count() == in_users);
  CHECK(out.use_count() == out_users);
  check_bits(run([] {}), expected);
}

/// Elements that depend on their position.
template <class View>
void fill(const View& view) {
  const auto mirror = Kokkos::create_mirror(Kokkos::HostSpace(), view);
  const auto elements = values<typename View::value_type>(view.size());
  std::copy(elements.begin(), elements.end(), mirror.data());
  Kokkos::deep_copy(view, mirror);
}

}  // namespace tessera::test

#endif
