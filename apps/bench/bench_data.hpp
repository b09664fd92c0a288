// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bench's data: pseudo-random from a fixed seed, the same on every machine, with sums that are exact in any order.
#ifndef TESSERA_APPS_BENCH_BENCH_DATA_HPP
#define TESSERA_APPS_BENCH_BENCH_DATA_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tessera/reduce/reduce_options.hpp>
#include <type_traits>
#include <vector>

#include "bench_case.hpp"
#include "device/cache.hpp"
#include "device/random_word.hpp"
#include "device/spaces.hpp"
#include "device/timing.hpp"

namespace tessera::apps::bench {

/// Bits of an element's random numerator. Sums of 2^30 elements stay exact: numerators are symmetric about zero, so a
/// sum wanders about as far as the square root of the count.
template <class T>
inline constexpr int numerator_bits = std::is_same_v<T, float> || sizeof(T) == 1
                                          ? 8
                                          : (std::is_same_v<T, std::int64_t> ? 33 : 32);

/// Odd for floating types, so never zero.
template <class T>
KOKKOS_INLINE_FUNCTION std::int64_t numerator(std::uint64_t index) {
  const auto word = static_cast<std::int64_t>(random_word(index)) >> (64 - numerator_bits<T>);
  return std::is_floating_point_v<T> ? word | 1 : word;
}

/// A floating element is its numerator divided by this.
template <class T>
inline constexpr double denominator = std::is_same_v<T, float> ? 0x1p7 : (std::is_same_v<T, double> ? 0x1p31 : 1);

template <class T>
KOKKOS_INLINE_FUNCTION T element(std::uint64_t index) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(numerator<T>(index)) / static_cast<T>(denominator<T>);
  } else {
    return static_cast<T>(numerator<T>(index));
  }
}

/// Positive, no two neighbours alike, not symmetric: a wrong index or a reversed order shows.
inline std::vector<double> filter_weights(std::int64_t taps) {
  std::vector<double> weights(static_cast<std::size_t>(taps));
  for (std::int64_t k = 0; k < taps; ++k) {
    weights[static_cast<std::size_t>(k)] = static_cast<double>(5 * k % 7 + 1) / (4.0 * static_cast<double>(taps));
  }
  return weights;
}

/// The element that stands for element j of a line under mode reflect, found step by step.
KOKKOS_INLINE_FUNCTION std::int64_t reflected(std::int64_t j, std::int64_t count) {
  while (j < 0 || j >= count) j = j < 0 ? -1 - j : 2 * count - 1 - j;
  return j;
}

template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

template <class Space, class T>
struct FillElements {
  T* data;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { data[i] = element<T>(static_cast<std::uint64_t>(first + i)); }
};

/// Elements first, first + 1, ..
template <class Space, class T>
Kokkos::View<T*, Space> make_elements(const Space& space, std::int64_t count, std::int64_t first = 0) {
  Kokkos::View<T*, Space> data(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "tessera::bench::in"), count);
  Kokkos::parallel_for("tessera::bench::fill", Range<Space>(space, 0, count),
                       FillElements<Space, T>{data.data(), first});
  return data;
}

template <class Space, class T>
Kokkos::View<T*, Space> make_output(const Space& space, std::int64_t count) {
  return Kokkos::View<T*, Space>(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "tessera::bench::out"), count);
}

/// Bytes that no element of the data has.
template <class Space, class Out>
void poison(const Space& space, const Out& out) {
  using T = typename Out::value_type;
  static_assert(std::is_floating_point_v<T>);
  Kokkos::deep_copy(space, out, Kokkos::Experimental::quiet_NaN_v<T>);
}

/// Of a copy.
template <class T>
struct CountDifferent {
  const T *in, *out;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const { wrong += !(in[i] == out[i]); }
};

/// What a check found: the count of wrong outputs, "" for none.
inline std::string wrong_outputs(std::int64_t wrong, std::int64_t count) {
  return wrong == 0 ? "" : std::to_string(wrong) + " of " + std::to_string(count) + " outputs are wrong";
}

/// Likewise, of the outputs of range, of which counter(i, wrong) counts one.
template <class Space, class Counter>
std::string wrong_outputs(const Range<Space>& range, const Counter& counter) {
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce("tessera::bench::check", range, counter, wrong);
  return wrong_outputs(wrong, range.end());
}

/// The bits of a number, spread over 64.
template <class T>
KOKKOS_INLINE_FUNCTION std::uint64_t spread_bits(T value) {
  if constexpr (sizeof(T) == 8) {
    return random_word(Kokkos::bit_cast<std::uint64_t>(value));
  } else if constexpr (sizeof(T) == 4) {
    return random_word(Kokkos::bit_cast<std::uint32_t>(value));
  } else {
    return random_word(static_cast<std::uint64_t>(value));
  }
}

/// A sum modulo 2^64, so that the order does not matter; the place of an element does.
template <class T>
struct AddBits {
  const T* data;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& sum) const {
    sum += random_word(spread_bits(data[i]) ^ static_cast<std::uint64_t>(i));
  }
};

/// A hash of the first count elements.
template <class Space, class T>
std::function<std::uint64_t()> bits_of(const Space& space, const Kokkos::View<T*, Space>& out, std::int64_t count) {
  return [space, out, count] {
    std::uint64_t sum = 0;
    Kokkos::parallel_reduce("tessera::bench::bits", Range<Space>(space, 0, count), AddBits<T>{out.data()}, sum);
    return sum;
  };
}

/// "exact" or "fast" for reducers that come in both, of floating elements; else "".
template <class R>
struct SummationName {
  static constexpr const char* value = "";
};
template <template <class, Summation> class R, class T, Summation S>
struct SummationName<R<T, S>> {
  static constexpr const char* value = !std::is_floating_point_v<T> ? "" : S == Summation::exact ? "exact" : "fast";
};

/// Whether a contender with that summation is asked for; true of those with none.
inline bool wants_summation(const Request& request, const std::string& summation) {
  const auto& names = request.summations;
  return summation.empty() || std::find(names.begin(), names.end(), summation) != names.end();
}

template <class Space>
void add_stopwatch(Case& bench_case, const Space& space) {
  const auto stopwatch = std::make_shared<Stopwatch<Space>>(space);
  bench_case.start = [stopwatch] { stopwatch->start(); };
  bench_case.stop = [stopwatch] { return stopwatch->stop(); };
  const auto flush = std::make_shared<CacheFlush<Space>>(space);
  bench_case.flush = [flush] { flush->run(); };
}

/// The case of a float32 or float64 request on its space. BenchCase<Space, T>(space, request).get()
template <template <class, class> class BenchCase>
Case make_floating_case(const Request& request) {
  return visit_space(request.space, [&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    if (request.type == NumberType::float32) return BenchCase<Space, float>(space, request).get();
    return BenchCase<Space, double>(space, request).get();
  });
}

}  // namespace tessera::apps::bench

#endif
