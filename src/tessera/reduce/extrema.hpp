// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reducers of extremes: min, max, both, and the largest magnitude.
#ifndef TESSERA_REDUCE_EXTREMA_HPP
#define TESSERA_REDUCE_EXTREMA_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <tessera/detail/exact_integer.hpp>
#include <tessera/detail/float_format.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/host_chains.hpp>
#include <tessera/reduce/detail/narrow.hpp>
#include <type_traits>

namespace tessera {

namespace detail {

/// Minimum (Sign = 1) or maximum (Sign = -1). A NaN stays, whatever comes after it; -0.0 is less than 0.0.
template <class T, int Sign>
struct Extremum {
  static_assert(is_number_v<T>, "tessera::Min, tessera::Max: the element type must be a number");
  using value_type = wide_t<T>;
  using result_type = T;
  static constexpr bool needs_elements = true;
  static constexpr bool all_variants = sizeof(T) >= 4;
  static constexpr bool order_free = true;

  KOKKOS_FUNCTION value_type identity() const {
    if constexpr (is_floating_v<T>) {
      return Sign * Kokkos::Experimental::infinity_v<value_type>;
    } else {
      return Sign > 0 ? Kokkos::Experimental::finite_max_v<value_type> : Kokkos::Experimental::finite_min_v<value_type>;
    }
  }

  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    const bool better = Sign > 0 ? from < into : from > into;
    if constexpr (has_instruction) {
      into = extreme_of(into, from);
    } else if constexpr (is_floating_v<T>) {
      // Equal values of different sign are the two zeros.
      const bool better_zero = from == into && Kokkos::signbit(from) == (Sign > 0);
      into = better || better_zero || from != from ? from : into;
    } else {
      into = better ? from : into;
    }
  }

  KOKKOS_FUNCTION result_type finalize(const value_type& value) const {
    if constexpr (is_short_float_v<T>) {
      return narrowed<T>(value);
    } else if constexpr (is_floating_v<T>) {
      return value != value ? Kokkos::Experimental::quiet_NaN_v<T> : value;
    } else {
      return value;
    }
  }

  /// Chains of floating elements compare integers that are in the same order, which processors do in vectors.
  using chain_type =
      std::conditional_t<is_floating_v<T>, std::conditional_t<sizeof(value_type) == 4, std::int32_t, std::int64_t>, T>;
  static constexpr std::int64_t chain_length = std::int64_t{1} << 40;

  KOKKOS_FUNCTION chain_type chain_identity() const {
    if constexpr (has_instruction) {
      return Kokkos::bit_cast<chain_type>(identity());
    } else if constexpr (is_floating_v<T>) {
      return ordered(Kokkos::bit_cast<chain_type>(identity()));
    } else {
      return identity();
    }
  }
  KOKKOS_FUNCTION void chain(chain_type& into, T element) const {
    if constexpr (has_instruction) {
      into = Kokkos::bit_cast<chain_type>(extreme_of(Kokkos::bit_cast<value_type>(into), widened(element)));
    } else if constexpr (is_floating_v<T>) {
      const auto bits = Kokkos::bit_cast<chain_type>(widened(element));
      chain_key(into, (bits & ~sign) > infinity ? nan_key : ordered(bits));
    } else {
      join(into, element);
    }
  }
  KOKKOS_FUNCTION value_type unchain(const chain_type& key) const {
    if constexpr (has_instruction) {
      return Kokkos::bit_cast<value_type>(key);
    } else if constexpr (is_floating_v<T>) {
      return key == nan_key ? Kokkos::Experimental::quiet_NaN_v<value_type>
                            : Kokkos::bit_cast<value_type>(ordered(key));
    } else {
      return key;
    }
  }
#if defined(__CUDA_ARCH__)
  /// One key for all of them: the best by the numbers, then what numbers do not say, of NaN and zeros.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void chain_group(chain_type& into,
                                               const T (&elements)[N]) const requires std::is_same_v<T, double> {
    double best = elements[0];
    bool is_nan = best != best;
    int signs = __double2hiint(best);
    TESSERA_UNROLL
    for (int k = 1; k < N; ++k) {
      const double element = elements[k];
      is_nan = is_nan || element != element;
      best = (Sign > 0 ? element < best : element > best) ? element : best;
      signs = Sign > 0 ? signs | __double2hiint(element) : signs & __double2hiint(element);
    }
    // Where the best is zero, no element but a zero has the sign that counts.
    if (best == 0) best = __hiloint2double(signs & static_cast<int>(sign >> 32), 0);
    chain_key(into, is_nan ? nan_key : ordered(Kokkos::bit_cast<chain_type>(best)));
  }
#endif
#if defined(TESSERA_HOST_VECTORS)
  template <int Lanes>
  void chain_host(chain_type (&chains)[Lanes], const value_type* elements, int groups) const
      requires(sizeof(chain_type) == sizeof(value_type) && compares_in_vectors<chain_type>) {
    chain_groups(chains, elements, groups, TakeVector{});
  }
  /// chain() for each lane.
  struct TakeVector {
    template <class Into, class Vector>
    void operator()(Into& into, const Vector& elements) const {
      auto key = (Into)elements;
      if constexpr (is_floating_v<T>) {
        const auto is_nan = (key & ~sign) > infinity;
        key ^= key < 0 ? ~sign + (key & 0) : key & 0;
        key = is_nan ? nan_key + (key & 0) : key;
      }
      into = (Sign > 0 ? key < into : key > into) ? key : into;
    }
  };
#endif

 private:
  static constexpr chain_type sign = Kokkos::Experimental::finite_min_v<chain_type>;
  static constexpr chain_type infinity =
      sizeof(value_type) == 4 ? static_cast<chain_type>(0x7f800000) : static_cast<chain_type>(0x7ff0000000000000);
  static constexpr chain_type nan_key = Sign > 0 ? sign : static_cast<chain_type>(~sign);

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  /// Whether one instruction does what join() does. Chains are bits of numbers then.
  static constexpr bool has_instruction = is_floating_v<T> && sizeof(value_type) == 4;
  __device__ __forceinline__ static float extreme_of(float a, float b) {
    float result;
    if constexpr (Sign > 0) {
      asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    } else {
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    }
    return result;
  }
#else
  static constexpr bool has_instruction = false;
#endif

  KOKKOS_FUNCTION static void chain_key(chain_type& into, chain_type key) {
    into = (Sign > 0 ? key < into : key > into) ? key : into;
  }

  /// From bits to integers in the order of the numbers, and back.
  KOKKOS_FUNCTION static chain_type ordered(chain_type bits) {
    return static_cast<chain_type>(bits ^ (bits < 0 ? ~sign : chain_type{0}));
  }
};

}  // namespace detail

/// Smallest element. NaN where there is one (the quiet NaN), min(0.0, -0.0) = -0.0. Empty input is an error.
template <class T>
struct Min : detail::Extremum<T, 1> {
  static constexpr std::string_view name() { return "min"; }
};

/// Largest element. NaN where there is one (the quiet NaN), max(0.0, -0.0) = 0.0. Empty input is an error.
template <class T>
struct Max : detail::Extremum<T, -1> {
  static constexpr std::string_view name() { return "max"; }
};

/// What MinMax gives.
template <class T>
struct MinMaxResult {
  T min, max;
  KOKKOS_FUNCTION static MinMaxResult spoiled() { return {detail::spoiled<T>(), detail::spoiled<T>()}; }
};

/// Smallest and largest element, as Min and Max give them. Empty input is an error.
template <class T>
struct MinMax {
  struct value_type {
    detail::wide_t<T> min, max;
  };
  using result_type = MinMaxResult<T>;
  static constexpr bool order_free = true;
  static constexpr bool needs_elements = true;
  KOKKOS_FUNCTION value_type identity() const { return {Min<T>{}.identity(), Max<T>{}.identity()}; }
  KOKKOS_FUNCTION value_type map(T element) const { return {detail::widened(element), detail::widened(element)}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    Min<T>{}.join(into.min, from.min);
    Max<T>{}.join(into.max, from.max);
  }
  KOKKOS_FUNCTION result_type finalize(const value_type& value) const {
    return {Min<T>{}.finalize(value.min), Max<T>{}.finalize(value.max)};
  }
#if defined(TESSERA_HOST_VECTORS)
  static constexpr bool joins_lanes = true;
  static constexpr bool asks_ahead = true;
  using key_type = typename Min<T>::chain_type;
  /// All of them to the first chain.
  template <int Lanes>
  void chain_host(value_type (&chains)[Lanes], const detail::wide_t<T>* elements, int groups) const
      requires(sizeof(key_type) == sizeof(detail::wide_t<T>) && detail::compares_in_vectors<key_type>) {
    using Element = detail::wide_t<T>;
    constexpr int held = detail::host_vector_bytes / static_cast<int>(sizeof(Element));
    constexpr int width = Lanes < held ? Lanes : held;
    detail::HostVector<key_type, width> least = {}, most = {};
    least += Min<T>{}.chain_identity();
    most += Max<T>{}.chain_identity();
    TESSERA_KEEP_LOOP
    for (int first = 0; first < groups * Lanes; first += width) {
      detail::prefetch_page_ahead<width>(elements + first);
      detail::HostVector<Element, width> loaded;
      detail::load_vector(elements + first, loaded);
      typename Min<T>::TakeVector{}(least, loaded);
      typename Max<T>::TakeVector{}(most, loaded);
    }
    const key_type min = detail::across<key_type, width>(least, detail::LesserOf{});
    const key_type max = detail::across<key_type, width>(most, detail::GreaterOf{});
    join(chains[0], {Min<T>{}.unchain(min), Max<T>{}.unchain(max)});
  }
#endif
  static constexpr std::string_view name() { return "minmax"; }
};

/// Largest magnitude; of integers as uint64. NaN where there is one. Empty: 0.
template <class T>
struct LInf {
  using value_type = detail::wide_t<T>;
  using result_type = T;
  static constexpr bool order_free = true;
  KOKKOS_FUNCTION value_type identity() const { return value_type(0); }
  KOKKOS_FUNCTION value_type map(T element) const { return Kokkos::fabs(detail::widened(element)); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into = from > into || from != from ? from : into;
  }
  KOKKOS_FUNCTION result_type finalize(const value_type& value) const {
    return value != value ? detail::spoiled<T>() : detail::narrowed<T>(value);
  }
#if defined(TESSERA_HOST_VECTORS)
  /// Magnitudes are in the order of their bits, and NaN beyond all.
  template <int Lanes>
  void chain_host(value_type (&chains)[Lanes], const value_type* elements, int groups) const
      requires(detail::compares_in_vectors<value_type>) {
    detail::chain_groups(chains, elements, groups, [](auto& into, const auto& of_group) {
      using Word = std::conditional_t<sizeof(value_type) == 4, std::int32_t, std::int64_t>;
      using Words = detail::HostVector<Word, sizeof(into) / sizeof(Word)>;
      const Words words = (Words)of_group & Kokkos::Experimental::finite_max_v<Word>;
      into = (std::decay_t<decltype(into)>)detail::GreaterOf{}(words, (Words)into);
    });
  }
#endif
  static constexpr std::string_view name() { return "linf"; }
};

template <class T>
requires std::is_integral_v<T>
struct LInf<T> {
  using value_type = std::make_unsigned_t<T>;
  using result_type = std::uint64_t;
  static constexpr bool order_free = true;
  KOKKOS_FUNCTION value_type identity() const { return 0; }
  KOKKOS_FUNCTION value_type map(T element) const { return detail::magnitude_of(element); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into = from > into ? from : into; }
  KOKKOS_FUNCTION result_type finalize(const value_type& value) const { return value; }
#if defined(TESSERA_HOST_VECTORS)
  template <int Lanes>
  void chain_host(value_type (&chains)[Lanes], const T* elements, int groups) const
      requires(detail::compares_in_vectors<T>) {
    detail::chain_groups(chains, elements, groups, [](auto& into, const auto& of_group) {
      const auto same = (std::decay_t<decltype(into)>)of_group;
      into = detail::GreaterOf{}(of_group < 0 ? -same : same, into);
    });
  }
#endif
  static constexpr std::string_view name() { return "linf"; }
};

}  // namespace tessera

#endif
