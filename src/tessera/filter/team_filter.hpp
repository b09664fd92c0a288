// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Team level: filter a tile that the user's own TeamPolicy kernel staged.
#ifndef TESSERA_FILTER_TEAM_FILTER_HPP
#define TESSERA_FILTER_TEAM_FILTER_HPP

#include <Kokkos_Core.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/detail/weighted.hpp>
#include <tessera/filter/detail/host_correlate.hpp>
#include <tessera/filter/filter_plan.hpp>

namespace tessera {

namespace detail {

/// Neighbours in memory, of the floating type T.
template <class T, class... Views>
inline constexpr bool all_floats = std::is_floating_point_v<T> &&
                                   (std::is_same_v<typename Views::non_const_value_type, T> && ...) &&
                                   (!std::is_same_v<typename Views::array_layout, Kokkos::LayoutStride> && ...);

}  // namespace detail

/// Correlates a staged footprint with weights, with all threads of a team: out(i) = sum_k weights(k) footprint(i + k).
///
/// \tparam Accumulator  type of products and sums; by default the weights' type. Where it is complex, weights may be
///                      real or complex
/// \param[in] team       every thread of the team must call, with the same arguments
/// \param[in] footprint  n + m - 1 elements (tile and halo), usually in team scratch, written before a team_barrier
/// \param[in] weights    m >= 1 taps, likewise
/// \param[in] out        n elements, written; not inside footprint; converted as results are (rounded, clamped)
/// \param[in] sums       n accumulators added to before the conversion, or a view of extent 0 for none
///
/// Ends without a barrier: thread r of T writes outputs r, r + T, .. (GPU) or runs of 64 (host); use team_barrier
/// before others read them. The terms of an output are added in the order of k. Scratch: what the caller staged.
template <class Accumulator, TeamMember Member, View FootprintView, View WeightsView, View OutView, View SumsView>
KOKKOS_FUNCTION void team_correlate(const Member& team, const FootprintView& footprint, const WeightsView& weights,
                                    const OutView& out, const SumsView& sums) {
  static_assert(FootprintView::rank() == 1 && WeightsView::rank() == 1 && OutView::rank() == 1 && SumsView::rank() == 1,
                "tessera::team_correlate: all views must have rank 1");
  constexpr bool is_host = detail::is_host_space<typename Member::execution_space>;
  constexpr int outputs = detail::filter_outputs_per_thread<is_host>;
  const int n = static_cast<int>(out.extent(0));
  const int taps = static_cast<int>(weights.extent(0));
  const bool add_sums = sums.extent(0) != 0;
  // Neighbouring GPU threads read neighbouring elements; a host thread vectorises over its own run.
  const int step = is_host ? 1 : team.team_size();
  const int start = is_host ? team.team_rank() * outputs : team.team_rank();
  for (int base = start; base < n; base += outputs * team.team_size()) {
    Accumulator sum[outputs];
#ifdef TESSERA_HOST_VECTORS
    if constexpr (is_host && detail::all_floats<Accumulator, FootprintView, WeightsView, SumsView>) {
      if (base + outputs <= n) {
        const Accumulator* earlier = add_sums ? &sums(base) : nullptr;
        if constexpr (detail::all_floats<Accumulator, OutView>) {
          detail::host_correlate<outputs>(weights.data(), taps, &footprint(base), earlier, &out(base));
        } else {
          detail::host_correlate<outputs>(weights.data(), taps, &footprint(base), earlier, sum);
          for (int j = 0; j < outputs; ++j) out(base + j) = detail::convert<typename OutView::value_type>(sum[j]);
        }
        continue;
      }
    }
#endif
    if (base + (outputs - 1) * step < n) {
      TESSERA_UNROLL
      for (int j = 0; j < outputs; ++j) sum[j] = add_sums ? Accumulator(sums(base + j * step)) : Accumulator(0);
      for (int k = 0; k < taps; ++k) {
        const auto weight = weights(k);
        TESSERA_UNROLL
        for (int j = 0; j < outputs; ++j)
          sum[j] += detail::weighted<Accumulator>(weight, footprint(base + j * step + k));
      }
      TESSERA_UNROLL
      for (int j = 0; j < outputs; ++j) {
        out(base + j * step) = detail::convert<typename OutView::value_type>(sum[j]);
      }
    } else {
      for (int i = base; i < n && i < base + outputs * step; i += step) {
        Accumulator total = add_sums ? Accumulator(sums(i)) : Accumulator(0);
        for (int k = 0; k < taps; ++k) {
          total += detail::weighted<Accumulator>(weights(k), footprint(i + k));
        }
        out(i) = detail::convert<typename OutView::value_type>(total);
      }
    }
  }
}

/// The same in the weights' type, with nothing added.
template <TeamMember Member, View FootprintView, View WeightsView, View OutView>
KOKKOS_FUNCTION void team_correlate(const Member& team, const FootprintView& footprint, const WeightsView& weights,
                                    const OutView& out) {
  using Accumulator = typename WeightsView::non_const_value_type;
  const Kokkos::View<const Accumulator*, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> none(nullptr,
                                                                                                               0);
  team_correlate<Accumulator>(team, footprint, weights, out, none);
}

}  // namespace tessera

#endif
