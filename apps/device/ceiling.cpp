// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ceiling.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <optional>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/host_vector.hpp>

#include "common/failure.hpp"
#include "random_word.hpp"
#include "spaces.hpp"
#include "timing.hpp"

namespace tessera::apps {
namespace {

struct alignas(16) Piece {
  std::uint64_t low, high;
};
template <class Space>
constexpr int most_in_flight = is_host_space<Space> ? 16 : 8;

// On a host pieces a page ahead are on their way, as hardware alone fetches up to a page's end.
template <int InFlight>
KOKKOS_FUNCTION void prefetch_ahead([[maybe_unused]] const Piece* pieces) {
  KOKKOS_IF_ON_HOST((detail::prefetch_page_ahead<InFlight>(pieces);))
}

template <class Space>
using Pieces = Kokkos::View<Piece*, Space>;
template <class Space>
using Member = typename Kokkos::TeamPolicy<Space>::member_type;

// The share of a thread: neighbouring threads take neighbouring pieces on a GPU, each its own block on a host.
struct Share {
  std::int64_t begin, end, stride;
};
template <class Space>
KOKKOS_FUNCTION Share share_of(const Member<Space>& team, std::int64_t count) {
  const std::int64_t rank = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
  const std::int64_t threads = std::int64_t{team.league_size()} * team.team_size();
  if constexpr (is_host_space<Space>) {
    return {count * rank / threads, count * (rank + 1) / threads, 1};
  } else {
    return {rank, count, threads};
  }
}

// Applies one(piece index) to a share, InFlight independent pieces at a time.
template <class Space, int InFlight>
struct CopyKernel {
  Pieces<Space> in, out;
  KOKKOS_FUNCTION void operator()(const Member<Space>& team) const {
    const Share share = share_of<Space>(team, static_cast<std::int64_t>(in.extent(0)));
    const Piece* from = in.data();
    Piece* to = out.data();
    std::int64_t i = share.begin;
    for (; i + (InFlight - 1) * share.stride < share.end; i += InFlight * share.stride) {
      if constexpr (InFlight == most_in_flight<Space>) prefetch_ahead<InFlight>(from + i);  // fewer are faster without
      Piece held[InFlight];
      for (int k = 0; k < InFlight; ++k) held[k] = from[i + k * share.stride];
      for (int k = 0; k < InFlight; ++k) to[i + k * share.stride] = held[k];
    }
    for (; i < share.end; i += share.stride) to[i] = from[i];
  }
};

#if defined(TESSERA_HOST_VECTORS)
// Sums pieces from i on in vectors as wide as the machine's, which read a fifth faster than pieces; returns the first
// that is left.
template <int InFlight>
std::int64_t add_in_vectors(const Piece* from, std::int64_t i, std::int64_t end, std::uint64_t& low,
                            std::uint64_t& high) {
  constexpr int words = detail::host_vector_bytes / static_cast<int>(sizeof(std::uint64_t));
  constexpr int vectors = 2 * InFlight / words;
  using Vector = detail::HostVector<std::uint64_t, words>;
  Vector sums[vectors] = {};
  for (; i + InFlight <= end; i += InFlight) {
    prefetch_ahead<InFlight>(from + i);
    for (int v = 0; v < vectors; ++v) {
      Vector loaded;
      detail::load_vector(from + i + v * words / 2, loaded);
      sums[v] += loaded;
    }
  }
  for (const Vector& sum : sums) {
    for (int word = 0; word < words; ++word) (word % 2 == 0 ? low : high) += sum[word];
  }
  return i;
}
#endif

// Each team leaves a sum of its pieces, so that no load can be dropped.
template <class Space, int InFlight>
struct ReadKernel {
  Pieces<Space> in;
  Kokkos::View<std::uint64_t*, Space> digests;
  KOKKOS_FUNCTION void operator()(const Member<Space>& team) const {
    const Share share = share_of<Space>(team, static_cast<std::int64_t>(in.extent(0)));
    const Piece* from = in.data();
    std::uint64_t low = 0, high = 0;
    std::int64_t i = share.begin;
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (is_host_space<Space>) i = add_in_vectors<InFlight>(from, i, share.end, low, high);
#endif
    for (; i + (InFlight - 1) * share.stride < share.end; i += InFlight * share.stride) {
      prefetch_ahead<InFlight>(from + i);
      Piece held[InFlight];
      for (int k = 0; k < InFlight; ++k) held[k] = from[i + k * share.stride];
      for (int k = 0; k < InFlight; ++k) {
        low += held[k].low;
        high += held[k].high;
      }
    }
    for (; i < share.end; i += share.stride) {
      low += from[i].low;
      high += from[i].high;
    }
    std::uint64_t digest = low + 3 * high;
    team.team_reduce(Kokkos::Sum<std::uint64_t>(digest));
    if (team.team_rank() == 0) digests(team.league_rank()) = digest;
  }
};

// Not zeros: those can be faster than real data.
KOKKOS_INLINE_FUNCTION Piece random_piece(std::int64_t index) {
  return {random_word(2 * static_cast<std::uint64_t>(index)), random_word(2 * static_cast<std::uint64_t>(index) + 1)};
}

template <class Space>
struct FillPieces {
  Pieces<Space> data;
  bool invert;  // the poison that a copy must replace
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Piece piece = random_piece(i);
    data(i) = invert ? Piece{~piece.low, ~piece.high} : piece;
  }
};
template <class Space>
struct CountWrongPieces {
  Pieces<Space> data;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    const Piece piece = random_piece(i);
    wrong += data(i).low != piece.low || data(i).high != piece.high;
  }
};
template <class Space>
struct DigestPieces {
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& digest) const {
    const Piece piece = random_piece(i);
    digest += piece.low + 3 * piece.high;
  }
};

struct LaunchShape {
  int league, team, in_flight;
  bool operator==(const LaunchShape&) const = default;
  [[nodiscard]] std::string name() const {
    return "16-byte kernel, league " + std::to_string(league) + ", team " + std::to_string(team) + ", " +
           std::to_string(in_flight) + " in flight";
  }
};

template <class Space>
std::vector<LaunchShape> launch_shapes(const Space& space, std::int64_t pieces) {
  std::vector<LaunchShape> shapes;
  const auto add = [&](std::int64_t league, int team, int in_flight) {
    league = std::clamp<std::int64_t>(league, 1, (pieces + team - 1) / team);
    const LaunchShape shape{static_cast<int>(league), team, in_flight};
    if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
  };
  if constexpr (is_host_space<Space>) {
    for (int in_flight : {4, most_in_flight<Space>}) {
      for (int blocks : {1, 4, 64}) add(std::int64_t{blocks} * space.concurrency(), 1, in_flight);
    }
  } else {
    const int units = std::max(1, space.concurrency() / 2048);  // multiprocessors of 2048 threads
    for (int in_flight : {4, most_in_flight<Space>}) {
      for (auto [teams, size] : {std::pair{2, 512}, {4, 512}, {2, 1024}, {8, 256}, {16, 512}, {16, 1024}}) {
        add(std::int64_t{teams} * units, size, in_flight);
      }
      // No loop: a thread does its pieces and ends.
      add((pieces + 512 * in_flight - 1) / (512 * in_flight), 512, in_flight);
    }
  }
  return shapes;
}

// Device memory by the runtime, host memory by all threads at once.
template <class Space>
void runtime_copy(const Space& space, const Pieces<Space>& in, const Pieces<Space>& out) {
  if constexpr (is_host_space<Space>) {
    const std::int64_t count = in.extent(0), threads = space.concurrency();
    Kokkos::parallel_for("tessera::apps::ceiling::memcpy", Kokkos::RangePolicy<Space>(space, 0, threads),
                         [=](std::int64_t thread) {
                           const auto begin = count * thread / threads, end = count * (thread + 1) / threads;
                           std::memcpy(out.data() + begin, in.data() + begin, sizeof(Piece) * (end - begin));
                         });
  }
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    check_cuda(cudaMemcpyAsync(out.data(), in.data(), sizeof(Piece) * in.extent(0), cudaMemcpyDeviceToDevice,
                               space.cuda_stream()));
  }
#endif
}

template <class Space>
class CeilingRun {
 public:
  CeilingRun(const Space& space, std::int64_t pieces)
      : m_space(space),
        m_shapes(launch_shapes(space, pieces)),
        m_in(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "tessera::apps::ceiling::in"), pieces),
        m_out(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "tessera::apps::ceiling::out"), pieces) {
    int most_teams = 1;
    for (const auto& shape : m_shapes) most_teams = std::max(most_teams, shape.league);
    m_digests =
        Kokkos::View<std::uint64_t*, Space>(Kokkos::view_alloc(space, "tessera::apps::ceiling::digests"), most_teams);
    m_options.repeat = 20;
    m_options.warmup = 1;
    m_options.time_limit_seconds = 0.25;
    fill(m_in, false);
    Kokkos::parallel_reduce("tessera::apps::ceiling::digest", range(), DigestPieces<Space>{pieces},
                            Kokkos::Sum<std::uint64_t>(m_digest));
  }

  std::vector<CeilingCandidate> run() {
    std::vector<CeilingCandidate> candidates;
    const std::string runtime = is_host_space<Space> ? "memcpy by all threads" : "cudaMemcpyAsync";
    candidates.push_back(copy(runtime, [&] { runtime_copy(m_space, m_in, m_out); }));
    for (const auto& shape : m_shapes) {
      candidates.push_back(copy(shape.name(), [&] { launch<CopyKernel>(shape, m_in, m_out); }));
    }
    for (const auto& shape : m_shapes) candidates.push_back(read(shape));
    return candidates;
  }

 private:
  [[nodiscard]] Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>> range() const {
    return {m_space, 0, static_cast<std::int64_t>(m_in.extent(0))};
  }
  void fill(const Pieces<Space>& data, bool invert) {
    Kokkos::parallel_for("tessera::apps::ceiling::fill", range(), FillPieces<Space>{data, invert});
  }
  template <template <class, int> class Kernel, class... Views>
  void launch(const LaunchShape& shape, const Views&... views) {
    const Kokkos::TeamPolicy<Space> policy(m_space, shape.league, shape.team);
    if (shape.in_flight == most_in_flight<Space>) {
      Kokkos::parallel_for("tessera::apps::ceiling", policy, Kernel<Space, most_in_flight<Space>>{views...});
    } else {
      Kokkos::parallel_for("tessera::apps::ceiling", policy, Kernel<Space, 4>{views...});
    }
  }

  template <class Function>
  CeilingCandidate copy(const std::string& name, Function&& function) {
    fill(m_out, true);
    CeilingCandidate candidate{true, name, 2 * sizeof(Piece) * m_in.extent(0),
                               time_repeats(m_space, m_options, function)};
    std::int64_t wrong = 0;
    Kokkos::parallel_reduce("tessera::apps::ceiling::check", range(), CountWrongPieces<Space>{m_out}, wrong);
    require(wrong == 0, candidate);
    return candidate;
  }
  CeilingCandidate read(const LaunchShape& shape) {
    Kokkos::deep_copy(m_space, m_digests, std::uint64_t{0});
    CeilingCandidate candidate{false, shape.name(), sizeof(Piece) * m_in.extent(0),
                               time_repeats(m_space, m_options, [&] { launch<ReadKernel>(shape, m_in, m_digests); })};
    const auto digests = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, m_digests);
    std::uint64_t digest = 0;
    for (std::size_t i = 0; i < digests.extent(0); ++i) digest += digests(i);
    require(digest == m_digest, candidate);
    return candidate;
  }
  static void require(bool good, const CeilingCandidate& candidate) {
    if (good) return;
    throw Failure(ExitStatus::not_verified, std::string("the ceiling's ") + (candidate.is_copy ? "copy" : "read") +
                                                " by " + candidate.name + " gave wrong data");
  }

  Space m_space;
  std::vector<LaunchShape> m_shapes;
  Pieces<Space> m_in, m_out;
  Kokkos::View<std::uint64_t*, Space> m_digests;
  RunOptions m_options;
  std::uint64_t m_digest = 0;
};

}  // namespace

std::vector<CeilingCandidate> ceiling_candidates(const std::string& space, std::uint64_t array_bytes) {
  const auto bytes = std::min(ceiling_bytes(array_bytes), free_bytes(space) / 3);
  if (bytes == 0) return {};
  const auto pieces = static_cast<std::int64_t>(std::max<std::uint64_t>(1, bytes / sizeof(Piece)));
  return visit_space(space, [&](const auto& instance) -> std::vector<CeilingCandidate> {
    using Run = CeilingRun<std::decay_t<decltype(instance)>>;
    std::optional<Run> run;
    try {
      run.emplace(instance, pieces);
    } catch (const std::exception&) {  // no memory: what is free is not always to be had
      return {};
    }
    return run->run();
  });
}

Ceiling ceiling_of(const std::vector<CeilingCandidate>& candidates) {
  Ceiling ceiling;
  for (const auto& candidate : candidates) {
    const double rate = 1e-9 * static_cast<double>(candidate.bytes) / statistics_of(candidate.seconds).median;
    auto& best = candidate.is_copy ? ceiling.copy_gb_per_s : ceiling.read_gb_per_s;
    best = std::max(best, rate);
    ceiling.bytes = candidate.is_copy ? candidate.bytes / 2 : candidate.bytes;
  }
  return ceiling;
}

Ceiling measure_ceiling(const std::string& space, std::uint64_t array_bytes) {
  return ceiling_of(ceiling_candidates(space, array_bytes));
}

}  // namespace tessera::apps
