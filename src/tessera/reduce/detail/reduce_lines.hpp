// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping lines: a thread for each output, whose elements are few: it reads them one by one. Neighbouring threads then
// share cache lines or read neighbours in memory, and nothing is brought together.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_LINES_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_LINES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/element_range.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/detail/reduce_groups.hpp>
#include <type_traits>

namespace tessera::detail {

/// Elements of a line that are in flight.
inline constexpr int line_loads = 4;

/// Neighbouring lines, along `lane` each: those whose bits are set, by sum_apart(). One call for all of them, a
/// function of its own as fold_apart() is: from one call to the next, values of the loop around them would wait in
/// memory.
template <class Fold, class T, class Result>
TESSERA_NOINLINE KOKKOS_FUNCTION void sum_lines_apart(unsigned lines, Fold fold, const T* in, Result* out,
                                                      AxesOffsets first, AxesDim step, AxesDim lane,
                                                      std::uint64_t* status_word) {
  for (int u = 0; lines >> u != 0; ++u) {
    if ((lines >> u & 1) == 0) continue;
    const AxesOffsets at = first + axis_offsets(step, u);
    const StepIndex position{0, lane.position, at.input, lane.input};
    const StridedRange<T, 1, StepIndex> line{in + at.in, lane.extent, position, 0, {lane.extent}, {lane.in}};
    sum_apart(fold, line, out + at.out, Status(status_word),
              Status(status_word, static_cast<std::uint64_t>(at.position)));
  }
}

/// BatchWidth: elements of one access where lines are along one axis, on a device: several outputs a thread, a team's
/// side by side. More than 1 where every line is a run that begins and ends on 16-byte boundaries. Else 0: outputs one
/// by one, all of them or those that are left. Leaves: exact sums that two looks do not settle are left; what settles
/// them would cost the kernel registers, and each of its teams time.
template <ExecutionSpace Space, class Problem, int BatchWidth, bool Leaves = false>
struct ReduceLines {
  using Fold = typename Problem::fold_type;
  using T = typename Problem::element_type;
  using Result = typename Problem::result_type;
  /// Registers for as many such teams at once as keep enough loads in flight (measured on an H200 and an H100).
  static constexpr unsigned teams_at_once = BatchWidth != 0 && sizeof(T) <= 4 && !sums_squares<Fold>() ? 3 : 2;
  using policy_type = AxesPolicy<Space, teams_at_once>;
  using Member = typename policy_type::member_type;
  static constexpr const char* label = "tessera::reduce_axes::lines";

  Problem problem;
  std::size_t scratch_bytes;
  int span;                    // for ExactFew
  std::int64_t batches_inner;  // along the fastest kept axis
  std::int64_t batches;
  AxesDim inner;  // that axis

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if constexpr (BatchWidth > 0) {
      reduce_batches(team, problem.kept <= 1 ? nullptr : axes_in_reach(team));
    } else if (!problem.is_done()) {
      reduce_lines(team, axes_in_reach(team));
      problem.end(team);
    }
  }

  /// A sum, or what a fold makes of elements one by one.
  struct PairLine {
    typename Fold::few_type few;
    KOKKOS_FORCEINLINE_FUNCTION explicit PairLine(const Fold&) {}
    KOKKOS_FORCEINLINE_FUNCTION void add(const Fold&, const T& element, const AxesOffsets&, const Status&) {
      few.add(Fold::term(element));
    }
    template <bool First = false, int N, class At>
    KOKKOS_FORCEINLINE_FUNCTION void add_group(const Fold&, const T (&elements)[N], const At&, const Status&) {
      term_t<Fold, T> terms[N];
      TESSERA_UNROLL
      for (int k = 0; k < N; ++k) terms[k] = Fold::term(elements[k]);
      First ? detail::take_group(few, terms) : detail::add_group(few, terms);
    }
  };
  struct ValueLine {
    typename Fold::team_type total;
    KOKKOS_FORCEINLINE_FUNCTION explicit ValueLine(const Fold& fold) : total(fold.identity()) {}
    KOKKOS_FORCEINLINE_FUNCTION void add(const Fold& fold, const T& element, const AxesOffsets& at,
                                         const Status& status) {
      fold.join(total, fold.lifted(element, at.position, at.input, status));
    }
    /// at(k): the offsets of element k. First: there are none before.
    template <bool First = false, int N, class At>
    KOKKOS_FORCEINLINE_FUNCTION void add_group(const Fold& fold, const T (&elements)[N], const At& at,
                                               const Status& status) {
      TESSERA_UNROLL
      for (int k = 0; k < N; ++k) add(fold, elements[k], at(k), status);
    }
  };
  using Line = std::conditional_t<sums_in_pairs<Fold>(), PairLine, ValueLine>;

 protected:
  KOKKOS_FORCEINLINE_FUNCTION const AxesDim* axes_in_reach(const Member& team) const {
    return detail::axes_in_reach<Space>(team, problem, team_scratch(team, scratch_bytes));
  }

  KOKKOS_FUNCTION void reduce_lines(const Member& team, const AxesDim* axes) const {
    const std::int64_t rank = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
    const std::int64_t threads = std::int64_t{team.league_size()} * team.team_size();
    // Neighbouring outputs: to neighbouring threads of a device, to one of a host.
    constexpr bool is_host = is_host_space<Space>;
    const IndexRange mine = is_host ? items_of(problem.kept_size, rank, threads) : IndexRange{rank, problem.kept_size};
    const auto reduce = [&](std::int64_t output) {
      const AxesOffsets base = axes_offsets(axes, problem.kept, output);
      const auto elements = [&](const auto& visit) {
        for_each_line(problem, axes, IndexRange{0, problem.rest_size}, 0, 1,
                      [&](const AxesOffsets& at) { visit_lane(base, at, visit); });
      };
      reduce_line(base, elements, [&] { fold_line(base, elements); });
    };
    if constexpr (sums_in_pairs<Fold>()) {
      if (problem.only_left && problem.left.visit_listed(rank, threads, reduce)) return;
    }
    for (std::int64_t output = mine.begin; output < mine.end; output += is_host ? 1 : threads) {
      if (problem.is_wanted(axes, output)) reduce(output);
    }
  }

  /// So that enough loads are in flight.
  KOKKOS_FUNCTION void reduce_batches(const Member& team, const AxesDim* axes) const {
    const std::int64_t step = team.team_size();
    const std::int64_t batch = lines_at_once * step;
    for (std::int64_t item = team.league_rank(); item < batches; item += team.league_size()) {
      AxesOffsets outer{0, 0, 0, 0};
      std::int64_t begin = item, before = 0;  // outputs
      if (problem.kept > 1) {
        const QuotientRemainder split = divide(item, batches_inner);
        outer = axes_offsets(axes, problem.kept - 1, split.quotient);
        begin = split.remainder;
        before = split.quotient * inner.extent;
      }
      begin = begin * batch + team.team_rank();
      const auto base = [&](int u) { return outer + axis_offsets(inner, begin + u * step); };
      // Those of the last batch go alone, and those that one look did not do for.
      unsigned alone = 0;
      if (begin - team.team_rank() + batch <= inner.extent) {
        alone = reduce_batch(base);
      } else {
        for (int u = 0; u < lines_at_once; ++u) alone |= begin + u * step < inner.extent ? 1u << u : 0u;
      }
      reduce_alone(alone, base(0), before + begin, step);
    }
  }

  /// Lines whose bits are set, the first of which is number `output`, so many outputs apart.
  KOKKOS_FORCEINLINE_FUNCTION void reduce_alone(unsigned lines, const AxesOffsets& first,
                                                [[maybe_unused]] std::int64_t output, std::int64_t apart) const {
    if (lines == 0) return;
    const AxesDim step{0, apart * inner.in, apart * inner.out, apart * inner.position, apart * inner.input};
    if constexpr (sums_in_pairs<Fold>() && !Leaves) {
      sum_lines_apart(lines, problem.fold, problem.in, problem.out, first, step, problem.lane, problem.status_word);
    } else {
      TESSERA_NO_UNROLL
      for (int u = 0; lines >> u != 0; ++u) {
        if ((lines >> u & 1) == 0) continue;
        const AxesOffsets at = first + axis_offsets(step, u);
        const auto elements = [&](const auto& visit) {
          visit_lane<sums_in_pairs<Fold>() ? 8 : line_loads>(at, AxesOffsets{0, 0, 0, 0}, visit);
        };
        if constexpr (sums_in_pairs<Fold>()) {
          const auto settles = [&](auto few) {
            elements([&](const T& element, const AxesOffsets&) { few.add(Fold::term(element)); });
            return finish_sum(at, few);
          };
          // Differences may be no doubles where elements are.
          if (sums_spread<Fold>() && settles(typename Fold::few_type())) continue;
          if (!settles(Fold::second_few(Fold::term(problem.in[at.in]))))
            problem.left.leave(problem.out[at.out], output + u * apart);
        } else {
          reduce_line(at, elements, [] {});
        }
      }
    }
  }

  /// Returns the outputs that are still to be done, as bits.
  template <class Base>
  KOKKOS_FORCEINLINE_FUNCTION unsigned reduce_batch(const Base& base) const {
    constexpr int loads = line_loads;
    const AxesDim& lane = problem.lane;
    const AxesOffsets first = base(0), second = base(1);
    const std::int64_t step = second.in - first.in;
    const auto from = problem.in + first.in;
    const Status input_status(problem.status_word);
    Line lines[lines_at_once] = {Line(problem.fold), Line(problem.fold), Line(problem.fold), Line(problem.fold)};
    const auto offsets = [&](int u, std::int64_t l) {
      return AxesOffsets{0, 0, l * lane.position, first.input + u * (second.input - first.input) + l * lane.input};
    };
    std::int64_t l = 0;
    for (; l + loads <= lane.extent; l += loads) {
      Packed<T, BatchWidth> loaded[lines_at_once][loads / BatchWidth];
      TESSERA_UNROLL
      for (int u = 0; u < lines_at_once; ++u) {
        TESSERA_UNROLL
        for (int k = 0; k < loads; k += BatchWidth) {
          const std::int64_t at = u * step + (l + k) * lane.in;
          if constexpr (BatchWidth == 1) {
            loaded[u][k] = {from[at]};
          } else {
            loaded[u][k / BatchWidth] = *reinterpret_cast<const Packed<T, BatchWidth>*>(from + at);
          }
        }
      }
      TESSERA_UNROLL
      for (int u = 0; u < lines_at_once; ++u) {
        T group[loads];
        TESSERA_UNROLL
        for (int k = 0; k < loads; ++k) group[k] = loaded[u][k / BatchWidth].values[k % BatchWidth];
        lines[u].add_group(
            problem.fold, group, [&](int k) { return offsets(u, l + k); }, input_status);
      }
    }
    // The rest at once too; of exact sums, whose registers are more, one by one (measured on an H200).
    constexpr int rest = sums_in_pairs<Fold>() ? 1 : loads - 1;
    for (; l < lane.extent; l += rest) {
      T loaded[rest][lines_at_once];
      TESSERA_UNROLL
      for (int k = 0; k < rest; ++k) {
        TESSERA_UNROLL
        for (int u = 0; u < lines_at_once; ++u) {
          loaded[k][u] = k == 0 || l + k < lane.extent ? from[u * step + (l + k) * lane.in] : T{};
        }
      }
      TESSERA_UNROLL
      for (int k = 0; k < rest; ++k) {
        if (k > 0 && l + k >= lane.extent) break;
        TESSERA_UNROLL
        for (int u = 0; u < lines_at_once; ++u) {
          lines[u].add(problem.fold, loaded[k][u], offsets(u, l + k), input_status);
        }
      }
    }
    unsigned left = 0;
    TESSERA_UNROLL
    for (int u = 0; u < lines_at_once; ++u) left |= finish_line(base(u), lines[u]) ? 0u : 1u << u;
    return left;
  }

  template <class Total>
  KOKKOS_FORCEINLINE_FUNCTION Result finalized(std::int64_t position, Total&& total) const {
    const Status status(problem.status_word, static_cast<std::uint64_t>(position));
    return problem.fold.template finalize<Result>(total, problem.reduced_size, status);
  }
  template <class Total>
  KOKKOS_FORCEINLINE_FUNCTION void write(const AxesOffsets& base, Total&& total) const {
    problem.out[base.out] = finalized(base.position, total);
  }

  /// Makes the result, of the output at a position; whether a sum settles it. First: it will be looked at once more.
  template <bool First, class Few>
  KOKKOS_FORCEINLINE_FUNCTION bool finish_sum(std::int64_t position, const Few& few, Result& result) const {
    const auto total = few.total(span);
    if constexpr (Leaves && sums_spread<Fold>()) {
      return First ? problem.fold.estimate(total, problem.reduced_size, result)
                   : problem.fold.settle_here(total, problem.reduced_size, result);
    } else {
      const Status status(problem.status_word, static_cast<std::uint64_t>(position));
      return problem.fold.settle(total, problem.reduced_size, status, result);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION bool finish_line(std::int64_t position, Line& line, Result& result) const {
    if constexpr (sums_in_pairs<Fold>()) {
      return finish_sum<true>(position, line.few, result);
    } else {
      result = finalized(position, line.total);
      return true;
    }
  }
  /// Writes it.
  template <class Few>
  KOKKOS_FORCEINLINE_FUNCTION bool finish_sum(const AxesOffsets& base, const Few& few) const {
    Result result;
    if (!finish_sum<false>(base.position, few, result)) return false;
    problem.out[base.out] = result;
    return true;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool finish_line(const AxesOffsets& base, Line& line) const {
    Result result;
    if (!finish_line(base.position, line, result)) return false;
    problem.out[base.out] = result;
    return true;
  }

  /// Calls visit(element, offsets) for those of a line that begins at `at`, so many loads in flight.
  template <int Loads = line_loads, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void visit_lane(const AxesOffsets& base, const AxesOffsets& at,
                                              const Visit& visit) const {
    const AxesDim& lane = problem.lane;
    const auto from = problem.in + base.in + at.in;
    const auto offsets = [&](std::int64_t l) {
      return AxesOffsets{0, 0, at.position + l * lane.position, base.input + at.input + l * lane.input};
    };
    std::int64_t l = 0;
    const auto visit_groups = [&]<int N>(std::integral_constant<int, N>) {
      for (; l + N <= lane.extent; l += N) {
        T loaded[N];
        TESSERA_UNROLL
        for (int k = 0; k < N; ++k) loaded[k] = from[(l + k) * lane.in];
        TESSERA_UNROLL
        for (int k = 0; k < N; ++k) visit(loaded[k], offsets(l + k));
      }
    };
    if constexpr (Loads > line_loads) visit_groups(std::integral_constant<int, Loads>{});
    visit_groups(std::integral_constant<int, line_loads>{});
    for (; l < lane.extent; ++l) visit(from[l * lane.in], offsets(l));
  }

  /// elements(visit) calls visit with each element and its offsets; apart() does what pairs of doubles cannot.
  template <class Elements, class Apart>
  KOKKOS_FORCEINLINE_FUNCTION void reduce_line(const AxesOffsets& base, const Elements& elements,
                                               const Apart& apart) const {
    if constexpr (sums_in_pairs<Fold>()) {
      typename Fold::wide_few_type few;
      elements([&](const T& element, const AxesOffsets&) { few.add(Fold::term(element)); });
      if (!finish_sum(base, few)) apart();
    } else {
      const Status input_status(problem.status_word);
      Line line(problem.fold);
      elements([&](const T& element, const AxesOffsets& at) { line.add(problem.fold, element, at, input_status); });
      finish_line(base, line);
    }
  }

  /// By the fold.
  template <class Elements>
  KOKKOS_FORCEINLINE_FUNCTION void fold_line(const AxesOffsets& base, const Elements& elements) const {
    const Status input_status(problem.status_word);
    typename Fold::thread_type thread;
    typename Fold::spill_type spill;
    problem.fold.begin(thread, spill);
    elements([&](const T& element, const AxesOffsets& at) {
      const T one[1] = {element};
      problem.fold.add(thread, spill, one, StepIndex{at.position, 0, at.input, 0}, input_status);
    });
    typename Fold::team_type room;
    write(base, problem.fold.close_alone(thread, spill, room));
  }
};

}  // namespace tessera::detail

#endif
