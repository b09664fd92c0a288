// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The peers of tessera-bench that run in Python.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <stdexcept>
#include <vector>

#include "bench/python_peer.hpp"

namespace tessera::apps::bench {
namespace {

using Catch::Matchers::Message;

const std::vector<float> input{1, 2, 4, 8, 16};

std::span<const std::byte> bytes() { return std::as_bytes(std::span(input)); }

}  // namespace

#ifdef TESSERA_TESTS_HAVE_SCIPY
TEST_CASE("Python peer: works on its own copy of the input, as often as asked") {
  PythonPeer peer("from scipy import ndimage", "ndimage.correlate1d(x, weights, output=y)", NumberType::float32,
                  bytes(), std::vector<double>{1, 10});
  std::vector<float> y(input.size());
  for (int turn = 0; turn < 2; ++turn) {
    peer.run();
    peer.fetch(std::as_writable_bytes(std::span(y)));
    CHECK(y == std::vector<float>{11, 21, 42, 84, 168});
  }
  const double half = 0.5;
  PythonPeer wide("import os", "y[:] = x if x.dtype == np.float64 else 0", NumberType::float64,
                  std::as_bytes(std::span(&half, 1)), std::vector<double>{});
  double result = 0;
  wide.run();
  wide.fetch(std::as_writable_bytes(std::span(&result, 1)));
  CHECK(result == 0.5);
}

TEST_CASE("Python peer: a child that ends is an error, not a signal") {
  PythonPeer peer("import os", "os._exit(1)", NumberType::float32, bytes(), std::vector<double>{1});
  CHECK_THROWS_MATCHES(peer.run(), std::runtime_error, Message("/usr/bin/python3 has gone"));
  CHECK_THROWS_MATCHES(peer.run(), std::runtime_error, Message("/usr/bin/python3 has gone"));
  PythonPeer talker("import os", "answer(b'what\\n')", NumberType::float32, bytes(), std::vector<double>{1});
  CHECK_THROWS_MATCHES(talker.run(), std::runtime_error, Message("/usr/bin/python3 says something else"));
}
#endif

TEST_CASE("Python peer: what this machine's Python has not") {
  const auto make = [] {
    PythonPeer peer("import no_such_module", "pass", NumberType::float32, bytes(), std::vector<double>{1});
  };
  CHECK_THROWS_AS(make(), std::runtime_error);
}

}  // namespace tessera::apps::bench
