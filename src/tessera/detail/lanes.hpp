// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a warp's other lanes, for code of devices; all lanes of the warp call.
#ifndef TESSERA_DETAIL_LANES_HPP
#define TESSERA_DETAIL_LANES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <tessera/detail/unroll.hpp>

namespace tessera::detail {

inline constexpr int warp_lanes = 32;

#if defined(__CUDA_ARCH__)
/// read(word): what a lane sees of another's.
template <class T, class Read>
__device__ __forceinline__ T of_lane(const T& value, const Read& read) {
  constexpr int words = sizeof(T) / 4;
  std::uint32_t raw[words];
  std::memcpy(raw, &value, sizeof(T));
  TESSERA_UNROLL
  for (int k = 0; k < words; ++k) raw[k] = read(raw[k]);
  T other = value;
  std::memcpy(&other, raw, sizeof(T));
  return other;
}

/// The value of the lane so many further on, or before; beyond the warp's ends the lane's own.
template <class T>
__device__ __forceinline__ T lane_further(const T& value, int distance) {
  return of_lane(value, [&](std::uint32_t word) { return __shfl_down_sync(~0u, word, distance); });
}
template <class T>
__device__ __forceinline__ T lane_before(const T& value, int distance) {
  return of_lane(value, [&](std::uint32_t word) { return __shfl_up_sync(~0u, word, distance); });
}
#endif

}  // namespace tessera::detail

#endif
