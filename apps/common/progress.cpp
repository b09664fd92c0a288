// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "text.hpp"

namespace tessera::apps {

Progress::Progress(bool wanted, int descriptor, std::chrono::milliseconds delay)
    : m_descriptor(descriptor), m_delay(delay) {
  if (wanted && isatty(descriptor) == 1) m_thread = std::thread(&Progress::run, this);
}

Progress::~Progress() {
  if (!m_thread.joinable()) return;
  end();
  {
    const std::scoped_lock lock(m_mutex);
    m_stop = true;
  }
  m_changed.notify_one();
  m_thread.join();
}

void Progress::begin(const std::string& step) {
  if (!m_thread.joinable()) return;
  {
    const std::scoped_lock lock(m_mutex);
    wipe();
    m_step = step;
    m_begin = std::chrono::steady_clock::now();
    update(0, 0);
  }
  m_changed.notify_one();
}

void Progress::end() {
  const std::scoped_lock lock(m_mutex);
  wipe();
  m_step.clear();
}

void Progress::update(std::uint64_t done, std::uint64_t total) noexcept {
  m_done.store(done, std::memory_order_relaxed);
  m_total.store(total, std::memory_order_relaxed);
}

std::function<void(std::uint64_t, std::uint64_t)> Progress::callback() {
  return [this](std::uint64_t done, std::uint64_t total) { update(done, total); };
}

void Progress::run() {
  using namespace std::chrono_literals;
  std::unique_lock lock(m_mutex);
  while (!m_stop) {
    if (m_step.empty()) {
      m_changed.wait(lock);
      continue;
    }
    m_changed.wait_for(lock, std::min<std::chrono::milliseconds>(m_delay, 200ms));
    const auto elapsed = std::chrono::steady_clock::now() - m_begin;
    if (!m_step.empty() && elapsed >= m_delay) draw(std::chrono::duration<double>(elapsed).count());
  }
}

void Progress::draw(double seconds) {
  constexpr std::uint64_t cells = 30;
  const std::uint64_t done = m_done.load(std::memory_order_relaxed);
  const std::uint64_t total = m_total.load(std::memory_order_relaxed);
  std::string line = fmt::format("\r{:<12} ", m_step);
  if (total > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const auto filled = static_cast<std::uint64_t>(share * cells);
    line += fmt::format("[{}{}] {:3.0f} % ", std::string(filled, '#'), std::string(cells - filled, '.'), 100 * share);
  } else {  // how much there is to do is not known: a piece that wanders
    constexpr std::uint64_t piece = 5;
    const auto at = static_cast<std::uint64_t>(seconds * 5) % (cells - piece + 1);
    line += fmt::format("[{}{}{}]       ", std::string(at, '.'), std::string(piece, '#'),
                        std::string(cells - piece - at, '.'));
  }
  write(line + format_seconds(seconds) + "\x1b[K");
  m_drawn = true;
}

void Progress::wipe() {
  if (m_drawn) write("\r\x1b[K");
  m_drawn = false;
}

// A terminal that has gone away is no reason to end the run, so a failed write is let go.
void Progress::write(const std::string& text) const {
  [[maybe_unused]] const auto written = ::write(m_descriptor, text.data(), text.size());
}

}  // namespace tessera::apps
