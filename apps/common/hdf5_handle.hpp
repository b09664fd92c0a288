// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The HDF5 C library behind owning handles, its error stack turned into one line of text.
#ifndef TESSERA_APPS_COMMON_HDF5_HANDLE_HPP
#define TESSERA_APPS_COMMON_HDF5_HANDLE_HPP

#include <hdf5.h>

#include <compare>
#include <string>
#include <string_view>
#include <utility>

#include "failure.hpp"

namespace tessera::apps {

/// Owns one HDF5 identifier and the function that closes it.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close close) : m_id(id), m_close(close) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : m_id(std::exchange(other.m_id, -1)), m_close(other.m_close) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      m_id = std::exchange(other.m_id, -1);
      m_close = other.m_close;
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  /// Closes now. \return false where HDF5 could not, as when the last bytes do not fit on the disk.
  bool reset() noexcept {
    const hid_t id = std::exchange(m_id, -1);
    return id < 0 || m_close(id) >= 0;
  }
  [[nodiscard]] hid_t get() const noexcept { return m_id; }
  explicit operator bool() const noexcept { return m_id >= 0; }

 private:
  hid_t m_id = -1;
  Close m_close = nullptr;
};

/// Stops HDF5 from printing its error stack. Called by everything that opens a file; cheap to repeat.
void silence_hdf5();

/// What HDF5's error stack says of the call that has just failed.
struct Hdf5Error {
  std::string cause;     ///< the innermost description, one line; "" where there is none
  int system_errno = 0;  ///< of the system call that failed, 0 where none did
  [[nodiscard]] bool mentions(std::string_view text) const { return cause.find(text) != std::string::npos; }
};
[[nodiscard]] Hdf5Error last_hdf5_error();

/// Which object an identifier stands for, whatever name led to it.
struct ObjectIdentity {
  unsigned long file = 0;
  std::string object;
  auto operator<=>(const ObjectIdentity&) const = default;
};
[[nodiscard]] ObjectIdentity identity_of(hid_t object);

/// text with control characters shown as '?': a file name with a line break in it must not break the message.
[[nodiscard]] std::string printable(std::string_view text);

/// "FILE:/DATASET" as messages name it.
[[nodiscard]] std::string location(std::string_view file, std::string_view dataset);

}  // namespace tessera::apps

#endif
