// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA 13 changed three runtime calls that Kokkos 4.5 makes from a header every user includes. These overloads
// keep the old forms. quickstart.sh copies this file into the Kokkos that it builds for itself, and nowhere else.
#ifndef TESSERA_CMAKE_KOKKOS_CUDA13_HPP
#define TESSERA_CMAKE_KOKKOS_CUDA13_HPP

#include <cuda_runtime_api.h>
#include <cstddef>

#if CUDART_VERSION >= 13000

inline cudaMemLocation tessera_cuda_location(int device) {
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

inline cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(pointer, bytes, advice, tessera_cuda_location(device));
}

inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device, cudaStream_t stream) {
  return cudaMemPrefetchAsync(pointer, bytes, tessera_cuda_location(device), 0u, stream);
}

#endif
#endif
