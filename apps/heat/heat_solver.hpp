// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A solver as simulation codes have them: Views, an explicit step, one execution-space instance. It knows nothing of
// Tessera.
#ifndef TESSERA_APPS_HEAT_HEAT_SOLVER_HPP
#define TESSERA_APPS_HEAT_HEAT_SOLVER_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "device/random_word.hpp"
#include "device/spaces.hpp"

namespace tessera::apps {

template <class Space>
using HeatField = Kokkos::View<double***, Kokkos::LayoutLeft, Space>;

/// Random numbers in [0, 1), and four more in a block in the middle: the same bits on every machine.
template <class Space>
struct HotBlock {
  HeatField<Space> field;

  KOKKOS_FUNCTION void operator()(int i, int j, int k) const {
    const int at[] = {i, j, k};
    bool inside = true;
    std::uint64_t index = 0;
    for (int d = 0; d < 3; ++d) {
      const int extent = field.extent_int(d);
      inside = inside && at[d] >= extent / 4 && at[d] < extent - extent / 4;
      index = index * static_cast<std::uint64_t>(extent) + static_cast<std::uint64_t>(at[d]);
    }
    field(i, j, k) = static_cast<double>(random_word(index) >> 11) * 0x1p-53 + (inside ? 4 : 0);
  }
};

/// One step of all cells of a line along the first axis, for a team: u += diffusion * (what flows in from the
/// neighbours). Walls are insulated: a cell at a wall is its own neighbour there. Nothing but sums and an explicit fma,
/// so that no compiler has a choice.
template <class Space>
struct HeatStep {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  Kokkos::View<const double***, Kokkos::LayoutLeft, Space> now;
  HeatField<Space> next;
  double diffusion;

  KOKKOS_FUNCTION static int before(int i) { return i > 0 ? i - 1 : i; }
  KOKKOS_FUNCTION static int after(int i, int extent) { return i + 1 < extent ? i + 1 : i; }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int n0 = now.extent_int(0), n1 = now.extent_int(1), n2 = now.extent_int(2);
    const int j = team.league_rank() % n1, k = team.league_rank() / n1;
    const int j0 = before(j), j1 = after(j, n1), k0 = before(k), k1 = after(k, n2);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n0), [&](int i) {
      const double u = now(i, j, k);
      const double inflow = ((now(before(i), j, k) - u) + (now(after(i, n0), j, k) - u)) +
                            ((now(i, j0, k) - u) + (now(i, j1, k) - u)) + ((now(i, j, k0) - u) + (now(i, j, k1) - u));
      next(i, j, k) = Kokkos::fma(diffusion, inflow, u);
    });
  }
};

template <class Space>
class HeatSolver {
 public:
  using Field = HeatField<Space>;

  HeatSolver(const Space& space, const std::array<std::size_t, 3>& extents, double diffusion)
      : m_space(space), m_diffusion(diffusion) {
    for (Field* field : {&m_now, &m_next, &m_spare}) {
      *field =
          Field(Kokkos::view_alloc(space, "heat", Kokkos::WithoutInitializing), extents[0], extents[1], extents[2]);
    }
    using Cells = Kokkos::MDRangePolicy<Space, Kokkos::Rank<3>, Kokkos::IndexType<int>>;
    Kokkos::parallel_for("heat::start",
                         Cells(space, {0, 0, 0}, {m_now.extent_int(0), m_now.extent_int(1), m_now.extent_int(2)}),
                         HotBlock<Space>{m_now});
  }

  /// Submits steps to the instance; returns at once where kernels run asynchronously.
  void advance(std::int64_t steps) {
    const int lines = m_now.extent_int(1) * m_now.extent_int(2);
    // A line is work for one thread of a host, for many of a GPU.
    const int threads = is_host_space<Space> ? 1 : std::clamp(m_now.extent_int(0) / 32 * 32, 32, 256);
    for (; steps > 0; --steps) {
      Kokkos::parallel_for("heat::step", Kokkos::TeamPolicy<Space>(m_space, lines, threads),
                           HeatStep<Space>{m_now, m_next, m_diffusion});
      std::swap(m_now, m_next);
      if (std::exchange(m_lent, false)) std::swap(m_next, m_spare);
    }
  }

  /// The field as it is. It is not written again before the next call of lend().
  [[nodiscard]] const Field& lend() {
    m_space.fence("heat::lend");  // who reads it does so on another instance
    m_lent = true;
    return m_now;
  }

  void wait() const { m_space.fence("heat::wait"); }
  [[nodiscard]] const Field& field() const { return m_now; }

 private:
  Space m_space;
  double m_diffusion;
  Field m_now, m_next, m_spare;
  bool m_lent = false;
};

}  // namespace tessera::apps

#endif
