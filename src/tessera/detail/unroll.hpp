// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolling for device compilers: a run-time index would put register arrays in memory. g++ is left alone, whose
// vectoriser wants the loops whole.
#ifndef TESSERA_DETAIL_UNROLL_HPP
#define TESSERA_DETAIL_UNROLL_HPP

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__clang__)
#define TESSERA_UNROLL _Pragma("unroll")
#define TESSERA_NO_UNROLL _Pragma("unroll 1")
#else
#define TESSERA_UNROLL
#define TESSERA_NO_UNROLL
#endif

#endif
