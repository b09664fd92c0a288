// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The taps of a linear filter, checked once and kept where kernels read them.
#ifndef TESSERA_FILTER_WEIGHTS_HPP
#define TESSERA_FILTER_WEIGHTS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/error.hpp>
#include <tessera/filter/filter_plan.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <vector>

namespace tessera {

/// m weights, held as float64 in the space's memory. Copies share the memory.
template <ExecutionSpace Space>
class FilterWeights {
 public:
  using view_type = Kokkos::View<const double*, typename Space::memory_space>;

  /// Copies the weights to the space; fences the instance.
  /// \throws InvalidArgument  where there are none, or one is not finite
  FilterWeights(const Space& space, std::span<const double> weights) {
    TESSERA_REQUIRE_ARGUMENT(!weights.empty(), "tessera::FilterWeights", "weights", "no weights", "at least one",
                             "pass the taps of the filter");
    detail::ExactFew<double> sum;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      TESSERA_REQUIRE_ARGUMENT(std::isfinite(weights[k]), "tessera::FilterWeights", "weights",
                               "weight " + std::to_string(k) + " is " + std::to_string(weights[k]), "finite weights",
                               "remove it or replace it");
      m_integer = m_integer && weights[k] == std::trunc(weights[k]);
      m_nonnegative = m_nonnegative && weights[k] >= 0;
      m_largest_magnitude = std::max(m_largest_magnitude, std::abs(weights[k]));
      m_magnitude_sum += std::abs(static_cast<long double>(weights[k]));
      sum.add(weights[k]);
    }
    m_sum = sum.total().high;
    if (weights.size() <= detail::column_taps_max) m_narrow.assign(weights.begin(), weights.end());
    const Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> source(
        weights.data(), weights.size());
    Kokkos::View<double*, typename Space::memory_space> target(
        Kokkos::view_alloc(space, "tessera::weights", Kokkos::WithoutInitializing), weights.size());
    Kokkos::deep_copy(space, target, source);
    space.fence("tessera::weights::copied");
    m_values = target;
  }

  FilterWeights(const Space& space, std::initializer_list<double> weights)
      : FilterWeights(space, std::span<const double>(weights.begin(), weights.size())) {}

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(m_values.extent(0)); }
  [[nodiscard]] const view_type& values() const { return m_values; }
  /// The same where they are few enough to be part of a kernel's argument, else none.
  [[nodiscard]] std::span<const double> narrow() const { return m_narrow; }
  /// Every weight is a whole number: integer data is then filtered exactly.
  [[nodiscard]] bool is_integer() const { return m_integer; }
  [[nodiscard]] bool is_nonnegative() const { return m_nonnegative; }
  /// sum |w|; rounded to long double where it needs more than 64 bits.
  [[nodiscard]] long double magnitude_sum() const { return m_magnitude_sum; }
  /// max |w|
  [[nodiscard]] double largest_magnitude() const { return m_largest_magnitude; }
  /// sum w, to some 106 bits, rounded once.
  [[nodiscard]] double sum() const { return m_sum; }

 private:
  view_type m_values;
  std::vector<double> m_narrow;
  bool m_integer = true;
  bool m_nonnegative = true;
  long double m_magnitude_sum = 0;
  double m_sum = 0, m_largest_magnitude = 0;
};

}  // namespace tessera

#endif
