// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python_peer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <stdexcept>

extern char** environ;

namespace tessera::apps::bench {
namespace {

constexpr std::string_view done = "done\n";

std::string script_of(const std::string& setup, const std::string& work, NumberType type, std::size_t bytes,
                      std::size_t weights) {
  return fmt::format(R"(import sys
import numpy as np
{}
source, target = sys.stdin.buffer, sys.stdout.buffer
def answer(data):
    target.write(data)
    target.flush()
x = np.frombuffer(source.read({}), np.{})
weights = np.frombuffer(source.read({}), np.float64)
y = np.full_like(x, np.nan)
answer(b'done\n')
for line in iter(source.readline, b''):
    if line == b'run\n':
        {}
        answer(b'done\n')
    else:
        answer(y.data)
)",
                     setup, bytes, to_string(type), weights * sizeof(double), work);
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

PythonPeer::Ends PythonPeer::connect() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error("no socket for /usr/bin/python3");
  }
  return {ends[0], ends[1]};
}

PythonPeer::PythonPeer(const Ends& ends, const std::string& script) : m_socket(ends.ours) {
  const Descriptor child_end(ends.child);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends.child, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends.child, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "/usr/bin/python3", flag = "-c", text = script;
  const std::array<char*, 4> arguments{program.data(), flag.data(), text.data(), nullptr};
  const int error = ::posix_spawn(&m_child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    m_child = -1;
    throw std::runtime_error("/usr/bin/python3 does not start");
  }
}

PythonPeer::PythonPeer(const std::string& setup, const std::string& work, NumberType type,
                       std::span<const std::byte> input, std::span<const double> weights)
    : PythonPeer(connect(), script_of(setup, work, type, input.size(), weights.size())) {
  try {
    send(text_of(input));
    send(text_of(std::as_bytes(weights)));
    expect_done();
  } catch (const std::runtime_error&) {
    throw std::runtime_error("/usr/bin/python3 cannot: " + setup);
  }
}

PythonPeer::~PythonPeer() {
  if (m_child < 0) return;
  ::shutdown(m_socket.get(), SHUT_RDWR);
  while (::waitpid(m_child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void PythonPeer::run() {
  send("run\n");
  expect_done();
}

void PythonPeer::fetch(std::span<std::byte> y) {
  send("fetch\n");
  receive(y);
}

void PythonPeer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw std::runtime_error("/usr/bin/python3 has gone");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void PythonPeer::receive(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::recv(m_socket.get(), bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::runtime_error("/usr/bin/python3 has gone");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void PythonPeer::expect_done() {
  std::array<std::byte, done.size()> answer{};
  receive(answer);
  if (text_of(answer) != done) throw std::runtime_error("/usr/bin/python3 says something else");
}

}  // namespace tessera::apps::bench
