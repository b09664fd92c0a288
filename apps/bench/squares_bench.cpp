// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What scratch costs that nothing is shared through: each element squared in a slot of its thread's own, and in a
// register.
#include <Kokkos_Core.hpp>

#include "bench_case.hpp"
#include "bench_data.hpp"

namespace tessera::apps::bench {
namespace {

template <class Space, class T, bool UsesScratch>
struct Squares {
  using policy_type = Kokkos::TeamPolicy<Space>;
  using member_type = typename policy_type::member_type;
  static constexpr bool is_host = Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible;
  static constexpr int team_size = is_host ? 1 : 256;
  static constexpr int tile = is_host ? 1024 : team_size;  // a host thread has many slots

  const T* in;
  T* out;
  std::int64_t count;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const std::int64_t first = std::int64_t{team.league_rank()} * tile;
    const int size = static_cast<int>(Kokkos::min<std::int64_t>(tile, count - first));
    if constexpr (UsesScratch) {
      T* slots = static_cast<T*>(team.team_scratch(0).get_shmem(tile * sizeof(T)));
      for (int i = team.team_rank(); i < size; i += team.team_size()) slots[i] = in[first + i];
      team.team_barrier();
      for (int i = team.team_rank(); i < size; i += team.team_size()) slots[i] *= slots[i];
      team.team_barrier();
      for (int i = team.team_rank(); i < size; i += team.team_size()) out[first + i] = slots[i];
    } else {
      for (int i = team.team_rank(); i < size; i += team.team_size()) out[first + i] = in[first + i] * in[first + i];
    }
  }

  [[nodiscard]] static policy_type policy(const Space& space, std::int64_t count) {
    policy_type policy(space, static_cast<int>((count + tile - 1) / tile), team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(UsesScratch ? static_cast<int>(tile * sizeof(T)) + 64 : 0));
    return policy;
  }
};

template <class T>
struct CountWrongSquares {
  const T *in, *out;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const { wrong += !(out[i] == in[i] * in[i]); }
};

template <class Space, class T>
class SquaresCase {
 public:
  SquaresCase(const Space& space, const Request& request)
      : m_space(space),
        m_count(static_cast<std::int64_t>(request.size())),
        m_in(make_elements<Space, T>(space, m_count)),
        m_out(make_output<Space, T>(space, m_count)) {
    m_case.bytes = 2 * request.size() * sizeof(T);
    m_case.bounded_by_copy = true;
    add_stopwatch(m_case, space);
    add<true>("through scratch");
    add<false>("in registers");
  }

  [[nodiscard]] const Case& get() const { return m_case; }

 private:
  template <bool UsesScratch>
  void add(const char* name) {
    using Kernel = Squares<Space, T, UsesScratch>;
    Contender contender{name, Role::peer, {}, {}, {}, {}, {}};
    // The views live as long as the lambda.
    contender.run = [policy = Kernel::policy(m_space, m_count), in = m_in, out = m_out, count = m_count] {
      Kokkos::parallel_for("tessera::bench::squares", policy, Kernel{in.data(), out.data(), count});
    };
    contender.check = [space = m_space, in = m_in, out = m_out, count = m_count, run = contender.run] {
      poison(space, out);
      run();
      return wrong_outputs(Range<Space>(space, 0, count), CountWrongSquares<T>{in.data(), out.data()});
    };
    contender.bits = bits_of(m_space, m_out, m_count);
    m_case.contenders.push_back(std::move(contender));
  }

  Space m_space;
  std::int64_t m_count;
  Kokkos::View<T*, Space> m_in, m_out;
  Case m_case;
};

}  // namespace

Operation squares_operation() {
  return {"squares", {NumberType::float32, NumberType::float64}, {"automatic"}, 2, make_floating_case<SquaresCase>};
}

}  // namespace tessera::apps::bench
