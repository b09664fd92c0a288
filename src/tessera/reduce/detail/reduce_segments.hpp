// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segments of any lengths, dealt to teams by the merge path of elements and segment ends (S. Odeh, O. Green et al.,
// "Merge path: parallel merging made simple", 2012; D. Merrill, M. Garland, "Merge-based parallel sparse matrix-vector
// multiplication", 2016): every team gets as many elements and ends as the others, however long a segment is.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_SEGMENTS_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_SEGMENTS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/element_range.hpp>
#include <tessera/reduce/detail/fold_finish.hpp>
#include <tessera/reduce/detail/thread_fold.hpp>
#include <type_traits>

namespace tessera::detail {

/// Elements that one thread takes by itself; longer segments take a team.
inline constexpr std::int64_t segment_thread_elements = 128;

/// Longer segments that can be in a chunk.
KOKKOS_INLINE_FUNCTION std::int64_t segment_list_entries(std::int64_t chunk) {
  return 1 + chunk / segment_thread_elements;
}

template <class Fold>
KOKKOS_FUNCTION std::size_t segment_scratch_bytes(int team_size, std::int64_t chunk) {
  if (team_size == 1) return 0;
  ScratchLayout layout;
  layout.append<int>(1);
  layout.append<std::int64_t>(static_cast<std::size_t>(segment_list_entries(chunk)));
  layout.append<std::byte>(FoldScratch<Fold>(team_size).bytes);
  return layout.bytes();
}

template <class T, class Fold, class Result>
struct SegmentsProblem {
  using element_type = T;
  using fold_type = Fold;

  const T* in;
  const std::int64_t* offsets;
  Result* out;
  typename Fold::team_type* partials;  // of each chunk: what ends a segment begun before, what a later one ends
  std::uint64_t* status_word;
  Fold fold;
  std::int64_t size, segments, chunk, chunks;
  std::int64_t in_stride, offsets_stride, out_stride;

  /// Where segment s begins; offsets that do not ascend from 0 to size are cut to that.
  KOKKOS_FUNCTION std::int64_t offset(std::int64_t s) const {
    return Kokkos::clamp<std::int64_t>(offsets[s * offsets_stride], 0, size);
  }
  KOKKOS_FUNCTION std::int64_t end_of(std::int64_t s, std::int64_t begin) const {
    const std::int64_t end = offset(s + 1);
    return end > begin ? end : begin;
  }

  /// Segments that end before step d of the path, which steps over each element and each end.
  KOKKOS_FUNCTION std::int64_t segments_before(std::int64_t d) const {
    std::int64_t low = 0;
    std::int64_t high = segments;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (offset(middle + 1) + middle < d) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// As write_result().
  template <TeamMember Member, class Total>
  KOKKOS_FUNCTION bool finish(const Member& team, std::int64_t segment, Total& total) const {
    const std::int64_t begin = offset(segment);
    const Status status(status_word, static_cast<std::uint64_t>(segment));
    return write_result(team, fold, total, end_of(segment, begin) - begin, status, out + segment * out_stride);
  }
};

/// Positions within a segment.
struct SegmentPosition {
  std::int64_t begin;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t index) const { return index - begin; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t input(std::int64_t index) const { return index; }
};

template <ExecutionSpace Space, class Problem>
struct ReduceSegments {
  using Fold = typename Problem::fold_type;
  using T = typename Problem::element_type;
  using policy_type = AxesPolicy<Space>;
  using member_type = typename policy_type::member_type;
  static constexpr const char* label = "tessera::reduce_segments::chunks";

  Problem problem;
  std::size_t scratch_bytes;

  /// Where a chunk begins on the path.
  struct Point {
    std::int64_t segment, element;
  };
  KOKKOS_FUNCTION Point point(std::int64_t d) const {
    const std::int64_t segment = problem.segments_before(d);
    return {segment, Kokkos::min(problem.size, d - segment)};
  }

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    std::byte* scratch = team.team_size() == 1 ? nullptr : team_scratch(team, scratch_bytes);
    const std::int64_t length = problem.size + problem.segments;
    const IndexRange chunks = items_of(problem.chunks, team.league_rank(), team.league_size());
    for (std::int64_t chunk = chunks.begin; chunk < chunks.end; ++chunk) {
      const Point from = point(chunk * problem.chunk);
      const Point to = point(Kokkos::min(length, (chunk + 1) * problem.chunk));
      reduce_chunk(team, chunk, from, to, scratch);
      if (chunk + 1 < chunks.end) team.team_barrier();  // scratch has been read
    }
  }

 private:
  KOKKOS_FUNCTION void reduce_chunk(const member_type& team, std::int64_t chunk, const Point& from, const Point& to,
                                    std::byte* scratch) const {
    ScratchLayout layout;
    const bool alone = team.team_size() == 1;
    int* listed = nullptr;
    std::int64_t* list = nullptr;
    std::byte* fold_scratch = nullptr;
    if (!alone) {
      listed = reinterpret_cast<int*>(scratch + layout.append<int>(1));
      list = reinterpret_cast<std::int64_t*>(
          scratch + layout.append<std::int64_t>(static_cast<std::size_t>(segment_list_entries(problem.chunk))));
      fold_scratch = scratch + layout.bytes();
    }
    const Status status(problem.status_word);
    const std::int64_t list_room = segment_list_entries(problem.chunk);

    // Pieces of segments that reach over the chunk's ends leave partials.
    const bool head = from.segment < to.segment && problem.offset(from.segment) < from.element;
    const std::int64_t first = from.segment + (head ? 1 : 0);
    const std::int64_t count = to.segment - first;
    const bool tail = to.segment < problem.segments && to.element > problem.offset(to.segment);
    const std::int64_t turns = count > 0 ? ceil_div(count, team.team_size()) : 0;
    if (!alone) {
      if (team.team_rank() == 0) *listed = 0;
      team.team_barrier();
    }
    std::int64_t team_turns = (head ? 1 : 0) + (tail ? 1 : 0);
    for (std::int64_t turn = 0;; ++turn) {
      if (turn == turns && !alone) {
        team.team_barrier();
        team_turns += Kokkos::min<std::int64_t>(*listed, list_room);
      }
      if (turn == turns + team_turns) break;
      const bool by_team = turn >= turns;
      const std::int64_t number = turn - turns;  // of the team's turns: head, tail, the list
      const bool is_head = by_team && head && number == 0;
      const bool is_tail = by_team && tail && number == (head ? 1 : 0);
      std::int64_t segment;
      if (!by_team) {
        segment = first + turn * team.team_size() + team.team_rank();
      } else if (is_head) {
        segment = from.segment;
      } else if (is_tail) {
        segment = to.segment;
      } else {
        segment = list[number - (head ? 1 : 0) - (tail ? 1 : 0)];
      }
      bool mine = by_team || segment < to.segment;
      std::int64_t begin = 0;
      std::int64_t end = 0;
      if (mine) {
        begin = problem.offset(segment);
        end = problem.end_of(segment, begin);
        if (is_head || is_tail) begin = Kokkos::max(begin, from.element);
        if (is_tail) end = to.element;
        if (!by_team && !alone && end - begin > segment_thread_elements) {
          const int slot = Kokkos::atomic_fetch_add(listed, 1);
          if (slot < list_room) list[slot] = segment;  // offsets out of order may list more
          mine = false;
        }
      }
      typename Fold::thread_type thread;
      typename Fold::spill_type spill;
      problem.fold.begin(thread, spill);
      if (mine) {
        fold_range(begin, end, problem.offset(segment), by_team ? team.team_rank() : 0, by_team ? team.team_size() : 1,
                   thread, spill, status);
      }
      const ThreadGroup<member_type> owner{team, by_team ? team.team_rank() : 0, by_team ? team.team_size() : 1};
      const bool is_part = is_head || is_tail;
      finish_fold(owner, problem.fold, !is_part, thread, spill, fold_scratch, [&](auto&& total) {
        if constexpr (std::is_same_v<std::decay_t<decltype(total)>, typename Fold::team_type>) {
          if (is_part) problem.fold.store(owner, total, problem.partials[2 * chunk + (is_tail ? 1 : 0)]);
        }
        return is_part || !mine || problem.finish(owner, segment, total);
      });
    }
  }

  KOKKOS_FUNCTION void fold_range(std::int64_t begin, std::int64_t end, std::int64_t first, int rank, int size,
                                  typename Fold::thread_type& thread, typename Fold::spill_type& spill,
                                  const Status& status) const {
    const SegmentPosition position{first};
    if (problem.in_stride == 1) {
      ContiguousRange<T, SegmentPosition> range{problem.in + begin, end - begin, position, begin};
      thread_fold(problem.fold, range, {rank, size}, thread, spill, status);
      return;
    }
    for (std::int64_t e = begin + rank; e < end; e += size) {
      const T one[1] = {problem.in[e * problem.in_stride]};
      problem.fold.add(thread, spill, one, GroupIndex<SegmentPosition>{position, e, 0, 1}, status);
    }
  }
};

/// Then: the segments that end in another chunk than they begin in. A team a chunk.
template <ExecutionSpace Space, class Problem>
struct JoinSegments {
  using Fold = typename Problem::fold_type;
  using policy_type = typename ReduceSegments<Space, Problem>::policy_type;
  static constexpr const char* label = "tessera::reduce_segments::join";

  Problem problem;
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const typename policy_type::member_type& team) const {
    std::byte* scratch = team_scratch(team, scratch_bytes);
    const std::int64_t length = problem.size + problem.segments;
    const IndexRange chunks = items_of(problem.chunks, team.league_rank(), team.league_size());
    for (std::int64_t chunk = chunks.begin; chunk < chunks.end; ++chunk) {
      const std::int64_t d = chunk * problem.chunk;
      const std::int64_t segment = problem.segments_before(d);
      const std::int64_t next = problem.segments_before(Kokkos::min(length, d + problem.chunk));
      if (segment >= next) continue;  // nothing ends here
      const std::int64_t begin = problem.offset(segment);
      if (begin >= Kokkos::min(problem.size, d - segment)) continue;  // it begins here too
      const std::int64_t first = (begin + segment) / problem.chunk;   // the chunk where it does
      typename Fold::thread_type thread;
      typename Fold::spill_type spill;
      problem.fold.begin(thread, spill);
      for (std::int64_t c = first + team.team_rank(); c <= chunk; c += team.team_size()) {
        problem.fold.absorb(thread, spill, problem.partials[2 * c + (c == chunk ? 0 : 1)]);
      }
      finish_fold(team, problem.fold, false, thread, spill, scratch,
                  [&](auto&& total) { return problem.finish(team, segment, total); });
    }
  }
};

}  // namespace tessera::detail

#endif
