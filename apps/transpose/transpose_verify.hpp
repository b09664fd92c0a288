// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Permutations checked element by element, bit for bit, by index arithmetic that shares nothing with the kernels.
#ifndef TESSERA_APPS_TRANSPOSE_TRANSPOSE_VERIFY_HPP
#define TESSERA_APPS_TRANSPOSE_TRANSPOSE_VERIFY_HPP

#include "common/comparison.hpp"
#include "common/dataset.hpp"
#include "common/host_array.hpp"
#include "common/measurement.hpp"
#include "transpose_engine.hpp"

namespace tessera::apps {

/// Checks all outputs; where full is not asked for, samples of them and the edges: the lines along which every index
/// but one is the first or the last of its axis. Of a matrix these are the first and the last row and column.
[[nodiscard]] Verification verify_transpose(const TransposeRequest& request, const HostBuffer& input,
                                            const HostBuffer& output, bool full, const ProgressCallback& progress,
                                            std::uint64_t samples = 4096);

}  // namespace tessera::apps

#endif
