// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reducers that sum: sum, mean, l1, l2, var and std; exact, or fast for floating elements.
#ifndef TESSERA_REDUCE_SUMS_HPP
#define TESSERA_REDUCE_SUMS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tessera/detail/complex.hpp>
#include <tessera/detail/exact_integer.hpp>
#include <tessera/detail/float_format.hpp>
#include <tessera/reduce/detail/host_chains.hpp>
#include <tessera/reduce/detail/moments_fold.hpp>
#include <tessera/reduce/detail/narrow.hpp>
#include <tessera/reduce/detail/widened_fold.hpp>
#include <tessera/reduce/reduce_options.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera {

/// Sum of floating elements: rounded once from the exact value, to nearest, ties to even; the same bits for any order,
/// plan, team and machine. Infinities and NaN as by addition; an exact zero is +0.0. Empty: 0.
/// Correctly rounded sums: R. Neal (2015); S. Collange, D. Defour, S. Graillat, R. Iakymchuk, "Numerical
/// reproducibility for the parallel reduction on multi- and many-core architectures" (2015); P. Ahrens, J. Demmel,
/// H. Nguyen, "Algorithms for efficient reproducible floating point summation" (2020).
template <class T, Summation S = Summation::exact>
struct Sum {
  static_assert(detail::is_floating_v<T>, "tessera::Sum: the element type must be an integer or a floating type");
  using element_type = T;
  using result_type = T;
  using fold_type = detail::widened_fold_t<detail::MomentsFold<Sum, detail::wide_t<T>>, T>;
  static constexpr detail::Moments wanted{.sum = true};
  static constexpr bool is_total = true;
  static constexpr bool merges_digits = true;
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 0; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template sum<Result>();
  }
  static constexpr std::string_view name() { return "sum"; }
};

/// Sum of floating elements, in the element type (those of 16 bits in float). Error at most
/// 1.01 (512 + ceil(log2 P) + 2) u sum |x| with P accumulators, whatever the plan; the same bits on every run with one
/// plan. Empty: 0.
template <class T>
requires detail::is_floating_v<T>
struct Sum<T, Summation::fast> {
  using element_type = T;
  using value_type = detail::wide_t<T>;
  using result_type = T;
  static constexpr bool all_variants = true;
  KOKKOS_FUNCTION value_type identity() const { return value_type(0); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into += from; }
  KOKKOS_FUNCTION void atomic_join(value_type& into, const value_type& from) const { Kokkos::atomic_add(&into, from); }
  KOKKOS_FUNCTION result_type finalize(const value_type& value) const requires detail::is_short_float_v<T> {
    return detail::narrowed<T>(value);
  }
#if defined(TESSERA_HOST_VECTORS)
  static value_type stand_in(value_type) { return value_type(0); }
  template <int Lanes>
  void chain_host(value_type (&chains)[Lanes], const value_type* elements, int groups) const {
    detail::chain_groups(chains, elements, groups, [](auto& into, const auto& of_group) { into += of_group; });
  }
#endif
  static constexpr std::string_view name() { return "sum"; }
};

/// Sum of integers: the exact integer, as int64 (uint64 for unsigned elements). That the final value does not fit is
/// the only overflow there is; it raises StatusKind::integer_overflow and gives 0. Empty: 0.
template <class T, Summation S>
requires std::is_integral_v<T>
struct Sum<T, S> {
  using element_type = T;
  using value_type = detail::ExactInteger;
  using result_type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  /// Of bytes in registers of 32 bits, which are half as many and take one addition an element.
  static constexpr bool narrow = sizeof(T) <= 2;
  using chain_type = std::conditional_t<narrow, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                                        std::conditional_t<sizeof(T) < 8, result_type, detail::SplitSum<result_type>>>;
  /// A chain of 32 bits holds so many words of two elements of 16 bits, or more of less.
  static constexpr std::int64_t chain_length = std::int64_t{1} << (narrow ? 15 : 30);
  static constexpr bool all_variants = true;
  static constexpr bool order_free = true;

  KOKKOS_FUNCTION value_type identity() const { return {}; }
  KOKKOS_FUNCTION value_type map(T element) const { return value_type::from(element); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.add(from); }
  KOKKOS_FUNCTION void atomic_join(value_type& into, const value_type& from) const { into.atomic_add(from); }

  KOKKOS_FUNCTION chain_type chain_identity() const { return {}; }
  KOKKOS_FUNCTION void chain(chain_type& into, T element) const {
    if constexpr (sizeof(T) < 8) {
      into += static_cast<chain_type>(element);
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
#if defined(__CUDA_ARCH__)
  /// The elements of a word of 32 bits, times one each, in one instruction.
  KOKKOS_FORCEINLINE_FUNCTION void chain_word(chain_type& into, const T* elements) const requires narrow {
    chain_type word;
    std::memcpy(&word, elements, sizeof(word));
    if constexpr (sizeof(T) == 1) {
      into = __dp4a(word, static_cast<chain_type>(0x01010101), into);
    } else {
      into = __dp2a_lo(word, static_cast<chain_type>(0x0101), into);
    }
  }
#endif
#if defined(TESSERA_HOST_VECTORS)
  template <int Lanes>
  void chain_host(chain_type (&chains)[Lanes], const T* elements, int groups) const {
    if constexpr (sizeof(T) == 1) {
      // Groups are few: 16 bits hold their sums.
      using Short = std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;
      Short sums[Lanes] = {};
      detail::chain_groups(sums, elements, groups, detail::AddWidened{});
      detail::chain_groups(chains, sums, 1, detail::AddWidened{});
    } else if constexpr (sizeof(T) < 8) {
      detail::chain_groups(chains, elements, groups, detail::AddWidened{});
    } else {
      detail::SplitSum<result_type>::template add_vectors<Lanes>(chains, reinterpret_cast<const result_type*>(elements),
                                                                 groups);  // T may be another name of its type
    }
  }
#endif

  KOKKOS_FUNCTION result_type finalize(const value_type& value, const Status& status) const {
    if (value.template fits<result_type>()) return static_cast<result_type>(value.low);
    status.raise(StatusKind::integer_overflow);
    return 0;
  }
  static constexpr std::string_view name() { return "sum"; }
};

namespace detail {

/// The type of mean, l2, var and std: that of floating elements, double of integers.
template <class T>
using moment_result_t = std::conditional_t<is_floating_v<T>, T, double>;

/// The fewest elements that have a variance; of the largest ddof there are no more, and no array has as many.
KOKKOS_INLINE_FUNCTION std::int64_t spread_elements_min(std::int64_t ddof) {
  return ddof < Kokkos::Experimental::finite_max_v<std::int64_t> ? ddof + 1 : ddof;
}

}  // namespace detail

/// Arithmetic mean, rounded once from the exact quotient. Empty input is an error. Of integers there is no other.
template <class T, Summation S = Summation::exact>
struct Mean {
  using element_type = T;
  using result_type = detail::moment_result_t<T>;
  using fold_type = detail::widened_fold_t<detail::MomentsFold<Mean, detail::wide_t<T>>, T>;
  static constexpr bool needs_elements = true;
  static constexpr detail::Moments wanted{.sum = true};
  static constexpr bool is_mean = true;
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 1; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template mean<Result>();
  }
  static constexpr std::string_view name() { return "mean"; }
};

/// Variance (n S2 - S^2) / (n (n - ddof)) with the exact sums of elements and squares, rounded once. n <= ddof is an
/// error; an infinite element gives NaN.
template <class T, Summation S = Summation::exact>
struct Var {
  static_assert(!detail::is_complex_v<T>, "tessera::Var: the element type must be real");
  using element_type = T;
  using result_type = detail::moment_result_t<T>;
  using fold_type = detail::widened_fold_t<detail::MomentsFold<Var, detail::wide_t<T>>, T>;
  static constexpr bool needs_elements = true;
  static constexpr detail::Moments wanted{.sum = true, .squares = true};
  static constexpr bool is_spread = true;
  std::int64_t ddof = 0;
  KOKKOS_FUNCTION std::int64_t elements_min() const { return detail::spread_elements_min(ddof); }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template variance<Result>(ddof);
  }
  static constexpr std::string_view name() { return "var"; }
};

/// Standard deviation: the root of the exact variance, rounded once. Otherwise as Var.
template <class T, Summation S = Summation::exact>
struct Std {
  static_assert(!detail::is_complex_v<T>, "tessera::Std: the element type must be real");
  using element_type = T;
  using result_type = detail::moment_result_t<T>;
  using fold_type = detail::widened_fold_t<detail::MomentsFold<Std, detail::wide_t<T>>, T>;
  static constexpr bool needs_elements = true;
  static constexpr detail::Moments wanted{.sum = true, .squares = true};
  static constexpr bool is_spread = true;
  static constexpr bool is_root = true;
  std::int64_t ddof = 0;
  KOKKOS_FUNCTION std::int64_t elements_min() const { return detail::spread_elements_min(ddof); }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template deviation<Result>(ddof);
  }
  static constexpr std::string_view name() { return "std"; }
};

/// Sum of magnitudes, rounded once; of integers the exact integer, as uint64. Empty: 0.
template <class T, Summation S = Summation::exact>
struct L1 {
  using element_type = T;
  using result_type = std::conditional_t<detail::is_floating_v<T>, T, std::uint64_t>;
  using fold_type = detail::widened_fold_t<detail::MomentsFold<L1, detail::wide_t<T>>, T>;
  static constexpr detail::Moments wanted{.magnitude = true};
  static constexpr bool is_total = true;
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 0; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template l1<Result>();
  }
  static constexpr std::string_view name() { return "l1"; }
};

/// Euclidean norm: the root of the exact sum of squares, rounded once, without spurious overflow or underflow. Empty:
/// 0.
template <class T, Summation S = Summation::exact>
struct L2 {
  using element_type = T;
  using result_type = detail::moment_result_t<T>;
  using fold_type = detail::widened_fold_t<detail::MomentsFold<L2, detail::wide_t<T>>, T>;
  static constexpr detail::Moments wanted{.squares = true};
  static constexpr bool is_root = true;
  KOKKOS_FUNCTION static constexpr std::int64_t elements_min() { return 0; }
  template <class Result, class Results>
  KOKKOS_FUNCTION Result result(Results& results) const {
    return results.template l2<Result>();
  }
  static constexpr std::string_view name() { return "l2"; }
};

/// Mean of floating elements by a fast sum.
template <class T>
requires detail::is_floating_v<T>
struct Mean<T, Summation::fast> : Sum<T, Summation::fast> {
  static constexpr bool needs_elements = true;
  using value_type = detail::wide_t<T>;
  KOKKOS_FUNCTION T finalize(const value_type& sum, std::int64_t count) const {
    return detail::narrowed<T>(sum / static_cast<value_type>(count));
  }
  static constexpr std::string_view name() { return "mean"; }
};

/// Sum of magnitudes of floating elements, as a fast sum.
template <class T>
requires detail::is_floating_v<T>
struct L1<T, Summation::fast> : Sum<T, Summation::fast> {
  KOKKOS_FUNCTION detail::wide_t<T> map(T element) const { return Kokkos::fabs(detail::widened(element)); }
#if defined(TESSERA_HOST_VECTORS)
  template <int Lanes>
  void chain_host(detail::wide_t<T> (&chains)[Lanes], const detail::wide_t<T>* elements, int groups) const {
    detail::chain_groups(chains, elements, groups,
                         [](auto& into, const auto& of_group) { into += of_group < 0 ? -of_group : of_group; });
  }
#endif
  static constexpr std::string_view name() { return "l1"; }
};

/// The root of a fast sum of squares, which may overflow and underflow.
template <class T>
requires detail::is_floating_v<T>
struct L2<T, Summation::fast> : Sum<T, Summation::fast> {
  using value_type = detail::wide_t<T>;
  KOKKOS_FUNCTION value_type map(T element) const { return detail::widened(element) * detail::widened(element); }
#if defined(TESSERA_HOST_VECTORS)
  template <int Lanes>
  void chain_host(value_type (&chains)[Lanes], const value_type* elements, int groups) const {
    detail::chain_groups(chains, elements, groups,
                         [](auto& into, const auto& of_group) { into += of_group * of_group; });
  }
#endif
  KOKKOS_FUNCTION T finalize(const value_type& squares) const { return detail::narrowed<T>(Kokkos::sqrt(squares)); }
  static constexpr std::string_view name() { return "l2"; }
};

namespace detail {

/// Count, mean and sum of squared deviations of floating elements. Chains sum deviations from their first element, and
/// from the mean so far from two counts on: most squares of deviations from an outlier would cancel. Merged as in
/// T. Chan, G. Golub, R. LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1979).
template <class T>
struct FastSpread {
  using element_type = T;
  using Wide = wide_t<T>;
  struct value_type {
    std::int64_t count;
    Wide mean, squares;
  };
  struct chain_type {
    int count;
    Wide centre, sum, squares;
  };
  using result_type = T;
  static constexpr bool needs_elements = true;
  std::int64_t ddof = 0;

  KOKKOS_FUNCTION std::int64_t elements_min() const { return detail::spread_elements_min(ddof); }
  KOKKOS_FUNCTION value_type identity() const { return {0, Wide(0), Wide(0)}; }
  KOKKOS_FUNCTION value_type map(const T& element) const { return {1, widened(element), Wide(0)}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    if (from.count == 0) return;
    if (into.count == 0) {
      into = from;
      return;
    }
    const std::int64_t count = into.count + from.count;
    const Wide share = static_cast<Wide>(from.count) / static_cast<Wide>(count);
    const Wide apart = from.mean - into.mean;
    into.mean += apart * share;
    into.squares += from.squares + apart * apart * share * static_cast<Wide>(into.count);
    into.count = count;
  }
  KOKKOS_FUNCTION chain_type chain_identity() const { return {0, Wide(0), Wide(0), Wide(0)}; }
  KOKKOS_FUNCTION void chain(chain_type& into, const T& value) const {
    const Wide element = widened(value);
    into.centre = into.count == 0 ? element : into.centre;
    if (into.count == 8 || into.count == 64) move_centre(into);
    ++into.count;
    const Wide apart = element - into.centre;
    into.sum += apart;
    into.squares += apart * apart;
  }
  KOKKOS_FUNCTION value_type unchain(const chain_type& chain) const {
    if (chain.count == 0) return identity();
    const Wide mean = chain.sum / static_cast<Wide>(chain.count);
    const Wide squares = chain.squares - chain.sum * mean;
    return {chain.count, chain.centre + mean, squares < Wide(0) ? Wide(0) : squares};
  }
  KOKKOS_FUNCTION Wide variance(const value_type& value) const {
    return value.squares / static_cast<Wide>(value.count - ddof);
  }

 private:
  KOKKOS_FUNCTION static void move_centre(chain_type& chain) {
    const auto count = static_cast<Wide>(chain.count);
    const Wide mean = chain.sum / count, centre = chain.centre + mean;
    const Wide left = mean - (centre - chain.centre);  // of the mean, by rounding
    chain.squares += count * left * left - chain.sum * mean;
    chain.sum = count * left;
    chain.centre = centre;
  }
};

}  // namespace detail

/// Variance of floating elements in the element type, by merging those of parts.
template <class T>
requires detail::is_floating_v<T>
struct Var<T, Summation::fast> : detail::FastSpread<T> {
  using Spread = detail::FastSpread<T>;
  KOKKOS_FUNCTION T finalize(const typename Spread::value_type& value) const {
    return detail::narrowed<T>(Spread::variance(value));
  }
  static constexpr std::string_view name() { return "var"; }
};

/// The root of that variance.
template <class T>
requires detail::is_floating_v<T>
struct Std<T, Summation::fast> : detail::FastSpread<T> {
  using Spread = detail::FastSpread<T>;
  KOKKOS_FUNCTION T finalize(const typename Spread::value_type& value) const {
    return detail::narrowed<T>(Kokkos::sqrt(Spread::variance(value)));
  }
  static constexpr std::string_view name() { return "std"; }
};

}  // namespace tessera

#endif
