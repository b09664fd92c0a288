// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library throws, and the one form of its messages.
#ifndef TESSERA_ERROR_HPP
#define TESSERA_ERROR_HPP

#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera {

/// Base of everything that Tessera throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument, or the data it holds, does not allow the operation. Nothing was launched, except where the data itself
/// decides (an integer overflow, found by a finished kernel).
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// Memory, scratch or the league is too small for the request. Nothing was launched.
class ResourceError : public Error {
 public:
  using Error::Error;
};

namespace detail {

/// "function: argument `argument`: actual; expected what; remedy"
inline std::string error_text(std::string_view function, std::string_view argument, const std::string& actual,
                              const std::string& expected, const std::string& remedy) {
  return std::string(function) + ": argument `" + std::string(argument) + "`: " + actual + "; expected " + expected +
         "; " + remedy;
}

inline void require_argument(bool fine, std::string_view function, std::string_view argument, const std::string& actual,
                             const std::string& expected, const std::string& remedy) {
  if (!fine) throw InvalidArgument(error_text(function, argument, actual, expected, remedy));
}

inline void require_resource(bool fine, std::string_view function, std::string_view argument, const std::string& actual,
                             const std::string& expected, const std::string& remedy) {
  if (!fine) throw ResourceError(error_text(function, argument, actual, expected, remedy));
}

}  // namespace detail
}  // namespace tessera

#endif
