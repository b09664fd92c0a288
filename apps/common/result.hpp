// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a reduction gave: an entry of the record's "results".
#ifndef TESSERA_APPS_COMMON_RESULT_HPP
#define TESSERA_APPS_COMMON_RESULT_HPP

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host_array.hpp"
#include "measurement.hpp"
#include "number_type.hpp"

namespace tessera::apps {

struct Result {
  std::string op;
  NumberType type = NumberType::float64;   // floating values are float64
  Numbers values = std::vector<double>{};  // of complex128 both parts of each, one behind the other
  std::vector<std::int64_t> index;         // of arg*: as many as values, else none
  std::vector<std::uint8_t> undefined;     // 1 where there is no value: null; empty: nowhere
  bool is_pair = false;                    // minimum and maximum: two values each
  std::optional<Shape> shape;              // of an array of results, pairs included; none: a single one
  bool exact = true;                       // of sums: rounded once from the exact value
};

/// Values beyond this many are in the output file only.
constexpr std::uint64_t most_reported_values = 65536;

[[nodiscard]] nlohmann::ordered_json to_json(const Result& result);
/// "1.5", "nan", "-inf": as the record has it, without quotes.
[[nodiscard]] std::string to_text(const Number& value);
/// What the report says of it: "-7.25 (float64)", "3 at 17 (int32)", "[0.5, 1.5, ..] (float64, (40, 48))".
[[nodiscard]] std::string to_text(const Result& result);

}  // namespace tessera::apps

#endif
