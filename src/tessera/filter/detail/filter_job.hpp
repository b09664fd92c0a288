// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every variant of a linear filter is given.
#ifndef TESSERA_FILTER_DETAIL_FILTER_JOB_HPP
#define TESSERA_FILTER_DETAIL_FILTER_JOB_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/convert.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/weighted.hpp>
#include <tessera/filter/detail/line_array.hpp>
#include <tessera/filter/detail/stage.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <type_traits>

namespace tessera::detail {

/// Types of one instantiation. Integers are staged as they are: a wider accumulator would only fill scratch.
template <class In, class Out, class Accumulator>
struct FilterTypes {
  using in_type = In;
  using out_type = Out;
  using accumulator_type = Accumulator;
  using staged_type = std::conditional_t<rounds_v<Accumulator>, Accumulator, In>;
  using weight_type = std::conditional_t<std::is_same_v<Accumulator, Int128>, std::int64_t, real_part_t<Accumulator>>;
};

/// The window: out[i] = sum_k w[k] x[i - reach_left + k], w reversed for a convolution.
struct FilterWindow {
  const double* weights;
  std::int64_t taps;
  std::int64_t reach_left;
  bool reversed;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t reach_right() const { return taps - 1 - reach_left; }
  [[nodiscard]] KOKKOS_FUNCTION double weight(std::int64_t k) const { return weights[reversed ? taps - 1 - k : k]; }
};

/// Of a filter, in the order in which a kernel's window takes them.
template <class Weight>
void put_weights(std::span<const double> weights, bool reversed, Weight* target) {
  const std::size_t taps = weights.size();
  for (std::size_t k = 0; k < taps; ++k) target[k] = static_cast<Weight>(weights[reversed ? taps - 1 - k : k]);
}

/// What an output of a line is.
template <class Types>
struct FilterRule {
  using In = typename Types::in_type;
  using Out = typename Types::out_type;
  using Accumulator = typename Types::accumulator_type;
  using Weight = typename Types::weight_type;

  FilterWindow window;
  Boundary<In> boundary;
  std::int64_t extent, stride;  // of a line of the input
  std::int64_t outputs;         // of a line
  std::int64_t first_output;    // the element that output 0 stands for: others before it are not made (mode valid)
  double weight_sum;
  bool omit_nan;

  /// Outputs from plain_begin() to plain_end() are sums over all taps of element(); the others only output() makes.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t plain_begin() const {
    return BoundaryFold<In>::plain(boundary.left) ? 0 : window.reach_left;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t plain_end() const {
    return BoundaryFold<In>::plain(boundary.right) ? outputs : Kokkos::min(outputs, extent - window.reach_right());
  }
  [[nodiscard]] KOKKOS_FUNCTION bool is_plain(std::int64_t i) const { return i >= plain_begin() && i < plain_end(); }

  /// Element j of the line x, inside or beyond.
  [[nodiscard]] KOKKOS_FUNCTION In element(const In* x, std::int64_t j) const {
    return boundary.element(x, stride, j, extent);
  }

  /// Output i where element(j) is element j of its line and of what stands beyond the ends.
  template <class Elements>
  [[nodiscard]] KOKKOS_FUNCTION Out output_of(const Elements& element, std::int64_t i) const {
    const std::int64_t first = i - window.reach_left;
    if (omit_nan) {
      return counted_sum([&](std::int64_t k, Accumulator& value) {
        value = static_cast<Accumulator>(element(first + k));
        return true;
      });
    }
    Accumulator sum = 0;
    for (std::int64_t k = 0; k < window.taps; ++k) sum += product(k, static_cast<Accumulator>(element(first + k)));
    return convert<Out>(sum);
  }

  /// Output i of the line x by its definition, every element from memory.
  [[nodiscard]] KOKKOS_FUNCTION Out output(const In* x, std::int64_t i) const {
    const std::int64_t first = i - window.reach_left;
    const bool inside = first >= 0 && first + window.taps <= extent;
    if (omit_nan || (!inside && !is_plain(i))) return special_output(x, i);
    Accumulator sum = 0;
    for (std::int64_t k = 0; k < window.taps; ++k) {
      sum += product(k, static_cast<Accumulator>(inside ? x[(first + k) * stride] : element(x, first + k)));
    }
    return convert<Out>(sum);
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION Accumulator product(std::int64_t k, Accumulator value) const {
    return weighted<Accumulator>(static_cast<Weight>(window.weight(k)), value);
  }

  /// Copies, and sums of values that the line does not hold or over some of the taps.
  [[nodiscard]] TESSERA_INLINE_ON_DEVICE Out special_output(const In* x, std::int64_t i) const {
    const std::int64_t first = i - window.reach_left;
    const bool before = first < 0;
    const bool after = first + window.taps > extent;
    if ((before && boundary.left == BoundaryMode::keep) || (after && boundary.right == BoundaryMode::keep)) {
      return convert<Out>(x[(i + first_output) * stride]);
    }
    return counted_sum([&](std::int64_t k, Accumulator& value) {
      const std::int64_t j = first + k;
      const BoundaryMode mode = boundary.mode(j, extent);
      if (mode == BoundaryMode::renormalise) return false;
      value = mode == BoundaryMode::odd ? odd_element<Accumulator>(x, stride, j, extent)
                                        : static_cast<Accumulator>(element(x, j));
      return true;
    });
  }

  /// value(k, v) sets v to the element of tap k, or says that there is none.
  template <class Value>
  [[nodiscard]] KOKKOS_FUNCTION Out counted_sum(const Value& value) const {
    Accumulator sum = 0;
    ExactFew<double> counted;  // weights: where they cancel, a plain sum of them would be noise
    bool all = true;
    for (std::int64_t k = 0; k < window.taps; ++k) {
      Accumulator element = 0;
      if (!value(k, element) || (omit_nan && element != element)) {
        all = false;
        continue;
      }
      sum += product(k, element);
      counted.add(window.weight(k));
    }
    if constexpr (rounds_v<Accumulator>) {
      const double weights = counted.total().high;
      const double scale = weights == 0 ? Kokkos::Experimental::quiet_NaN_v<double> : weight_sum / weights;
      if (!all) return convert<Out>(weighted<as_double_t<Accumulator>>(scale, sum));
    }
    return convert<Out>(sum);
  }
};

/// Input, output and what stands between.
template <class Types>
struct FilterJob {
  using types = Types;
  LineArray<const typename Types::in_type> in;
  LineArray<typename Types::out_type> out;
  FilterRule<Types> rule;
};

/// The outputs that follow from folded elements alone; the others are made by the rule.
template <class Types>
struct FoldedRange {
  BoundaryFold<typename Types::in_type> fold;
  std::int64_t begin, end;

  explicit FoldedRange(const FilterRule<Types>& rule)
      : fold(rule.boundary, rule.extent), begin(rule.plain_begin()), end(rule.plain_end()) {}
};

}  // namespace tessera::detail

#endif
