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

}  // namespace detail
}  // namespace tessera

/// Throws error_text of the rest unless the condition holds. Macros, as texts must not be made where it does: each call
/// of the library checks its arguments, and would allocate memory for every one.
#define TESSERA_REQUIRE_ARGUMENT(fine, ...) \
  ((fine) ? void() : throw ::tessera::InvalidArgument(::tessera::detail::error_text(__VA_ARGS__)))
#define TESSERA_REQUIRE_RESOURCE(fine, ...) \
  ((fine) ? void() : throw ::tessera::ResourceError(::tessera::detail::error_text(__VA_ARGS__)))

#endif
