// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The peers of tessera-bench that run in Python.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/python_peer.hpp"

namespace tessera::apps::bench {
namespace {

using Catch::Matchers::Message;

const std::vector<float> input{1, 2, 4, 8, 16};

std::span<const std::byte> bytes() { return std::as_bytes(std::span(input)); }

}  // namespace

#ifdef TESSERA_TESTS_HAVE_NUMPY
TEST_CASE("Python peer: works on its own copy of the input, as often as asked") {
  PythonPeer peer(
      {"numpy", "y[:] = numpy.convolve(x, weights)[:len(x)] + (y if y[0] > 0 else 0)", NumberType::float32, {1, 10}},
      bytes(), bytes().size());
  std::vector<float> y(input.size());
  for (const float turns : {1.F, 2.F}) {
    peer.run();
    peer.fetch(std::as_writable_bytes(std::span(y)));
    CHECK(y == std::vector<float>{turns * 1, turns * 12, turns * 24, turns * 48, turns * 96});
  }
  const double half = 0.5;
  PythonPeer wide({"numpy, os", "y[:] = x if x.dtype == numpy.float64 else 0", NumberType::float64},
                  std::as_bytes(std::span(&half, 1)), sizeof(half));
  double result = 0;
  wide.run();
  wide.fetch(std::as_writable_bytes(std::span(&result, 1)));
  CHECK(result == 0.5);
}

TEST_CASE("Python peer: a child that ends is an error, not a signal") {
  PythonPeer peer({"numpy, os", "os._exit(1)", NumberType::float32}, bytes(), bytes().size());
  CHECK_THROWS_MATCHES(peer.run(), std::runtime_error, Message("/usr/bin/python3 has gone"));
  CHECK_THROWS_MATCHES(peer.run(), std::runtime_error, Message("/usr/bin/python3 has gone"));
  PythonPeer talker({"numpy", "answer(b'what\\n')", NumberType::float32}, bytes(), bytes().size());
  CHECK_THROWS_MATCHES(talker.run(), std::runtime_error, Message("/usr/bin/python3 says something else"));
}

TEST_CASE("Python peer: a module that this machine's Python has not") {
  const auto make = [] { PythonPeer peer({"no_such_module", "pass", NumberType::float32}, bytes(), 4); };
  CHECK_THROWS_MATCHES(make(), std::runtime_error, Message("/usr/bin/python3 cannot import no_such_module"));
}

TEST_CASE("Python peer: what comes back is checked") {
  std::vector<float> out(input.size());
  const auto wrong = [&out] { return out == input ? "" : "wrong"; };
  const auto contender_of = [&](const std::string& statement) {
    return python_contender("copy", {"numpy", statement, NumberType::float32}, bytes(),
                            std::as_writable_bytes(std::span(out)), wrong);
  };
  CHECK(contender_of("y[:] = x").check().empty());
  CHECK(contender_of("y[1:] = x[1:]").check() == "wrong");
  float sum = 0;
  const auto summed =
      python_contender("sum", {"numpy", "y[0] = numpy.sum(x)", NumberType::float32}, bytes(),
                       std::as_writable_bytes(std::span(&sum, 1)), [&sum] { return std::to_string(sum); });
  CHECK(summed.check() == std::to_string(std::accumulate(input.begin(), input.end(), 0.F)));
}
#endif

TEST_CASE("Python peer: one that cannot be is skipped and says why") {
  const auto contender = python_contender("name", {"no_such_module", "pass", NumberType::float32}, bytes(), {}, {});
  CHECK(contender.name == "name");
  CHECK(contender.role == Role::peer);
  CHECK(contender.refusal.starts_with("/usr/bin/python3 "));
}

}  // namespace tessera::apps::bench
