// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fold of exact sums of products. Products of floats are doubles; those of doubles are taken as p = xy rounded and
// e = xy - p, which fma gives without error (T. Ogita, S. Rump, S. Oishi, "Accurate sum and dot product", 2005).
#ifndef TESSERA_REDUCE_DETAIL_DOT_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_DOT_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/exact_integer.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_expansion.hpp>
#include <tessera/reduce/detail/exact_moments.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/host_products.hpp>
#include <tessera/reduce/detail/moments_fold.hpp>
#include <tessera/reduce/detail/pair_range.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// Sums of products of floating elements.
template <class T>
class ExactProducts {
  using Format = ExactFormat<T>;
  static constexpr bool narrow = std::is_same_v<T, float>;

 public:
  using Expansion = ExactExpansion<narrow ? 3 : 4>;
  struct thread_type : Expansion, SpillUse {};
  struct digits_type {
    typename Format::product_digits sum;
    Specials specials;
  };
  template <bool Counted>
  struct Spill : digits_type {
    static constexpr bool is_counted = Counted;
    ExactRest<typename Format::product_digits, Counted> rest;

    KOKKOS_FUNCTION void clear() {
      this->sum.clear();
      this->specials = {0, 0, 0};
      rest.clear();
    }
    /// For threads that are rare.
    TESSERA_NOINLINE KOKKOS_FUNCTION void clear_apart() { clear(); }
    KOKKOS_FUNCTION void lend_none() requires Counted { rest.counters.lend_none(); }
  };
  using spill_type = Spill<false>;
  using counted_spill_type = Spill<true>;

  template <bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static void begin(thread_type& thread, Spill<Counted>& spill) {
    thread.clear();
    thread.begin(spill);
  }

  template <bool Counted, int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const FoldContext& context, thread_type& thread, Spill<Counted>& spill,
                                              const ElementPair<T> (&pairs)[N], const Index& index,
                                              const Status& status) {
    double terms[narrow ? N : 2 * N];
    bool usual = true;
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const auto x = static_cast<double>(pairs[k].x);
      const auto y = static_cast<double>(pairs[k].y);
      terms[k] = rounded_product(x, y);
      if constexpr (!narrow) terms[N + k] = Kokkos::fma(x, y, -terms[k]);
      usual = usual && is_usual(pairs[k], terms[k]);
    }
    if (!usual) {
      const Kept<ElementPair<T>, N> kept(pairs);
      thread.set_up(spill);
      take_out(context, spill, kept, index, status);
      TESSERA_UNROLL
      for (int k = 0; k < N; ++k) {
        if (!is_usual(pairs[k], terms[k])) terms[k] = terms[(narrow ? 0 : N) + k] = 0;
      }
    }
    add_to_sum(thread, spill, terms);
  }

#if defined(TESSERA_HOST_VECTORS)
  /// A host's block, of x and y: at once where its products are close enough, else in groups of so many.
  template <int Group, bool Counted, class Index>
  TESSERA_NOINLINE static void add_block(const FoldContext& context, thread_type& thread, Spill<Counted>& spill,
                                         const T (&x)[host_block], const T (&y)[host_block], const Index& index,
                                         const Status& status) {
    const FieldRange x_fields = block_fields(x), y_fields = block_fields(y);
    if (can_cut_products<T>(x_fields, y_fields)) {
      double sums[narrow ? 2 : 4];
      sum_products(x, y, products_top<T>(x_fields, y_fields), sums);
      return add_to_sum(thread, spill, sums);
    }
    Index of_group = index;
    for (int first = 0; first < host_block; first += Group, of_group.first += Group) {
      ElementPair<T> group[Group];
      for (int k = 0; k < Group; ++k) group[k] = {x[first + k], y[first + k]};
      add(context, thread, spill, group, of_group, status);
    }
  }
#endif

  KOKKOS_FUNCTION static constexpr std::size_t lent_bytes(int team_size) {
    return decltype(counted_spill_type::rest)::lent_bytes(team_size);
  }
  template <TeamMember Member>
  KOKKOS_FUNCTION static void lend_scratch(const Member& team, counted_spill_type& spill, std::byte* scratch) {
    spill.rest.counters.lend(team, scratch);
  }

  /// Leaves the sums of each thread of a team, and of its counters, in the digits of its threads.
  template <TeamMember Member, bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static void close_threads(const Member& team, thread_type& thread,
                                                        Spill<Counted>& spill) {
    thread.set_up(spill);
    spill.rest.note_use(team);
    close_alone(thread, spill);
    if (spill.rest.has_counters()) team.team_barrier();  // for all threads or none
    spill.rest.collect(team, spill.sum);
  }

  template <bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static void close_alone(thread_type& thread, Spill<Counted>& spill) {
    thread.empty(spill.sum);
    spill.rest.empty(spill.sum);
  }

  /// The sum, where the expansion has all of it.
  template <bool Counted>
  KOKKOS_FORCEINLINE_FUNCTION static BoundedPair pair(const thread_type& thread, const Spill<Counted>& spill) {
    const bool whole = !thread.is_set_up || (spill.specials.flags == 0 && spill.sum.empty() && !spill.rest.used);
    return whole ? thread.pair() : BoundedPair::none();
  }

 private:
  template <bool Counted, int N>
  KOKKOS_FORCEINLINE_FUNCTION static void add_to_sum(thread_type& thread, Spill<Counted>& spill, double (&terms)[N]) {
    auto&& rest = thread.on_use(spill, spill.rest);
    add_terms<!narrow>(static_cast<Expansion&>(thread), rest, spill.sum, terms);
  }

  /// What no sum of a few may hold, and products whose error is no double, go alone.
  template <bool Counted, int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void take_out(const FoldContext& context, Spill<Counted>& spill,
                                                   const Kept<ElementPair<T>, N>& pairs, const Index& index,
                                                   const Status& status) {
    TESSERA_NO_UNROLL
    for (int k = 0; k < N; ++k) {
      const ElementPair<T> pair = pairs.values[k];
      if (is_usual(pair, rounded_product(pair.x, pair.y))) continue;
      if (FloatParts<T>(pair.x).finite() && FloatParts<T>(pair.y).finite()) {
        spill.rest.add_product(spill.sum, pair.x, pair.y);
      } else {
        note(context.nan, spill.specials, pair, input_index(index, k), status);
      }
    }
  }

  /// Whether the product, and its error where it has one, are doubles that sums can take.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_usual(const ElementPair<T>& pair, double product) {
    if constexpr (narrow) {
      return magnitude_word(product) < ExactFormat<double>::unusual_word;
    } else {
      return is_usual_product(product) || (product == 0 && (pair.x == 0 || pair.y == 0));
    }
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION static void note(NanPolicy nan, Specials& specials, ElementPair<T> pair,
                                                    std::int64_t index, Status status) {
    const FloatParts<T> x(pair.x), y(pair.y);
    if (x.is_nan() || y.is_nan()) {
      ++specials.nans;
      if (nan != NanPolicy::omit) specials.flags |= Specials::nan;
      if (nan == NanPolicy::error) status.raise(StatusKind::nan_found, static_cast<std::uint64_t>(index));
    } else if (x.magnitude() == 0 || y.magnitude() == 0) {
      specials.flags |= Specials::nan;  // 0 times infinity
    } else {
      specials.flags |= x.negative() != y.negative() ? Specials::minus_infinity : Specials::plus_infinity;
    }
  }
};

/// Sums of products of integers, in halves that cannot overflow before they are emptied.
template <class T>
requires std::is_integral_v<T>
class ExactProducts<T> {
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  __extension__ typedef std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128> Product;

 public:
  struct thread_type : SpillAtOnce {
    SplitSum<std::uint64_t> low;
    SplitSum<Wide> high;
    std::int64_t terms;
  };
  struct digits_type {
    typename ExactFormat<T>::product_digits sum;
    Specials specials;
  };
  using spill_type = digits_type;
  using counted_spill_type = spill_type;

  KOKKOS_FORCEINLINE_FUNCTION static void begin(thread_type& thread, spill_type& spill) {
    thread = {};
    spill.sum.clear();
    spill.specials = {0, 0, 0};
  }

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const FoldContext&, thread_type& thread, digits_type& digits,
                                              const ElementPair<T> (&pairs)[N], const Index&, const Status&) {
    thread.terms += N;
    if (thread.terms > (std::int64_t{1} << 30)) {
      close_alone(thread, digits);
      thread.terms = N;
    }
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const Product product = static_cast<Product>(pairs[k].x) * static_cast<Product>(pairs[k].y);
      thread.low.add(static_cast<std::uint64_t>(product));
      thread.high.add(static_cast<Wide>(product >> 64));
    }
  }

  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION static void close_threads(const Member&, thread_type& thread, digits_type& digits) {
    close_alone(thread, digits);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void close_alone(thread_type& thread, digits_type& digits) {
    digits.sum.deposit(static_cast<std::int64_t>(thread.low.low), 0);
    digits.sum.deposit(static_cast<std::int64_t>(thread.low.high), 32);
    digits.sum.deposit(static_cast<std::int64_t>(thread.high.low), 64);
    digits.sum.deposit(static_cast<std::int64_t>(thread.high.high), 96);
    thread = {};
  }
};

template <class R, class T>
class DotFold {
  using Products = ExactProducts<T>;

 public:
  static constexpr int lanes = 2 * packed_length<T>;
  static constexpr bool sums_exactly = std::is_floating_point_v<T>;
  static constexpr bool takes_pair_blocks = sums_exactly && has_host_vectors;
  static constexpr bool reads_pairs_ahead = sums_exactly;
  static constexpr int team_size_max = 256;
  static constexpr int teams_at_once = 2;
  static constexpr bool closes_in_pairs = sums_exactly;
  using thread_type = typename Products::thread_type;
  using spill_type = typename Products::spill_type;
  using counted_spill_type = typename Products::counted_spill_type;
  using team_type = typename Products::digits_type;

  KOKKOS_FUNCTION DotFold(const R&, const FoldContext& context) : m_context(context) {}

  template <class Spill>
  KOKKOS_FORCEINLINE_FUNCTION void begin(thread_type& thread, Spill& spill) const {
    Products::begin(thread, spill);
  }

  KOKKOS_FUNCTION static constexpr std::size_t lent_bytes(int team_size) requires sums_exactly {
    return Products::lent_bytes(team_size);
  }
  template <TeamMember Member>
  KOKKOS_FUNCTION static void lend_scratch(const Member& team, counted_spill_type& spill,
                                           std::byte* scratch) requires sums_exactly {
    Products::lend_scratch(team, spill, scratch);
  }

  template <class Spill, int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(thread_type& thread, Spill& spill, const ElementPair<T> (&pairs)[N],
                                       const Index& index, const Status& status) const {
    Products::add(m_context, thread, spill, pairs, index, status);
  }

#if defined(TESSERA_HOST_VECTORS)
  /// The block that is at x and y, on a host.
  template <class Spill, class Index>
  void add_block(thread_type& thread, Spill& spill, const T* x, const T* y, const Index& index,
                 const Status& status) const requires sums_exactly {
    using Block = const T[host_block];
    Products::template add_block<lanes>(m_context, thread, spill, *reinterpret_cast<Block*>(x),
                                        *reinterpret_cast<Block*>(y), index, status);
  }
#endif

  template <class Spill>
  KOKKOS_FORCEINLINE_FUNCTION void absorb(thread_type& thread, Spill& spill, const team_type& part) const {
    thread.set_up(spill);
    spill.sum.add(part.sum);
    spill.specials.flags |= part.specials.flags;
  }

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int team_size) {
    return close_digits_entries(team_size) * sizeof(std::int64_t);
  }

  template <TeamMember Member, class Spill>
  KOKKOS_FORCEINLINE_FUNCTION void close(const Member& team, thread_type& thread, Spill& spill, team_type& result,
                                         std::byte* scratch) const {
    if (team.team_rank() == 0) result.specials = {0, 0, 0};
    Products::close_threads(team, thread, spill);
    close_digits<true>(team, spill.sum, result.sum, reinterpret_cast<std::int64_t*>(scratch));
    if (spill.specials.flags != 0) Kokkos::atomic_or(&result.specials.flags, spill.specials.flags);
    team.team_barrier();
  }

  KOKKOS_FUNCTION team_type& close_alone(thread_type& thread, spill_type& spill, team_type&) const {
    Products::close_alone(thread, spill);
    return spill;
  }

  template <class Spill>
  KOKKOS_FORCEINLINE_FUNCTION static BoundedPair pair(const thread_type& thread, const Spill& spill) {
    return Products::pair(thread, spill);
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const team_type& from, team_type& to) {
    store_digits(team, from.sum, to.sum);
    if (team.team_rank() == 0) to.specials = from.specials;
  }

  template <class Result>
  KOKKOS_FUNCTION Result finalize(team_type& total, std::int64_t, const Status& status) const {
    return exact_total<Result>(magnitude(total.sum), total.specials.flags, false, status);
  }
  template <class Result>
  KOKKOS_FORCEINLINE_FUNCTION bool settle(const BoundedPair& total, std::int64_t, const Status&, Result& result) const {
    return settle_total(
        total, [](const ExactPair& sum) { return rounded<Result>(sum); }, result);
  }

 private:
  FoldContext m_context;
};

}  // namespace tessera::detail

#endif
