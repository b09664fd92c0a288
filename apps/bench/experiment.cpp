// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "common/failure.hpp"
#include "common/text.hpp"

namespace tessera::apps::bench {
namespace {

using Json = nlohmann::ordered_json;

/// A place in the file, as messages name it: "ladder.json: parts[0].sizes".
class Field {
 public:
  Field(std::string file, std::string path, const Json& value)
      : m_file(std::move(file)), m_path(std::move(path)), m_value(value) {}

  [[nodiscard]] std::string where() const { return m_path.empty() ? m_file : fmt::format("{}: {}", m_file, m_path); }
  [[noreturn]] void refuse_value(const std::string& expected) const {
    refuse(fmt::format("{}: expected {}, not {}", where(), expected, m_value.dump(-1, ' ', true)));
  }
  /// Of an object; what has no such field gives nothing.
  [[nodiscard]] std::optional<Field> find(const std::string& name) const {
    const auto found = m_value.find(name);
    if (found == m_value.end()) return std::nullopt;
    return Field(m_file, path_of(name), *found);
  }
  [[nodiscard]] Field at(const std::string& name) const {
    auto found = find(name);
    if (!found) refuse(fmt::format("{}: {} is missing", m_file, path_of(name)));
    return *found;
  }
  void require_fields(const std::vector<std::string>& known) const {
    if (!m_value.is_object()) refuse_value("an object");
    for (const auto& [name, value] : m_value.items()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      refuse(fmt::format("{}: unknown field `{}`; did you mean `{}`? The fields are {}", where(), name,
                         nearest_name(name, known), join(known)));
    }
  }
  [[nodiscard]] std::vector<Field> elements(const std::string& expected) const {
    if (!m_value.is_array() || m_value.empty()) refuse_value(expected);
    std::vector<Field> fields;
    for (const auto& value : m_value) fields.emplace_back(m_file, fmt::format("{}[{}]", m_path, fields.size()), value);
    return fields;
  }
  [[nodiscard]] std::string text(const std::string& expected) const {
    if (!m_value.is_string()) refuse_value(expected);
    return m_value.get<std::string>();
  }
  [[nodiscard]] std::vector<std::string> texts(const std::string& expected) const {
    std::vector<std::string> texts;
    for (const auto& element : elements("a list of " + expected)) texts.push_back(element.text("one of " + expected));
    return texts;
  }
  [[nodiscard]] int whole(int lowest) const {
    const auto expected = fmt::format("a whole number of at least {}", lowest);
    if (!m_value.is_number_integer()) refuse_value(expected);
    const bool fits = !m_value.is_number_unsigned() ||
                      m_value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<int>::max());
    if (!fits || m_value.get<std::int64_t>() < lowest) refuse_value(expected);
    return m_value.get<int>();
  }
  [[nodiscard]] double positive() const {
    if (!m_value.is_number() || !(m_value.get<double>() > 0)) refuse_value("a number above 0");
    return m_value.get<double>();
  }
  [[nodiscard]] SizeOption size() const {
    if (m_value.is_number_unsigned()) return parse_size(where(), std::to_string(m_value.get<std::uint64_t>()));
    return parse_size(where(), text("a count of elements, or a text such as \"2^24\" or \"4096x4096\""));
  }

 private:
  [[nodiscard]] std::string path_of(const std::string& name) const {
    return m_path + (m_path.empty() ? "" : ".") + name;
  }

  std::string m_file, m_path;
  const Json& m_value;
};

std::vector<int> whole_numbers(const Field& field) {
  std::vector<int> numbers;
  for (const auto& element : field.elements("a list of whole numbers")) {
    numbers.push_back(element.whole(1));
    if (std::find(numbers.begin(), numbers.end() - 1, numbers.back()) != numbers.end() - 1) {
      refuse(fmt::format("{}: {} is given twice", field.where(), numbers.back()));
    }
  }
  return numbers;
}

/// Every operation of the part has the types, and one has what else is named.
void require_meaning(const Field& field, const Part& part, const std::vector<Operation>& operations) {
  bool has_taps = false, has_summations = false;
  for (const auto& operation : operations) {
    if (std::find(part.operations.begin(), part.operations.end(), operation.name) == part.operations.end()) continue;
    has_taps |= !operation.taps.empty();
    has_summations |= operation.has_summations;
    for (const auto type : part.types.value_or(std::vector<NumberType>{})) {
      if (std::find(operation.types.begin(), operation.types.end(), type) == operation.types.end()) {
        refuse(fmt::format("{}: {} is not measured in {}", field.at("types").where(), operation.name, to_string(type)));
      }
    }
  }
  if (!has_taps && field.find("taps")) {
    refuse(fmt::format("{}: none of {} has taps", field.at("taps").where(), join(part.operations)));
  }
  if (!has_summations && field.find("summations")) {
    refuse(fmt::format("{}: none of {} has a summation", field.at("summations").where(), join(part.operations)));
  }
}

Part read_part(const Field& field, const std::vector<Operation>& operations) {
  field.require_fields({"operations", "sizes", "types", "variants", "summations", "taps", "team_sizes", "league_size"});
  Part part;
  part.where = field.where();
  const Field names = field.at("operations");
  part.operations = parse_names(names.where(), names.texts("operations"), names_of(operations));
  for (const auto& size : field.at("sizes").elements("a list of sizes")) part.sizes.push_back(size.size());
  if (const auto types = field.find("types")) part.types = parse_types(types->where(), types->texts("types"));
  if (const auto variants = field.find("variants")) {
    part.variants = parse_variants(variants->where(), variants->texts("variants"), part.operations, operations);
  }
  if (const auto summations = field.find("summations")) {
    part.summations = parse_names(summations->where(), summations->texts("summations"), {"exact", "fast"});
  }
  if (const auto taps = field.find("taps")) {
    const auto widths = whole_numbers(*taps);
    part.taps.assign(widths.begin(), widths.end());
  }
  if (const auto team_sizes = field.find("team_sizes")) part.team_sizes = whole_numbers(*team_sizes);
  if (const auto league_size = field.find("league_size")) part.league_size = league_size->whole(1);
  require_meaning(field, part, operations);
  return part;
}

/// JSON, in which no object has a field twice.
Json read_json(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) refuse(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  std::string text;
  try {
    text.assign(std::istreambuf_iterator<char>(stream), {});
  } catch (const std::ios_base::failure&) {
    refuse(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  }
  std::vector<std::set<std::string>> names;
  const auto require_once = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key && !names.back().insert(value.get<std::string>()).second) {
      refuse(fmt::format("{}: the field `{}` is given twice", file, value.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(text, require_once);
  } catch (const Json::parse_error& error) {
    const std::string what = error.what();  // "[..] parse error at line 1, column 2: .."
    refuse(fmt::format("{}: is not JSON: {}", file, what.substr(what.find("] ") + 2)));
  } catch (const Json::exception& error) {
    const std::string what = error.what();
    refuse(fmt::format("{}: {}", file, what.substr(what.find("] ") + 2)));
  }
}

}  // namespace

Experiment read_experiment(const std::string& file, const std::vector<Operation>& operations) {
  const Json json = read_json(file);
  const Field whole(file, "", json);
  whole.require_fields({"schema", "description", "repeat", "warmup", "cold", "time_limit_seconds", "parts"});
  constexpr auto schema = "tessera-experiment/1";
  if (const auto name = whole.at("schema"); name.text(fmt::format("\"{}\"", schema)) != schema) {
    name.refuse_value(fmt::format("\"{}\"", schema));
  }
  Experiment experiment;
  if (const auto description = whole.find("description")) (void)description->text("a text");
  if (const auto repeat = whole.find("repeat")) experiment.measuring.repeat = repeat->whole(1);
  if (const auto warmup = whole.find("warmup")) experiment.measuring.warmup = warmup->whole(0);
  if (const auto cold = whole.find("cold")) experiment.measuring.cold = cold->whole(0);
  if (const auto limit = whole.find("time_limit_seconds")) experiment.measuring.time_limit_seconds = limit->positive();
  for (const auto& part : whole.at("parts").elements("a list of parts")) {
    experiment.parts.push_back(read_part(part, operations));
  }
  return experiment;
}

}  // namespace tessera::apps::bench
