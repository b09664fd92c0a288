// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians of wide windows on devices: a wavelet matrix (F. Claude, G. Navarro, A. Ordonez, 2015) of a tile's keys, one
// level at a time. Each level parts the keys by a bit, those without it first, else in their order; so a window stays a
// range of neighbours, and counts before its ends say which part of it holds the median.
#ifndef TESSERA_FILTER_DETAIL_MEDIAN_LEVELS_HPP
#define TESSERA_FILTER_DETAIL_MEDIAN_LEVELS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_median.hpp>
#include <tessera/filter/detail/median_key.hpp>
#include <tessera/filter/detail/stage.hpp>

namespace tessera::detail {

/// For each chunk of median_chunk keys a bit of each, and above those the zeros before the chunk.
struct MedianLevel {
  std::uint32_t *masks, *words, *groups;
  int keys, chunks;

  /// Keys before that position whose bit is not set.
  [[nodiscard]] KOKKOS_FUNCTION int zeros_before(int position) const {
    const std::uint32_t word = words[position / median_chunk];
    const std::uint32_t earlier = (1U << (position % median_chunk)) - 1;
    return static_cast<int>(word >> median_chunk) + Kokkos::popcount(~word & earlier);
  }

  [[nodiscard]] KOKKOS_FUNCTION int zeros() const { return zeros_before(keys); }

  static KOKKOS_FUNCTION std::uint32_t zeros_of(std::uint32_t mask) {
    return median_chunk - static_cast<std::uint32_t>(Kokkos::popcount(mask));
  }

  /// has_bit: of a position.
  template <TeamMember Member, class HasBit>
  KOKKOS_FUNCTION void build(const Member& team, const HasBit& has_bit) const {
    for (int c = team.team_rank(); c < chunks; c += team.team_size()) {
      std::uint32_t mask = 0;
      TESSERA_UNROLL
      for (int step = 0; step < median_chunk; ++step) {
        const int k = (step + c) % median_chunk;  // threads side by side read different banks
        const int position = c * median_chunk + k;
        const bool is_set = position >= keys || has_bit(position);
        mask |= static_cast<std::uint32_t>(is_set) << k;
      }
      masks[c] = mask;
    }
    team.team_barrier();
    for (int g = team.team_rank(); g * median_chunk < chunks; g += team.team_size()) {
      std::uint32_t sum = 0;
      const int end = Kokkos::min(chunks, (g + 1) * median_chunk);
      for (int c = g * median_chunk; c < end; ++c) sum += zeros_of(masks[c]);
      groups[g] = sum;
    }
    team.team_barrier();
    for (int c = team.team_rank(); c < chunks; c += team.team_size()) {
      std::uint32_t before = 0;
      for (int g = 0; g < c / median_chunk; ++g) before += groups[g];
      for (int k = c / median_chunk * median_chunk; k < c; ++k) before += zeros_of(masks[k]);
      words[c] = before << median_chunk | masks[c];
    }
    team.team_barrier();
  }
};

/// MedianMethod::levels.
template <class T>
struct LevelsMedian {
  using Key = MedianKey<T>;
  MedianScratch pieces;

  template <TeamMember Member, class Out>
  KOKKOS_FUNCTION void filter_range(const Member& team, std::byte* scratch, const MedianLines<T, Out>& lines,
                                    const T* x, Out* y, std::int64_t first, int count) const {
    const int taps = static_cast<int>(lines.taps), size = count + taps - 1;
    auto* source = reinterpret_cast<Key*>(scratch + pieces.keys_at);
    auto* target = reinterpret_cast<Key*>(scratch + pieces.elements_at);
    auto* states = reinterpret_cast<MedianState*>(scratch + pieces.states_at);
    // One chunk more than full ones: the count before the end stands in it.
    const MedianLevel level{reinterpret_cast<std::uint32_t*>(scratch + pieces.masks_at),
                            reinterpret_cast<std::uint32_t*>(scratch + pieces.words_at),
                            reinterpret_cast<std::uint32_t*>(scratch + pieces.groups_at), size,
                            size / median_chunk + 1};
    const T* staged = stage_line(team, x, lines.in.stride, lines.in.extent, first - lines.reach_left, size,
                                 lines.boundary, reinterpret_cast<T*>(scratch + pieces.elements_at));
    team.team_barrier();
    for (int i = team.team_rank(); i < size; i += team.team_size()) source[i] = lines.key(staged[i]);
    level.build(team, [=](int i) { return is_nan(staged[i]); });
    for (int i = team.team_rank(); i < count; i += team.team_size()) {
      const std::int64_t rank = lines.rank(taps - (level.zeros_before(i + taps) - level.zeros_before(i)));
      states[i] = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(i + taps),
                   static_cast<std::uint16_t>(rank < 0 ? 0 : rank), static_cast<std::uint16_t>(rank < 0)};
    }
    team.team_barrier();
    for (int bit = median_key_bits<T> - 1; bit >= 0; --bit) {
      level.build(team, [=](int i) { return (source[i] >> bit & 1) != 0; });
      const int zeros = level.zeros();
      if (zeros == 0 || zeros == size) continue;  // the bit tells no keys apart
      for (int i = team.team_rank(); i < size; i += team.team_size()) {
        const int before = level.zeros_before(i);
        const Key key = source[i];
        target[(key >> bit & 1) == 0 ? before : zeros + i - before] = key;
      }
      for (int i = team.team_rank(); i < count; i += team.team_size()) states[i] = narrowed(level, zeros, states[i]);
      Kokkos::kokkos_swap(source, target);
      team.team_barrier();
    }
    for (int i = team.team_rank(); i < count; i += team.team_size()) {
      const MedianState state = states[i];
      const T median = state.has_nan != 0 ? median_of_nan<T>() : median_element<T>(source[state.begin]);
      y[(first + i) * lines.out.stride] = convert<Out>(median);
    }
  }

  static KOKKOS_FUNCTION MedianState narrowed(const MedianLevel& level, int zeros, const MedianState& state) {
    const int before = level.zeros_before(state.begin), within = level.zeros_before(state.end) - before;
    const bool is_zero = state.rank < within;
    const int begin = is_zero ? before : zeros + state.begin - before;
    const int size = is_zero ? within : state.end - state.begin - within;
    return {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(begin + size),
            static_cast<std::uint16_t>(is_zero ? state.rank : state.rank - within), state.has_nan};
  }
};

}  // namespace tessera::detail

#endif
