// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cublas_peers.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace tessera::apps::bench {
namespace {

void require(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

int extent(std::int64_t n) {
  if (n > std::numeric_limits<int>::max()) throw std::runtime_error("cuBLAS: extents above 2^31 - 1");
  return static_cast<int>(n);
}

}  // namespace

CublasPeers::CublasPeers(cudaStream_t stream) {
  require(cublasCreate(&m_handle));
  require(cublasSetStream(m_handle, stream));
}

CublasPeers::~CublasPeers() { (void)cublasDestroy(m_handle); }

// In cuBLAS' column-major terms: in is columns x rows with leading dimension columns, out is rows x columns.
void CublasPeers::transpose(const float* in, float* out, std::int64_t rows, std::int64_t columns) const {
  const float one = 1, zero = 0;
  require(cublasSetPointerMode(m_handle, CUBLAS_POINTER_MODE_HOST));
  require(cublasSgeam(m_handle, CUBLAS_OP_T, CUBLAS_OP_N, extent(rows), extent(columns), &one, in, extent(columns),
                      &zero, out, extent(rows), out, extent(rows)));
}
void CublasPeers::transpose(const double* in, double* out, std::int64_t rows, std::int64_t columns) const {
  const double one = 1, zero = 0;
  require(cublasSetPointerMode(m_handle, CUBLAS_POINTER_MODE_HOST));
  require(cublasDgeam(m_handle, CUBLAS_OP_T, CUBLAS_OP_N, extent(rows), extent(columns), &one, in, extent(columns),
                      &zero, out, extent(rows), out, extent(rows)));
}

void CublasPeers::dot(const float* x, const float* y, std::int64_t count, float* out) const {
  require(cublasSetPointerMode(m_handle, CUBLAS_POINTER_MODE_DEVICE));
  require(cublasSdot(m_handle, extent(count), x, 1, y, 1, out));
}
void CublasPeers::dot(const double* x, const double* y, std::int64_t count, double* out) const {
  require(cublasSetPointerMode(m_handle, CUBLAS_POINTER_MODE_DEVICE));
  require(cublasDdot(m_handle, extent(count), x, 1, y, 1, out));
}

}  // namespace tessera::apps::bench
