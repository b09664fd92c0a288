// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variants packed and naive: tiles of several axes. Each thread finds the places of its elements in a tile once, and
// then moves tile after tile; packed stages them in scratch, in the input's order, where that makes the output's runs
// whole; where asynchronous copies are expected to cost less, TransposeRuns has the tile. Hosts have TransposeNest.
//
// A. Hynninen and D. Lyakh, "cuTT: A High-Performance Tensor Transpose Library for CUDA Compatible GPUs" (2017).
#ifndef TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_PACKED_HPP
#define TESSERA_TRANSPOSE_DETAIL_TRANSPOSE_PACKED_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/transpose/detail/packed_plan.hpp>
#include <tessera/transpose/detail/tile_tables.hpp>
#include <tessera/transpose/detail/transpose_launch.hpp>
#include <tessera/transpose/detail/transpose_nest.hpp>
#include <tessera/transpose/detail/transpose_runs.hpp>
#include <tessera/transpose/detail/transpose_words.hpp>
#include <type_traits>

namespace tessera::detail {

template <class In, class Out, class Function>
struct PackedJob {
  using in_type = In;
  using out_type = Out;
  const In* in;
  Out* out;
  Function function;
  std::uint32_t tiles;
  int volume;
  StagedOrder order;
  TileTables tables;
};

/// A pointer to global memory that the compiler leaves whole: else it adds each offset to what it was made of first.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T* whole_address(T* pointer) {
#if defined(__CUDA_ARCH__)
  std::size_t address = __cvta_generic_to_global(pointer);
  asm("" : "+l"(address));
  return static_cast<T*>(__cvta_global_to_generic(address));
#else
  return pointer;
#endif
}

/// A value that the compiler keeps as it is: neither what it was made of nor what follows from it, which would take
/// more registers.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T kept_whole(T value) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(value));
#endif
  return value;
}

/// Offset: 32 bits where those within a tile fit. Direct: no scratch.
template <ExecutionSpace Space, class Job, class Offset, bool Direct>
struct TransposePacked {
  using In = typename Job::in_type;
  using Out = typename Job::out_type;
  static constexpr int slots = packed_slots(sizeof(In), sizeof(Out), sizeof(Offset) > 4);
  using policy_type =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<packed_team_size, packed_teams_at_once(sizeof(Out))>,
                         Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;
  using member_type = typename policy_type::member_type;

  Job job;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const PackedPieces at = packed_pieces(job.volume, job.order, sizeof(Out), Direct);
    std::byte* scratch = team_scratch(team, at.bytes);
    auto& tables = *reinterpret_cast<TileTables*>(scratch + at.tables);
    copy_tables(team, job.tables, tables);
    const int rank = team.team_rank(), size = team.team_size();

    Places places;
    places.count = (job.volume - rank + size - 1) / size;
    Offset(&in_at)[slots] = places.in, (&out_at)[slots] = places.out;
    for_each_slot([&](int k) { in_at[k] = out_at[k] = 0; });
    find(tables.in_order, tables.digits, rank, size, [&](int k, const TileDigit& digit, std::uint32_t index) {
      in_at[k] += static_cast<Offset>(digit.in_stride) * index;
      if constexpr (Direct) out_at[k] += static_cast<Offset>(digit.out_stride) * index;
    });
    if constexpr (!Direct) {
      std::uint32_t position[slots];
      for_each_slot([&](int k) { position[k] = 0; });
      find(tables.out_order, tables.digits, rank, size, [&](int k, const TileDigit& digit, std::uint32_t index) {
        out_at[k] += static_cast<Offset>(digit.out_stride) * index;
        position[k] += static_cast<std::uint32_t>(digit.staged_stride) * index;
      });
      for_each_slot([&](int k) {
        places.staged[k] =
            kept_whole(staged_bytes(rank + k * size) | staged_bytes(static_cast<int>(position[k])) << 16);
      });
    }

    std::byte* const stage = scratch + at.stage;
    auto* const ahead = reinterpret_cast<TileBases*>(scratch + at.bases);
    const auto first = static_cast<std::uint32_t>(team.league_rank()),
               step = static_cast<std::uint32_t>(team.league_size());
    if (first >= job.tiles) return;
    const std::uint32_t count = (job.tiles - first + step - 1) / step;
    const int at_once = size < tile_bases_ahead ? size : tile_bases_ahead;
    // Divisions that each thread would repeat for each tile.
    const auto find_bases = [&](std::uint32_t begin) {
      const std::uint32_t n = begin + static_cast<std::uint32_t>(rank);
      if (rank < at_once && n < count) ahead[rank] = tile_bases(tables, first + n * step);
      team.team_barrier();
    };
    find_bases(0);
    In values[slots];
    load(ahead[0].in, places, values);
    std::int64_t out_base = ahead[0].out;
    int at_next = 0;
    for (std::uint32_t n = 0; n < count; ++n) {
      Out* const out = whole_address(job.out + out_base);
      if constexpr (Direct) {
        for_each_slot(places, [&](int k) { out[out_at[k]] = job.function(values[k]); });
      } else {
        for_each_slot(places, [&](int k) { staged(stage, places.staged[k] & 0xffff) = job.function(values[k]); });
        team.team_barrier();
      }
      if (n + 1 < count) {  // under way while this tile is written
        if (++at_next == at_once) {
          at_next = 0;
          if constexpr (Direct) team.team_barrier();  // all have read theirs
          find_bases(n + 1);
        }
        load(ahead[at_next].in, places, values);
        out_base = ahead[at_next].out;
      }
      if constexpr (!Direct) {
        for_each_slot(places, [&](int k) { out[out_at[k]] = staged(stage, places.staged[k] >> 16); });
        team.team_barrier();
      }
    }
  }

 private:
  /// Of a thread's elements: how many, and where they lie from the beginning of a tile on. staged: where one goes in
  /// scratch, and where the one to write instead is, in bytes, 16 bits each: registers decide how many teams run at
  /// once.
  struct Places {
    int count;
    Offset in[slots], out[slots];
    std::uint32_t staged[slots];
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t staged_bytes(int e) const {
    return static_cast<std::uint32_t>(job.order.position(e)) * sizeof(Out) & 0xffff;
  }

  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_slot(const Body& body) {
    TESSERA_UNROLL
    for (int k = 0; k < slots; ++k) body(k);
  }
  /// Those that a thread has.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_slot(const Places& places, const Body& body) {
    const int count = kept_whole(places.count);
    for_each_slot([&](int k) {
      if (k < count) body(k);
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION static Out& staged(std::byte* stage, std::uint32_t bytes) {
    return *reinterpret_cast<Out*>(stage + bytes);
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(std::int64_t base, const Places& places, In (&values)[slots]) const {
    const In* const in = whole_address(job.in + base);
    for_each_slot(places, [&](int k) { values[k] = in[places.in[k]]; });
  }

  /// Calls visit(slot, digit, index along it) for the elements rank, rank + size, .. of a tile.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void find(const TileDigit* digits, int count, int rank, int size,
                                               const Visit& visit) {
    std::uint32_t rest[slots];
    for_each_slot([&](int k) { rest[k] = static_cast<std::uint32_t>(rank + k * size); });
    TESSERA_NO_UNROLL
    for (int d = 0; d < count; ++d) {
      const TileDigit digit = digits[d];
      for_each_slot([&](int k) {
        const auto quotient = static_cast<std::uint32_t>((std::uint64_t{rest[k]} * digit.inverse) >> 32);
        visit(k, digit, rest[k] - quotient * static_cast<std::uint32_t>(digit.extent));
        rest[k] = quotient;
      });
    }
  }
};

template <ExecutionSpace Space, class In, class Out, class Function>
void launch_packed(std::string_view name, const Space& space, const TransposeChoice& choice, const In* in, Out* out,
                   const Function& function, int asked_team_size) {
  const auto tiles = static_cast<std::uint32_t>(tiles_of(choice.tables));
  const auto launch = [&](const auto& functor) {
    launch_transpose(name, space, choice.plan, functor, asked_team_size);
  };
  if constexpr (is_host_space<Space>) {
    using Job = NestJob<In, Out, Function>;
    launch(
        TransposeNest<Space, Job>{{in, out, function, tiles, choice.tables, choice.nest}, choice.plan.scratch_bytes});
  } else {
    using Job = PackedJob<In, Out, Function>;
    const Job job{in, out, function, tiles, static_cast<int>(choice.tile.volume), choice.order, choice.tables};
    const auto launch_as = [&](auto offset, auto direct) {
      launch(TransposePacked<Space, Job, decltype(offset), direct.value>{job});
    };
    if constexpr (sizeof(In) == 4 || sizeof(In) == 8) {
      if (choice.kernel == PackedKernel::runs) {
        using Runs = RunsJob<In, Out, Function>;
        return launch(TransposeRuns<Space, Runs>{{in, out, function, tiles, choice.runs, choice.order, choice.tables}});
      }
    }
    if constexpr (sizeof(In) == sizeof(Out) && sizeof(In) <= 2) {
      if (choice.kernel == PackedKernel::words) {
        using Words = WordsJob<In, Out, Function>;
        return launch(
            TransposeWords<Space, Words>{{in, in + choice.spans, out, function, tiles, choice.words, choice.tables}});
      }
    }
    const auto launch_with = [&](auto offset) {
      choice.kernel == PackedKernel::direct ? launch_as(offset, std::true_type{})
                                            : launch_as(offset, std::false_type{});
    };
    choice.wide_offsets ? launch_with(std::int64_t{}) : launch_with(std::uint32_t{});
  }
}

}  // namespace tessera::detail

#endif
