// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over one axis: rows and columns of every length, and odd shapes, all in the same two arrays.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <tessera/reduce/reduce_axes.hpp>
#include <tessera/reduce/sums.hpp>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "device/axes_fields.hpp"
#include "device/spaces.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cub_reduce.hpp"
#endif

namespace tessera::apps::bench {
namespace {

using T = float;

struct Placement {
  Shape shape;
  int axis = 0;
  bool operator==(const Placement&) const = default;
};

/// The largest odd number up to n; 1 for 0.
std::uint64_t odd(std::uint64_t n) { return n == 0 ? 1 : n - (n + 1) % 2; }
std::uint64_t odd_root(std::uint64_t n) { return odd(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)))); }

/// What is measured with at most size elements; odd shapes too large for them are left out.
std::vector<Placement> placements(std::uint64_t size) {
  std::vector<Placement> all;
  const auto add = [&](const Shape& shape, int axis) {
    const std::uint64_t elements = element_count(shape);
    const Placement placement{shape, axis};
    if (elements == 0 || elements > size || std::find(all.begin(), all.end(), placement) != all.end()) return;
    all.push_back(placement);
  };
  constexpr std::array<std::uint64_t, 14> lengths{1, 2, 3, 5, 7, 8, 15, 16, 64, 256, 1000, 4096, 1 << 16, 1 << 20};
  for (const auto length : lengths) add({size / length, length}, 1);
  for (const auto length : lengths) add({length, size / length}, 0);
  const std::uint64_t side = odd_root(size), fifteenth = odd_root(size / 15), twentyseventh = odd_root(size / 27);
  const std::vector<Shape> odd_shapes{{3, size / 3},
                                      {size / 3, 3},
                                      {17, size / 17},
                                      {size / 17, 17},
                                      {side - std::min<std::uint64_t>(side, 2), side},
                                      {1, size},
                                      {size, 1},
                                      {101, 103, odd(size / (101 * 103))},
                                      {7, odd(size / 49), 7},
                                      {5, fifteenth, fifteenth, 3},
                                      {3, 3, 3, twentyseventh, twentyseventh}};
  for (const Shape& shape : odd_shapes) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) add(shape, static_cast<int>(axis));
  }
  return all;
}

/// The elements behind each output: length of them, stride apart.
struct Lines {
  std::int64_t outputs, length, stride;
  KOKKOS_FUNCTION std::int64_t begin(std::int64_t output) const {
    return output / stride * length * stride + output % stride;
  }
};

Lines lines_of(const Placement& placement) {
  Lines lines{1, 1, 1};
  for (std::size_t d = 0; d < placement.shape.size(); ++d) {
    const auto extent = static_cast<std::int64_t>(placement.shape[d]);
    (static_cast<int>(d) == placement.axis ? lines.length : lines.outputs) *= extent;
    if (static_cast<int>(d) > placement.axis) lines.stride *= extent;
  }
  return lines;
}

KOKKOS_INLINE_FUNCTION std::int64_t numerator_sum(const Lines& lines, std::int64_t output, std::int64_t begin,
                                                  std::int64_t end) {
  const std::int64_t first = lines.begin(output);
  std::int64_t sum = 0;
  for (std::int64_t j = begin; j < end; ++j) sum += numerator<T>(static_cast<std::uint64_t>(first + j * lines.stride));
  return sum;
}

/// Elements that a thread of a check sums.
constexpr std::int64_t check_length = 4096;

/// For lines longer than that.
struct AddNumerators {
  Lines lines;
  std::int64_t* totals;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t output = i % lines.outputs, begin = i / lines.outputs * check_length;
    const std::int64_t rest = lines.length - begin;
    const std::int64_t end = begin + (rest < check_length ? rest : check_length);
    Kokkos::atomic_add(totals + output, numerator_sum(lines, output, begin, end));
  }
};

struct CountWrongSums {
  Lines lines;
  const std::int64_t* totals;  // null: they are summed here
  const T* out;
  double tolerance;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    const std::int64_t total = totals != nullptr ? totals[i] : numerator_sum(lines, i, 0, lines.length);
    const T expected = static_cast<T>(static_cast<double>(total) / denominator<T>);
    wrong += !(Kokkos::fabs(static_cast<double>(out[i]) - static_cast<double>(expected)) <= tolerance);
  }
};

/// A sum by a Kokkos user: of one line by all threads.
struct SumLine {
  const T* line;
  std::int64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t j, T& sum) const { sum += line[j * stride]; }
};

/// Of a line by a thread.
struct SumLines {
  Lines lines;
  const T* in;
  T* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const T* line = in + lines.begin(i);
    T sum = 0;
    for (std::int64_t j = 0; j < lines.length; ++j) sum += line[j * lines.stride];
    out[i] = sum;
  }
};

/// Of a line by a team.
template <class Space>
struct SumLinesByTeams {
  Lines lines;
  const T* in;
  T* out;
  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const std::int64_t i = team.league_rank();
    T sum = 0;
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, lines.length), SumLine{in + lines.begin(i), lines.stride},
                            sum);
    Kokkos::single(Kokkos::PerTeam(team), [&] { out[i] = sum; });
  }
};

template <class Space>
class AxesCases {
 public:
  AxesCases(const Space& space, const Request& request)
      : m_space(space),
        m_request(request),
        m_in(make_elements<Space, T>(space, static_cast<std::int64_t>(request.size()))),
        m_out(make_output<Space, T>(space, static_cast<std::int64_t>(request.size()))),
        m_totals(Kokkos::view_alloc(space, "tessera::bench::totals"), m_in.extent(0) / check_length) {
    add_stopwatch(m_common, space);
  }

  [[nodiscard]] Case make(const Placement& placement) const {
    const Lines lines = lines_of(placement);
    Case made = m_common;
    made.shape = placement.shape;
    made.axis = placement.axis;
    made.bytes = static_cast<std::uint64_t>(lines.outputs * (lines.length + 1)) * sizeof(T);
    // Short lines are little else than a copy.
    made.bounded_by_copy = lines.length < 16;
    if (!m_request.variants.empty()) {
      add_tessera(made, "tessera exact", Sum<T>{}, placement, lines, 0);
      // Up to 2^30 elements every partial sum is exact; beyond, float may have to round.
      const double tolerance = lines.length > (std::int64_t{1} << 30) ? 0x1p-20 * static_cast<double>(lines.length) : 0;
      add_tessera(made, "tessera fast", Sum<T, Summation::fast>{}, placement, lines, tolerance);
    }
    add_by_hand(made, lines);
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (std::is_same_v<Space, Kokkos::Cuda>) add_cub(made, lines);
#endif
    return made;
  }

 private:
  // Every array of the bench has a rank of at most 5: leading axes of extent 1 make one type of all.
  static constexpr int rank = 5;
  template <class Element>
  using Array = Kokkos::View<Element*****, Kokkos::LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  template <class Run>
  void add(Case& made, Contender contender, const Lines& lines, double tolerance, const Run& run) const {
    contender.run = [run, in = m_in, out = m_out] { run(); };  // keeps the arrays
    contender.check = [space = m_space, out = m_out, totals = m_totals, run = contender.run, lines, tolerance] {
      const auto sums = Kokkos::subview(out, std::pair<std::int64_t, std::int64_t>(0, lines.outputs));
      poison(space, sums);
      run();
      const bool is_long = lines.length > check_length;
      if (is_long) {
        Kokkos::deep_copy(space, totals, 0);
        const std::int64_t parts = (lines.length + check_length - 1) / check_length;
        Kokkos::parallel_for("tessera::bench::totals", Range<Space>(space, 0, lines.outputs * parts),
                             AddNumerators{lines, totals.data()});
      }
      std::int64_t wrong = 0;
      Kokkos::parallel_reduce("tessera::bench::check", Range<Space>(space, 0, lines.outputs),
                              CountWrongSums{lines, is_long ? totals.data() : nullptr, out.data(), tolerance}, wrong);
      return wrong_outputs(wrong, lines.outputs);
    };
    contender.bits = bits_of(m_space, m_out, lines.outputs);
    made.contenders.push_back(std::move(contender));
  }

  template <class R>
  void add_tessera(Case& made, const std::string& name, const R& reducer, const Placement& placement,
                   const Lines& lines, double tolerance) const {
    if (!wants_summation(m_request, SummationName<R>::value)) return;
    std::array<std::size_t, rank> extents, kept;
    extents.fill(1);
    const std::size_t first = rank - placement.shape.size();
    std::copy(placement.shape.begin(), placement.shape.end(), extents.begin() + first);
    kept = extents;
    const int axis = static_cast<int>(first) + placement.axis;
    kept[static_cast<std::size_t>(axis)] = 1;
    const Array<const T> in(m_in.data(), extents[0], extents[1], extents[2], extents[3], extents[4]);
    const Array<T> out(m_out.data(), kept[0], kept[1], kept[2], kept[3], kept[4]);
    for_team_sizes(m_request, [&](int team_size, const std::string& suffix) {
      Contender contender{name + suffix, Role::tessera, {}, {}, {}, {}, {}};
      contender.summation = SummationName<R>::value;
      const ReduceOptions options{.league_size = m_request.league_size, .team_size = team_size};
      try {
        const auto plan = reduce_axes_plan(m_space, in, {axis}, reducer, options);
        contender.variant = to_string(plan.mapping);
        contender.plan = plan_fields(plan);
        const Workspace<Space> workspace(m_space, plan.workspace_bytes);
        add(made, contender, lines, tolerance, [space = m_space, in, out, axis, reducer, options, workspace] {
          reduce_axes(space, in, {axis}, reducer, out, options, workspace);
        });
      } catch (const Error& error) {
        contender.refusal = error.what();
        made.contenders.push_back(contender);
      }
    });
  }

  /// What Kokkos offers, as fits the shape: for a few outputs a parallel_reduce each, for long rows or few columns a
  /// team each, else a thread each.
  void add_by_hand(Case& made, const Lines& lines) const {
    Contender contender{"Kokkos by hand", Role::peer, {}, {}, {}, {}, {}};
    const T* in = m_in.data();
    T* out = m_out.data();
    if (lines.outputs <= 64) {
      contender.variant = "parallel_reduce";
      add(made, contender, lines, 0, [policy = Range<Space>(m_space, 0, lines.length), lines, in, out] {
        for (std::int64_t i = 0; i < lines.outputs; ++i) {
          Kokkos::parallel_reduce("tessera::bench::parallel_reduce", policy, SumLine{in + lines.begin(i), lines.stride},
                                  Kokkos::View<T, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(out + i));
        }
      });
    } else if (lines.length >= 64 && (lines.stride == 1 || lines.outputs < (1 << 14))) {
      contender.variant = "team";
      const Kokkos::TeamPolicy<Space> policy(m_space, static_cast<int>(lines.outputs), Kokkos::AUTO);
      add(made, contender, lines, 0, [policy, sums = SumLinesByTeams<Space>{lines, in, out}] {
        Kokkos::parallel_for("tessera::bench::teams", policy, sums);
      });
    } else {
      contender.variant = "thread";
      add(made, contender, lines, 0,
          [policy = Range<Space>(m_space, 0, lines.outputs), sums = SumLines{lines, in, out}] {
            Kokkos::parallel_for("tessera::bench::threads", policy, sums);
          });
    }
  }

#ifdef KOKKOS_ENABLE_CUDA
  /// A block a row: of shorter ones it would run for seconds.
  void add_cub(Case& made, const Lines& lines) const {
    if (lines.stride != 1 || lines.length < 16) return;
    const Kokkos::View<char*, Space> scratch(Kokkos::view_alloc(m_space, "tessera::bench::cub"),
                                             cub_row_sums_scratch_bytes(lines.outputs, lines.length));
    add(made, {"cub::DeviceSegmentedReduce::Sum", Role::peer, {}, {}, {}, {}, {}}, lines, 0,
        [stream = m_space.cuda_stream(), in = m_in.data(), out = m_out.data(), lines, scratch] {
          cub_row_sums(in, lines.outputs, lines.length, out, scratch.data(), scratch.extent(0), stream);
        });
  }
#endif

  Space m_space;
  Request m_request;
  Kokkos::View<T*, Space> m_in, m_out;
  Kokkos::View<std::int64_t*, Space> m_totals;
  Case m_common;
};

}  // namespace

Operation axes_operation() {
  return {"axes",
          {NumberType::float32},
          {"automatic"},
          2,
          [](const Request& request) {
            return visit_space(request.space, [&](const auto& space) -> Cases {
              const AxesCases<std::decay_t<decltype(space)>> axes(space, request);
              std::vector<Case> cases;
              for (const auto& placement : placements(request.size())) cases.push_back(axes.make(placement));
              return cases;
            });
          },
          {},
          true,
          80};
}

}  // namespace tessera::apps::bench
