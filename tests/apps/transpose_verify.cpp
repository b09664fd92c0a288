// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose/transpose_verify.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "apps/verify_support.hpp"

namespace tessera::apps::test {
namespace {

/// A matrix of three-byte elements that differ, and its transpose.
struct Example {
  TransposeRequest request{{70, 90}, {1, 0}, 3};
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
  CHECK(sampled.checked == 2 * (68 + 88) + 4 + 100);
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
  const TransposeRequest request{{0, 5}, {1, 0}, 4};
  const Verification empty = verify_transpose(request, {}, {}, false, no_progress);
  CHECK(empty.passed);
  CHECK(empty.checked == 0);
}

namespace {

/// out(a, b, c, d) = in(c, a, d, b), filled by loops over the input; elements of 40 bytes.
struct DeepExample {
  static constexpr std::uint64_t n0 = 5, n1 = 6, n2 = 7, n3 = 8, bytes = 40, size = n0 * n1 * n2 * n3;
  TransposeRequest request{{n0, n1, n2, n3}, {1, 3, 0, 2}, bytes};
  HostBuffer input{size * bytes}, output{size * bytes};

  DeepExample() {
    std::uint64_t source = 0;
    for (std::uint64_t i = 0; i < n0; ++i) {
      for (std::uint64_t j = 0; j < n1; ++j) {
        for (std::uint64_t k = 0; k < n2; ++k) {
          for (std::uint64_t l = 0; l < n3; ++l, ++source) {
            for (std::uint64_t byte = 0; byte < bytes; ++byte) {
              const auto value = static_cast<unsigned char>((source * 37 + byte) * 2654435761U >> 13);
              input.as<unsigned char>()[source * bytes + byte] = value;
              output.as<unsigned char>()[position(j, l, i, k) * bytes + byte] = value;
            }
          }
        }
      }
    }
  }
  static std::uint64_t position(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    return ((a * n3 + b) * n0 + c) * n2 + d;
  }
  [[nodiscard]] Verification verify(bool full, std::uint64_t samples = 1) const {
    return verify_transpose(request, input, output, full, no_progress, samples);
  }
};

}  // namespace

TEST_CASE("a permutation of four axes is checked") {
  DeepExample example;
  const Verification full = example.verify(true);
  CHECK(full.passed);
  CHECK(full.checked == DeepExample::size);
  const Verification sampled = example.verify(false);
  CHECK(sampled.passed);
  CHECK(sampled.checked == 16 + 8 * (3 + 4 + 5 + 6) + 1);  // corners, edges between them, a sample

  const std::uint64_t inside = DeepExample::position(2, 3, 1, 4);
  example.output.as<unsigned char>()[inside * DeepExample::bytes + 35] ^= 1;
  const Verification wrong = example.verify(true);
  CHECK(wrong.wrong == 1);
  CHECK(wrong.first_wrong.starts_with("index (2, 3, 1, 4): got 0x"));
  CHECK(wrong.first_wrong.find(" (bytes 32 to 39), expected 0x") != std::string::npos);
  CHECK(example.verify(false, 100 * DeepExample::size).wrong == 1);
}

TEST_CASE("edges of four axes are found wrong by samples too") {
  constexpr std::uint64_t a = DeepExample::n1 - 1, b = DeepExample::n3 - 1, c = DeepExample::n0 - 1,
                          d = DeepExample::n2 - 1;
  for (const std::uint64_t position :
       {DeepExample::position(0, 0, 0, 0), DeepExample::position(a, b, c, d), DeepExample::position(a, 3, 0, d),
        DeepExample::position(2, b, c, 0), DeepExample::position(0, 0, 2, d), DeepExample::position(a, 0, c, 5)}) {
    INFO(position);
    DeepExample example;
    example.output.as<unsigned char>()[position * DeepExample::bytes] ^= 0x10;
    CHECK_FALSE(example.verify(true).passed);
    CHECK_FALSE(example.verify(false).passed);
  }
}

TEST_CASE("an array of one element, whatever its rank") {
  for (const auto& request : {TransposeRequest{{}, {}, 4}, {{1}, {0}, 4}, {{1, 1, 1}, {2, 0, 1}, 4}}) {
    HostBuffer input(4), output(4);
    std::fill_n(input.as<unsigned char>(), 4, '\x5a');
    std::fill_n(output.as<unsigned char>(), 4, '\x5a');
    for (const std::uint64_t samples : {0U, 5U}) {
      INFO(samples);
      CHECK(verify_transpose(request, input, output, false, no_progress, samples).passed);
      output.as<unsigned char>()[3] ^= 1;
      CHECK_FALSE(verify_transpose(request, input, output, false, no_progress, samples).passed);
      output.as<unsigned char>()[3] ^= 1;
    }
  }
}

}  // namespace tessera::apps::test
