// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose_verify.hpp"

#include <fmt/format.h>

#include <cstring>

#include "common/sampled_indices.hpp"

namespace tessera::apps {
namespace {

// "0x0102": the bytes in the order of memory.
std::string bytes_text(const unsigned char* bytes, std::uint64_t count) {
  std::string text = "0x";
  for (std::uint64_t i = 0; i < count; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

}  // namespace

Verification verify_transpose(const TransposeRequest& request, const HostBuffer& input, const HostBuffer& output,
                              bool full, const ProgressCallback& progress, std::uint64_t samples) {
  const std::uint64_t size = request.rows * request.columns;
  // The output has a row for each column of the input.
  Comparison comparison({request.columns, request.rows}, {});
  const auto check = [&](std::uint64_t row, std::uint64_t column) {
    const auto* got = output.as<unsigned char>() + (row * request.rows + column) * request.element_bytes;
    const auto* expected = input.as<unsigned char>() + (column * request.columns + row) * request.element_bytes;
    if (std::memcmp(got, expected, request.element_bytes) == 0) {
      comparison.add_right(1);
    } else {
      comparison.add_wrong(row * request.rows + column, [&] {
        return std::pair{bytes_text(got, request.element_bytes), bytes_text(expected, request.element_bytes)};
      });
    }
  };
  if (full || size <= samples) {
    for (std::uint64_t row = 0; row < request.columns; ++row) {
      for (std::uint64_t column = 0; column < request.rows; ++column) check(row, column);
      progress(row + 1, request.columns);
    }
    return comparison.finish("bytes of all outputs");
  }
  for (std::uint64_t row = 0; row < request.columns; ++row) {
    check(row, 0);
    check(row, request.rows - 1);
  }
  for (std::uint64_t column = 0; column < request.rows; ++column) {
    check(0, column);
    check(request.columns - 1, column);
  }
  for_sampled_indices(size, samples, [&](std::uint64_t i) { check(i / request.rows, i % request.rows); });
  return comparison.finish(fmt::format("bytes of {} sampled outputs and all edges", samples));
}

}  // namespace tessera::apps
