// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How mapping lines of a device takes its outputs.
#ifndef TESSERA_REDUCE_DETAIL_LINES_PLAN_HPP
#define TESSERA_REDUCE_DETAIL_LINES_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <tessera/reduce/detail/axes_shape.hpp>
#include <tessera/reduce/detail/left_outputs.hpp>

namespace tessera::detail {

/// Outputs that a thread of mapping lines has in flight, on a device.
inline constexpr int lines_at_once = 4;

/// Bytes of a line, from which a team takes lines once (measured on an H100).
inline constexpr std::int64_t line_once_bytes_min = 16;

/// Whether they can be neighbours along one kept axis.
inline bool batches_lines(const AxesShape& shape) {
  return shape.reduced <= 1 && (shape.kept <= 1 || shape.dims[shape.kept - 1].extent >= 4096);
}

/// Whether such kernels leave exact sums that they do not settle to another one.
inline bool leaves_lines(const AxesShape& shape, std::size_t element_bytes) {
  return batches_lines(shape) &&
         shape.kept_size * shape.reduced_size * static_cast<std::int64_t>(element_bytes) >= left_bytes_min;
}

}  // namespace tessera::detail

#endif
