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
#include <memory>
#include <stdexcept>

#include "common/memory_limit.hpp"
#include "common/text.hpp"

extern char** environ;

namespace tessera::apps::bench {
namespace {

constexpr std::string_view done = "done\n";

std::string script_of(const PythonWork& work, std::size_t input_bytes, std::size_t y_bytes) {
  return fmt::format(R"(import sys
import {}
source, target = sys.stdin.buffer, sys.stdout.buffer
def answer(data):
    target.write(data)
    target.flush()
answer(b'done\n')
x = numpy.empty({}, '{}')
source.readinto(x.data)
weights = numpy.empty({})
source.readinto(weights.data)
y = numpy.full({}, numpy.nan, x.dtype)
answer(b'done\n')
for line in iter(source.readline, b''):
    if line == b'run\n':
        {}
        answer(b'done\n')
    else:
        answer(y.data)
)",
                     work.modules, input_bytes / size_of(work.type), to_string(work.type), work.weights.size(),
                     y_bytes / size_of(work.type), work.statement);
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

PythonPeer::PythonPeer(const PythonWork& work, std::span<const std::byte> input, std::size_t y_bytes)
    : PythonPeer(connect(), script_of(work, input.size(), y_bytes)) {
  try {
    expect_done();
  } catch (const std::runtime_error&) {
    throw std::runtime_error("/usr/bin/python3 cannot import " + work.modules);
  }
  send(text_of(input));
  send(text_of(std::as_bytes(std::span(work.weights))));
  expect_done();
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

Contender python_contender(const std::string& name, const PythonWork& work, std::span<const std::byte> input,
                           std::span<std::byte> out, std::function<std::string()> wrong) {
  Contender contender{name, Role::peer, {}, {}, {}, {}, {}};
  try {
    // x, y, and out, which may be untouched yet
    if (const auto needed = input.size() + 2 * out.size(), available = available_host_bytes(); needed > available) {
      throw std::runtime_error(fmt::format("needs {}, {} are free", format_bytes(needed), format_bytes(available)));
    }
    const auto peer = std::make_shared<PythonPeer>(work, input, out.size());
    contender.run = [peer] { peer->run(); };
    contender.check = [peer, out, wrong = std::move(wrong)] {
      peer->run();
      peer->fetch(out);
      return wrong();
    };
  } catch (const std::runtime_error& error) {
    contender.refusal = error.what();
  }
  return contender;
}

}  // namespace tessera::apps::bench
