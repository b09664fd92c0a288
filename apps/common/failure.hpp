// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_COMMON_FAILURE_HPP
#define TESSERA_APPS_COMMON_FAILURE_HPP

#include <stdexcept>
#include <string>

namespace tessera::apps {

/// The documented exit statuses of every driver.
enum class ExitStatus : int { good = 0, not_verified = 1, bad_input = 2, no_resource = 3 };

/// Ends a driver: one line on standard error and the status. Thrown anywhere, caught only in run_driver().
class Failure : public std::runtime_error {
 public:
  Failure(ExitStatus status, const std::string& message) : std::runtime_error(message), m_status(status) {}
  [[nodiscard]] ExitStatus status() const noexcept { return m_status; }

 private:
  ExitStatus m_status;
};

/// Bad usage or bad input: exit status 2.
[[noreturn]] inline void refuse(const std::string& message) { throw Failure(ExitStatus::bad_input, message); }

/// Not enough memory, disk or device: exit status 3.
[[noreturn]] inline void out_of_resource(const std::string& message) {
  throw Failure(ExitStatus::no_resource, message);
}

}  // namespace tessera::apps

#endif
