// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the text of what a call throws.
#ifndef TESSERA_TESTS_SUPPORT_MESSAGE_HPP
#define TESSERA_TESTS_SUPPORT_MESSAGE_HPP

#include <catch2/catch_test_macros.hpp>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tessera/error.hpp>

namespace tessera::test {

/// The text of the Exception that `call` throws; the test fails where it throws none or another.
template <class Exception, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  } catch (const std::exception& error) {
    FAIL("another exception was thrown: " << error.what());
  }
  FAIL("nothing was thrown");
  return {};
}

/// Function, argument, actual, expected, remedy: each part must stand in the text, in this order.
inline void check_message(const std::string& text, std::initializer_list<std::string_view> parts) {
  INFO("message: " << text);
  std::size_t from = 0;
  for (const std::string_view part : parts) {
    INFO("part: " << part);
    const std::size_t at = text.find(part, from);
    CHECK(at != std::string::npos);
    if (at == std::string::npos) return;
    from = at + part.size();
  }
}

/// For requests that the device's registers or scratch may not allow: `call` runs and checks its answer, or throws a
/// tessera::Error with these parts.
template <class Call>
void check_honoured_or_refused(const Call& call, std::initializer_list<std::string_view> parts) {
  try {
    call();
  } catch (const Error& error) {
    check_message(error.what(), parts);
  }
}

}  // namespace tessera::test

#endif
