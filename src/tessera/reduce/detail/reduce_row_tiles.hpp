// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping tiles, of sums that pairs of doubles mostly settle: rows that follow each other in memory. A team copies some
// of them to scratch in one piece, wherever they begin, and its lanes take equal parts of rows from there. Copies that
// no register waits for keep memory busy, and hardly a row is too short to be worth one.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_ROW_TILES_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_ROW_TILES_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/async_copy.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/axes_problem.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/lane_join.hpp>
#include <tessera/reduce/detail/reduce_rows.hpp>
#include <tessera/reduce/detail/row_tiles_plan.hpp>
#include <type_traits>

namespace tessera::detail {

/// A tile a team. Rows that they do not settle are left to ReduceRowsLeft: what they take would cost this kernel
/// registers, and be in the way of others. in_packs: of the lanes' parts.
template <ExecutionSpace Space, class Problem>
struct ReduceRowTiles : ReduceRows<Space, Problem> {
  using Base = ReduceRows<Space, Problem>;
  using Base::lanes;
  using Base::problem;
  using typename Base::Fold;
  using typename Base::T;
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<row_tiles_team_size, row_tiles_teams_at_once>,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using Member = typename policy_type::member_type;
  static constexpr const char* label = "tessera::reduce_axes::tiles";

  int tile_rows;
  int part;  // row_tile_part()

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    std::byte* scratch = team_scratch(team, this->scratch_bytes);
    const int row_size = static_cast<int>(problem.run_size), lane = lane_number(team, lanes);
    const int thread = team.team_rank() * lanes + lane, step = team.team_size();
    const std::int64_t first = std::int64_t{team.league_rank()} * tile_rows;
    const auto rows = static_cast<int>(Kokkos::min<std::int64_t>(tile_rows, problem.kept_size - first));
    const T* const tile = begin_copy(problem.in + first * row_size, rows * row_size,
                                     reinterpret_cast<T*>(scratch + after_axes()), thread, step * lanes);
    end_async_group();
    const AxesDim* axes = problem.kept > 1 ? axes_in_reach<Space>(team, problem, scratch) : nullptr;
    wait_for_async_groups<0>();
    team.team_barrier();

    const int size = Kokkos::max(0, Kokkos::min(part, row_size - lane * part));
    const bool divided = part * lanes == row_size;
    // As many rounds for every vector that shuffles with others: without a row, it has one of no elements.
    const int before = team.team_rank() % vectors_at_once(lanes);
    const T* mine = tile + team.team_rank() * row_size + lane * part;
    std::int64_t out = (first + team.team_rank()) * problem.dims[0].out;
    TESSERA_NO_UNROLL
    for (int row = team.team_rank(); row - before < rows; row += step) {
      const bool writes = row < rows;
      if (problem.kept > 1 && writes) {
        out = axes_offsets_narrow(axes, problem.kept, static_cast<std::uint32_t>(first + row)).out;
      }
      const bool summed = this->sum_row(team, out, writes, [&](auto& few) {
        if (!writes) return;
        if (this->in_packs) {
          add_around(Pieces<packed_length<T>>(mine, size), thread, few);
        } else if (divided) {
          add_around(Pieces<1>(mine, size), thread, few);
        } else {
          const Pieces<1> pieces(mine, size);
          add_all(pieces.count, few, [&](int i) { return pieces.first[i]; });
        }
      });
      if (!summed) problem.left.leave(problem.out[out]);
      mine += step * row_size;
      out += step * problem.dims[0].out;
    }
  }

 private:
  template <int Width>
  struct Pieces {
    const Packed<T, Width>* first;
    int count;
    KOKKOS_FORCEINLINE_FUNCTION Pieces(const T* data, int size)
        : first(reinterpret_cast<const Packed<T, Width>*>(data)), count(size / Width) {}
  };

  /// All pieces, of which neighbours have as many side by side, from another one on in each of those threads whose
  /// first ones lie in the same banks.
  template <int Width, class Few>
  KOKKOS_FORCEINLINE_FUNCTION static void add_around(const Pieces<Width>& pieces, int thread, Few& few) {
    constexpr unsigned in_banks = 128 / sizeof(Packed<T, Width>);
    const auto count = static_cast<unsigned>(pieces.count);
    const unsigned alike = Kokkos::min(in_banks, count & -count);
    int piece = static_cast<int>(static_cast<unsigned>(thread) * alike / in_banks & (alike - 1));
    add_all(pieces.count, few, [&](int) {
      const Packed<T, Width> loaded = pieces.first[piece];
      piece = piece + 1 == pieces.count ? 0 : piece + 1;
      return loaded;
    });
  }

  /// The pieces that load(0), load(1) and so on return.
  template <class Few, class Load>
  KOKKOS_FORCEINLINE_FUNCTION static void add_all(int count, Few& few, const Load& load) {
    using Piece = decltype(load(0));
    constexpr int width = sizeof(Piece) / sizeof(T), loads = 8 / width;
    const auto add = [&](const auto& of_group) {
      term_t<Fold, T> terms[loads * width];
      TESSERA_UNROLL
      for (int l = 0; l < loads; ++l) {
        const Piece loaded = of_group(l);
        TESSERA_UNROLL
        for (int k = 0; k < width; ++k) terms[l * width + k] = Fold::term(loaded.values[k]);
      }
      add_group(few, terms);
    };
    int i = 0;
    for (; i + loads <= count; i += loads) {
      add([&](int l) { return load(i + l); });
    }
    if constexpr (sizeof(T) < sizeof(double) && !std::is_same_v<Few, ExactFew<float>>) {
      // The rest at once too: zeros add nothing.
      if (i < count) {
        add([&](int l) { return i + l < count ? load(i + l) : Piece{}; });
      }
    } else {
      TESSERA_NO_UNROLL
      for (; i < count; ++i) {
        const Piece loaded = load(i);
        TESSERA_UNROLL
        for (int k = 0; k < width; ++k) few.add(Fold::term(loaded.values[k]));
      }
    }
  }
};

}  // namespace tessera::detail

#endif
