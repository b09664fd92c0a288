// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In-place transposes of any shape on hosts, in two passes that move whole cache lines: bands of rows are turned
// through a buffer, which leaves chunks of columns, and the chunks change places as wholes.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_CHUNKS_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_CHUNKS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/relaxed.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/transpose/detail/host_turn.hpp>
#include <tessera/transpose/detail/in_place_chunk_map.hpp>
#include <tessera/transpose/detail/in_place_layout.hpp>
#include <tessera/transpose/in_place_plan.hpp>
#include <tessera/transpose/team_transpose.hpp>
#include <type_traits>

namespace tessera::detail {

/// Bands between the matrix and the ring, which holds their columns as lines.
template <ExecutionSpace Space, class T>
struct TurnBands {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;

  ChunkJob<T> job;
  std::int64_t first, last;  // bands
  int tile_rows, tile_columns;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t down() const { return ceil_div(job.map.chunk, tile_rows); }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t across() const { return ceil_div(job.map.columns, tile_columns); }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const { return (last - first) * down() * across(); }

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    share_items(team, items(), [&](std::int64_t item) {
      const QuotientRemainder line = divide(item, across());
      const QuotientRemainder band = divide(line.quotient, down());
      turn(first + band.quotient, band.remainder * tile_rows, line.remainder * tile_columns);
    });
  }

  /// The tile at row i of the band.
  KOKKOS_FUNCTION void turn(std::int64_t band, std::int64_t i, std::int64_t j) const {
    const std::int64_t row = band * job.map.chunk + i;
    const auto rows =
        static_cast<int>(Kokkos::min(Kokkos::min<std::int64_t>(tile_rows, job.map.chunk - i), job.map.rows - row));
    const auto columns = static_cast<int>(Kokkos::min<std::int64_t>(tile_columns, job.map.columns - j));
    if (rows <= 0) return;
    const StridedTile<T> matrix{job.data + row * job.map.columns + j, job.map.columns, 1};
    const StridedTile<T> lines{job.held_band(band) + j * job.pitch + i, job.pitch, 1};
    if (job.is_inverse) {
      turn_tile(lines, matrix, columns, rows);
    } else {
      turn_tile(matrix, lines, rows, columns);
    }
  }

  KOKKOS_FUNCTION static void turn_tile(const StridedTile<T>& in, const StridedTile<T>& out, int rows, int columns) {
    const StridedTile<const T> source{in.data, in.row_stride, in.column_stride};
    tessera::detail::turn<false>(source, out, Unchanged(), rows, 0, columns, columns);
  }
};

/// Chunks between the ring and their slots among the bands. Chunk k of a column begins at row skip + k chunk and ends
/// in the next band; the one before the first and the one behind the last are parts of seams.
template <ExecutionSpace Space, class T>
struct MoveChunks {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;

  ChunkJob<T> job;
  std::int64_t first, last;  // k, from -1 on
  int group;                 // columns that a thread takes together

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t groups() const { return ceil_div(job.map.columns, group); }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const { return (last - first) * groups(); }

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    share_items(team, items(), [&](std::int64_t item) {
      const QuotientRemainder split = divide(item, groups());
      const std::int64_t begin = split.remainder * group;
      const std::int64_t end = Kokkos::min(begin + group, job.map.columns);
      for (std::int64_t j = begin; j < end; ++j) move(first + split.quotient, j);
    });
  }

  KOKKOS_FUNCTION void move(std::int64_t k, std::int64_t j) const {
    const ChunkMap& map = job.map;
    const std::int64_t from = map.skip(j) + k * map.chunk, row = Kokkos::max<std::int64_t>(from, 0);
    const std::int64_t end = Kokkos::min(from + map.chunk, map.rows);
    if (row >= end) return;
    const bool is_whole = k >= 0 && end - from == map.chunk;
    T* place = is_whole ? job.slot(k * map.columns + j) : job.seams + (k < 0 ? j - 1 : j) * map.chunk + (row - from);
    const QuotientRemainder band = divide(row, map.chunk);
    const std::int64_t here = Kokkos::min(map.chunk - band.remainder, end - row);
    copy(job.held_band(band.quotient) + j * job.pitch + band.remainder, place, here);
    if (here < end - row) copy(job.held_band(band.quotient + 1) + j * job.pitch, place + here, end - row - here);
  }

  KOKKOS_FUNCTION void copy(T* of_ring, T* place, std::int64_t count) const {
    if (job.is_inverse) {
      copy_elements(place, of_ring, count);
    } else {
      copy_elements(of_ring, place, count);
    }
  }
};

/// The seams between the turned matrix and their memory.
template <ExecutionSpace Space, class T>
struct MoveSeams {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;

  ChunkJob<T> job;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    share_items(team, job.map.columns, [&](std::int64_t j) {
      T* turned = job.data + job.map.seam_begin(j);
      T* seam = job.seams + j * job.map.chunk;
      const std::int64_t count = job.map.seam_end(j) - job.map.seam_begin(j);
      copy_elements(job.is_inverse ? turned : seam, job.is_inverse ? seam : turned, count);
    });
  }
};

/// Every pivot_step-th slot is saved, so that the way of chunks falls into parts that threads walk at the same time.
template <ExecutionSpace Space, class T>
struct SavePivots {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;

  ChunkJob<T> job;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const std::int64_t slots = job.map.slots();
    share_items(team, ceil_div(slots, job.pivot_step), [&](std::int64_t pivot) {
      copy_elements(job.slot(pivot * job.pivot_step), job.saved(pivot * job.pivot_step), job.map.chunk);
    });
    share_items(team, ceil_div(slots, 64), [&](std::int64_t word) { job.marks[word] = 0; });
  }
};

/// Fills slots, each from where its chunk stands, beginning with those that hold none or are saved.
template <ExecutionSpace Space, class T>
struct FillHoles {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;
  static constexpr unsigned ahead = 8;  // chunks

  ChunkJob<T> job;

  /// Slots that may be holes: behind the turned columns, or behind the bands of which all columns have a chunk.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t candidates() const {
    return job.is_inverse ? job.map.columns : job.map.slots() - first_candidate();
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t first_candidate() const {
    return (divide(job.map.rows, job.map.chunk).quotient - 1) * job.map.columns;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t candidate(std::int64_t index) const {
    return job.is_inverse ? divide((index + 1) * job.map.rows, job.map.chunk).quotient : first_candidate() + index;
  }

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const std::int64_t slots = job.map.slots(), pivots = ceil_div(slots, job.pivot_step);
    share_items(team, pivots + candidates(), [&](std::int64_t item) {
      const std::int64_t index = item < pivots ? item * job.pivot_step : candidate(item - pivots);
      if (index < slots && job.is_hole(index) == (item >= pivots)) fill(index);
    });
  }

  /// Sources are found ahead of the copies, and on their way to the caches meanwhile: each lies in another page.
  KOKKOS_FUNCTION void fill(std::int64_t to) const {
    std::int64_t sources[ahead];
    std::int64_t last = job.source_of(to);
    for (std::int64_t& source : sources) {
      source = last;
      last = next(last);
    }
    for (unsigned at = 0;; ++at) {
      mark(to);
      std::int64_t& source = sources[at % ahead];
      const std::int64_t from = source;
      if (from < 0) return;
      if (job.is_pivot(from)) return copy_elements(job.saved(from), job.slot(to), job.map.chunk);
      source = last;
      last = next(last);
      copy_elements(job.slot(from), job.slot(to), job.map.chunk);
      to = from;
    }
  }

  /// The source of a slot that was a source; -1: that was the last one.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t next(std::int64_t index) const {
    if (index < 0 || job.is_pivot(index)) return -1;
    const std::int64_t source = job.source_of(index);
    if (source >= 0) prefetch_run(job.slot(source), 0, job.map.chunk);
    return source;
  }

  /// One that is lost because two threads write a word costs a walk in vain later.
  KOKKOS_FUNCTION void mark(std::int64_t index) const {
    std::uint64_t* word = job.marks + index / 64;
    store_relaxed(word, load_relaxed(word) | std::uint64_t{1} << index % 64);
  }
};

/// The cycles without a hole or pivot, each by whoever comes to its first slot.
template <ExecutionSpace Space, class T>
struct TurnCycles {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;

  FillHoles<Space, T> fill;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const ChunkJob<T>& job = fill.job;
    const std::int64_t slots = job.map.slots();
    T* held = job.ring + (team.league_rank() * team.team_size() + team.team_rank()) * job.pitch;
    share_items(team, ceil_div(slots, 64), [&](std::int64_t word) {
      const std::int64_t end = Kokkos::min(slots, 64 * (word + 1));
      for (std::int64_t index = 64 * word; index < end; ++index) {
        const std::uint64_t marked = load_relaxed(job.marks + word) >> index % 64;
        if ((marked & 1) == 0 && leads(index)) turn(index, held);
      }
    });
  }

  [[nodiscard]] KOKKOS_FUNCTION bool leads(std::int64_t first) const {
    std::int64_t index = first;
    do {
      index = fill.job.source_of(index);
      if (index < first || fill.job.is_pivot(index)) return false;
    } while (index != first);
    return fill.job.source_of(first) != first;
  }

  KOKKOS_FUNCTION void turn(std::int64_t first, T* held) const {
    const ChunkJob<T>& job = fill.job;
    copy_elements(job.slot(first), held, job.map.chunk);
    std::int64_t to = first;
    for (std::int64_t from = job.source_of(to); from != first; from = job.source_of(to)) {
      fill.mark(to);
      copy_elements(job.slot(from), job.slot(to), job.map.chunk);
      to = from;
    }
    fill.mark(to);
    copy_elements(held, job.slot(to), job.map.chunk);
  }
};

template <ExecutionSpace Space, class Functor>
void launch_share(const std::string& label, const Space& space, const InPlacePlan& plan, std::int64_t items,
                  const Functor& functor, int asked_team_size) {
  if (items == 0) return;
  const auto league = static_cast<int>(std::min<std::int64_t>(plan.league_size, items));
  const typename Functor::policy_type policy(space, league, plan.team_size);
  require_launchable("tessera::transpose_in_place", policy, functor, asked_team_size);
  Kokkos::parallel_for(label, policy, functor);
}

template <ExecutionSpace Space, class T>
void launch_chunks(const Space& space, const InPlacePlan& plan, std::int64_t rows, std::int64_t columns, T* data,
                   std::byte* workspace, int asked_team_size) {
  const std::string label = "tessera::transpose_in_place::";
  const bool is_inverse = rows < columns;
  const ChunkMap map{is_inverse ? columns : rows, is_inverse ? rows : columns, plan.rows.batch};
  const ChunkSizes sizes = chunk_sizes(map.rows, map.columns, map.chunk, plan.rows.buffers, sizeof(T));
  const ChunkJob<T> job{data,
                        map,
                        is_inverse,
                        plan.rows.buffers,
                        sizes.pitch,
                        sizes.pivot_step,
                        reinterpret_cast<T*>(workspace),
                        reinterpret_cast<T*>(workspace + sizes.seams),
                        reinterpret_cast<T*>(workspace + sizes.pivots),
                        reinterpret_cast<std::uint64_t*>(workspace + sizes.marks)};
  const auto launch = [&](const char* kernel, std::int64_t items, const auto& functor) {
    launch_share(label + kernel, space, plan, items, functor, asked_team_size);
  };
  const auto change_places = [&] {
    if (map.chunk == map.rows) return;  // one band, whose chunks stand where they belong
    launch("pivots", ceil_div(map.slots(), 64), SavePivots<Space, T>{job});
    const FillHoles<Space, T> fill{job};
    launch("holes", map.slots(), fill);
    InPlacePlan alone = plan;
    alone.team_size = 1;  // each thread has a line of the ring
    launch_share(label + "cycles", space, alone, std::min(ceil_div(map.slots(), 64), job.held * map.columns),
                 TurnCycles<Space, T>{fill}, asked_team_size);
  };
  // Chunks that begin before a step's bands end in the first of them.
  const std::int64_t bands = job.bands(), step = std::max<std::int64_t>(1, job.held - 1);
  const auto turn = [&](std::int64_t first, std::int64_t last) {
    const TurnBands<Space, T> functor{job, first, last, plan.tile_rows, plan.tile_columns};
    launch("bands", functor.items(), functor);
  };
  const auto move = [&](std::int64_t first, std::int64_t last) {
    const MoveChunks<Space, T> functor{job, first - 1, last == bands ? bands : last - 1,
                                       chunk_group(map.chunk, sizeof(T))};
    launch("chunks", functor.items(), functor);
  };
  if (is_inverse) {
    launch("seams", map.columns, MoveSeams<Space, T>{job});
    change_places();
    for (std::int64_t first = (bands - 1) / step * step; first >= 0; first -= step) {
      const std::int64_t last = std::min(first + step, bands);
      move(first, last);
      turn(first, last);
    }
  } else {
    for (std::int64_t first = 0; first < bands; first += step) {
      const std::int64_t last = std::min(first + step, bands);
      turn(first, last);
      move(first, last);
    }
    change_places();
    launch("seams", map.columns, MoveSeams<Space, T>{job});
  }
}

}  // namespace tessera::detail

#endif
