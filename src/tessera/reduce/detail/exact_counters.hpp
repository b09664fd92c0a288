// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer counters in team scratch, for terms that the few doubles of a thread do not hold. Neighbouring threads add to
// the same ones by atomics of 32 bits, which devices have in hardware and at any rate of exponents; each thread's own
// digits would lie in slow memory.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_COUNTERS_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_COUNTERS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/relaxed.hpp>
#include <tessera/detail/unroll.hpp>
#include <type_traits>

namespace tessera::detail {

/// Atomics of words in team scratch, which return what a word held before. Kokkos' own ask each time where the word
/// lies, and wait for each before the next.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t scratch_fetch_add(std::uint32_t* word, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  const auto place = static_cast<std::uint32_t>(__cvta_generic_to_shared(word));
  std::uint32_t before;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(place), "r"(value));
  return before;
#else
  return Kokkos::atomic_fetch_add(word, value);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t scratch_exchange(std::uint32_t* word, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  const auto place = static_cast<std::uint32_t>(__cvta_generic_to_shared(word));
  std::uint32_t before;
  asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(before) : "r"(place), "r"(value));
  return before;
#else
  return Kokkos::atomic_exchange(word, value);
#endif
}

/// value 2^position, in units of digits or counters.
struct DigitTerm {
  std::int64_t value;
  int position;
};

/// Digits: where what they hold goes in the end. Counter j has the weight 2^(width j + low_bit).
///
/// Terms are added in pieces of width bits, a few terms at a time. Whoever finds that a counter was at 2^30 or beyond
/// carries what it holds to the next before adding more. So each of the threads that share it adds, beyond 2^30, at
/// most the terms that it has under way, and for each of them what carries give back and bring: that stays below 2^31.
template <class Digits>
class ExactCounters {
  static constexpr bool narrow = Digits::count <= 20;  // of floats

 public:
  static constexpr int low_bit = Digits::low_bit;
  /// Terms that are added at a time.
  static constexpr int terms_max = narrow ? 4 : 2;

  /// Bytes of scratch that a team needs, in whole pieces of 16.
  KOKKOS_FUNCTION static constexpr std::size_t bytes(int team_size) {
    return static_cast<std::size_t>(pieces(team_size)) * packed_bytes;
  }

  KOKKOS_FUNCTION void lend_none() { m_first = nullptr; }
  [[nodiscard]] KOKKOS_FUNCTION bool are_lent() const { return m_first != nullptr; }

  /// bytes(team_size) of scratch to all threads of a team, which call. A barrier must follow.
  template <TeamMember Member>
  KOKKOS_FUNCTION void lend(const Member& team, std::byte* scratch) {
    auto* const zeros = reinterpret_cast<Packed<std::uint32_t>*>(scratch);
    const int rank = team.team_rank(), all = pieces(team.team_size());
    for (int i = rank; i < all; i += team.team_size()) zeros[i] = {};
    std::uint32_t* const set = reinterpret_cast<std::uint32_t*>(scratch) + rank / threads * set_words;
    m_first = set + rank % copies;
    m_anywhere = set + rank % threads;
  }

  /// Adds value * 2^(position + low_bit); |value| < 2^58, position >= 0.
  KOKKOS_FUNCTION void deposit(std::int64_t value, int position) const {
    add<58, 1>([&](int) { return DigitTerm{value, position}; });
  }

  /// Adds Terms of them, term_of(k) each, below 2^Bits.
  template <int Bits, int Terms, class TermOf>
  KOKKOS_FORCEINLINE_FUNCTION void add(const TermOf& term_of) const {
    static_assert(Terms <= terms_max && Bits <= 58);
    std::uint32_t found = 0;
    TESSERA_UNROLL
    for (int t = 0; t < Terms; ++t) found |= add_term<Bits>(term_of(t));
    if (found < half) return;
    TESSERA_UNROLL
    for (int t = 0; t < Terms; ++t) carry<pieces_of(Bits)>(term_of(t).position / width);
  }

  /// By threads that added, before the barrier in front of collect().
  template <TeamMember Member>
  KOKKOS_FUNCTION void note_use(const Member& team) const {
    store_relaxed(words(team) + sets(team.team_size()) * set_words, 1u);
  }

  /// What all threads left, each counter to the digits of one of them. All threads call, behind a barrier.
  template <TeamMember Member>
  KOKKOS_FUNCTION void collect(const Member& team, Digits& own) const {
    const std::uint32_t* const counters = words(team);
    const int set_count = sets(team.team_size());
    if (counters[set_count * set_words] == 0) return;
    for (int j = team.team_rank(); j < count; j += team.team_size()) {
      std::int64_t sum = 0;
      for (int set = 0; set < set_count; ++set) {
        TESSERA_UNROLL
        for (int copy = 0; copy < copies; ++copy) {
          sum += static_cast<std::int32_t>(counters[set * set_words + j * copies + copy]);
        }
      }
      own.deposit(sum, j * width);
    }
  }

 private:
  /// Bits of a piece: two hold a float, four a double.
  static constexpr int width = narrow ? 23 : 18;
  static constexpr std::uint32_t mask = (1u << width) - 1;
  KOKKOS_FUNCTION static constexpr int pieces_of(int bits) { return (bits + 2 * width - 2) / width; }
  static constexpr int threads = 32;  // that share a set
  /// The last pieces of a term, and what is carried behind them, may be zeros beyond the highest digit.
  static constexpr int count = (32 * Digits::count + width - 1) / width + pieces_of(58);
  /// Copies of each counter in a set, side by side: threads of one exponent would wait for each other.
  static constexpr int copies = Digits::count <= 12 ? 16 : Digits::count <= 20 ? 4 : Digits::count <= 68 ? 2 : 1;
  static constexpr std::uint32_t half = 1u << 31;
  static_assert((std::int64_t{threads / copies * 3 * terms_max} << width) < std::int64_t{1} << 30);
  static constexpr int set_words = count * copies;
  static_assert(set_words >= threads + (pieces_of(58) - 1) * copies);

  KOKKOS_FUNCTION static constexpr int sets(int team_size) { return (team_size + threads - 1) / threads; }
  KOKKOS_FUNCTION static constexpr int pieces(int team_size) {
    return (sets(team_size) * set_words + packed_length<std::uint32_t>) / packed_length<std::uint32_t>;
  }

  /// All sets, behind which a word says whether they are used.
  template <TeamMember Member>
  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t* words(const Member& team) const {
    return m_first - (team.team_rank() / threads * set_words + team.team_rank() % copies);
  }

  /// Of the counters that it added to: from 2^31 on, whether one was at 2^30 or beyond.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t fullness(std::uint32_t found) { return found + (1u << 30); }

  /// Returns what fullness() has of all its counters, or-ed: several terms are under way together.
  template <int Bits>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t add_term(const DigitTerm& term) const {
    using Word = std::conditional_t<(Bits <= 32), std::uint32_t, std::uint64_t>;
    const auto position = static_cast<std::uint32_t>(term.position);
    const std::uint32_t first = position / width;
    const std::uint32_t shift = position - first * width;
    const std::uint32_t sign = term.value < 0 ? ~0u : 0u;
    const auto magnitude = static_cast<Word>(term.value < 0 ? -term.value : term.value);
    std::uint32_t* const at = term.value == 0 ? m_anywhere : m_first + first * copies;
    Word rest = magnitude >> (width - shift);
    std::uint32_t found[pieces_of(Bits)];
    TESSERA_UNROLL
    for (int p = 0; p < pieces_of(Bits); ++p) {
      const auto piece = static_cast<std::uint32_t>(p == 0 ? magnitude << shift : rest) & mask;
      if (p > 0) rest >>= width;
      found[p] = scratch_fetch_add(at + p * copies, (piece ^ sign) - sign);
    }
    std::uint32_t full = 0;
    TESSERA_UNROLL
    for (int p = 0; p < pieces_of(Bits); ++p) full |= fullness(found[p]);
    return full;
  }

  /// Of some counters those that are a quarter full or more: all but the lowest bits to the next. All are taken, so
  /// that one look at them does; small negative ones stay, which would borrow from ever higher ones.
  template <int Pieces>
  KOKKOS_FORCEINLINE_FUNCTION void carry(int first) const {
    std::uint32_t* const at = m_first + first * copies;
    std::uint32_t taken[Pieces];
    TESSERA_UNROLL
    for (int p = 0; p < Pieces; ++p) taken[p] = scratch_exchange(at + p * copies, 0);
    TESSERA_UNROLL
    for (int p = 0; p < Pieces; ++p) {
      const bool is_small = taken[p] + (1u << 29) < 1u << 30;
      const auto over = is_small ? 0u : static_cast<std::uint32_t>(static_cast<std::int32_t>(taken[p]) >> width);
      scratch_fetch_add(at + p * copies, taken[p] - (over << width));
      scratch_fetch_add(at + (p + 1) * copies, over);
    }
  }

  std::uint32_t* m_first;     // this thread's copy of counter 0
  std::uint32_t* m_anywhere;  // where zeros are added: not all threads to one counter
};

}  // namespace tessera::detail

#endif
