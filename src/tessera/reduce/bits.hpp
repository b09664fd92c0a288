// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitwise reducers of integers.
#ifndef TESSERA_REDUCE_BITS_HPP
#define TESSERA_REDUCE_BITS_HPP

#include <Kokkos_Core.hpp>
#include <string_view>
#include <tessera/reduce/detail/host_chains.hpp>
#include <type_traits>

namespace tessera {

/// Bits that all elements have. Empty: all ones.
template <class T>
struct BitAnd {
  static_assert(std::is_integral_v<T>, "tessera::BitAnd: the element type must be an integer");
  using element_type = T;
  using value_type = T;
  using result_type = T;
  static constexpr bool order_free = true;
  KOKKOS_FUNCTION value_type identity() const { return static_cast<T>(~T(0)); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into = static_cast<T>(into & from); }
#if defined(TESSERA_HOST_VECTORS)
  template <int Lanes>
  void chain_host(value_type (&chains)[Lanes], const value_type* elements, int groups) const {
    detail::chain_groups(chains, elements, groups, [](auto& into, const auto& of_group) { into &= of_group; });
  }
#endif
  static constexpr std::string_view name() { return "bit_and"; }
};

/// Bits that any element has. Empty: 0.
template <class T>
struct BitOr {
  static_assert(std::is_integral_v<T>, "tessera::BitOr: the element type must be an integer");
  using element_type = T;
  using value_type = T;
  using result_type = T;
  static constexpr bool order_free = true;
  KOKKOS_FUNCTION value_type identity() const { return static_cast<T>(T(0)); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into = static_cast<T>(into | from); }
#if defined(TESSERA_HOST_VECTORS)
  template <int Lanes>
  void chain_host(value_type (&chains)[Lanes], const value_type* elements, int groups) const {
    detail::chain_groups(chains, elements, groups, [](auto& into, const auto& of_group) { into |= of_group; });
  }
#endif
  static constexpr std::string_view name() { return "bit_or"; }
};

/// Bits that an odd number of elements has. Empty: 0.
template <class T>
struct BitXor {
  static_assert(std::is_integral_v<T>, "tessera::BitXor: the element type must be an integer");
  using element_type = T;
  using value_type = T;
  using result_type = T;
  static constexpr bool order_free = true;
  KOKKOS_FUNCTION value_type identity() const { return static_cast<T>(T(0)); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into = static_cast<T>(into ^ from); }
#if defined(TESSERA_HOST_VECTORS)
  template <int Lanes>
  void chain_host(value_type (&chains)[Lanes], const value_type* elements, int groups) const {
    detail::chain_groups(chains, elements, groups, [](auto& into, const auto& of_group) { into ^= of_group; });
  }
#endif
  static constexpr std::string_view name() { return "bit_xor"; }
};

}  // namespace tessera

#endif
