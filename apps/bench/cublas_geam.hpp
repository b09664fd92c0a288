// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The toolkit's transpose as a peer.
#ifndef TESSERA_APPS_BENCH_CUBLAS_GEAM_HPP
#define TESSERA_APPS_BENCH_CUBLAS_GEAM_HPP

#include <cublas_v2.h>

#include <cstdint>

namespace tessera::apps::bench {

/// A cuBLAS handle bound to a stream.
class CublasGeam {
 public:
  explicit CublasGeam(cudaStream_t stream);
  ~CublasGeam();
  CublasGeam(const CublasGeam&) = delete;
  CublasGeam& operator=(const CublasGeam&) = delete;

  /// in: rows x columns, row-major; out: columns x rows, row-major.
  void transpose(const float* in, float* out, std::int64_t rows, std::int64_t columns) const;
  void transpose(const double* in, double* out, std::int64_t rows, std::int64_t columns) const;

 private:
  cublasHandle_t m_handle{};
};

}  // namespace tessera::apps::bench

#endif
