// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user of NumPy and SciPy would run, on the same array.
#ifndef TESSERA_APPS_BENCH_PYTHON_PEER_HPP
#define TESSERA_APPS_BENCH_PYTHON_PEER_HPP

#include <sys/types.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench_case.hpp"
#include "common/descriptor.hpp"

namespace tessera::apps::bench {

/// What a Python does with the arrays x, a copy of the input, y, of the same type, both of one axis, and weights.
struct PythonWork {
  std::string modules;    // to import: numpy and what else the statement names
  std::string statement;  // that fills y
  NumberType type;
  std::vector<double> weights = {};
};

/// /usr/bin/python3 as a child that holds those arrays and waits to be told.
class PythonPeer {
 public:
  /// input: elements of the type. y is filled with NaN, of y_bytes.
  /// \throws std::runtime_error where there is no such Python or module.
  PythonPeer(const PythonWork& work, std::span<const std::byte> input, std::size_t y_bytes);
  /// Ends the child.
  ~PythonPeer();
  PythonPeer(const PythonPeer&) = delete;
  PythonPeer& operator=(const PythonPeer&) = delete;

  /// Does the work and waits for its end. \throws std::runtime_error
  void run();
  /// y, all of it. \throws std::runtime_error
  void fetch(std::span<std::byte> y);

 private:
  struct Ends {
    int ours, child;
  };
  static Ends connect();
  PythonPeer(const Ends& ends, const std::string& script);
  void send(std::string_view bytes);
  void receive(std::span<std::byte> bytes);
  void expect_done();

  Descriptor m_socket;
  pid_t m_child = -1;
};

/// A peer that does the work on a copy of the input; skipped, with the reason, where this machine cannot. For the check
/// y, as large as out, goes there; wrong() says what is wrong and keeps it alive.
[[nodiscard]] Contender python_contender(const std::string& name, const PythonWork& work,
                                         std::span<const std::byte> input, std::span<std::byte> out,
                                         std::function<std::string()> wrong);

}  // namespace tessera::apps::bench

#endif
