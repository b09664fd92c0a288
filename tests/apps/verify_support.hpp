// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_TESTS_APPS_VERIFY_SUPPORT_HPP
#define TESSERA_TESTS_APPS_VERIFY_SUPPORT_HPP

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "apps/driver_support.hpp"
#include "common/comparison.hpp"
#include "common/host_array.hpp"

namespace tessera::apps::test {

template <class T>
inline constexpr ElementType element_type_of = std::is_same_v<T, std::int32_t>    ? ElementType::int32
                                               : std::is_same_v<T, std::int64_t>  ? ElementType::int64
                                               : std::is_same_v<T, std::uint64_t> ? ElementType::uint64
                                               : std::is_same_v<T, float>         ? ElementType::float32
                                                                                  : ElementType::float64;

/// shape: {values.size()} where empty.
template <class T>
HostArray host_array(const std::vector<T>& values, Shape shape = {}) {
  HostArray array{element_type_of<T>, shape.empty() ? Shape{values.size()} : shape,
                  HostBuffer(values.size() * sizeof(T))};
  std::copy(values.begin(), values.end(), array.buffer.template as<T>());
  return array;
}

/// The norms without Kokkos.
inline ErrorNorms plain_norms(const std::vector<double>& got, const std::vector<double>& expected) {
  ErrorNorms norms;
  for (std::size_t i = 0; i < got.size(); ++i) {
    norms.max_abs = std::max(norms.max_abs, std::abs(got[i] - expected[i]));
    norms.reference_max_abs = std::max(norms.reference_max_abs, std::abs(expected[i]));
  }
  return norms;
}

inline void no_progress(std::uint64_t, std::uint64_t) {}

}  // namespace tessera::apps::test

#endif
