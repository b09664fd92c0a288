// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolling for device compilers: a run-time index would put register arrays in memory. g++ is left alone, whose
// vectoriser wants the loops whole.
#ifndef TESSERA_DETAIL_UNROLL_HPP
#define TESSERA_DETAIL_UNROLL_HPP

#include <Kokkos_Macros.hpp>
#include <type_traits>

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__clang__)
#define TESSERA_UNROLL _Pragma("unroll")
#define TESSERA_UNROLL_BY_4 _Pragma("unroll 4")
#define TESSERA_NO_UNROLL _Pragma("unroll 1")
#else
#define TESSERA_UNROLL
#define TESSERA_UNROLL_BY_4
#define TESSERA_NO_UNROLL
#endif

/// For loops that are long on hosts.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define TESSERA_UNROLL_ON_DEVICE _Pragma("unroll")
#else
#define TESSERA_UNROLL_ON_DEVICE
#endif

/// For a host's loops whose iterations write nothing that later ones read. Clang would warn of those that it makes no
/// vectors of, a user's among them.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define TESSERA_VECTOR_LOOP _Pragma("GCC ivdep")
#else
#define TESSERA_VECTOR_LOOP
#endif

namespace tessera::detail {

/// Calls body(std::integral_constant<int, value>{}), 0 <= value < Count: registers have no index, but where all threads
/// agree, a jump gives one.
template <int Count, class Body>
KOKKOS_FORCEINLINE_FUNCTION void with_constant(int value, const Body& body) {
  if constexpr (Count > 1) {
    if (value < Count - 1) return with_constant<Count - 1>(value, body);
  }
  body(std::integral_constant<int, Count - 1>{});
}

}  // namespace tessera::detail

#endif
