// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_COMMON_PROGRESS_HPP
#define TESSERA_APPS_COMMON_PROGRESS_HPP

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tessera::apps {

/// A bar on a terminal for whatever takes longer than the delay. A thread of its own draws it, so that the work only
/// stores two numbers; where the descriptor is no terminal there is neither bar nor thread.
class Progress {
 public:
  Progress(bool wanted, int descriptor, std::chrono::milliseconds delay = std::chrono::seconds(2));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins a step of the run; the bar starts anew.
  void begin(const std::string& step);
  /// Ends the step and wipes the bar.
  void end();
  /// May be called from inside what is timed: two relaxed stores.
  void update(std::uint64_t done, std::uint64_t total) noexcept;
  [[nodiscard]] std::function<void(std::uint64_t, std::uint64_t)> callback();

 private:
  void run();
  void draw(double seconds);
  void wipe();
  void write(const std::string& text) const;

  int m_descriptor;
  std::chrono::milliseconds m_delay;
  std::atomic<std::uint64_t> m_done{0}, m_total{0};
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::string m_step;  // "" between steps
  std::chrono::steady_clock::time_point m_begin;
  bool m_drawn = false, m_stop = false;
  std::thread m_thread;
};

}  // namespace tessera::apps

#endif
