// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/progress.hpp"

#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "apps/io_support.hpp"

namespace tessera::apps::test {
namespace {

/// A terminal and what was written on it.
class Terminal {
 public:
  Terminal() { REQUIRE(openpty(&m_reader, &m_writer, nullptr, nullptr, nullptr) == 0); }
  ~Terminal() {
    close(m_writer);
    close(m_reader);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  [[nodiscard]] int descriptor() const { return m_writer; }
  [[nodiscard]] std::string text() const {
    REQUIRE(fcntl(m_reader, F_SETFL, O_NONBLOCK) == 0);
    std::array<char, 65536> bytes{};
    const ssize_t count = read(m_reader, bytes.data(), bytes.size());
    return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : "";
  }

 private:
  int m_reader = -1, m_writer = -1;
};

using namespace std::chrono_literals;

}  // namespace

TEST_CASE("what takes longer than the delay gets a bar, which is wiped in the end") {
  const Terminal terminal;
  {
    Progress progress(true, terminal.descriptor(), 10ms);
    progress.begin("reading");
    progress.callback()(50, 100);
    std::this_thread::sleep_for(200ms);
  }
  const std::string text = terminal.text();
  INFO(text);
  CHECK(text.find("reading") != std::string::npos);
  CHECK(text.find("[###############...............]  50 %") != std::string::npos);
  CHECK(text.ends_with("\r\x1b[K"));
}

TEST_CASE("a step of unknown length shows that it goes on") {
  const Terminal terminal;
  {
    Progress progress(true, terminal.descriptor(), 10ms);
    progress.begin("ceilings");
    std::this_thread::sleep_for(100ms);
  }
  const std::string text = terminal.text();
  INFO(text);
  CHECK(text.find("ceilings     [#####.........................]") != std::string::npos);
  CHECK(text.find('%') == std::string::npos);
}

TEST_CASE("what is quick, unwanted or not on a terminal gets none") {
  const Terminal terminal;
  {
    Progress quick(true, terminal.descriptor(), 1min);
    quick.begin("reading");
    quick.update(1, 2);
    quick.begin("writing");
    quick.end();
    Progress unwanted(false, terminal.descriptor(), 1ms);
    unwanted.begin("reading");
    std::this_thread::sleep_for(50ms);
  }
  CHECK(terminal.text().empty());

  const Folder folder;
  const std::string file = folder / "log";
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(descriptor >= 0);
  {
    Progress logged(true, descriptor, 1ms);
    logged.begin("reading");
    std::this_thread::sleep_for(50ms);
  }
  close(descriptor);
  CHECK(bytes_of_file(file).empty());
}

}  // namespace tessera::apps::test
