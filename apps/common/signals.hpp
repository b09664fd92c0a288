// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Temporary files that must not outlive the process: a signal that ends it removes them first.
#ifndef TESSERA_APPS_COMMON_SIGNALS_HPP
#define TESSERA_APPS_COMMON_SIGNALS_HPP

#include <string>

namespace tessera::apps {

/// A path that is removed when a signal ends the process, and when this object goes unless release() was called.
/// At most 16 at a time. The path need not exist yet.
class TemporaryPath {
 public:
  /// \throws Failure (no_resource) where the table is full or the path too long.
  explicit TemporaryPath(const std::string& path);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  /// The file has got its own name: leave it.
  void release() noexcept;

 private:
  int m_slot = -1;
};

/// Handlers for the signals that end a process (SIGINT, SIGTERM, SIGHUP, .., crashes included): remove the temporary
/// files, then end the process by that very signal. A signal that is ignored (nohup) or handled by others is left so.
/// SIGXFSZ is ignored, so that a file that grows past its limit is an error and not a signal. Repeated calls are cheap.
void install_signal_handlers();

}  // namespace tessera::apps

#endif
