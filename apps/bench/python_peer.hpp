// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user of NumPy and SciPy would run, on the same array.
#ifndef TESSERA_APPS_BENCH_PYTHON_PEER_HPP
#define TESSERA_APPS_BENCH_PYTHON_PEER_HPP

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>

#include "common/descriptor.hpp"
#include "common/number_type.hpp"

namespace tessera::apps::bench {

/// /usr/bin/python3 as a child that holds the arrays x, a copy of the input, y, of the same type and size, and weights,
/// and waits to be told.
class PythonPeer {
 public:
  /// setup: statements that import what the work needs. work: the statement that fills y. input: elements of that type.
  /// \throws std::runtime_error where there is no such Python or what it imports.
  PythonPeer(const std::string& setup, const std::string& work, NumberType type, std::span<const std::byte> input,
             std::span<const double> weights);
  /// Ends the child.
  ~PythonPeer();
  PythonPeer(const PythonPeer&) = delete;
  PythonPeer& operator=(const PythonPeer&) = delete;

  /// Does the work and waits for its end. \throws std::runtime_error
  void run();
  /// y, as many bytes as the input. \throws std::runtime_error
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

}  // namespace tessera::apps::bench

#endif
