// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a simulation asks Tessera for while it runs, through public headers.
#ifndef TESSERA_APPS_HEAT_IN_SITU_HPP
#define TESSERA_APPS_HEAT_IN_SITU_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/filter/filter.hpp>
#include <tessera/filter/named_weights.hpp>
#include <tessera/reduce/reduce.hpp>
#include <tessera/reduce/stats.hpp>
#include <tessera/transpose/permute.hpp>
#include <tessera/workspace.hpp>

#include "device/random_word.hpp"

namespace tessera::apps {

/// Statistics of a field in one read, the field smoothed along an axis, and that turned to row-major order for output.
/// On an instance of its own: on a GPU beside the solver's kernels (kernels of host spaces run in the calling thread).
/// Everything it needs is allocated once.
template <class Space>
class InSitu {
 public:
  using Field = Kokkos::View<double***, Kokkos::LayoutLeft, Space>;
  using RowMajor = Kokkos::View<double***, Kokkos::LayoutRight, Space>;

  InSitu(const Field& field, std::int64_t taps, int axis)
      : m_space(Kokkos::Experimental::partition_space(Space(), 1)[0]),
        m_stats(Kokkos::view_alloc(m_space, "in_situ::stats")),
        m_workspace(m_space, reduce_plan<double>(m_space, Stats<double>{}, field.size()).workspace_bytes),
        m_weights(m_space, binomial_weights(taps)),
        m_axis(axis),
        m_smooth(Kokkos::view_alloc(m_space, "in_situ::smooth", Kokkos::WithoutInitializing), field.extent(0),
                 field.extent(1), field.extent(2)),
        m_output(Kokkos::view_alloc(m_space, "in_situ::output", Kokkos::WithoutInitializing), field.extent(0),
                 field.extent(1), field.extent(2)) {}

  /// Submits the work and returns. The field must stay as it is until wait().
  void begin(const Field& field) const {
    reduce(m_space, field, Stats<double>{}, m_stats, {}, m_workspace);
    correlate(m_space, field, m_weights, m_smooth, {.axis = m_axis});
    copy_layout(m_space, m_smooth, m_output);
  }

  /// Waits for the work of begin().
  [[nodiscard]] StatsResult<double> wait() const {
    StatsResult<double> stats;
    Kokkos::deep_copy(m_space, stats, m_stats);
    m_space.fence("in_situ::wait");
    return stats;
  }

  /// The smoothed field, row-major.
  [[nodiscard]] const RowMajor& output() const { return m_output; }

 private:
  Space m_space;
  Kokkos::View<StatsResult<double>, Space> m_stats;
  Workspace<Space> m_workspace;
  FilterWeights<Space> m_weights;
  int m_axis;
  Field m_smooth;
  RowMajor m_output;
};

/// A reducer of our own: a number that tells arrays apart by their bits and the order of their elements, whatever the
/// order in which they are visited.
struct Fingerprint {
  using value_type = std::uint64_t;
  static constexpr bool takes_nan = true, order_free = true;

  KOKKOS_FUNCTION static value_type identity() { return 0; }
  KOKKOS_FUNCTION static void join(value_type& into, const value_type& from) { into += from; }  // modulo 2^64
  KOKKOS_FUNCTION static value_type map(double x, std::int64_t index) {
    return random_word(Kokkos::bit_cast<std::uint64_t>(x) ^ random_word(static_cast<std::uint64_t>(index)));
  }
};

}  // namespace tessera::apps

#endif
