// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums of elements, of their magnitudes and of their squares, in one read, and what follows from them with one
// rounding.
#ifndef TESSERA_REDUCE_DETAIL_EXACT_MOMENTS_HPP
#define TESSERA_REDUCE_DETAIL_EXACT_MOMENTS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/noinline.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/exact_digits.hpp>
#include <tessera/reduce/detail/exact_rounding.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/exact_window.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// Which sums a reducer wants.
struct Moments {
  bool sum = false, magnitude = false, squares = false;
};

/// Floating elements.
template <class T, Moments Wanted>
class ExactMoments {
  using Format = ExactFormat<T>;
  using SumWindow = ExactWindow<Format::sum_words, Format::sum_digits::low_bit>;
  using ProductWindow = ExactWindow<Format::product_words, Format::product_digits::low_bit>;
  struct Nothing {};
  template <bool Used, class Type>
  using If = std::conditional_t<Used, Type, Nothing>;
  static constexpr bool narrow = std::is_same_v<T, float>;

 public:
  struct thread_type {
    If<Wanted.sum, SumWindow> sum;
    If<Wanted.magnitude, SumWindow> magnitude;
    If<Wanted.squares, ProductWindow> squares;
  };
  struct digits_type {
    If<Wanted.sum, typename Format::sum_digits> sum;
    If<Wanted.magnitude, typename Format::sum_digits> magnitude;
    If<Wanted.squares, typename Format::product_digits> squares;
    Specials specials;
  };

  KOKKOS_FUNCTION static void clear(digits_type& digits) {
    if constexpr (Wanted.sum) digits.sum.clear();
    if constexpr (Wanted.magnitude) digits.magnitude.clear();
    if constexpr (Wanted.squares) digits.squares.clear();
    digits.specials = {0, 0, 0};
  }
  KOKKOS_FORCEINLINE_FUNCTION static void clear(thread_type& thread) {
    if constexpr (Wanted.sum) thread.sum.clear();
    if constexpr (Wanted.magnitude) thread.magnitude.clear();
    if constexpr (Wanted.squares) thread.squares.clear();
  }

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const FoldContext& context, thread_type& thread, digits_type& digits,
                                              const T (&elements)[N], const Index& index, const Status& status) {
    const ExponentRange range = exponent_range(elements);
    if (range.empty) return;
    if constexpr (Wanted.sum) {
      if (!range.ordinary || !add_sum<false>(thread.sum, digits.sum, elements, range)) {
        add_sum_slowly<false>(thread.sum, digits.sum, elements);
      }
    }
    if constexpr (Wanted.magnitude) {
      if (!range.ordinary || !add_sum<true>(thread.magnitude, digits.magnitude, elements, range)) {
        add_sum_slowly<true>(thread.magnitude, digits.magnitude, elements);
      }
    }
    if constexpr (Wanted.squares) {
      if (!range.ordinary || !add_squares(thread.squares, digits.squares, elements, range)) {
        const Kept<T, N> kept(elements);
        TESSERA_NO_UNROLL
        for (int k = 0; k < N; ++k) {
          const T x = kept.values[k];
          if (FloatParts<T>(x).finite()) deposit_product(digits.squares, x, x);
        }
      }
    }
    if (!range.ordinary) {
      const Kept<T, N> kept(elements);
      TESSERA_NO_UNROLL
      for (int k = 0; k < N; ++k) {
        const T x = kept.values[k];
        if (!FloatParts<T>(x).finite()) note(context.nan, digits.specials, x, input_index(index, k), status);
      }
    }
  }

  KOKKOS_FUNCTION static void absorb(digits_type& digits, const digits_type& part) {
    if constexpr (Wanted.sum) digits.sum.add(part.sum);
    if constexpr (Wanted.magnitude) digits.magnitude.add(part.magnitude);
    if constexpr (Wanted.squares) digits.squares.add(part.squares);
    digits.specials.flags |= part.specials.flags;
    digits.specials.nans += part.specials.nans;
    digits.specials.infinities += part.specials.infinities;
  }

  KOKKOS_FUNCTION static void zero(digits_type& digits) {
    if constexpr (Wanted.sum) digits.sum.zero();
    if constexpr (Wanted.magnitude) digits.magnitude.zero();
    if constexpr (Wanted.squares) digits.squares.zero();
    digits.specials = {0, 0, 0};
  }
  KOKKOS_FUNCTION static void merge(digits_type& into, const digits_type& from) {
    if constexpr (Wanted.sum) into.sum.atomic_add(from.sum);
    if constexpr (Wanted.magnitude) into.magnitude.atomic_add(from.magnitude);
    if constexpr (Wanted.squares) into.squares.atomic_add(from.squares);
    Kokkos::atomic_or(&into.specials.flags, from.specials.flags);
    Kokkos::atomic_add(&into.specials.nans, from.specials.nans);
    Kokkos::atomic_add(&into.specials.infinities, from.specials.infinities);
  }

  /// The sum, or the sum of magnitudes, of one thread, where two doubles hold it.
  KOKKOS_FORCEINLINE_FUNCTION static ExactPair pair(const thread_type& thread, const digits_type& digits) {
    constexpr ExactPair none{0, Kokkos::Experimental::quiet_NaN_v<double>};
    if (digits.specials.flags != 0) return none;
    if constexpr (Wanted.sum) {
      return digits.sum.empty() ? thread.sum.pair() : none;
    } else {
      return digits.magnitude.empty() ? thread.magnitude.pair() : none;
    }
  }
  KOKKOS_FUNCTION static void absorb(digits_type& digits, const ExactPair& part) {
    auto& sum = [&]() -> auto& {
      if constexpr (Wanted.sum) {
        return digits.sum;
      } else {
        return digits.magnitude;
      }
    }
    ();
    deposit_multiple(sum, part.high);
    deposit_multiple(sum, part.low);
  }

  /// Leaves the sums of one thread in its digits.
  KOKKOS_FORCEINLINE_FUNCTION static void close_alone(thread_type& thread, digits_type& digits) {
    if constexpr (Wanted.sum) thread.sum.empty(digits.sum);
    if constexpr (Wanted.magnitude) thread.magnitude.empty(digits.magnitude);
    if constexpr (Wanted.squares) thread.squares.empty(digits.squares);
  }

  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION static void close(const Member& team, thread_type& thread, digits_type& digits,
                                                digits_type& result, std::int64_t* tree) {
    if (team.team_rank() == 0) result.specials = {0, 0, 0};
    close_alone(thread, digits);
    if constexpr (Wanted.sum) close_digits(team, digits.sum, result.sum, tree);
    if constexpr (Wanted.magnitude) close_digits(team, digits.magnitude, result.magnitude, tree);
    if constexpr (Wanted.squares) close_digits(team, digits.squares, result.squares, tree);
    const Specials& specials = digits.specials;
    if (specials.flags != 0) Kokkos::atomic_or(&result.specials.flags, specials.flags);
    if (specials.nans != 0) Kokkos::atomic_add(&result.specials.nans, specials.nans);
    if (specials.infinities != 0) Kokkos::atomic_add(&result.specials.infinities, specials.infinities);
    team.team_barrier();
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const digits_type& from, digits_type& to) {
    if constexpr (Wanted.sum) store_digits(team, from.sum, to.sum);
    if constexpr (Wanted.magnitude) store_digits(team, from.magnitude, to.magnitude);
    if constexpr (Wanted.squares) store_digits(team, from.squares, to.squares);
    if (team.team_rank() == 0) to.specials = from.specials;
  }

 private:
  // Fewer elements take all words: no time is lost, and each choice is code.
  static constexpr int choice_min = 8;

  template <bool Magnitude, int Level, int N>
  KOKKOS_FORCEINLINE_FUNCTION static void add_level(SumWindow& window, const T (&elements)[N]) {
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (N == host_group) {
      window.template add_vectors<0, Level, N>([&](int first, HostVector<double>& terms) {
        HostVector<T> loaded;
        load_vector(elements + first, loaded);
        terms = __builtin_convertvector(loaded, HostVector<double>);
        if (Magnitude) terms = terms < 0 ? -terms : terms;
      });
      return;
    }
#endif
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const double x = static_cast<double>(elements[k]);
      window.template add<Level>(Magnitude ? Kokkos::fabs(x) : x);
    }
  }

  template <bool Magnitude, int N>
  KOKKOS_FORCEINLINE_FUNCTION static bool add_sum(SumWindow& window, typename Format::sum_digits& digits,
                                                  const T (&elements)[N], const ExponentRange& range) {
    if (range.highest > SumWindow::exponent_max) return false;
    const int level =
        window.template fit<(N < choice_min)>(range.highest, range.lowest - (FloatFormat<T>::mantissa - 1), digits);
    if (level == 0) return false;
    window.count(N, digits);
    if constexpr (N < choice_min) {
      add_level<Magnitude, Format::sum_words>(window, elements);
    } else {
      if (narrow && level == 1) {
        add_level<Magnitude, 1>(window, elements);
      } else if (level <= 2) {
        add_level<Magnitude, 2>(window, elements);
      } else {
        add_level<Magnitude, Format::sum_words>(window, elements);
      }
    }
    return true;
  }

  template <bool Magnitude, int N>
  KOKKOS_FORCEINLINE_FUNCTION static void add_sum_slowly(SumWindow& window, typename Format::sum_digits& digits,
                                                         const T (&elements)[N]) {
    window.count(N, digits);
    const Kept<T, N> kept(elements);
    TESSERA_NO_UNROLL
    for (int k = 0; k < N; ++k) {
      const T element = Magnitude ? Kokkos::fabs(kept.values[k]) : kept.values[k];
      const FloatParts<T> parts(element);
      const bool normal = parts.field() > 0 && parts.finite();
      if (normal && window.below_top(parts.exponent()) &&
          window.level(parts.exponent() - (FloatFormat<T>::mantissa - 1)) != 0) {
        window.template add<Format::sum_words>(static_cast<double>(element));
      } else if (parts.finite()) {
        deposit_value(digits, element);
      }
    }
  }

  template <int Level, int N>
  KOKKOS_FORCEINLINE_FUNCTION static void add_squares_level(ProductWindow& window, const T (&elements)[N]) {
#if defined(TESSERA_HOST_VECTORS)
    if constexpr (N == host_group) {
      window.template add_vectors<0, Level, N>([&](int first, HostVector<double>& squares) {
        for (int j = 0; j < host_vector_width; ++j) {
          const double x = static_cast<double>(elements[first + j]);
          squares[j] = rounded_product(x, x);
        }
      });
      if constexpr (!narrow) {
        window.template add_vectors<1, Level, N>([&](int first, HostVector<double>& errors) {
          for (int j = 0; j < host_vector_width; ++j) {
            const double x = elements[first + j];
            errors[j] = Kokkos::fma(x, x, -rounded_product(x, x));
          }
        });
      }
      return;
    }
#endif
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const double x = static_cast<double>(elements[k]);
      const double p = rounded_product(x, x);
      window.template add<Level>(p);
      if constexpr (!narrow) window.template add_low<Level>(Kokkos::fma(x, x, -p));
    }
  }

  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION static bool add_squares(ProductWindow& window, typename Format::product_digits& digits,
                                                      const T (&elements)[N], const ExponentRange& range) {
    // Below, the error of a square would be subnormal.
    if (2 * range.highest + 1 > ProductWindow::exponent_max || 2 * range.lowest < -918) return false;
    const int level = window.template fit<false>(2 * range.highest + 1,
                                                 2 * range.lowest - 2 * (FloatFormat<T>::mantissa - 1), digits);
    if (level == 0) return false;
    window.count(narrow ? N : 2 * N, digits);
    if constexpr (narrow || N < choice_min) {
      add_squares_level<Format::product_words>(window, elements);
    } else {
      if (level <= 3) {
        add_squares_level<3>(window, elements);
      } else {
        add_squares_level<Format::product_words>(window, elements);
      }
    }
    return true;
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION static void note(NanPolicy nan, Specials& specials, T element, std::int64_t index,
                                                    Status status) {
    const FloatParts<T> parts(element);
    if (!parts.is_nan()) {
      specials.flags |= parts.negative() ? Specials::minus_infinity : Specials::plus_infinity;
      ++specials.infinities;
      return;
    }
    ++specials.nans;
    if (nan != NanPolicy::omit) specials.flags |= Specials::nan;
    if (nan == NanPolicy::error) status.raise(StatusKind::nan_found, static_cast<std::uint64_t>(index));
  }
};

}  // namespace tessera::detail

#endif
