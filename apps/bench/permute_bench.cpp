// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Permutations of axes: every order of short, odd and mixed extents, all in the same two arrays. Pairs that stay
// together, a last axis of 2, stand for elements of twice the size.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tessera/transpose/permute_array.hpp>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "device/spaces.hpp"
#include "device/transpose_fields.hpp"

namespace tessera::apps::bench {
namespace {

struct Permutation {
  std::vector<std::int64_t> extents;
  std::vector<int> axes;
  bool operator==(const Permutation&) const = default;
};

std::vector<int> identity(std::size_t rank) {
  std::vector<int> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// What is measured with at most size elements.
std::vector<Permutation> permutations(std::int64_t size) {
  std::vector<Permutation> all;
  const auto add = [&](const Permutation& permutation) {
    const auto& extents = permutation.extents;
    const auto elements = std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
    if (elements == 0 || elements > size || std::find(all.begin(), all.end(), permutation) != all.end()) return;
    all.push_back(permutation);
  };
  const auto add_every_order = [&](const std::vector<std::int64_t>& extents) {
    std::vector<int> axes = identity(extents.size());
    do add({extents, axes});
    while (std::next_permutation(axes.begin(), axes.end()));
  };
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(size)));
  add({{side, side}, {1, 0}});
  add({{size / 3, 3}, {1, 0}});
  add({{3, size / 3}, {1, 0}});
  add({{16384, 16384}, {1, 0}});
  add({{16384, 16384, 2}, {1, 0, 2}});
  add_every_order({256, 512, 1024});
  add_every_order({55, 13, 55, 55});
  add_every_order({7, 100019, 7});
  add_every_order({10001, 10001, 3});
  add_every_order({3, 10000033});
  add_every_order({1001, 1001, 3, 3, 3});
  std::mt19937 random(8);
  std::vector<int> axes = identity(8);
  for (int n = 0; n < 40; ++n) {
    // std::shuffle differs between libraries.
    for (std::size_t d = 7; d > 0; --d) std::swap(axes[d], axes[random() % (d + 1)]);
    add({std::vector<std::int64_t>(8, 9), axes});
  }
  return all;
}

constexpr int rank_max = 8;

/// The position in the input of an output's element.
struct Positions {
  int rank = 0;
  std::int64_t extents[rank_max] = {}, strides[rank_max] = {};  // of the output's axes; strides in the input
  explicit Positions(const Permutation& permutation) : rank(static_cast<int>(permutation.axes.size())) {
    for (int d = 0; d < rank; ++d) {
      const auto axis = static_cast<std::size_t>(permutation.axes[static_cast<std::size_t>(d)]);
      extents[d] = permutation.extents[axis];
      strides[d] = std::accumulate(permutation.extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                                   permutation.extents.end(), std::int64_t{1}, std::multiplies<>());
    }
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t position = 0;
    for (int d = rank - 1; d >= 0; --d) {
      position += i % extents[d] * strides[d];
      i /= extents[d];
    }
    return position;
  }
};

template <class T>
struct CountMisplaced {
  const T* out;
  Positions position;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    wrong += !(out[i] == element<T>(static_cast<std::uint64_t>(position(i))));
  }
};

/// By a Kokkos user: an output element a thread.
template <class T>
struct Gather {
  const T* in;
  T* out;
  Positions position;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { out[i] = in[position(i)]; }
};

template <class Space, class T>
class PermuteCases {
 public:
  PermuteCases(const Space& space, const Request& request)
      : m_space(space),
        m_request(request),
        m_in(make_elements<Space, T>(space, static_cast<std::int64_t>(request.size()))),
        m_out(make_output<Space, T>(space, static_cast<std::int64_t>(request.size()))) {
    m_common.bounded_by_copy = true;
    add_stopwatch(m_common, space);
  }

  [[nodiscard]] Cases get() const {
    std::vector<Case> list;
    for (const Permutation& permutation : permutations(static_cast<std::int64_t>(m_request.size()))) {
      list.push_back(make(permutation));
    }
    return list;
  }

 private:
  [[nodiscard]] Case make(const Permutation& permutation) const {
    Case made = m_common;
    made.shape.assign(permutation.extents.begin(), permutation.extents.end());
    made.axes = permutation.axes;
    made.bytes = 2 * element_count(made.shape) * sizeof(T);
    for (const auto& name : m_request.variants) {
      for (const auto variant : transpose_variants) {
        if (name != to_string(variant)) continue;
        for_team_sizes(m_request, [&](int team_size, const std::string& suffix) {
          add_tessera(made, permutation, {variant, m_request.league_size, team_size}, suffix);
        });
      }
    }
    const auto elements = static_cast<std::int64_t>(element_count(made.shape));
    add(made, permutation, {"parallel_for", Role::peer, {}, {}, {}, {}, {}},
        [space = m_space, elements, gather = Gather<T>{m_in.data(), m_out.data(), Positions(permutation)}] {
          Kokkos::parallel_for("tessera::bench::gather", Range<Space>(space, 0, elements), gather);
        });
    return made;
  }

  template <class Run>
  void add(Case& made, const Permutation& permutation, Contender contender, Run run) const {
    const auto elements = static_cast<std::int64_t>(element_count(made.shape));
    contender.run = [run, in = m_in, out = m_out] { run(); };  // keeps the arrays
    contender.check = [space = m_space, out = m_out, run = contender.run, elements, position = Positions(permutation)] {
      Kokkos::deep_copy(space, out, T(0));  // which no floating element is, and few bytes are
      run();
      return wrong_outputs(Range<Space>(space, 0, elements), CountMisplaced<T>{out.data(), position});
    };
    contender.bits = bits_of(m_space, m_out, elements);
    made.contenders.push_back(std::move(contender));
  }

  void add_tessera(Case& made, const Permutation& permutation, const TransposeOptions& options,
                   const std::string& suffix) const {
    const std::string name(to_string(options.variant));
    Contender contender{"tessera " + name + suffix, Role::tessera, name, {}, {}, {}, {}};
    try {
      const auto plan = permute_array_plan(m_space, {permutation.extents, sizeof(T)}, permutation.axes, options);
      contender.variant = std::string(to_string(plan.variant));
      contender.plan = plan_fields(plan);
      add(made, permutation, contender, [space = m_space, in = m_in.data(), out = m_out.data(), permutation, options] {
        permute_array(space, in, out, {permutation.extents, sizeof(T)}, permutation.axes, options);
      });
    } catch (const Error& error) {
      contender.refusal = error.what();
      made.contenders.push_back(contender);
    }
  }

  Space m_space;
  Request m_request;
  Kokkos::View<T*, Space> m_in, m_out;
  Case m_common;
};

}  // namespace

Operation permute_operation() {
  Operation operation{
      "permute", {NumberType::int8, NumberType::float32, NumberType::float64}, {}, 2, [](const Request& request) {
        return visit_space(request.space, [&](const auto& space) -> Cases {
          using Space = std::decay_t<decltype(space)>;
          if (request.type == NumberType::int8) return PermuteCases<Space, std::int8_t>(space, request).get();
          if (request.type == NumberType::float32) return PermuteCases<Space, float>(space, request).get();
          return PermuteCases<Space, double>(space, request).get();
        });
      }};
  for (const auto variant : transpose_variants) operation.variants.emplace_back(to_string(variant));
  operation.cases = 40;
  return operation;
}

}  // namespace tessera::apps::bench
