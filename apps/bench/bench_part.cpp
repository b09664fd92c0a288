// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/failure.hpp"
#include "common/text.hpp"

namespace tessera::apps::bench {
namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 40;

const std::map<std::string, NumberType> type_names = {
    {"int8", NumberType::int8},       {"int16", NumberType::int16},   {"int32", NumberType::int32},
    {"int64", NumberType::int64},     {"uint8", NumberType::uint8},   {"float32", NumberType::float32},
    {"float64", NumberType::float64}, {"float", NumberType::float32}, {"double", NumberType::float64}};

std::uint64_t parse_count(const std::string& where, const std::string& text, const std::string& whole) {
  const auto bad = [&] {
    refuse(
        fmt::format("{}: `{}` is no size; write 1000000, 32e6, 2^24 or 4096x4096, up to 2^40 elements", where, whole));
  };
  double count = 0;
  if (const auto caret = text.find('^'); caret != std::string::npos) {
    const auto base = parse_uint64(text.substr(0, caret)), exponent = parse_uint64(text.substr(caret + 1));
    if (!base || !exponent) bad();
    count = std::pow(static_cast<double>(*base), static_cast<double>(*exponent));
  } else if (!text.empty() && text.find_first_not_of("0123456789.e+") == std::string::npos) {
    const auto value = parse_double(text);
    if (!value) bad();
    count = *value;
  }
  if (!(count >= 1 && count <= static_cast<double>(most_elements)) || count != std::floor(count)) bad();
  return static_cast<std::uint64_t>(count);
}

}  // namespace

SizeOption parse_size(const std::string& where, const std::string& text) {
  const auto cross = text.find('x');
  if (cross == std::string::npos) return {1, parse_count(where, text, text), false};
  const SizeOption size{parse_count(where, text.substr(0, cross), text),
                        parse_count(where, text.substr(cross + 1), text), true};
  if (size.rows > most_elements / size.columns) refuse(fmt::format("{}: `{}` exceeds 2^40 elements", where, text));
  return size;
}

std::vector<NumberType> parse_types(const std::string& where, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const auto& [name, type] : type_names) known.push_back(name);
  std::vector<NumberType> types;
  for (const auto& name : names) {
    const auto type = type_names.at(require_one_of(where, name, known));
    if (contains(types, type)) refuse(fmt::format("{}: {} is given twice", where, to_string(type)));
    types.push_back(type);
  }
  return types;
}

std::vector<std::string> parse_names(const std::string& where, const std::vector<std::string>& names,
                                     const std::vector<std::string>& known) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    require_one_of(where, *name, known);
    if (std::find(names.begin(), name, *name) != name) refuse(fmt::format("{}: {} is given twice", where, *name));
  }
  return names;
}

std::vector<std::string> parse_variants(const std::string& where, const std::vector<std::string>& names,
                                        const std::vector<std::string>& operation_names,
                                        const std::vector<Operation>& operations) {
  if (names == std::vector<std::string>{"automatic"}) return names;
  std::vector<std::string> variants;
  for (const auto& operation : operations) {
    if (!contains(operation_names, operation.name)) continue;
    for (const auto& variant : operation.variants) {
      if (!contains(variants, variant)) variants.push_back(variant);
    }
  }
  auto choices = variants;
  choices.emplace_back("all");
  const auto chosen = parse_names(where, names, choices);
  return contains(chosen, std::string("all")) ? variants : chosen;
}

std::vector<std::string> names_of(const std::vector<Operation>& operations) {
  std::vector<std::string> names;
  for (const auto& operation : operations) names.push_back(operation.name);
  names.emplace_back("ceiling");
  return names;
}

}  // namespace tessera::apps::bench
