// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant vectorized, few taps on lines hardly longer than they are, that follow each other in memory: a thread each.
#ifndef TESSERA_FILTER_DETAIL_FILTER_THREAD_LINES_HPP
#define TESSERA_FILTER_DETAIL_FILTER_THREAD_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/detail/weighted.hpp>
#include <tessera/filter/detail/filter_job.hpp>
#include <tessera/filter/detail/filter_vectorized.hpp>
#include <tessera/filter/detail/thread_lines.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera::detail {

template <ExecutionSpace Space, class Types, int Slots>
struct FilterThreadLines {
  static_assert(vectorized_team_size <= thread_lines_team_size);
  using T = typename Types::in_type;  // of output and sums too
  using policy_type = ThreadLinesPolicy<Space>;
  using member_type = typename policy_type::member_type;

  ThreadLines<T, Slots> lines;
  FilterRule<Types> rule;
  int plain_begin, plain_end;
  typename Types::weight_type weight[Slots];  // zeros after the last

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    lines.for_each(team, [&](T* line, T* right, const T* x) { filter_line(line, right, x); });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void filter_line(T* line, T* right, const T* x) const {
    bool needs_care = plain_begin > 0 || plain_end < lines.extent();
    lines.template walk_line<T>(
        line, right, [](T element) { return element; },
        [&](const T(&window)[Slots], int u) {
          T sum = 0;
          TESSERA_UNROLL
          for (int k = 0; k < Slots; ++k) sum += weighted<T>(weight[k], window[(u + k) % Slots]);
          needs_care = needs_care || sum != sum;
          return sum;
        });
    // Outputs that need more than folded elements, or may be NaN by a zero after the taps.
    if (!needs_care) return;
    TESSERA_NO_UNROLL
    for (int i = 0; i < lines.extent(); ++i) {
      if (i < plain_begin || i >= plain_end || line[i] != line[i]) line[i] = rule.output(x, i);
    }
  }
};

/// weights: of the filter, at most Slots.
template <int Slots, class Types, ExecutionSpace Space>
void launch_thread_lines(const Space& space, const FilterPlan& plan, const FilterShape& shape,
                         const FilterJob<Types>& job, std::span<const double> weights, int asked_team_size) {
  using Functor = FilterThreadLines<Space, Types, Slots>;
  const FilterRule<Types>& rule = job.rule;
  Functor functor{{filter_thread_lines_plan<Types>(device_limits(space), shape, plan.team_size), job.in.data,
                   job.out.data, shape.lines, shape.extent, shape.reach_left, FoldedRange<Types>(rule).fold},
                  rule,
                  static_cast<int>(rule.plain_begin()),
                  static_cast<int>(rule.plain_end()),
                  {}};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double weight = weights[rule.window.reversed ? weights.size() - 1 - k : k];
    functor.weight[k] = static_cast<typename Types::weight_type>(weight);
  }
  launch_vectorized_functor("tessera::filter::thread_lines", space, plan, functor, asked_team_size);
}

}  // namespace tessera::detail

#endif
