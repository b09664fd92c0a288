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
/// Of floating elements, integers in the order of the numbers are compared, which processors do in vectors: one
/// comparison, where NaN and zeros make it several. Those of a team's joins cost 0.7 microseconds (doubles, H200).
template <class T, int Sign>
struct Extremum {
  static_assert(is_number_v<T>, "tessera::Min, tessera::Max: the element type must be a number");
  using element_type = T;
  using number_type = wide_t<T>;
  using value_type =
      std::conditional_t<is_floating_v<T>, std::conditional_t<sizeof(number_type) == 4, std::int32_t, std::int64_t>, T>;
  using result_type = T;
  static constexpr bool needs_elements = true;
  static constexpr bool all_variants = sizeof(T) >= 4;
  static constexpr bool order_free = true;

  /// Beaten by every number.
  KOKKOS_FUNCTION static constexpr number_type worst() {
    if constexpr (is_floating_v<T>) {
      return Sign * Kokkos::Experimental::infinity_v<number_type>;
    } else {
      return Sign > 0 ? Kokkos::Experimental::finite_max_v<T> : Kokkos::Experimental::finite_min_v<T>;
    }
  }
  KOKKOS_FUNCTION value_type identity() const { return key_of(worst()); }
  KOKKOS_FUNCTION value_type map(T element) const { return key_of(widened(element)); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into = (Sign > 0 ? from < into : from > into) ? from : into;
  }
  KOKKOS_FUNCTION result_type finalize(const value_type& value) const {
    if constexpr (is_floating_v<T>) {
      return value == nan_key ? spoiled<T>() : narrowed<T>(Kokkos::bit_cast<number_type>(ordered(value)));
    } else {
      return value;
    }
  }

  /// What value_type is, or the bits of a number where an instruction compares these.
  using chain_type = value_type;
  static constexpr std::int64_t chain_length = std::int64_t{1} << 40;

  KOKKOS_FUNCTION chain_type chain_identity() const {
    if constexpr (has_instruction) {
      return Kokkos::bit_cast<chain_type>(worst());
    } else {
      return identity();
    }
  }
  KOKKOS_FUNCTION void chain(chain_type& into, T element) const {
    if constexpr (has_instruction) {
      into = Kokkos::bit_cast<chain_type>(extreme_of(Kokkos::bit_cast<number_type>(into), widened(element)));
    } else {
      join(into, map(element));
    }
  }
  KOKKOS_FUNCTION value_type unchain(const chain_type& chain) const {
    if constexpr (has_instruction) {
      return key_of(Kokkos::bit_cast<number_type>(chain));
    } else {
      return chain;
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
    join(into, is_nan ? nan_key : ordered(Kokkos::bit_cast<value_type>(best)));
  }
#endif
#if defined(TESSERA_HOST_VECTORS)
  static number_type stand_in(number_type element) { return element; }
  template <int Lanes>
  void chain_host(chain_type (&chains)[Lanes], const number_type* elements, int groups) const
      requires(compares_in_vectors<chain_type>) {
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
  static constexpr value_type sign = Kokkos::Experimental::finite_min_v<value_type>;
  static constexpr value_type infinity =
      sizeof(number_type) == 4 ? static_cast<value_type>(0x7f800000) : static_cast<value_type>(0x7ff0000000000000);
  static constexpr value_type nan_key = Sign > 0 ? sign : static_cast<value_type>(~sign);

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  /// Whether one instruction does what chain() does.
  static constexpr bool has_instruction = is_floating_v<T> && sizeof(number_type) == 4;
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

  KOKKOS_FUNCTION static value_type key_of(number_type number) {
    if constexpr (is_floating_v<T>) {
      const auto bits = Kokkos::bit_cast<value_type>(number);
      return (bits & ~sign) > infinity ? nan_key : ordered(bits);
    } else {
      return number;
    }
  }
  /// From bits to integers in the order of the numbers, and back.
  KOKKOS_FUNCTION static value_type ordered(value_type bits) {
    return static_cast<value_type>(bits ^ (bits < 0 ? ~sign : value_type{0}));
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
  using element_type = T;
  struct value_type {
    typename Min<T>::value_type min;
    typename Max<T>::value_type max;
  };
  using result_type = MinMaxResult<T>;
  using chain_type = value_type;
  static constexpr std::int64_t chain_length = Min<T>::chain_length;
  static constexpr bool order_free = true;
  static constexpr bool needs_elements = true;
  KOKKOS_FUNCTION value_type identity() const { return {Min<T>{}.identity(), Max<T>{}.identity()}; }
  KOKKOS_FUNCTION value_type map(T element) const { return {Min<T>{}.map(element), Max<T>{}.map(element)}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    Min<T>{}.join(into.min, from.min);
    Max<T>{}.join(into.max, from.max);
  }
  KOKKOS_FUNCTION result_type finalize(const value_type& value) const {
    return {Min<T>{}.finalize(value.min), Max<T>{}.finalize(value.max)};
  }
  KOKKOS_FUNCTION chain_type chain_identity() const { return {Min<T>{}.chain_identity(), Max<T>{}.chain_identity()}; }
  KOKKOS_FUNCTION void chain(chain_type& into, T element) const {
    Min<T>{}.chain(into.min, element);
    Max<T>{}.chain(into.max, element);
  }
  KOKKOS_FUNCTION value_type unchain(const chain_type& chain) const {
    return {Min<T>{}.unchain(chain.min), Max<T>{}.unchain(chain.max)};
  }
#if defined(__CUDA_ARCH__)
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void chain_group(chain_type& into,
                                               const T (&elements)[N]) const requires std::is_same_v<T, double> {
    Min<T>{}.chain_group(into.min, elements);
    Max<T>{}.chain_group(into.max, elements);
  }
#endif
#if defined(TESSERA_HOST_VECTORS)
  static constexpr bool joins_lanes = true;
  static constexpr bool asks_ahead = true;
  using key_type = typename Min<T>::value_type;
  static detail::wide_t<T> stand_in(detail::wide_t<T> element) { return element; }
  /// All of them to the first chain.
  template <int Lanes>
  void chain_host(value_type (&chains)[Lanes], const detail::wide_t<T>* elements, int groups) const
      requires(detail::compares_in_vectors<key_type>) {
    using Element = detail::wide_t<T>;
    constexpr int held = detail::host_vector_bytes / static_cast<int>(sizeof(Element));
    constexpr int width = Lanes < held ? Lanes : held;
    detail::HostVector<key_type, width> least = {}, most = {};
    least += Min<T>{}.identity();
    most += Max<T>{}.identity();
    TESSERA_KEEP_LOOP
    for (int first = 0; first < groups * Lanes; first += width) {
      detail::prefetch_page_ahead<width>(elements + first);
      detail::HostVector<Element, width> loaded;
      detail::load_vector(elements + first, loaded);
      typename Min<T>::TakeVector{}(least, loaded);
      typename Max<T>::TakeVector{}(most, loaded);
    }
    join(chains[0], {detail::across<key_type, width>(least, detail::LesserOf{}),
                     detail::across<key_type, width>(most, detail::GreaterOf{})});
  }
#endif
  static constexpr std::string_view name() { return "minmax"; }
};

/// Largest magnitude; of integers as uint64. NaN where there is one. Empty: 0.
template <class T>
struct LInf {
  using element_type = T;
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
  static value_type stand_in(value_type element) { return element; }
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
  using element_type = T;
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
