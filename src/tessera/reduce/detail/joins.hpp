// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values are joined by a reducer: as they come in one thread, and across a team.
#ifndef TESSERA_REDUCE_DETAIL_JOINS_HPP
#define TESSERA_REDUCE_DETAIL_JOINS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/noinline.hpp>

namespace tessera::detail {

/// Joins values as they come in a balanced tree (a binary counter), so that the depth is log2 of their number.
template <class R>
class PairwiseFold {
 public:
  using value_type = typename R::value_type;

  KOKKOS_FUNCTION void push(const R& reducer, value_type value) {
    int level = 0;
    for (std::uint64_t bits = m_count; (bits & 1) != 0; bits >>= 1, ++level) {
      value_type joined = m_levels[level];
      reducer.join(joined, value);
      value = joined;
    }
    m_levels[level] = value;
    ++m_count;
  }

  KOKKOS_FUNCTION value_type total(const R& reducer) const {
    value_type result = reducer.identity();
    for (int level = 0; (m_count >> level) != 0; ++level) {
      if ((m_count >> level & 1) == 0) continue;
      value_type joined = m_levels[level];
      reducer.join(joined, result);
      result = joined;
    }
    return result;
  }

  [[nodiscard]] KOKKOS_FUNCTION bool empty() const { return m_count == 0; }

 private:
  value_type m_levels[40];  // 2^40 chains
  std::uint64_t m_count = 0;
};

/// Whether join gives the same bits in any order.
template <class R>
KOKKOS_INLINE_FUNCTION constexpr bool is_order_free() {
  if constexpr (requires { R::order_free; }) {
    return R::order_free;
  } else {
    return false;
  }
}

/// The same where no order matters: one value is all it needs.
template <class R>
class PlainFold {
 public:
  using value_type = typename R::value_type;

  /// Not inlined: rare, so that the value needs no registers.
  TESSERA_NOINLINE KOKKOS_FUNCTION void push(const R& reducer, const value_type& value) {
    if (m_empty) {
      m_total = value;
    } else {
      reducer.join(m_total, value);
    }
    m_empty = false;
  }
  KOKKOS_FUNCTION value_type total(const R& reducer) const { return m_empty ? reducer.identity() : m_total; }
  [[nodiscard]] KOKKOS_FUNCTION bool empty() const { return m_empty; }

 private:
  value_type m_total = {};
  bool m_empty = true;
};

/// Joins one value of each thread in a halving tree over neighbours (coalesced, any team size). The barriers stand
/// outside the branches: every thread meets each of them. All threads see the result; scratch is free again.
template <TeamMember Member, Reducer R>
KOKKOS_FUNCTION typename R::value_type team_join(const Member& team, const typename R::value_type& value,
                                                 const R& reducer, typename R::value_type* scratch) {
  const int rank = team.team_rank();
  if (team.team_size() == 1) return value;
  scratch[rank] = value;
  team.team_barrier();
  for (int active = team.team_size(); active > 1;) {
    const int half = (active + 1) / 2;
    if (rank + half < active) reducer.join(scratch[rank], scratch[rank + half]);
    team.team_barrier();
    active = half;
  }
  const typename R::value_type result = scratch[0];
  team.team_barrier();
  return result;
}

}  // namespace tessera::detail

#endif
