// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reducers that count or ask: count_zero, count_nan, count_inf, count of a predicate, any, all.
#ifndef TESSERA_REDUCE_COUNTS_HPP
#define TESSERA_REDUCE_COUNTS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/float_format.hpp>
#include <tessera/detail/host_vector.hpp>

namespace tessera {

/// Elements for which the predicate, callable in kernels, is true. A NaN is asked about like others; omitted, it does
/// not count. Empty: 0.
template <class T, class Predicate>
struct Count {
  using element_type = T;
  using value_type = std::uint64_t;
  using result_type = std::uint64_t;
  static constexpr bool order_free = true;
  using chain_type = std::uint32_t;
  static constexpr std::int64_t chain_length = std::int64_t{1} << 30;
  Predicate predicate = {};

  KOKKOS_FUNCTION value_type identity() const { return 0; }
  KOKKOS_FUNCTION value_type map(const T& element) const { return predicate(element) ? 1 : 0; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
  KOKKOS_FUNCTION chain_type chain_identity() const { return 0; }
  KOKKOS_FUNCTION void chain(chain_type& into, const T& element) const { into += predicate(element) ? 1u : 0u; }
  KOKKOS_FUNCTION value_type unchain(const chain_type& chain) const { return chain; }
#if defined(TESSERA_HOST_VECTORS)
  static constexpr bool joins_lanes = true;
  /// A loop that compilers make vectors of, where they can of the predicate. To all chains alike: none takes twice as
  /// many as one of its own elements would give it.
  template <int Lanes>
  void chain_host(chain_type (&chains)[Lanes], const T* elements, int groups) const {
    chain_type count = 0;
    for (int i = 0; i < groups * Lanes; ++i) count += predicate(elements[i]) ? 1u : 0u;
    for (chain_type& chain : chains) chain += count / Lanes;
    chains[0] += count % Lanes;
  }
#endif
  static constexpr std::string_view name() { return "count"; }
};

namespace detail {

struct IsZero {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& element) const {
    return widened(element) == wide_t<T>(0);
  }
};
struct IsNan {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& element) const {
    return widened(element) != widened(element);
  }
};
struct IsInf {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& element) const {
    if constexpr (is_floating_v<T>) {
      return Kokkos::fabs(widened(element)) == Kokkos::Experimental::infinity_v<wide_t<T>>;
    } else if constexpr (is_complex_v<T>) {  // if a part is
      return (*this)(element.real()) || (*this)(element.imag());
    } else {
      return false;
    }
  }
};

}  // namespace detail

/// Zeros of both signs. Empty: 0. A count of zeros, NaN or infinities is the same under every NaN policy.
template <class T>
struct CountZero : Count<T, detail::IsZero> {
  static constexpr bool takes_nan = true;
  static constexpr std::string_view name() { return "count_zero"; }
};

/// NaN elements. Empty: 0.
template <class T>
struct CountNan : Count<T, detail::IsNan> {
  static constexpr bool takes_nan = true;
  static constexpr std::string_view name() { return "count_nan"; }
};

/// Infinite elements. Empty: 0.
template <class T>
struct CountInf : Count<T, detail::IsInf> {
  static constexpr bool takes_nan = true;
  static constexpr std::string_view name() { return "count_inf"; }
};

/// Whether any element is not zero. A NaN is not zero. Empty: false.
template <class T>
struct Any {
  using element_type = T;
  using value_type = bool;
  using result_type = bool;
  static constexpr bool order_free = true;
  KOKKOS_FUNCTION value_type identity() const { return false; }
  KOKKOS_FUNCTION value_type map(const T& element) const { return detail::widened(element) != detail::wide_t<T>(0); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into = into || from; }
#if defined(TESSERA_HOST_VECTORS)
  static constexpr bool joins_lanes = true;
  /// A loop as that of Count. All to the first chain.
  template <int Lanes>
  void chain_host(value_type (&chains)[Lanes], const T* elements, int groups) const {
    std::uint32_t found = 0;
    for (int i = 0; i < groups * Lanes; ++i) found |= map(elements[i]) ? 1u : 0u;
    join(chains[0], found != 0);
  }
#endif
  static constexpr std::string_view name() { return "any"; }
};

/// Whether no element is zero. A NaN is not zero. Empty: true.
template <class T>
struct All {
  using element_type = T;
  using value_type = bool;
  using result_type = bool;
  static constexpr bool order_free = true;
  KOKKOS_FUNCTION value_type identity() const { return true; }
  KOKKOS_FUNCTION value_type map(const T& element) const { return detail::widened(element) != detail::wide_t<T>(0); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into = into && from; }
#if defined(TESSERA_HOST_VECTORS)
  static constexpr bool joins_lanes = true;
  /// A loop as that of Count. All to the first chain.
  template <int Lanes>
  void chain_host(value_type (&chains)[Lanes], const T* elements, int groups) const {
    std::uint32_t missing = 0;
    for (int i = 0; i < groups * Lanes; ++i) missing |= map(elements[i]) ? 0u : 1u;
    join(chains[0], missing == 0);
  }
#endif
  static constexpr std::string_view name() { return "all"; }
};

}  // namespace tessera

#endif
