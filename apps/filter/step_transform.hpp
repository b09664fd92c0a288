// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant transform of a step of tessera-filter: when it is taken, and what it needs.
#ifndef TESSERA_APPS_FILTER_STEP_TRANSFORM_HPP
#define TESSERA_APPS_FILTER_STEP_TRANSFORM_HPP

#include <tessera/filter/filter_transform.hpp>

#include <exception>
#include <optional>
#include <string>
#include <type_traits>

#include "common/failure.hpp"
#include "filter_engine.hpp"

namespace tessera::apps {

/// The object, or a stand-in that is never made.
template <class Space, class T, bool Exists>
struct StepTransformOf {
  struct type {};
};
template <class Space, class T>
struct StepTransformOf<Space, T, true> {
  using type = FilterTransform<Space, T>;
};

/// Where transforms can do it, the object for them, made when it is first wanted.
template <class Space, class In, class Out>
class StepTransform {
 public:
  static constexpr bool exists = has_transform<Space> && std::is_floating_point_v<In> && std::is_same_v<In, Out>;
  using made_type = typename StepTransformOf<Space, In, exists>::type;

  StepTransform(const Space& space, const FilterWeights<Space>& weights, const FilterOptions& options,
                const LinesShape& shape)
      : m_space(space), m_weights(weights), m_options(options), m_shape(shape) {}

  /// Whether that variant stands for transforms here. \throws Failure where it is asked for and cannot be had
  [[nodiscard]] bool is_taken(const std::string& variant, int team_size, int league_size) const {
    if (variant == to_string(FilterVariant::transform)) {
      const std::string problem = refusal(team_size, league_size);
      if (!problem.empty()) refuse("--variant: transform " + problem + "; " + detail::other_variants<In>(m_options));
      make();
      if constexpr (exists) {
        if (!m_made) {
          out_of_resource("--variant: transform has no room: " + m_problem + "; " +
                          detail::other_variants<In>(m_options));
        }
      }
      return true;
    }
    const auto extent = static_cast<std::int64_t>(m_shape.extent);
    if (variant != to_string(FilterVariant::automatic) || !refusal(team_size, league_size).empty() ||
        !transform_pays<Space, In>(m_weights.size(), extent)) {
      return false;
    }
    make();
    return m_made.has_value();
  }

  /// Where it is taken.
  [[nodiscard]] const made_type& get() const { return *m_made; }

 private:
  /// Why it cannot do this, "" where it can.
  [[nodiscard]] std::string refusal(int team_size, int league_size) const {
    if (!has_transform<Space>) {
      return std::string("needs a library of Fourier transforms, and this program was built without ") +
             (detail::is_host_space<Space> ? "FFTW 3" : "cuFFT") + " (TESSERA_ENABLE_TRANSFORM)";
    }
    if (!exists) return "is for floating data that keeps its type";
    if (m_options.accumulate != FilterAccumulate::element && sizeof(In) < sizeof(double)) {
      return "has the error bound of sums in the data's own type; leave out --accumulate double";
    }
    if (m_options.nan != NanPolicy::propagate) return "is for --nan propagate";
    if (team_size != 0 || league_size != 0) return "plans its own teams; leave out --team-size and --league-size";
    return {};
  }

  void make() const {
    if constexpr (exists) {
      if (m_made || !m_problem.empty()) return;
      try {
        m_made.emplace(m_space, m_weights,
                       FilterTransformOptions{.extent = static_cast<std::int64_t>(m_shape.extent),
                                              .lines = static_cast<std::int64_t>(m_shape.lines())});
      } catch (const std::exception& error) {  // too many taps, or the device's memory
        m_problem = error.what();
      }
    }
  }

  Space m_space;
  FilterWeights<Space> m_weights;
  FilterOptions m_options;
  LinesShape m_shape;
  mutable std::optional<made_type> m_made;
  mutable std::string m_problem;
};

}  // namespace tessera::apps

#endif
