// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several folds fed by one read. fold_context.hpp says what a fold is.
#ifndef TESSERA_REDUCE_DETAIL_FUSED_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_FUSED_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/status.hpp>

namespace tessera::detail {

/// First, then those of Rest, a FusedFold or the last fold.
template <class First, class Rest>
class FusedFold {
 public:
  static_assert(First::lanes == Rest::lanes, "tessera: folds of one element type take the same groups");
  static constexpr int lanes = First::lanes;
  static constexpr bool sums_exactly = detail::sums_exactly<First>() || detail::sums_exactly<Rest>();
  // Registers of several accumulators: two teams of 256 have up to 128 a thread.
  static constexpr int team_size_max = 256;
  static constexpr int teams_at_once = 2;

  struct thread_type {
    typename First::thread_type first;
    typename Rest::thread_type rest;
  };
  struct spill_type {
    typename First::spill_type first;
    typename Rest::spill_type rest;
  };
  struct team_type {
    typename First::team_type first;
    typename Rest::team_type rest;
  };

  /// fused: {first, rest}, their reducers.
  template <class R>
  KOKKOS_FUNCTION FusedFold(const R& fused, const FoldContext& context)
      : m_first(fused.first, context), m_rest(fused.rest, context) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(thread_type& thread, spill_type& spill) const {
    m_first.begin(thread.first, spill.first);
    m_rest.begin(thread.rest, spill.rest);
  }

  template <int N, class T, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(thread_type& thread, spill_type& spill, const T (&elements)[N],
                                       const Index& index, const Status& status) const {
    m_first.add(thread.first, spill.first, elements, index, status);
    m_rest.add(thread.rest, spill.rest, elements, index, status);
  }

  KOKKOS_FORCEINLINE_FUNCTION void absorb(thread_type& thread, spill_type& spill, const team_type& part) const {
    m_first.absorb(thread.first, spill.first, part.first);
    m_rest.absorb(thread.rest, spill.rest, part.rest);
  }

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int team_size) {
    return Kokkos::max(First::scratch_bytes(team_size), Rest::scratch_bytes(team_size));
  }

  /// One after the other, in the same scratch: each ends with a barrier.
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void close(const Member& team, thread_type& thread, spill_type& spill, team_type& result,
                                         std::byte* scratch) const {
    m_first.close(team, thread.first, spill.first, result.first, scratch);
    m_rest.close(team, thread.rest, spill.rest, result.rest, scratch);
  }

  KOKKOS_FUNCTION team_type& close_alone(thread_type& thread, spill_type& spill, team_type& room) const {
    room.first = m_first.close_alone(thread.first, spill.first, room.first);
    room.rest = m_rest.close_alone(thread.rest, spill.rest, room.rest);
    return room;
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const team_type& from, team_type& to) {
    First::store(team, from.first, to.first);
    Rest::store(team, from.rest, to.rest);
  }

  /// Result: {first, rest}.
  template <class Result>
  KOKKOS_FUNCTION Result finalize(team_type& total, std::int64_t size, const Status& status) const {
    return {m_first.template finalize<decltype(Result::first)>(total.first, size, status),
            m_rest.template finalize<decltype(Result::rest)>(total.rest, size, status)};
  }

 private:
  First m_first;
  Rest m_rest;
};

}  // namespace tessera::detail

#endif
