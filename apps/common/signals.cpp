// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "signals.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstring>

#include "failure.hpp"

namespace tessera::apps {
namespace {

// All that the handler touches: fixed storage and lock-free flags, since it may run at any point of the program.
struct Slot {
  std::atomic<bool> taken{false}, active{false};
  std::array<char, PATH_MAX> path{};
};
std::array<Slot, 16> slots;
static_assert(std::atomic<bool>::is_always_lock_free);

void remove_and_die(int signal) {
  for (Slot& slot : slots) {
    if (slot.active.load()) unlink(slot.path.data());
  }
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal);  // blocked while in here, so it ends the process on return
}

}  // namespace

TemporaryPath::TemporaryPath(const std::string& path) {
  if (path.size() >= PATH_MAX) refuse("the path of a temporary file is too long: " + path);
  for (std::size_t i = 0; i < slots.size() && m_slot < 0; ++i) {
    if (!slots[i].taken.exchange(true)) m_slot = static_cast<int>(i);
  }
  if (m_slot < 0) out_of_resource("more than 16 temporary files at a time");
  Slot& slot = slots[static_cast<std::size_t>(m_slot)];
  std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
  slot.active.store(true);
}

TemporaryPath::~TemporaryPath() {
  if (m_slot < 0) return;
  unlink(slots[static_cast<std::size_t>(m_slot)].path.data());
  release();
}

void TemporaryPath::release() noexcept {
  if (m_slot < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(m_slot)];
  slot.active.store(false);
  slot.taken.store(false);
  m_slot = -1;
}

void install_signal_handlers() {
  struct sigaction current {};
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGABRT,
                           SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    if (sigaction(signal, nullptr, &current) != 0 || (current.sa_flags & SA_SIGINFO) != 0) continue;
    if (current.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = remove_and_die;
    sigaction(signal, &action, nullptr);
  }
  if (sigaction(SIGXFSZ, nullptr, &current) == 0 && current.sa_handler == SIG_DFL) std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace tessera::apps
