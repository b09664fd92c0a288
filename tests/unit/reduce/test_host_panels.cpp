// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a host's panels of outputs are made of: results rounded in vectors, the ends of rows, counts in chains.
#include <tessera/detail/host_vector.hpp>

#if defined(TESSERA_HOST_VECTORS)

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tessera/reduce/counts.hpp>
#include <tessera/reduce/detail/exact_pair_rounding.hpp>
#include <tessera/reduce/detail/host_rounding.hpp>
#include <tessera/reduce/reduce_axes.hpp>

#include "support/data.hpp"
#include "support/guard_pages.hpp"

namespace {

namespace test = tessera::test;

/// Both parts of a pair: any magnitudes, and often such that the whole lies on, or beside, the middle between two
/// floats.
tessera::detail::ExactPair exact_pair(std::size_t i) {
  const auto bits = test::mixed(i, 1);
  double high = std::ldexp(static_cast<double>(bits >> 11 | 1), static_cast<int>(bits % 90) - 100);
  if (bits % 3 == 0) high = static_cast<double>(static_cast<float>(high)) * (bits % 2 == 0 ? 1 : 1 + 0x1p-24);
  if (bits % 5 == 0) high = -high;
  if (bits % 31 == 0) high = 0;
  const double unit = std::ldexp(std::abs(high), -54);
  return tessera::detail::two_sum(high, bits % 7 < 2    ? 0
                                        : bits % 7 == 3 ? unit / 4
                                                        : -unit * static_cast<double>(i % 3));
}

template <class Result>
void check_rounding_in_vectors() {
  namespace detail = tessera::detail;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < 40000; i += detail::host_terms) {
    detail::ExactPair pairs[detail::host_terms];
    detail::HostTerms high, low;
    for (int lane = 0; lane < detail::host_terms; ++lane) {
      pairs[lane] = exact_pair(i + static_cast<std::size_t>(lane));
      high[lane] = pairs[lane].high;
      low[lane] = pairs[lane].low;
    }
    detail::HostVector<Result, detail::host_terms> sums, means;
    detail::round_pairs<Result>(high, low, sums);
    for (const std::int64_t divisor :
         {std::int64_t{1}, std::int64_t{3}, std::int64_t{8}, std::int64_t{1000003}, (std::int64_t{1} << 49) - 1}) {
      detail::round_quotients<Result>(high, low, static_cast<double>(divisor), means);
      for (int lane = 0; lane < detail::host_terms; ++lane) {
        wrong += !test::same_bits<Result>(sums[lane], detail::rounded<Result>(pairs[lane]));
        wrong += !test::same_bits<Result>(means[lane], detail::rounded_quotient<Result>(pairs[lane], divisor));
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a host's vectors round pairs as single numbers are rounded", "[reduce][axes]") {
  check_rounding_in_vectors<float>();
  check_rounding_in_vectors<double>();
}

/// Rows that end where memory does.
template <class T>
void check_last_rows(std::size_t length) {
  const std::size_t rows = 11;
  const test::GuardPages<T> elements(rows * length);
  std::iota(elements.data(), elements.data() + rows * length, T(1));
  const Kokkos::View<const T**, Kokkos::LayoutRight, Kokkos::HostSpace> in(elements.data(), rows, length);
  const Kokkos::View<T*, Kokkos::HostSpace> sums("sums", rows);
  tessera::reduce_axes(Kokkos::DefaultHostExecutionSpace(), in, {1}, tessera::Sum<T>{}, sums);
  for (std::size_t row = 0; row < rows; ++row) {
    CHECK(sums(row) == static_cast<T>(length * (2 * row * length + length + 1) / 2));
  }
}

TEST_CASE("rows of a host are read to their end and no further", "[reduce][axes]") {
  for (const std::size_t length : {3, 5, 8, 12, 13, 15, 16, 17, 24, 25, 31, 33, 100}) {
    check_last_rows<float>(length);
    check_last_rows<double>(length);
  }
}

TEST_CASE("counts of a host's groups are spread over the chains", "[reduce]") {
  std::vector<std::uint8_t> zeros(32 * 16);
  std::uint32_t chains[16] = {};
  tessera::CountZero<std::uint8_t>{}.chain_host(chains, zeros.data(), 32);
  for (const std::uint32_t chain : chains) CHECK(chain == 32);
  tessera::CountZero<std::uint8_t>{}.chain_host(chains, zeros.data(), 1);
  for (const std::uint32_t chain : chains) CHECK(chain == 33);
}

}  // namespace

#endif
