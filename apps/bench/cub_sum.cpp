// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cub_sum.hpp"

#include <cub/device/device_reduce.cuh>
#include <stdexcept>
#include <string>

namespace tessera::apps::bench {
namespace {

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("cub::DeviceReduce::Sum: ") + cudaGetErrorString(status));
}

}  // namespace

template <class T>
std::size_t cub_sum_scratch_bytes(std::int64_t count) {
  std::size_t bytes = 0;
  require(cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const T*>(nullptr), static_cast<T*>(nullptr), count));
  return bytes;
}

template <class T>
void cub_sum(const T* in, std::int64_t count, T* out, void* scratch, std::size_t scratch_bytes, cudaStream_t stream) {
  require(cub::DeviceReduce::Sum(scratch, scratch_bytes, in, out, count, stream));
}

#define TESSERA_INSTANTIATE(T)                                 \
  template std::size_t cub_sum_scratch_bytes<T>(std::int64_t); \
  template void cub_sum<T>(const T*, std::int64_t, T*, void*, std::size_t, cudaStream_t)
TESSERA_INSTANTIATE(std::int32_t);
TESSERA_INSTANTIATE(std::int64_t);
TESSERA_INSTANTIATE(float);
TESSERA_INSTANTIATE(double);

}  // namespace tessera::apps::bench
