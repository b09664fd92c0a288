// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words, lists and numbers as users type them: a value is taken whole or not at all.
#ifndef TESSERA_APPS_COMMON_TEXT_HPP
#define TESSERA_APPS_COMMON_TEXT_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::apps {

/// The parts between separators; empty parts are kept, so that "1,,2" can be refused.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator = ',');
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

template <class T>
[[nodiscard]] bool contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// The whole text as a number, else nothing. Decimal and hexadecimal forms, nan, inf; not what exceeds the type.
[[nodiscard]] std::optional<double> parse_double(const std::string& text);
[[nodiscard]] std::optional<float> parse_float(const std::string& text);
[[nodiscard]] std::optional<std::int64_t> parse_int64(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> parse_uint64(std::string_view text);

/// The candidate with the fewest edits from word; "" where there is none.
[[nodiscard]] std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// Returns value if it is a candidate. \throws Failure (bad_input) naming the option, the nearest name and all of them.
const std::string& require_one_of(std::string_view option, const std::string& value,
                                  const std::vector<std::string>& candidates);

/// "1.50 MB": bytes in powers of 1000.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
/// "1.50 ms": seconds with a unit that suits them.
[[nodiscard]] std::string format_seconds(double seconds);
/// The shortest text that reads back to the same value.
[[nodiscard]] std::string format_number(double value);

}  // namespace tessera::apps

#endif
