// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For rare paths in kernels: inlined, they would cost registers and compile time where nothing rare happens.
#ifndef TESSERA_DETAIL_NOINLINE_HPP
#define TESSERA_DETAIL_NOINLINE_HPP

#if defined(__CUDACC__)
#define TESSERA_NOINLINE __noinline__
#elif defined(__GNUC__) || defined(__clang__)
#define TESSERA_NOINLINE __attribute__((noinline))
#else
#define TESSERA_NOINLINE
#endif

#endif
