// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cub_reduce.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <stdexcept>
#include <string>

namespace tessera::apps::bench {
namespace {

void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("CUB: ") + cudaGetErrorString(status));
}

struct RowBegin {
  std::int64_t columns;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * columns; }
};

void row_sums(const float* in, std::int64_t rows, std::int64_t columns, float* out, void* scratch,
              std::size_t& scratch_bytes, cudaStream_t stream) {
  const auto begins = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), RowBegin{columns});
  require(cub::DeviceSegmentedReduce::Sum(scratch, scratch_bytes, in, out, rows, begins, begins + 1, stream));
}

}  // namespace

template <class T, class Result>
std::size_t cub_sum_scratch_bytes(std::int64_t count) {
  std::size_t bytes = 0;
  require(cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const T*>(nullptr), static_cast<Result*>(nullptr), count));
  return bytes;
}

template <class T, class Result>
void cub_sum(const T* in, std::int64_t count, Result* out, void* scratch, std::size_t scratch_bytes,
             cudaStream_t stream) {
  require(cub::DeviceReduce::Sum(scratch, scratch_bytes, in, out, count, stream));
}

template <class T>
std::size_t cub_min_scratch_bytes(std::int64_t count) {
  std::size_t bytes = 0;
  require(cub::DeviceReduce::Min(nullptr, bytes, static_cast<const T*>(nullptr), static_cast<T*>(nullptr), count));
  return bytes;
}

template <class T>
void cub_min(const T* in, std::int64_t count, T* out, void* scratch, std::size_t scratch_bytes, cudaStream_t stream) {
  require(cub::DeviceReduce::Min(scratch, scratch_bytes, in, out, count, stream));
}

template <class T>
std::size_t cub_argmin_scratch_bytes(std::int64_t count) {
  std::size_t bytes = 0;
  require(cub::DeviceReduce::ArgMin(nullptr, bytes, static_cast<const T*>(nullptr), static_cast<T*>(nullptr),
                                    static_cast<std::int64_t*>(nullptr), count));
  return bytes;
}

template <class T>
void cub_argmin(const T* in, std::int64_t count, T* out, std::int64_t* index, void* scratch, std::size_t scratch_bytes,
                cudaStream_t stream) {
  require(cub::DeviceReduce::ArgMin(scratch, scratch_bytes, in, out, index, count, stream));
}

std::size_t cub_row_sums_scratch_bytes(std::int64_t rows, std::int64_t columns) {
  std::size_t bytes = 0;
  row_sums(nullptr, rows, columns, nullptr, nullptr, bytes, nullptr);
  return bytes;
}

void cub_row_sums(const float* in, std::int64_t rows, std::int64_t columns, float* out, void* scratch,
                  std::size_t scratch_bytes, cudaStream_t stream) {
  row_sums(in, rows, columns, out, scratch, scratch_bytes, stream);
}

#define TESSERA_INSTANTIATE_SUM(T, Result)                             \
  template std::size_t cub_sum_scratch_bytes<T, Result>(std::int64_t); \
  template void cub_sum<T, Result>(const T*, std::int64_t, Result*, void*, std::size_t, cudaStream_t)
#define TESSERA_INSTANTIATE(T)                                                            \
  TESSERA_INSTANTIATE_SUM(T, T);                                                          \
  template std::size_t cub_min_scratch_bytes<T>(std::int64_t);                            \
  template void cub_min<T>(const T*, std::int64_t, T*, void*, std::size_t, cudaStream_t); \
  template std::size_t cub_argmin_scratch_bytes<T>(std::int64_t);                         \
  template void cub_argmin<T>(const T*, std::int64_t, T*, std::int64_t*, void*, std::size_t, cudaStream_t)
TESSERA_INSTANTIATE_SUM(std::int8_t, std::int64_t);
TESSERA_INSTANTIATE_SUM(std::int32_t, std::int64_t);
TESSERA_INSTANTIATE_SUM(std::int64_t, std::int64_t);
TESSERA_INSTANTIATE(std::int32_t);
TESSERA_INSTANTIATE(float);
TESSERA_INSTANTIATE(double);

}  // namespace tessera::apps::bench
