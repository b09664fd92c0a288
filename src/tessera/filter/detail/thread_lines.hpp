// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short lines that follow each other in memory: a team brings them to scratch in one piece, and each of its threads
// walks along one. All threads are at the same element of their lines, and fold what lies beyond the ends alike.
#ifndef TESSERA_FILTER_DETAIL_THREAD_LINES_HPP
#define TESSERA_FILTER_DETAIL_THREAD_LINES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <tessera/filter/detail/thread_lines_plan.hpp>
#include <type_traits>

namespace tessera::detail {

template <ExecutionSpace Space>
using ThreadLinesPolicy =
    Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<thread_lines_team_size, thread_lines_teams_at_once>,
                       Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;

/// Walks along lines of T with the elements of a window of Slots elements in registers.
template <class T, int Slots>
class ThreadLines {
 public:
  /// in, out: lines of extent elements. reach_left < Slots: elements of a window before that of its output.
  ThreadLines(const ThreadLinesPlan& plan, const T* in, T* out, std::int64_t lines, std::int64_t extent,
              std::int64_t reach_left, const BoundaryFold<T>& fold)
      : m_in(in),
        m_out(out),
        m_lines(lines),
        m_tiles(ceil_div(lines, plan.lines)),
        m_fold(fold),
        m_extent(static_cast<int>(extent)),
        m_ahead(Slots - 1 - static_cast<int>(reach_left)),
        m_lines_at_once(plan.lines),
        m_pitch(plan.pitch),
        m_halo(plan.halo),
        m_halo_at(static_cast<int>(plan.halo_at)),
        m_line_chunks(std::max(1, m_extent / width)),
        m_scratch_bytes(plan.bytes) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int extent() const { return m_extent; }

  /// make(line, right, x) makes the outputs of a line in scratch, in place of its elements. right: room in scratch for
  /// what stands beyond its right end. x: the line in memory.
  template <TeamMember Member, class Make>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const Member& team, const Make& make) const {
    std::byte* const scratch = team_scratch(team, m_scratch_bytes);
    T* const halos = reinterpret_cast<T*>(scratch + m_halo_at);
    const TileWalk walk = tile_walk(team, m_tiles);
    for (std::int64_t index = walk.begin; index < walk.end; index += walk.step) {
      const std::int64_t first_line = index * m_lines_at_once;
      const int lines = static_cast<int>(Kokkos::min<std::int64_t>(m_lines_at_once, m_lines - first_line));
      const T* x = m_in + first_line * m_extent;
      T* y = m_out + first_line * m_extent;
      const int count = lines * m_extent;
      const int head = head_of(x, count);
      T* const staged = async_place(x, reinterpret_cast<T*>(scratch));
      if (index != walk.begin) team.team_barrier();  // scratch has been read
      each_piece(team, staged, head, count, [&](auto* piece, int at) {
        copy_async(piece, reinterpret_cast<const std::remove_pointer_t<decltype(piece)>*>(x + at));
      });
      end_async_group();
      wait_for_async_groups<0>();
      team.team_barrier();
      const int l = team.team_rank();
      if (l < lines) make(staged + l * m_pitch, halos + l * m_halo, x + l * m_extent);
      team.team_barrier();
      // Outputs lie where elements did: whole chunks of memory, if the output begins in its chunk where the input does.
      const int out_head = head_of(y, count) == head ? head : count;
      each_piece(team, staged, out_head, count,
                 [&](auto* piece, int at) { copy_whole(reinterpret_cast<decltype(piece)>(y + at), piece); });
    }
  }

  /// result(window, u) is the output whose window's k-th element is window[(u + k) % Slots], value(element) what stands
  /// for an element there. line, right: as above.
  template <class Value, class Of, class Result>
  KOKKOS_FORCEINLINE_FUNCTION void walk_line(T* line, T* right, const Of& value, const Result& result) const {
    TESSERA_NO_UNROLL
    for (int k = 0; k < m_ahead; ++k) right[k] = m_fold.element(line, 1, m_extent + k);
    const T* const after = right - m_extent;
    const auto element = [&](int j) { return value((j < m_extent ? line : after)[j]); };
    Value window[Slots];  // a ring
    TESSERA_UNROLL
    for (int slot = 0; slot < Slots - 1; ++slot) {
      const int j = m_ahead - (Slots - 1) + slot;
      window[slot] = j < 0 ? value(m_fold.element(line, 1, j)) : element(j);
    }
    TESSERA_NO_UNROLL
    for (int first = 0; first < m_extent; first += Slots) {
      TESSERA_UNROLL
      for (int u = 0; u < Slots; ++u) {
        const int i = first + u;
        if (i >= m_extent) continue;
        window[(u + Slots - 1) % Slots] = element(i + m_ahead);
        line[i] = result(window, u);
      }
    }
  }

 private:
  using Chunk = Packed<T>;
  static constexpr int width = packed_length<T>;

  /// Elements of a tile before its first whole chunk: where chunks would lie across two lines of a longer pitch, all.
  KOKKOS_FORCEINLINE_FUNCTION int head_of(const T* data, int count) const {
    const auto head = static_cast<int>(misaligned_head(data, count));
    return head != 0 && m_pitch != m_extent ? count : head;
  }

  /// Calls f(where it lies in scratch, its element number) for a thread's share of a tile's chunks and single elements.
  template <TeamMember Member, class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_piece(const Member& team, T* staged, int head, int count, const F& f) const {
    const bool longer_pitch = m_pitch != m_extent;
    const auto place = [&](int at) {
      return staged + at + (longer_pitch ? m_line_chunks.quotient(at / width) * width : 0);
    };
    const int tail = head + (count - head) / width * width, step = team.team_size();
    for (int at = head + team.team_rank() * width; at < tail; at += step * width) {
      f(reinterpret_cast<Chunk*>(place(at)), at);
    }
    if (head == 0 && tail == count) return;
    TESSERA_NO_UNROLL
    for (int i = team.team_rank(); i < head + count - tail; i += step) {
      const int at = i < head ? i : tail + i - head;
      f(reinterpret_cast<Packed<T, 1>*>(place(at)), at);
    }
  }

  const T* m_in;
  T* m_out;
  std::int64_t m_lines, m_tiles;
  BoundaryFold<T> m_fold;
  int m_extent;
  int m_ahead;  // elements of a window after that of its output
  int m_lines_at_once, m_pitch, m_halo, m_halo_at;
  SmallDivisor m_line_chunks;  // where the pitch is longer than a line
  std::size_t m_scratch_bytes;
};

}  // namespace tessera::detail

#endif
