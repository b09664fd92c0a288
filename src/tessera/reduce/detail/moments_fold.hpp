// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fold of reducers that follow from exact moments.
#ifndef TESSERA_REDUCE_DETAIL_MOMENTS_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_MOMENTS_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/reduce/detail/exact_few_squares.hpp>
#include <tessera/reduce/detail/exact_integer_moments.hpp>
#include <tessera/reduce/detail/exact_moments.hpp>
#include <tessera/reduce/detail/exact_pair_rounding.hpp>
#include <tessera/reduce/detail/exact_spread.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/narrow.hpp>
#include <tessera/reduce/detail/widened_fold.hpp>
#include <tessera/reduce/fitting_total.hpp>
#include <tessera/status.hpp>

namespace tessera::detail {

/// What infinities and NaN make of a sum, or of a sum of magnitudes, which have no negative infinity.
template <class Result>
KOKKOS_FUNCTION Result special_total(std::uint32_t flags, bool magnitudes) {
  constexpr std::uint32_t both = Specials::plus_infinity | Specials::minus_infinity;
  if ((flags & Specials::nan) != 0 || (!magnitudes && (flags & both) == both)) return spoiled<Result>();
  const bool negative = !magnitudes && (flags & Specials::minus_infinity) != 0;
  return narrowed<Result>((negative ? -1 : 1) * Kokkos::Experimental::infinity_v<wide_t<Result>>);
}

/// An exact integer in 64 bits.
template <class Result>
KOKKOS_FUNCTION FittingTotal<Result> integer_total(const Magnitude& m) {
  UInt128 value = 0;
  bool fits = m.end <= 3;
  for (int j = fits ? m.end - 1 : -1; j >= 0; --j) {
    value = value << 32 | (j >= m.begin ? static_cast<std::uint64_t>(m.digit[j]) : 0);
  }
  constexpr UInt128 largest = static_cast<UInt128>(~std::uint64_t{0}) >> (std::is_signed_v<Result> ? 1 : 0);
  fits = fits && value <= largest + (m.negative && std::is_signed_v<Result> ? 1 : 0) &&
         (!m.negative || std::is_signed_v<Result>);
  if (!fits) return {0, false};
  const auto bits = static_cast<std::uint64_t>(value);
  return {static_cast<Result>(m.negative ? ~bits + 1 : bits), true};
}

/// A sum as Result, rounded once where that is floating. An integer that does not fit raises
/// StatusKind::integer_overflow, unless Result tells of it.
template <class Result>
KOKKOS_FUNCTION Result exact_total(const Magnitude& m, std::uint32_t flags, bool magnitudes, const Status& status) {
  if constexpr (std::is_integral_v<Result>) {
    const FittingTotal<Result> total = integer_total<Result>(m);
    if (!total.fits) status.raise(StatusKind::integer_overflow);
    return total.value;
  } else if constexpr (requires { Result::fits; }) {
    return integer_total<decltype(Result::value)>(m);
  } else {
    if (flags != 0) return special_total<Result>(flags, magnitudes);
    return rounded<Result>(leading_bits(m));
  }
}

/// Results of exact moments of n elements, each rounded once. Takes the digits apart.
template <class T, Moments Wanted>
class MomentResults {
 public:
  using digits_type = typename ExactMoments<T, Wanted>::digits_type;

  KOKKOS_FUNCTION MomentResults(digits_type& digits, std::int64_t n, const Status& status)
      : m_flags(digits.specials.flags), m_n(static_cast<std::uint64_t>(n)), m_status(status) {
    if constexpr (Wanted.sum) m_sum = magnitude(digits.sum);
    if constexpr (Wanted.magnitude) m_magnitude = magnitude(digits.magnitude);
    if constexpr (Wanted.squares) m_squares = magnitude(digits.squares);
  }

  /// The same of magnitudes, which other threads may read too.
  KOKKOS_FUNCTION MomentResults(const Magnitude& sum, const Magnitude& magnitude, const Magnitude& squares,
                                std::uint32_t flags, std::int64_t n, const Status& status)
      : m_sum(sum),
        m_magnitude(magnitude),
        m_squares(squares),
        m_flags(flags),
        m_n(static_cast<std::uint64_t>(n)),
        m_status(status) {}

  template <class Result>
  KOKKOS_FUNCTION Result sum() {
    return exact_total<Result>(m_sum, m_flags, false, m_status);
  }
  template <class Result>
  KOKKOS_FUNCTION Result mean() {
    if (m_flags != 0) return special_total<Result>(m_flags, false);
    return rounded<Result>(divided(m_sum, m_n));
  }
  template <class Result>
  KOKKOS_FUNCTION Result l1() {
    return exact_total<Result>(m_magnitude, m_flags, true, m_status);
  }
  template <class Result>
  KOKKOS_FUNCTION Result l2() {
    if (m_flags != 0) return special_total<Result>(m_flags, true);
    return rounded<Result>(square_root(leading_bits(m_squares)));
  }
  /// (n S2 - S^2) / (n (n - ddof)); n > ddof.
  template <class Result>
  KOKKOS_FUNCTION Result variance(std::int64_t ddof) {
    if (m_flags != 0) return spoiled<Result>();
    return rounded<Result>(spread(ddof));
  }
  template <class Result>
  KOKKOS_FUNCTION Result deviation(std::int64_t ddof) {
    if (m_flags != 0) return spoiled<Result>();
    return rounded<Result>(square_root(spread(ddof)));
  }
  template <class Result>
  KOKKOS_FUNCTION void variance_and_deviation(std::int64_t ddof, Result& of_squares, Result& of_elements) {
    const WideValue value = m_flags != 0 ? WideValue{} : spread(ddof);
    of_squares = m_flags != 0 ? spoiled<Result>() : rounded<Result>(value);
    of_elements = m_flags != 0 ? spoiled<Result>() : rounded<Result>(square_root(value));
  }

 private:
  KOKKOS_FUNCTION WideValue spread(std::int64_t ddof) {
    const UInt128 divisor = static_cast<UInt128>(m_n) * (m_n - static_cast<std::uint64_t>(ddof));
    constexpr int product_digits = ExactFormat<T>::product_digits::count;
    constexpr int sum_digits = ExactFormat<T>::sum_digits::count;
    return spread_over<(product_digits > 2 * sum_digits ? product_digits : 2 * sum_digits)>(m_n, m_sum, m_squares,
                                                                                            divisor);
  }

  Magnitude m_sum = {}, m_magnitude = {}, m_squares = {};
  std::uint32_t m_flags;
  std::uint64_t m_n;
  const Status& m_status;
};

/// R: wanted (Moments), elements_min() and result<Result>(MomentResults&).
template <class R, class T>
class MomentsFold {
  using Sums = ExactMoments<T, R::wanted>;

 public:
  static constexpr int lanes = reduce_loads_in_flight(sizeof(T)) * packed_length<T>;
  static constexpr bool sums_exactly = std::is_floating_point_v<T>;
  static constexpr int host_lanes = lanes > Sums::host_lanes ? lanes : Sums::host_lanes;
  static constexpr bool asks_ahead =
      has_host_vectors && (!sums_exactly || R::wanted.squares || R::wanted.sum != R::wanted.magnitude);
  /// The result is the total, rounded, its quotient by the number of elements, a variance, or the root of one or of a
  /// sum of squares.
  static constexpr bool is_mean = requires { R::is_mean; };
  static constexpr bool is_root = requires { R::is_root; };
  static constexpr bool is_spread = sums_exactly && requires { R::is_spread; };
  static constexpr bool sums_squares = is_spread || (sums_exactly && is_root);
  static constexpr bool in_pairs = sums_exactly && (is_mean || sums_squares || requires { R::is_total; });
  using pair_type = std::conditional_t<is_spread, BoundedSpread, BoundedPair>;
  /// What lines carry, and where float_span() is too narrow for it.
  using squares_few_type = std::conditional_t<is_spread, SpreadFew<T>, SquaresFew<T>>;
  using few_type = std::conditional_t<sums_squares, squares_few_type, ExactFew<T>>;
  using wide_few_type = std::conditional_t<sums_squares, squares_few_type, ExactFew<double>>;
  /// Another look at lines that the first one did not settle, of which a term is given.
  KOKKOS_FORCEINLINE_FUNCTION static auto second_few([[maybe_unused]] T term) {
    if constexpr (is_spread) {
      return ShiftedFew<T>(term);
    } else {
      return wide_few_type();
    }
  }
  // Two such teams have 72 registers a thread, which suffice one sum of elements.
  static constexpr int team_size_max = R::wanted.sum != R::wanted.magnitude && !R::wanted.squares ? 448 : 256;
  static constexpr int teams_at_once = 2;
  using thread_type = typename Sums::thread_type;
  using spill_type = typename Sums::spill_type;
  using counted_spill_type = typename Sums::counted_spill_type;
  using team_type = typename Sums::digits_type;

  KOKKOS_FUNCTION MomentsFold(const R& reducer, const FoldContext& context) : m_reducer(reducer), m_context(context) {}

  [[nodiscard]] const FoldContext& context() const { return m_context; }

  template <class Spill>
  KOKKOS_FORCEINLINE_FUNCTION void begin(thread_type& thread, Spill& spill) const {
    Sums::begin(thread, spill);
  }

  KOKKOS_FUNCTION static constexpr std::size_t lent_bytes(int team_size) requires(
      sums_exactly&& R::wanted.can_count()) {
    return counted_spill_type::lent_bytes(team_size);
  }
  template <TeamMember Member>
  KOKKOS_FUNCTION static void lend_scratch(const Member& team, counted_spill_type& spill,
                                           std::byte* scratch) requires(sums_exactly&& R::wanted.can_count()) {
    spill.lend_scratch(team, scratch);
  }

  template <class Spill, int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(thread_type& thread, Spill& spill, const T (&elements)[N], const Index& index,
                                       const Status& status) const {
    Sums::add(m_context, thread, spill, elements, index, status);
  }

  template <class Spill>
  KOKKOS_FORCEINLINE_FUNCTION void absorb(thread_type& thread, Spill& spill, const team_type& part) const {
    thread.set_up(spill);
    Sums::absorb(spill, part);
  }

  static constexpr bool sums_magnitudes = R::wanted.magnitude;
  /// Of an element, for few_type.
  KOKKOS_FORCEINLINE_FUNCTION static T term(T element) { return sums_magnitudes ? Kokkos::fabs(element) : element; }
  template <class Spill>
  KOKKOS_FORCEINLINE_FUNCTION pair_type pair(const thread_type& thread, const Spill& spill) const {
    // A pair counts no elements.
    constexpr bool counts = is_mean || is_spread;
    const bool none = Sums::has_specials(thread, spill, counts);
    if constexpr (is_spread) {
      return {Sums::sum_pair(thread, spill, none), Sums::squares_pair(thread, spill, none)};
    } else if constexpr (R::wanted.squares) {
      return Sums::squares_pair(thread, spill, none);
    } else {
      return Sums::sum_pair(thread, spill, none);
    }
  }
  template <class Spill>
  KOKKOS_FORCEINLINE_FUNCTION void absorb(thread_type& thread, Spill& spill, const pair_type& part) const {
    thread.set_up(spill);
    Sums::absorb(spill, part);
  }

  /// For variant grid_stride: a total that teams join at the same time.
  KOKKOS_FUNCTION team_type identity() const {
    team_type total;
    Sums::zero(total);
    return total;
  }
  KOKKOS_FUNCTION void merge(team_type& into, const team_type& from) const { Sums::merge(into, from); }

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int team_size) {
    return Kokkos::max(close_digits_entries(team_size) * sizeof(std::int64_t),
                       static_cast<std::size_t>(team_size) * sizeof(pair_type));
  }

  template <TeamMember Member, class Spill>
  KOKKOS_FORCEINLINE_FUNCTION void close(const Member& team, thread_type& thread, Spill& spill, team_type& result,
                                         std::byte* scratch) const {
    Sums::close(team, thread, spill, result, reinterpret_cast<std::int64_t*>(scratch));
  }

  KOKKOS_FUNCTION team_type& close_alone(thread_type& thread, spill_type& spill, team_type&) const {
    Sums::close_alone(thread, spill);
    Sums::carry(spill);
    return spill;
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const team_type& from, team_type& to) {
    Sums::store(team, from, to);
  }

  template <class Result>
  KOKKOS_FUNCTION Result finalize(team_type& total, std::int64_t size, const Status& status) const {
    const std::int64_t n = m_context.nan == NanPolicy::omit ? size - total.specials.nans : size;
    if (n < m_reducer.elements_min()) {
      status.raise(StatusKind::nothing_left);
      return spoiled<Result>();
    }
    MomentResults<T, R::wanted> results(total, n, status);
    return m_reducer.template result<Result>(results);
  }
  template <class Result>
  KOKKOS_FUNCTION Result finalize(const ExactPair& total, std::int64_t size, const Status& status) const
      requires(!is_spread) {
    if (!suffices(size)) {
      status.raise(StatusKind::nothing_left);
      return spoiled<Result>();
    }
    if constexpr (is_mean) {
      return rounded_quotient<Result>(total, size);
    } else if constexpr (is_root) {
      return rounded_root<Result>(total);
    } else {
      return rounded<Result>(total);
    }
  }
  /// Whether so many elements have a result.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool suffices(std::int64_t size) const {
    return size >= m_reducer.elements_min();
  }
  /// The result; whether what a sum is known to be tells it.
  template <class Result>
  KOKKOS_FORCEINLINE_FUNCTION bool settle(const ExactPair& total, std::int64_t size, const Status& status,
                                          Result& result) const {
    if (total.exact()) result = finalize<Result>(total, size, status);
    return total.exact();
  }
  template <class Result>
  KOKKOS_FORCEINLINE_FUNCTION bool settle(const BoundedPair& total, std::int64_t size, const Status& status,
                                          Result& result) const {
    if constexpr (is_root && std::is_same_v<Result, double>) {
      if (estimate_root({total.high, total.low}, total.bound, result)) return true;
      if (!total.exact()) return false;
    }
    return settle_total(
        total, [&](const ExactPair& sum) { return finalize<Result>(sum, size, status); }, result);
  }
  template <class Result>
  KOKKOS_FORCEINLINE_FUNCTION bool settle(const BoundedSpread& total, std::int64_t size, const Status& status,
                                          Result& result) const {
    if (estimate(total, size, result)) return true;
    if constexpr (sizeof(Result) < sizeof(double)) {
      const bool exact = may_round(total, size) && total.exact();
      if (exact) result = spread_apart<Result>(*this, total, size, status);
      return exact;
    } else {
      return false;
    }
  }
  /// Likewise, by no more than an estimate, or the steps that tell where that does not: without a call.
  template <class Result>
  KOKKOS_FORCEINLINE_FUNCTION bool estimate(const BoundedSpread& total, std::int64_t size, Result& result) const {
    return may_round(total, size) && rounds_spread<true>(total, size, result);
  }
  template <class Result>
  KOKKOS_FORCEINLINE_FUNCTION bool settle_here(const BoundedSpread& total, std::int64_t size, Result& result) const {
    if (estimate(total, size, result)) return true;
    if constexpr (sizeof(Result) < sizeof(double)) {
      return may_round(total, size) && total.exact() && rounds_spread<false>(total, size, result);
    } else {
      return false;
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool may_round(const BoundedSpread& total, std::int64_t size) const {
    return total.holds() && size >= m_reducer.elements_min();
  }
  template <bool Estimated, class Result>
  KOKKOS_FORCEINLINE_FUNCTION bool rounds_spread(const BoundedSpread& total, std::int64_t size, Result& result) const {
    constexpr std::int64_t most = std::int64_t{1} << 26;  // of which products are doubles
    const std::int64_t less = size - m_reducer.ddof;
    if (size > most || less > most) return false;
    const auto n = static_cast<double>(size), divisor = static_cast<double>(size * less);
    if constexpr (Estimated) {
      return estimate_spread<is_root>(total, n, divisor, result);
    } else {
      return round_spread<is_root>(total, n, divisor, result);
    }
  }
  /// A function of its own, as fold_apart() is.
  template <class Result>
  TESSERA_NOINLINE KOKKOS_FUNCTION static Result spread_apart(MomentsFold fold, BoundedSpread total, std::int64_t size,
                                                              Status status) {
    Result result;
    if (fold.template rounds_spread<false>(total, size, result)) return result;
    team_type digits;
    Sums::zero(digits);
    Sums::absorb(digits, total);
    return fold.template finalize<Result>(digits, size, status);
  }

  R m_reducer;
  FoldContext m_context;
};

}  // namespace tessera::detail

#endif
