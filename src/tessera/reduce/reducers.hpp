// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The built-in reducers, written as a user would write one (concept Reducer in concepts.hpp).
#ifndef TESSERA_REDUCE_REDUCERS_HPP
#define TESSERA_REDUCE_REDUCERS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/detail/exact_integer.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera {

/// Sum of floating elements, in the element type (summation kind `fast` of reduce_options.hpp).
/// Error at most 1.01 (512 + ceil(log2 P) + 2) u sum |x| with P accumulators, whatever the plan; the same bits on every
/// run with one plan. Empty: 0.
template <class T>
struct Sum {
  static_assert(std::is_floating_point_v<T>, "tessera::Sum: the element type must be an integer or a floating type");
  using value_type = T;
  using result_type = T;
  KOKKOS_FUNCTION value_type identity() const { return T(0); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
  static constexpr std::string_view name() { return "sum"; }
};

/// Sum of integers: the exact integer, as int64 (uint64 for unsigned elements). That the final value does not fit is
/// the only overflow there is; it raises StatusKind::integer_overflow and gives 0. Empty: 0.
template <class T>
requires std::is_integral_v<T>
struct Sum<T> {
  using value_type = detail::ExactInteger;
  using result_type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using chain_type = std::conditional_t<sizeof(T) < 8, result_type, detail::SplitSum<result_type>>;

  KOKKOS_FUNCTION value_type identity() const { return {}; }
  KOKKOS_FUNCTION value_type map(T element) const { return value_type::from(element); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.add(from); }

  KOKKOS_FUNCTION chain_type chain_identity() const { return {}; }
  KOKKOS_FUNCTION void chain(chain_type& into, T element) const {
    if constexpr (sizeof(T) < 8) {
      into += element;
    } else {
      into.add(element);
    }
  }
  KOKKOS_FUNCTION value_type unchain(const chain_type& chain) const {
    if constexpr (sizeof(T) < 8) {
      return value_type::from(chain);
    } else {
      return chain.total();
    }
  }

  KOKKOS_FUNCTION result_type finalize(const value_type& value, const Status& status) const {
    if (value.template fits<result_type>()) return static_cast<result_type>(value.low);
    status.raise(StatusKind::integer_overflow);
    return 0;
  }
  static constexpr std::string_view name() { return "sum"; }
};

namespace detail {

/// Minimum (Sign = 1) or maximum (Sign = -1). A NaN stays, whatever comes after it; -0.0 is less than 0.0.
template <class T, int Sign>
struct Extremum {
  static_assert(std::is_arithmetic_v<T>, "tessera::Min, tessera::Max: the element type must be a number");
  using value_type = T;
  using result_type = T;
  static constexpr bool needs_elements = true;

  KOKKOS_FUNCTION value_type identity() const {
    if constexpr (std::is_floating_point_v<T>) {
      return Sign * Kokkos::Experimental::infinity_v<T>;
    } else {
      return Sign > 0 ? Kokkos::Experimental::finite_max_v<T> : Kokkos::Experimental::finite_min_v<T>;
    }
  }

  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    const bool better = Sign > 0 ? from < into : from > into;
    if constexpr (std::is_floating_point_v<T>) {
      // Equal values of different sign are the two zeros.
      const bool better_zero = from == into && Kokkos::signbit(from) == (Sign > 0);
      into = better || better_zero || from != from ? from : into;
    } else {
      into = better ? from : into;
    }
  }

  KOKKOS_FUNCTION result_type finalize(const value_type& value) const {
    if constexpr (std::is_floating_point_v<T>) {
      return value != value ? Kokkos::Experimental::quiet_NaN_v<T> : value;
    } else {
      return value;
    }
  }
};

}  // namespace detail

/// Smallest element. NaN where there is one (the quiet NaN), min(0.0, -0.0) = -0.0. Empty input is an error.
template <class T>
struct Min : detail::Extremum<T, 1> {
  static constexpr std::string_view name() { return "min"; }
};

/// Largest element. NaN where there is one (the quiet NaN), max(0.0, -0.0) = 0.0. Empty input is an error.
template <class T>
struct Max : detail::Extremum<T, -1> {
  static constexpr std::string_view name() { return "max"; }
};

/// The built-in reducers of an element type, in the order of the documentation. Tests and drivers walk this list.
template <template <class> class... R>
struct ReducerList {
  /// Calls visitor(R<T>{}) for each.
  template <class T, class Visitor>
  static void for_each(Visitor&& visitor) {
    (visitor(R<T>{}), ...);
  }
};
using BuiltInReducers = ReducerList<Sum, Min, Max>;

}  // namespace tessera

#endif
