// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The toolkit's transposes and dot products as peers.
#ifndef TESSERA_APPS_BENCH_CUBLAS_PEERS_HPP
#define TESSERA_APPS_BENCH_CUBLAS_PEERS_HPP

#include <cublas_v2.h>

#include <cstdint>

namespace tessera::apps::bench {

/// A cuBLAS handle bound to a stream.
class CublasPeers {
 public:
  explicit CublasPeers(cudaStream_t stream);
  ~CublasPeers();
  CublasPeers(const CublasPeers&) = delete;
  CublasPeers& operator=(const CublasPeers&) = delete;

  /// in: rows x columns, row-major; out: columns x rows, row-major.
  void transpose(const float* in, float* out, std::int64_t rows, std::int64_t columns) const;
  void transpose(const double* in, double* out, std::int64_t rows, std::int64_t columns) const;
  /// Of count elements, to memory of the device.
  void dot(const float* x, const float* y, std::int64_t count, float* out) const;
  void dot(const double* x, const double* y, std::int64_t count, double* out) const;

 private:
  cublasHandle_t m_handle{};
};

}  // namespace tessera::apps::bench

#endif
