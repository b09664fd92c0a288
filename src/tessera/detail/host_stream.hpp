// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores past the caches of a host: of whole lines, so that no line has to be read to be completed.
#ifndef TESSERA_DETAIL_HOST_STREAM_HPP
#define TESSERA_DETAIL_HOST_STREAM_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/detail/host_vector.hpp>
#include <tessera/stores.hpp>

#if defined(TESSERA_HOST_VECTORS) && defined(__SSE2__)
#define TESSERA_STREAMING_STORES
#include <immintrin.h>
#endif

namespace tessera::detail {

/// Bytes of a line.
inline constexpr int stream_line = 64;
/// Of an output from which on automatic streams: about a last cache, together with its input.
inline constexpr std::uint64_t stream_bytes_min = std::uint64_t{32} << 20;

#ifdef TESSERA_STREAMING_STORES

inline constexpr bool has_streaming_stores = true;

/// to: on a boundary of the vector's size.
template <class Vector>
void stream_vector(const Vector& from, void* to) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Vector) == 64) return _mm512_stream_si512(static_cast<__m512i*>(to), (__m512i)from);
#endif
#if defined(__AVX__)
  if constexpr (sizeof(Vector) == 32) return _mm256_stream_si256(static_cast<__m256i*>(to), (__m256i)from);
#endif
  __m128i parts[sizeof(Vector) / sizeof(__m128i)];
  static_assert(sizeof(parts) == sizeof(Vector));
  std::memcpy(parts, &from, sizeof(parts));
  for (std::size_t part = 0; part < sizeof(Vector) / sizeof(__m128i); ++part) {
    _mm_stream_si128(static_cast<__m128i*>(to) + part, parts[part]);
  }
}

/// Other threads that see what this one does next see what it streamed.
inline void stream_fence() { _mm_sfence(); }

/// A line, to a boundary of one.
template <class T>
void copy_line(const T* from, T* to) {
#if defined(__AVX512F__)
  constexpr int bytes = 64;
#elif defined(__AVX__)
  constexpr int bytes = 32;
#else
  constexpr int bytes = 16;
#endif
  const auto* source = reinterpret_cast<const unsigned char*>(from);
  auto* target = reinterpret_cast<unsigned char*>(to);
  for (int at = 0; at < stream_line; at += bytes) {
    HostVector<unsigned char, bytes> piece;
    load_vector(source + at, piece);
    stream_vector(piece, target + at);
  }
}

#else

inline constexpr bool has_streaming_stores = false;

KOKKOS_INLINE_FUNCTION void stream_fence() {}

template <class T>
KOKKOS_FUNCTION void copy_line(const T* from, T* to) {
  for (std::size_t i = 0; i < stream_line / sizeof(T); ++i) to[i] = from[i];
}

#endif

/// Elements before the first line that begins at or after memory. T: of a size that divides a line, on boundaries of
/// it.
template <class T>
KOKKOS_FUNCTION int line_head(const T* memory) {
  const auto beyond = static_cast<int>(reinterpret_cast<std::uintptr_t>(memory) % stream_line);
  return (stream_line - beyond) % stream_line / static_cast<int>(sizeof(T));
}

/// Copies count elements, whole lines past the caches.
template <class T>
KOKKOS_FUNCTION void stream_elements(const T* from, T* to, std::int64_t count) {
  constexpr int line = stream_line / static_cast<int>(sizeof(T));
  std::int64_t i = 0;
  for (const std::int64_t head = Kokkos::min<std::int64_t>(line_head(to), count); i < head; ++i) to[i] = from[i];
  for (; i + line <= count; i += line) copy_line(from + i, to + i);
  for (; i < count; ++i) to[i] = from[i];
}

/// Whether an output of so many bytes is streamed by a kernel that can.
constexpr bool takes_streaming(Stores stores, bool is_host, std::uint64_t bytes) {
  if (!has_streaming_stores || !is_host) return false;
  return stores == Stores::automatic ? bytes >= stream_bytes_min : stores == Stores::streamed;
}

}  // namespace tessera::detail

#endif
