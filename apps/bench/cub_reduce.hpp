// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The toolkit's CUB as a peer, behind a header that does not include it.
#ifndef TESSERA_APPS_BENCH_CUB_REDUCE_HPP
#define TESSERA_APPS_BENCH_CUB_REDUCE_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace tessera::apps::bench {

// Of count elements, to memory of the device, on the stream. T: int32, float or double; of sums also int64, and int8,
// int32 and int64 into int64.

template <class T, class Result = T>
[[nodiscard]] std::size_t cub_sum_scratch_bytes(std::int64_t count);
template <class T, class Result>
void cub_sum(const T* in, std::int64_t count, Result* out, void* scratch, std::size_t scratch_bytes,
             cudaStream_t stream);

template <class T>
[[nodiscard]] std::size_t cub_min_scratch_bytes(std::int64_t count);
template <class T>
void cub_min(const T* in, std::int64_t count, T* out, void* scratch, std::size_t scratch_bytes, cudaStream_t stream);

template <class T>
[[nodiscard]] std::size_t cub_argmin_scratch_bytes(std::int64_t count);
template <class T>
void cub_argmin(const T* in, std::int64_t count, T* out, std::int64_t* index, void* scratch, std::size_t scratch_bytes,
                cudaStream_t stream);

// Of the rows of a matrix.
[[nodiscard]] std::size_t cub_row_sums_scratch_bytes(std::int64_t rows, std::int64_t columns);
void cub_row_sums(const float* in, std::int64_t rows, std::int64_t columns, float* out, void* scratch,
                  std::size_t scratch_bytes, cudaStream_t stream);

}  // namespace tessera::apps::bench

#endif
