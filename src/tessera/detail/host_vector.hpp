// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of numbers on a host, by an extension that GCC and Clang share: neither makes them of loops whose additions
// must keep their order, or of blocks of sums. Where the machine's are narrower, the compiler takes several.
#ifndef TESSERA_DETAIL_HOST_VECTOR_HPP
#define TESSERA_DETAIL_HOST_VECTOR_HPP

#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define TESSERA_HOST_VECTORS
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TESSERA_HOST_SHUFFLES
#endif
#endif

#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// Before a loop over a group: laid out whole, its vectors would go to the stack.
#if defined(__clang__)
#define TESSERA_KEEP_LOOP _Pragma("unroll 1")
#else
#define TESSERA_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

namespace tessera::detail {

inline constexpr bool has_host_vectors = true;

/// Of a vector that the machine has: comparisons of wider ones would be taken apart, number by number.
#if defined(__AVX512F__)
inline constexpr int host_vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int host_vector_bytes = 32;
#else
inline constexpr int host_vector_bytes = 16;
#endif
/// Whether it compares integers of the size of T in them.
#if defined(__SSE2__) && !defined(__SSE4_2__)
template <class T>
inline constexpr bool compares_in_vectors = sizeof(T) < 8;
#else
template <class T>
inline constexpr bool compares_in_vectors = true;
#endif

template <class T, int Width>
struct HostVectorOf {
  typedef T type __attribute__((vector_size(Width * sizeof(T))));
};
template <class T, int Width>
using HostVector = typename HostVectorOf<T, Width>::type;

/// By reference: vectors that a machine may lack have no agreed way to be returned.
template <class T, class Vector>
void load_vector(const T* from, Vector& to) {
  std::memcpy(&to, from, sizeof(to));
}

/// A memcpy would go through the stack where the vector is one of an array.
template <class T, class Vector>
void store_vector(const Vector& from, T* to) {
  typedef T Unaligned __attribute__((vector_size(sizeof(Vector)), aligned(alignof(T)), may_alias));
  *reinterpret_cast<Unaligned*>(to) = from;
}

/// Loads Lanes floats as doubles: converted as vectors of floats, halves of a register would be taken apart.
template <int Lanes>
void load_widened(const float* from, HostVector<double, Lanes>& to) {
#if defined(__AVX512F__)
  if constexpr (Lanes == 8) {
    to = (HostVector<double, Lanes>)_mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(from));
    return;
  }
#endif
#if defined(__AVX2__)
  if constexpr (Lanes == 4) {
    to = (HostVector<double, Lanes>)_mm256_cvtps_pd(_mm_loadu_ps(from));
    return;
  }
#endif
#if defined(__SSE2__)
  if constexpr (Lanes == 2) {
    to = (HostVector<double, Lanes>)_mm_cvtps_pd(
        _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
    return;
  }
#endif
  HostVector<float, Lanes> loaded;
  load_vector(from, loaded);
  to = __builtin_convertvector(loaded, HostVector<double, Lanes>);
}

#if defined(__AVX2__) && !defined(__AVX512F__)
/// All bits of the first `count` words of eight.
inline __m256i first_words(int count) {
  alignas(64) static constexpr std::int32_t words[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 8 - count));
}
#endif

#if defined(__AVX512F__)
#if defined(__AVX512VL__) && defined(__AVX512BW__)
/// Masks for vectors of any width; else for the widest alone.
#define TESSERA_HOST_MASKS
#endif

/// The lanes of a mask, and zeros: no other elements are read.
template <class T, class Vector>
void load_masked(const T* from, std::uint32_t mask, Vector& to) {
  constexpr int bytes = sizeof(Vector), lane = sizeof(T);
  static_assert((bytes == 16 && lane <= 8) || ((bytes == 32 || bytes == 64) && (lane == 4 || lane == 8)));
  if constexpr (bytes == 64) {
    if constexpr (lane == 4) to = (Vector)_mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask), from);
    if constexpr (lane == 8) to = (Vector)_mm512_maskz_loadu_epi64(static_cast<__mmask8>(mask), from);
  } else if constexpr (bytes == 32) {
    if constexpr (lane == 4) to = (Vector)_mm256_maskz_loadu_epi32(static_cast<__mmask8>(mask), from);
    if constexpr (lane == 8) to = (Vector)_mm256_maskz_loadu_epi64(static_cast<__mmask8>(mask), from);
  } else {
    if constexpr (lane == 1) to = (Vector)_mm_maskz_loadu_epi8(static_cast<__mmask16>(mask), from);
    if constexpr (lane == 2) to = (Vector)_mm_maskz_loadu_epi16(static_cast<__mmask8>(mask), from);
    if constexpr (lane == 4) to = (Vector)_mm_maskz_loadu_epi32(static_cast<__mmask8>(mask), from);
    if constexpr (lane == 8) to = (Vector)_mm_maskz_loadu_epi64(static_cast<__mmask8>(mask), from);
  }
}

/// Likewise: no other elements are written.
template <class T, class Vector>
void store_masked(const Vector& from, std::uint32_t mask, T* to) {
  constexpr int bytes = sizeof(Vector), lane = sizeof(T);
  static_assert((bytes == 16 && lane <= 8) || ((bytes == 32 || bytes == 64) && (lane == 4 || lane == 8)));
  if constexpr (bytes == 64) {
    if constexpr (lane == 4) _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask), (__m512i)from);
    if constexpr (lane == 8) _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(mask), (__m512i)from);
  } else if constexpr (bytes == 32) {
    if constexpr (lane == 4) _mm256_mask_storeu_epi32(to, static_cast<__mmask8>(mask), (__m256i)from);
    if constexpr (lane == 8) _mm256_mask_storeu_epi64(to, static_cast<__mmask8>(mask), (__m256i)from);
  } else {
    if constexpr (lane == 1) _mm_mask_storeu_epi8(to, static_cast<__mmask16>(mask), (__m128i)from);
    if constexpr (lane == 2) _mm_mask_storeu_epi16(to, static_cast<__mmask8>(mask), (__m128i)from);
    if constexpr (lane == 4) _mm_mask_storeu_epi32(to, static_cast<__mmask8>(mask), (__m128i)from);
    if constexpr (lane == 8) _mm_mask_storeu_epi64(to, static_cast<__mmask8>(mask), (__m128i)from);
  }
}

#endif

/// The first `count` lanes of a vector that the machine has, and zeros behind them: no other elements are read. Without
/// the stack, from which a vector is not had soon that was stored in pieces.
template <class T, class Vector>
void load_first(const T* from, int count, Vector& to) {
  static_assert(sizeof(Vector) == host_vector_bytes && (sizeof(T) == 4 || sizeof(T) == 8));
#if defined(__AVX512F__)
  load_masked(from, (1u << count) - 1, to);
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4) {
    to = (Vector)_mm256_maskload_ps(from, first_words(count));
  } else {
    to = (Vector)_mm256_maskload_pd(from, first_words(2 * count));
  }
#else
  T lanes[sizeof(Vector) / sizeof(T)] = {};
  for (int lane = 0; lane < count; ++lane) lanes[lane] = from[lane];
  load_vector(lanes, to);
#endif
}
/// Likewise of floats as doubles.
template <int Lanes>
void load_widened_first(const float* from, int count, HostVector<double, Lanes>& to) {
#if defined(__AVX512VL__)
  if constexpr (Lanes == 8) {
    const __m256 loaded = _mm256_maskz_loadu_ps(static_cast<__mmask8>((1u << count) - 1), from);
    to = (HostVector<double, Lanes>)_mm512_maskz_cvtps_pd(0xff, loaded);
    return;
  }
#elif defined(__AVX2__) && !defined(__AVX512F__)
  if constexpr (Lanes == 4) {
    to = (HostVector<double, Lanes>)_mm256_cvtps_pd(_mm_maskload_ps(from, _mm256_castsi256_si128(first_words(count))));
    return;
  }
#endif
  float lanes[Lanes] = {};
  for (int lane = 0; lane < count; ++lane) lanes[lane] = from[lane];
  load_widened<Lanes>(lanes, to);
}

/// Products of the lower halves of words, in one instruction: compilers take three for those of whole words.
template <int Lanes>
void multiply_low_halves(const HostVector<std::uint64_t, Lanes>& a, const HostVector<std::uint64_t, Lanes>& b,
                         HostVector<std::uint64_t, Lanes>& to) {
  using Words = HostVector<std::uint64_t, Lanes>;
#if defined(__AVX512F__)
  if constexpr (Lanes == 8) {
    to = (Words)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)b);  // g++ 12 warns of the one without a mask
    return;
  }
#endif
#if defined(__AVX2__)
  if constexpr (Lanes == 4) {
    to = (Words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
    return;
  }
#endif
#if defined(__SSE2__)
  if constexpr (Lanes == 2) {
    to = (Words)_mm_mul_epu32((__m128i)a, (__m128i)b);
    return;
  }
#endif
  to = (a & 0xffffffffu) * (b & 0xffffffffu);
}

/// What op makes of all lanes: of their halves, and so on.
template <class T, int Lanes, class Op>
T across(const HostVector<T, Lanes>& vector, const Op& op) {
  if constexpr (Lanes == 2) {
    return op(vector[0], vector[1]);
  } else {
    HostVector<T, Lanes / 2> low, high;
    std::memcpy(&low, &vector, sizeof(low));
    std::memcpy(&high, reinterpret_cast<const char*>(&vector) + sizeof(low), sizeof(high));
    return across<T, Lanes / 2>(op(low, high), op);
  }
}

struct GreaterOf {
  template <class V>
  V operator()(const V& a, const V& b) const {
    return a > b ? a : b;
  }
};
struct LesserOf {
  template <class V>
  V operator()(const V& a, const V& b) const {
    return a < b ? a : b;
  }
};

}  // namespace tessera::detail

#else

namespace tessera::detail {

inline constexpr bool has_host_vectors = false;

}  // namespace tessera::detail

#endif

#endif
