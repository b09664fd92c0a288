// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One permutation through the public interface, compared bit for bit with the reference.
#ifndef TESSERA_TESTS_UNIT_TRANSPOSE_PERMUTE_CHECK_HPP
#define TESSERA_TESTS_UNIT_TRANSPOSE_PERMUTE_CHECK_HPP

#include <algorithm>
#include <array>
#include <string>
#include <tessera/transpose/permute.hpp>
#include <tessera/transpose/permute_array.hpp>

#include "transpose_check.hpp"

namespace tessera::test {

template <std::size_t Rank>
Extents<Rank> permuted_extents(const Extents<Rank>& extents, const std::array<int, Rank>& axes) {
  Extents<Rank> result{};
  for (std::size_t d = 0; d < Rank; ++d) result[d] = extents[static_cast<std::size_t>(axes[d])];
  return result;
}

template <class T, std::size_t Rank>
std::vector<T> expected_of(const std::vector<T>& values, const Extents<Rank>& extents,
                           const std::array<int, Rank>& axes) {
  return reference::permuted(values, {extents.begin(), extents.end()}, {axes.begin(), axes.end()});
}

template <class T, class InLayout, class OutLayout, std::size_t Rank, class Space>
void check_permute(const Space& space, const Extents<Rank>& extents, const std::array<int, Rank>& axes,
                   const TransposeOptions& options = {}) {
  const std::vector<T> values = test::values<T>(detail::product(extents), Rank);
  const GuardedView<T, InLayout, Space, Rank> in(extents, values);
  const GuardedView<T, OutLayout, Space, Rank> out(permuted_extents(extents, axes));
  INFO("extents " << tessera::detail::extents_text(extents) << " axes " << tessera::detail::axes_text(axes)
                  << " elements of " << sizeof(T) << " bytes, variant " << to_string(options.variant) << ", plan "
                  << to_string(permute_plan(space, in.view(), out.view(), axes, options)));
  permute(space, in.const_view(), out.view(), axes, options);
  space.fence();
  check_bits(out.read(), expected_of(values, extents, axes));
  out.check_guards();
}

/// Memory of arrays whose rank and element size are known at run time.
template <class Space>
void check_array(const Space& space, const std::vector<std::int64_t>& extents, std::size_t element_bytes,
                 const std::vector<int>& axes, const TransposeOptions& options = {}) {
  std::size_t elements = 1;
  for (const std::int64_t extent : extents) elements *= static_cast<std::size_t>(extent);
  const auto bytes = values<std::uint8_t>(elements * element_bytes);
  const auto in = device_copy<Space>(bytes);
  const auto out = device_copy<Space>(std::vector<std::uint8_t>(bytes.size(), 0xa5));
  permute_array(space, in.data(), out.data(), {extents, element_bytes}, axes, options);
  space.fence();
  // The reference moves bytes along one more axis.
  std::vector<std::size_t> all(extents.begin(), extents.end()), order(axes.begin(), axes.end());
  all.push_back(element_bytes);
  order.push_back(axes.size());
  INFO("element bytes " << element_bytes << ", rank " << extents.size() << ", variant " << to_string(options.variant)
                        << ", plan " << to_string(permute_array_plan(space, {extents, element_bytes}, axes, options)));
  check_bits(host_copy(out), reference::permuted(bytes, all, order));
}

/// Calls check(axes) for every order of the axes.
template <std::size_t Rank, class Check>
void for_each_order(const Check& check) {
  std::array<int, Rank> axes = tessera::detail::identity_axes<Rank>();
  do {
    check(axes);
  } while (std::next_permutation(axes.begin(), axes.end()));
}

}  // namespace tessera::test

#endif
