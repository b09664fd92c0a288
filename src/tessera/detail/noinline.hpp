// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For rare paths in kernels, which inlined would cost registers and compile time where nothing rare happens; and for
// their long loops, which several kernels share on a host.
#ifndef TESSERA_DETAIL_NOINLINE_HPP
#define TESSERA_DETAIL_NOINLINE_HPP

#include <Kokkos_Macros.hpp>

#if defined(__CUDACC__)
#define TESSERA_NOINLINE __noinline__
#elif defined(__GNUC__) || defined(__clang__)
#define TESSERA_NOINLINE __attribute__((noinline))
#else
#define TESSERA_NOINLINE
#endif

/// Inlined on devices, where what has an address is not in a register; a function of its own on hosts.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define TESSERA_INLINE_ON_DEVICE KOKKOS_FORCEINLINE_FUNCTION
#else
#define TESSERA_INLINE_ON_DEVICE TESSERA_NOINLINE KOKKOS_FUNCTION
#endif

#endif
