// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The toolkit's CUB as a peer, behind a header that does not include it.
#ifndef TESSERA_APPS_BENCH_CUB_SUM_HPP
#define TESSERA_APPS_BENCH_CUB_SUM_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace tessera::apps::bench {

/// T: int32, int64, float or double.
template <class T>
[[nodiscard]] std::size_t cub_sum_scratch_bytes(std::int64_t count);

/// The sum of count elements to *out, both in device memory, on the stream.
template <class T>
void cub_sum(const T* in, std::int64_t count, T* out, void* scratch, std::size_t scratch_bytes, cudaStream_t stream);

}  // namespace tessera::apps::bench

#endif
