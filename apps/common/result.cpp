// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

namespace tessera::apps {
namespace {

using Json = nlohmann::ordered_json;

bool is_undefined(const Result& result, std::size_t i) {
  return !result.undefined.empty() && result.undefined[i / (result.is_pair ? 2 : 1)] != 0;
}

Number number_at(const Result& result, std::size_t i) {
  return std::visit([&](const auto& list) { return Number(list[i]); }, result.values);
}

Json number_json(const Number& value) {
  const double* floating = std::get_if<double>(&value);
  if (floating != nullptr && !std::isfinite(*floating)) return to_text(value);  // JSON has no NaN and no infinities
  return std::visit([](auto number) { return Json(number); }, value);
}

Json value_json(const Result& result, std::size_t i) {
  if (is_undefined(result, i)) return nullptr;
  if (result.type == NumberType::boolean) return std::get<std::vector<std::uint64_t>>(result.values)[i] != 0;
  if (!is_complex(result.type)) return number_json(number_at(result, i));
  return Json::array({number_json(number_at(result, 2 * i)), number_json(number_at(result, 2 * i + 1))});
}

Json index_json(const Result& result, std::size_t i) {
  return is_undefined(result, i) ? Json(nullptr) : Json(result.index[i]);
}

Json bits_json(const Result& result, std::size_t i) {
  if (is_undefined(result, i)) return nullptr;
  const auto bits = [&](std::size_t at) {
    return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(std::get<std::vector<double>>(result.values)[at]));
  };
  return is_complex(result.type) ? Json::array({bits(2 * i), bits(2 * i + 1)}) : Json(bits(i));
}

using Leaf = Json (*)(const Result&, std::size_t);

Json nested(const Result& result, const Shape& shape, std::size_t axis, std::size_t& position, Leaf leaf) {
  if (axis == shape.size()) return leaf(result, position++);
  Json list = Json::array();
  for (std::uint64_t i = 0; i < shape[axis]; ++i) list.push_back(nested(result, shape, axis + 1, position, leaf));
  return list;
}

/// One value or text for each; none where an array is too large for the record.
Json all(const Result& result, Leaf leaf) {
  std::size_t position = 0;
  const Shape alone = result.is_pair && !is_undefined(result, 0) ? Shape{2} : Shape{};
  return nested(result, result.shape.value_or(alone), 0, position, leaf);
}

std::string element_text(const Result& result, std::size_t i) {
  if (is_undefined(result, i)) return "undefined";
  if (result.type == NumberType::boolean) return value_json(result, i) ? "true" : "false";
  if (is_complex(result.type)) {
    return fmt::format("({}, {})", to_text(number_at(result, 2 * i)), to_text(number_at(result, 2 * i + 1)));
  }
  const std::string value = to_text(number_at(result, i));
  return result.index.empty() ? value : fmt::format("{} at {}", value, result.index[i]);
}

}  // namespace

std::string to_text(const Number& value) {
  return std::visit(
      [](auto number) {
        if constexpr (std::is_same_v<decltype(number), double>) {
          if (std::isnan(number)) return std::string("nan");
        }
        return fmt::format("{}", number);
      },
      value);
}

Json to_json(const Result& result) {
  Json entry = {{"op", result.op}, {"type", to_string(result.type)}};
  if (result.shape) entry["shape"] = *result.shape;
  const bool reported = !result.shape || element_count(*result.shape) <= most_reported_values;
  entry["value"] = reported ? all(result, value_json) : Json(nullptr);
  if (!reported) return entry;
  if (!result.index.empty()) entry["index"] = all(result, index_json);
  const bool nothing = !result.shape && is_undefined(result, 0);
  if (is_floating(result.type) && !nothing) entry["bits"] = all(result, bits_json);
  return entry;
}

std::string to_text(const Result& result) {
  constexpr std::uint64_t most = 6;
  const std::uint64_t numbers = std::visit([](const auto& list) { return list.size(); }, result.values);
  const std::uint64_t count = numbers / (is_complex(result.type) ? 2 : 1);
  const bool several = result.shape ? !result.shape->empty() : result.is_pair && !is_undefined(result, 0);
  if (!several) return fmt::format("{} ({})", element_text(result, 0), to_string(result.type));
  std::string text;
  for (std::uint64_t i = 0; i < std::min(count, most); ++i) text += (i > 0 ? ", " : "") + element_text(result, i);
  if (count > most) text += ", ..";
  const std::string shape = result.shape ? ' ' + to_string(*result.shape) : "";
  return fmt::format("[{}] ({}{})", text, to_string(result.type), shape);
}

}  // namespace tessera::apps
