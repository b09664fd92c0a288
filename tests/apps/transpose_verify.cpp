// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose/transpose_verify.hpp"

#include <catch2/catch_test_macros.hpp>

#include "apps/verify_support.hpp"

namespace tessera::apps::test {
namespace {

/// A matrix of three-byte elements that differ, and its transpose.
struct Example {
  TransposeRequest request{70, 90, 3};
  HostBuffer input{70 * 90 * 3}, output{70 * 90 * 3};

  Example() {
    for (std::uint64_t i = 0; i < 70; ++i) {
      for (std::uint64_t j = 0; j < 90; ++j) {
        for (std::uint64_t byte = 0; byte < 3; ++byte) {
          const auto value = static_cast<unsigned char>((i * 90 + j) >> (byte * 5));
          input.as<unsigned char>()[(i * 90 + j) * 3 + byte] = value;
          output.as<unsigned char>()[(j * 70 + i) * 3 + byte] = value;
        }
      }
    }
  }
  unsigned char& output_byte(std::uint64_t row, std::uint64_t column, std::uint64_t byte) {
    return output.as<unsigned char>()[(row * 70 + column) * 3 + byte];
  }
  [[nodiscard]] Verification verify(bool full, std::uint64_t samples = 100) const {
    return verify_transpose(request, input, output, full, no_progress, samples);
  }
};

}  // namespace

TEST_CASE("a right transpose passes") {
  const Example example;
  const Verification full = example.verify(true);
  CHECK(full.passed);
  CHECK(full.checked == 6300);
  CHECK(full.method == "bytes of all outputs");
  const Verification sampled = example.verify(false);
  CHECK(sampled.passed);
  CHECK(sampled.checked == 2 * (70 + 90) + 100);
  CHECK(sampled.method == "bytes of 100 sampled outputs and all edges");
  CHECK(example.verify(false, 6300).method == "bytes of all outputs");
}

TEST_CASE("one wrong bit is found, at any edge also by samples") {
  for (const auto& [row, column] : {std::pair{0, 33}, {89, 69}, {45, 0}, {45, 69}, {89, 1}}) {
    INFO(row << ", " << column);
    Example example;
    example.output_byte(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column), 2) ^= 0x80;
    CHECK_FALSE(example.verify(true).passed);
    CHECK_FALSE(example.verify(false).passed);
  }
  Example inside;
  inside.output_byte(40, 30, 0) ^= 1;
  inside.output_byte(41, 7, 1) ^= 1;
  const Verification wrong = inside.verify(true);
  CHECK(wrong.wrong == 2);
  // in[30][40] = 2740: its bytes are 2740 & 255, 2740 >> 5, 2740 >> 10.
  CHECK(wrong.first_wrong == "index (40, 30): got 0xb55502, expected 0xb45502");
}

TEST_CASE("an empty matrix has nothing to check") {
  const TransposeRequest request{0, 5, 4};
  const Verification empty = verify_transpose(request, {}, {}, false, no_progress);
  CHECK(empty.passed);
  CHECK(empty.checked == 0);
}

}  // namespace tessera::apps::test
