// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fold behind Stats of complex elements.
#ifndef TESSERA_REDUCE_DETAIL_COMPLEX_STATS_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_COMPLEX_STATS_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/reduce/counts.hpp>
#include <tessera/reduce/detail/complex_fold.hpp>
#include <tessera/reduce/detail/exact_moments.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/fused_fold.hpp>
#include <tessera/reduce/detail/moments_fold.hpp>
#include <tessera/reduce/detail/value_fold.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/status.hpp>

namespace tessera::detail {

/// Of a real number that stands for a part.
struct ComplexStatsSums {
  static constexpr Moments wanted{.sum = true};
};
struct ComplexStatsNorms {
  static constexpr Moments wanted{.magnitude = true, .squares = true};
};

struct ComplexKinds {
  std::int64_t nans, infinities, zeros;
};

/// How many elements of T are NaN, infinite and zero: by a part, by a part and by both.
template <class T>
struct ComplexKindCounts {
  using value_type = ComplexKinds;
  static constexpr bool takes_nan = true;
  static constexpr bool order_free = true;
  struct chain_type {
    std::uint32_t nans, infinities, zeros;
  };
  static constexpr std::int64_t chain_length = std::int64_t{1} << 30;

  KOKKOS_FUNCTION value_type identity() const { return {0, 0, 0}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.nans += from.nans;
    into.infinities += from.infinities;
    into.zeros += from.zeros;
  }
  KOKKOS_FUNCTION chain_type chain_identity() const { return {0, 0, 0}; }
  KOKKOS_FUNCTION void chain(chain_type& into, const T& element) const {
    into.nans += IsNan{}(element) ? 1u : 0u;
    into.infinities += IsInf{}(element) ? 1u : 0u;
    into.zeros += IsZero{}(element) ? 1u : 0u;
  }
  KOKKOS_FUNCTION value_type unchain(const chain_type& chain) const {
    return {chain.nans, chain.infinities, chain.zeros};
  }
};

/// The reducers behind it, as FusedFold takes them.
template <class T>
struct ComplexStatsRest {
  ComplexStatsNorms first;
  ComplexKindCounts<T> rest;
};
template <class T>
struct ComplexStatsParts {
  ComplexStatsSums first;
  ComplexStatsRest<T> rest;
};

template <class Real, class T = Kokkos::complex<Real>>
using ComplexStatsBase =
    FusedFold<ComplexMomentsFold<ComplexStatsSums, Real>,
              FusedFold<ComplexNormFold<ComplexStatsNorms, Real>, ValueFold<ComplexKindCounts<T>, T>>>;

template <class Real>
class ComplexStatsFold : public ComplexStatsBase<Real> {
  using Base = ComplexStatsBase<Real>;
  using SumResults = MomentResults<Real, ComplexStatsSums::wanted>;

 public:
  using team_type = typename Base::team_type;

  template <class R>
  KOKKOS_FUNCTION ComplexStatsFold(const R&, const FoldContext& context)
      : Base(ComplexStatsParts<Kokkos::complex<Real>>{}, context), m_nan(context.nan) {}

  template <class Result>
  KOKKOS_FUNCTION Result finalize(team_type& total, std::int64_t size, const Status& status) const {
    const ComplexKinds kinds = total.rest.rest.value;
    const std::int64_t n = m_nan == NanPolicy::omit ? size - kinds.nans : size;
    Result result;
    result.count = static_cast<std::uint64_t>(n);
    result.count_nan = static_cast<std::uint64_t>(kinds.nans);
    result.count_inf = static_cast<std::uint64_t>(kinds.infinities);
    result.count_zero = static_cast<std::uint64_t>(kinds.zeros);
    SumResults re(total.first.re, n, status), im(total.first.im, n, status);
    using Wide = Kokkos::complex<double>;
    result.sum = Wide(re.template sum<double>(), im.template sum<double>());
    result.mean = n > 0 ? Wide(re.template mean<double>(), im.template mean<double>()) : spoiled<Wide>();
    MomentResults<Real, ComplexStatsNorms::wanted> norms(total.rest.first, n, status);
    result.l1 = norms.template l1<double>();
    result.l2 = norms.template l2<double>();
    return result;
  }

 private:
  NanPolicy m_nan;
};

}  // namespace tessera::detail

#endif
