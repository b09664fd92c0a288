// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_DETAIL_FLOAT_EXTREMA_HPP
#define TESSERA_DETAIL_FLOAT_EXTREMA_HPP

/// Devices whose instructions for minima and maxima of floats have -0.0 below 0.0, and can be NaN where an operand is.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define TESSERA_ORDERED_FLOAT_EXTREMA
#endif

#endif
