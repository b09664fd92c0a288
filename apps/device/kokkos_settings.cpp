// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kokkos_settings.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <map>
#include <sstream>

#include "common/failure.hpp"
#include "common/text.hpp"

namespace tessera::apps {
namespace {

const std::vector<std::string> known_names = {"num-threads",      "device-id",           "map-device-id-by",
                                              "disable-warnings", "print-configuration", "tune-internals",
                                              "tools-libs",       "tools-args"};

struct Value {
  std::string origin, text;  // origin: as the user wrote it, for messages
};

int integer_of(const Value& value, int least, int most = std::numeric_limits<int>::max()) {
  int number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc{} || stop != end || number < least || number > most) {
    const bool bounded = most < std::numeric_limits<int>::max();
    refuse(value.origin + ": expected an integer of at least " + std::to_string(least) +
           (bounded ? " and at most " + std::to_string(most) : ""));
  }
  return number;
}

bool boolean_of(const Value& value) {
  std::string text = value.text;
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (text.empty() || text == "true" || text == "yes" || text == "1") return true;
  if (text == "false" || text == "no" || text == "0") return false;
  refuse(value.origin + ": expected true, yes, 1, false, no or 0");
}

// Kokkos ends the process with status 1 where a tool does not load.
std::string loadable_tools(const Value& value) {
  std::istringstream names(value.text);
  for (std::string name; std::getline(names, name, ';');) {
    void* library = name.empty() ? nullptr : dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) refuse(value.origin + ": the tool library \"" + name + "\" cannot be loaded");
    dlclose(library);
  }
  return value.text;
}

std::string mapping_of(const Value& value) {
  if (value.text != "random" && value.text != "mpi_rank") refuse(value.origin + ": expected random or mpi_rank");
  return value.text;
}

std::map<std::string, Value> given_values(const std::vector<std::string>& arguments) {
  std::map<std::string, Value> values;
  for (const auto& name : known_names) {
    std::string variable = "KOKKOS_" + name;
    std::transform(variable.begin(), variable.end(), variable.begin(),
                   [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::toupper(c)); });
    if (const char* text = std::getenv(variable.c_str())) {
      values[name] = {std::string("environment variable ").append(variable).append("=").append(text), text};
    }
  }
  for (const auto& argument : arguments) {
    const std::string prefix = "--kokkos-";
    const auto equals = argument.find('=');
    const auto name = argument.substr(std::min(prefix.size(), argument.size()),
                                      equals == std::string::npos ? equals : equals - prefix.size());
    if (argument.rfind(prefix, 0) != 0 ||
        std::find(known_names.begin(), known_names.end(), name) == known_names.end()) {
      refuse(argument + ": unknown; the Kokkos arguments are " + prefix + join(known_names, ", " + prefix));
    }
    const bool is_flag = name == "disable-warnings" || name == "print-configuration" || name == "tune-internals";
    if (equals == std::string::npos && !is_flag) refuse(argument + ": expected " + prefix + name + "=VALUE");
    values[name] = {argument, equals == std::string::npos ? "" : argument.substr(equals + 1)};
  }
  return values;
}

}  // namespace

KokkosSettings kokkos_settings(const std::vector<std::string>& arguments) {
  KokkosSettings settings;
  for (const auto& [name, value] : given_values(arguments)) {
    if (name == "num-threads") settings.num_threads = integer_of(value, 1, host_threads_max);
    if (name == "device-id") settings.device_id = integer_of(value, 0);
    if (name == "map-device-id-by") settings.map_device_id_by = mapping_of(value);
    if (name == "disable-warnings") (void)boolean_of(value);  // the drivers always do
    if (name == "print-configuration") settings.print_configuration = boolean_of(value);
    if (name == "tune-internals") settings.tune_internals = boolean_of(value);
    if (name == "tools-libs") settings.tools_libs = loadable_tools(value);
    if (name == "tools-args") settings.tools_args = value.text;
  }
  return settings;
}

}  // namespace tessera::apps
