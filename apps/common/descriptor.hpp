// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_COMMON_DESCRIPTOR_HPP
#define TESSERA_APPS_COMMON_DESCRIPTOR_HPP

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace tessera::apps {

/// A file descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int opened) : m_id(opened) {}
  ~Descriptor() {
    if (m_id >= 0) ::close(m_id);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return m_id; }

 private:
  int m_id;
};

/// Writes all of the bytes. Returns 0, or the errno of the write that failed.
[[nodiscard]] inline int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace tessera::apps

#endif
