// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians of wide windows. A tile with its halo is sorted once, after which elements are numbers: their
// ranks (J. Suomela, "Median filtering is equivalent to sorting", 2014). A window is a set of those, a bit each, and
// moves on by two bits; the word of bits that holds its median is hardly ever far from that of the window before.
#ifndef TESSERA_FILTER_DETAIL_MEDIAN_RANKS_HPP
#define TESSERA_FILTER_DETAIL_MEDIAN_RANKS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tessera/concepts.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/divisor.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/filter/detail/filter_median.hpp>
#include <tessera/filter/detail/median_key.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <tessera/filter/median_plan.hpp>
#include <type_traits>

namespace tessera::detail {

/// The key whose bits those of an element in scratch are. By value: of a reference nvcc reads bytes one by one.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION MedianKey<T> stored_key(T bits) {
  return Kokkos::bit_cast<MedianKey<T>>(bits);
}

/// Two neighbouring runs of places of a tile, each in the order of the places' keys.
template <class T, class Place>
struct PlaceRuns {
  using Key = MedianKey<T>;
  const T* keys;  // their bits
  const Place* places;
  int firsts, seconds;

  [[nodiscard]] KOKKOS_FUNCTION Key key(int at) const { return key_of(places[at]); }
  [[nodiscard]] KOKKOS_FUNCTION Key key_of(Place place) const { return stored_key(keys[place]); }

  /// Of the first `count` places of both merged, those of the first run; it goes first where keys are alike.
  [[nodiscard]] KOKKOS_FUNCTION int firsts_among(int count) const {
    int low = Kokkos::max(0, count - seconds), high = Kokkos::min(count, firsts);
    while (low < high) {
      const int middle = (low + high) / 2;
      if (key(middle) <= key(firsts + count - 1 - middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Places begin .. end - 1 of both merged (O. Green, R. McColl, D. Bader, "GPU merge path", 2012). Reads a place
  /// behind the runs.
  KOKKOS_FUNCTION void merge(int begin, int end, Place* merged) const {
    const int count = firsts + seconds;
    int first = firsts_among(begin), second = firsts + begin - first;
    Place first_place = places[first], second_place = places[second];
    Key first_key = key_of(first_place), second_key = key_of(second_place);
    for (int at = begin; at < end; ++at) {
      const bool takes_first = second >= count || (first < firsts && first_key <= second_key);
      merged[at] = takes_first ? first_place : second_place;
      const int next = takes_first ? ++first : ++second;
      const Place place = places[next];
      const Key next_key = key_of(place);
      (takes_first ? first_place : second_place) = place;
      (takes_first ? first_key : second_key) = next_key;
    }
  }
};

/// The ranks of a window's elements, a bit each, and the word that its median is in. HasBlocks: elements are counted
/// for each block of words too, as medians of neighbouring windows may lie far apart.
template <bool HasBlocks>
struct RankedWindow {
  std::uint32_t *words, *blocks;
  int stride;                // between words, and between blocks
  int word = 0, before = 0;  // ranks in the words before that one

  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t bits(int w) const { return words[w * stride]; }
  [[nodiscard]] KOKKOS_FUNCTION int count(int w) const { return Kokkos::popcount(bits(w)); }
  [[nodiscard]] KOKKOS_FUNCTION int block_count(int w) const {
    return static_cast<int>(blocks[w / median_block * stride]);
  }

  /// change: 1 where the rank enters, -1 where it leaves.
  KOKKOS_FUNCTION void turn(int rank, int change) {
    words[rank / 32 * stride] ^= std::uint32_t{1} << rank % 32;
    if constexpr (HasBlocks) blocks[rank / 32 / median_block * stride] += static_cast<std::uint32_t>(change);
    if (rank / 32 < word) before += change;
  }

  /// The rank that so many others of the window go before.
  KOKKOS_FUNCTION int select(int position) {
    while (before > position) {
      if (HasBlocks && word % median_block == 0 && before - block_count(word - median_block) > position) {
        word -= median_block;
        before -= block_count(word);
      } else {
        before -= count(--word);
      }
    }
    while (true) {
      int step = 1, here = 0;
      if (HasBlocks && word % median_block == 0 && before + block_count(word) <= position) {
        step = median_block;
        here = block_count(word);
      } else {
        here = count(word);
        if (before + here > position) break;
      }
      word += step;
      before += here;
    }
    std::uint32_t left = bits(word);
    int rank = 32 * word, further = position - before;
    TESSERA_UNROLL
    for (int half = 16; half > 0; half /= 2) {
      const int lower = Kokkos::popcount(left & ((std::uint32_t{1} << half) - 1));
      const bool is_upper = further >= lower;
      further -= is_upper ? lower : 0;
      left >>= is_upper ? half : 0;
      rank += is_upper ? half : 0;
    }
    return rank;
  }
};

/// MedianMethod::ranks or memory_ranks. Of the staged elements scratch holds the keys' bits, once they are sorted.
template <class T, MedianMethod Ranks>
struct RanksMedian {
  using Key = MedianKey<T>;
  using Place = MedianPlace<Ranks>;
  using Divisor = std::conditional_t<Ranks == MedianMethod::ranks, SmallDivisor, WholeDivisor>;
  static constexpr int scratch_level = Ranks == MedianMethod::ranks ? 0 : 1;
  static constexpr bool has_blocks = Ranks == MedianMethod::memory_ranks;
  using Window = RankedWindow<has_blocks>;
  static constexpr Key highest = ~Key{0};
  static constexpr Place no_rank = std::numeric_limits<Place>::max();
  MedianScratch pieces;
  int runs;
  Divisor share;  // outputs of a run

  RanksMedian(const MedianScratch& where, const MedianPlan& plan)
      : pieces(where), runs(plan.runs), share(static_cast<int>(ceil_div(plan.tile, plan.runs))) {}

  template <TeamMember Member, class Out>
  KOKKOS_FUNCTION void filter_range(const Member& team, std::byte* scratch, const MedianLines<T, Out>& lines,
                                    const T* x, Out* y, std::int64_t first, int count) const {
    const int taps = static_cast<int>(lines.taps), size = count + taps - 1, thread = team.team_rank(),
              threads = team.team_size();
    auto* order = reinterpret_cast<Place*>(scratch + pieces.order_at);
    auto* ranks = reinterpret_cast<Place*>(scratch + pieces.ranks_at);
    auto* medians = reinterpret_cast<Place*>(scratch + pieces.results_at);
    auto* words = reinterpret_cast<std::uint32_t*>(scratch + pieces.words_at);
    T* keys = stage_line(team, x, lines.in.stride, lines.in.extent, first - lines.reach_left, size, lines.boundary,
                         reinterpret_cast<T*>(scratch + pieces.elements_at));
    for (int w = thread; w < median_words(size) * runs; w += threads) words[w] = 0;
    if (thread == 0) order[size] = ranks[size] = 0;  // merges read it
    team.team_barrier();
    for (int at = thread * median_chunk; at < size; at += threads * median_chunk) {
      sort_chunk(lines, keys, at, size, order);
    }
    team.team_barrier();
    for (int run = median_chunk; run < size; run *= 2) {
      for (int at = thread * median_chunk; at < size; at += threads * median_chunk) {
        const int begin = at / (2 * run) * (2 * run), middle = Kokkos::min(begin + run, size);
        const PlaceRuns<T, Place> both{keys, order + begin, middle - begin, Kokkos::min(middle + run, size) - middle};
        both.merge(at - begin, Kokkos::min(at + median_chunk, size) - begin, ranks + begin);
      }
      Kokkos::kokkos_swap(order, ranks);
      team.team_barrier();
    }
    const int numbers = numbers_of(keys, order, size);
    for (int r = thread; r < size; r += threads) ranks[order[r]] = static_cast<Place>(r);
    for (int w = thread; w < median_words(size); w += threads) {
      start_windows(order + 32 * w, Kokkos::min(32, numbers - 32 * w), taps, w, words + w * runs);
    }
    team.team_barrier();
    auto* blocks = reinterpret_cast<std::uint32_t*>(scratch + pieces.blocks_at);
    if constexpr (has_blocks) {
      const int all = median_blocks(size) * runs;
      for (int b = thread; b < all; b += threads) blocks[b] = count_block(words, b / runs, b % runs, size);
      team.team_barrier();
    }
    for (int run = thread; run < runs; run += threads) {
      const int begin = Kokkos::min(count, run * share.value()), end = Kokkos::min(count, begin + share.value());
      move_window(lines, {words + run, blocks + run, runs}, ranks, numbers, size, begin, end, medians);
    }
    team.team_barrier();
    for (int i = thread; i < count; i += threads) {
      const Place r = medians[i];
      const T median = r == no_rank ? median_of_nan<T>() : median_element<T>(stored_key(keys[order[r]]));
      y[(first + i) * lines.out.stride] = convert<Out>(median);
    }
  }

  /// Replaces a chunk's elements, from `at` on, by their keys, and writes their places to `order`, stably sorted by
  /// key.
  template <class Out>
  static KOKKOS_FUNCTION void sort_chunk(const MedianLines<T, Out>& lines, T* elements, int at, int size,
                                         Place* order) {
    Key keys[median_chunk];
    int before[median_chunk];
    TESSERA_UNROLL
    for (int k = 0; k < median_chunk; ++k) {
      keys[k] = at + k < size ? lines.key(elements[at + k]) : highest;
      before[k] = k;
    }
    TESSERA_UNROLL
    for (int k = 1; k < median_chunk; ++k) {
      TESSERA_UNROLL
      for (int j = 0; j < k; ++j) {
        const int is_less = keys[k] < keys[j] ? 1 : 0;
        before[j] += is_less;
        before[k] -= is_less;
      }
    }
    TESSERA_UNROLL
    for (int k = 0; k < median_chunk; ++k) {
      if (at + k >= size) continue;
      elements[at + k] = Kokkos::bit_cast<T>(keys[k]);
      order[at + before[k]] = static_cast<Place>(at + k);
    }
  }

  /// Elements that are no NaN: theirs are the first ranks.
  static KOKKOS_FUNCTION int numbers_of(const T* keys, const Place* order, int size) {
    if constexpr (std::is_floating_point_v<T>) {
      int low = 0, high = size;
      while (low < high) {
        const int middle = (low + high) / 2;
        if (stored_key(keys[order[middle]]) == highest) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    } else {
      return size;
    }
  }

  /// Of the ranks of a word, whose places those are, the ones in the first window of each run: a word a run.
  KOKKOS_FUNCTION void start_windows(const Place* places, int count, int taps, int word, std::uint32_t* words) const {
    // A place's bit in the first run that has it and behind the last one ..
    for (int bit = 0; bit < count; ++bit) {
      const int place = places[bit];
      const int entered = place < taps ? 0 : share.quotient(place - taps) + 1, left = share.quotient(place) + 1;
      if (entered < runs) words[entered] ^= std::uint32_t{1} << bit;
      if (left < runs) words[left] ^= std::uint32_t{1} << bit;
    }
    // .. and so in all between. Threads begin one after the other: with different banks.
    std::uint32_t bits = 0;
    for (int step = 0; step < runs + word % 32; ++step) {
      const int run = step - word % 32;
      if (run >= 0) words[run] = bits ^= words[run];
    }
  }

  /// Elements of a block of words in the first window of a run.
  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t count_block(std::uint32_t* words, int block, int run, int size) const {
    const Window window{words + run, nullptr, runs};
    int count = 0;
    const int end = Kokkos::min((block + 1) * median_block, median_words(size));
    for (int w = block * median_block; w < end; ++w) count += window.count(w);
    return static_cast<std::uint32_t>(count);
  }

  /// From the window of output begin to that of output end - 1.
  template <class Out>
  static KOKKOS_FUNCTION void move_window(const MedianLines<T, Out>& lines, Window window, const Place* ranks,
                                          int numbers, int size, int begin, int end, Place* medians) {
    const int taps = static_cast<int>(lines.taps);
    int nans = 0;
    if (numbers < size && begin < end) {
      nans = taps;
      for (int w = 0; w < median_words(size); ++w) nans -= window.count(w);
    }
    for (int i = begin; i < end; ++i) {
      // Of the next window, before a store that they would wait for; behind the last one any will do.
      const int leaving = ranks[i], entering = ranks[Kokkos::min(i + taps, size - 1)];
      const std::int64_t position = lines.rank(nans);
      medians[i] = position < 0 ? no_rank : static_cast<Place>(window.select(static_cast<int>(position)));
      if (leaving < numbers) window.turn(leaving, -1);
      if (entering < numbers) window.turn(entering, 1);
      nans += (entering < numbers ? 0 : 1) - (leaving < numbers ? 0 : 1);
    }
  }
};

}  // namespace tessera::detail

#endif
