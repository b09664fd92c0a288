// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "common/failure.hpp"
#include "common/text.hpp"
#include "common/version.hpp"

namespace tessera::apps::bench {
namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 40;

const std::map<std::string, NumberType> type_names = {
    {"int8", NumberType::int8},       {"int32", NumberType::int32},     {"int64", NumberType::int64},
    {"float32", NumberType::float32}, {"float64", NumberType::float64}, {"float", NumberType::float32},
    {"double", NumberType::float64}};

std::uint64_t parse_count(const std::string& text, const std::string& whole) {
  const auto bad = [&] {
    refuse(fmt::format("--sizes: `{}` is no size; write 1000000, 32e6, 2^24 or 4096x4096, up to 2^40 elements", whole));
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

int parse_positive(const std::string& option, const std::string& text, int lowest) {
  const auto number = parse_int64(text);
  if (!number || *number < lowest || *number > std::numeric_limits<int>::max()) {
    refuse(fmt::format("{}: `{}` is not a whole number of at least {}", option, text, lowest));
  }
  return static_cast<int>(*number);
}

std::vector<std::string> parse_names(const std::string& option, const std::string& text,
                                     const std::vector<std::string>& known) {
  std::vector<std::string> names;
  for (const auto& name : split(text)) {
    require_one_of(option, name, known);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      refuse(fmt::format("{}: {} is given twice", option, name));
    }
    names.push_back(name);
  }
  return names;
}

/// Options as typed; "" for those not given.
struct Texts {
  std::string op, sizes = "2^20,2^24", types, variant = "automatic", taps;
  std::string team_size, league_size, repeat, warmup;
};

void convert(const Texts& texts, const std::vector<Operation>& operations, BenchOptions& options) {
  std::vector<std::string> names, variants;
  for (const auto& operation : operations) names.push_back(operation.name);
  names.emplace_back("ceiling");
  options.operations = texts.op.empty() ? names : parse_names("--op", texts.op, names);
  for (const auto& operation : operations) {
    if (std::find(options.operations.begin(), options.operations.end(), operation.name) == options.operations.end()) {
      continue;
    }
    for (const auto& variant : operation.variants) {
      if (std::find(variants.begin(), variants.end(), variant) == variants.end()) variants.push_back(variant);
    }
  }
  auto choices = variants;
  choices.emplace_back("all");
  options.variants = texts.variant == "automatic" ? std::vector<std::string>{"automatic"}
                                                  : parse_names("--variant", texts.variant, choices);
  if (std::find(options.variants.begin(), options.variants.end(), "all") != options.variants.end()) {
    options.variants = variants;
  }
  for (const auto& text : split(texts.sizes)) options.sizes.push_back(parse_size(text));
  std::vector<std::string> types;
  for (const auto& [name, type] : type_names) types.push_back(name);
  options.types_given = !texts.types.empty();
  for (const auto& name : split(options.types_given ? texts.types : "int8,int32,int64,float32,float64")) {
    const auto type = type_names.at(require_one_of("--types", name, types));
    if (std::find(options.types.begin(), options.types.end(), type) != options.types.end()) {
      refuse(fmt::format("--types: {} is given twice", to_string(type)));
    }
    options.types.push_back(type);
  }
  for (const auto& text : texts.taps.empty() ? std::vector<std::string>{} : split(texts.taps)) {
    options.taps.push_back(parse_positive("--taps", text, 1));
  }
  if (!texts.team_size.empty()) options.team_size = parse_positive("--team-size", texts.team_size, 1);
  if (!texts.league_size.empty()) options.league_size = parse_positive("--league-size", texts.league_size, 1);
  if (!texts.repeat.empty()) options.repeat = parse_positive("--repeat", texts.repeat, 1);
  if (!texts.warmup.empty()) options.warmup = parse_positive("--warmup", texts.warmup, 0);
  if (!options.space.empty()) require_one_of("--space", options.space, {"cuda", "openmp", "serial"});
}

void refuse_unknown(const CLI::App& app, const std::vector<std::string>& extras) {
  for (const auto& extra : extras) {
    if (extra.rfind('-', 0) != 0) refuse(fmt::format("unexpected argument `{}`; see {} --help", extra, app.get_name()));
    std::vector<std::string> known;
    for (const auto* option : app.get_options())
      known.push_back(option->get_name(false, true).substr(0, option->get_name(false, true).find(',')));
    const auto name = extra.substr(0, extra.find('='));
    refuse(fmt::format("unknown option `{}`; did you mean `{}`? See --help", name, nearest_name(name, known)));
  }
}

}  // namespace

SizeOption parse_size(const std::string& text) {
  const auto cross = text.find('x');
  if (cross == std::string::npos) return {1, parse_count(text, text), false};
  const SizeOption size{parse_count(text.substr(0, cross), text), parse_count(text.substr(cross + 1), text), true};
  if (size.rows > most_elements / size.columns) refuse(fmt::format("--sizes: `{}` exceeds 2^40 elements", text));
  return size;
}

bool parse_options(int argc, const char* const* argv, const std::vector<Operation>& operations, BenchOptions& options) {
  options.command.assign(argv, argv + argc);
  CLI::App app("Measures Tessera's operations beside their peers and the machine's ceilings", "tessera-bench");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  app.set_help_flag("--help", "Print this help and exit");
  app.set_version_flag("--version", fmt::format("tessera-bench {} ({})", version(), git_hash()),
                       "Print the version and exit");
  app.footer(
      "Exit status: 0 good, 1 a result was wrong, 2 bad usage or input, 3 not enough memory or disk, or no device");
  app.allow_extras();
  Texts texts;
  auto* run = app.add_subcommand("run", "Measure; every result is checked before it is timed")->allow_extras();
  run->set_help_flag("--help", "Print this help and exit");
  run->add_option(
         "--op", texts.op,
         "reduce, integer, min, argmin, stats, dot, axes, dispatch, filter, window, steps, squares, transpose, "
         "permute, ceiling (default: all)")
      ->type_name("LIST");
  run->add_option("--sizes", texts.sizes, "Elements: 1000000, 32e6, 2^24; matrices: 4096x4096 (default 2^20,2^24)")
      ->type_name("LIST");
  run->add_option("--types", texts.types, "int8, int32, int64, float32, float64 (default: those each operation has)")
      ->type_name("LIST");
  run->add_option("--variant", texts.variant, "Tessera's variants, or all (default automatic)")->type_name("LIST");
  run->add_option("--taps", texts.taps,
                  "Widths of filters (default 3,9,33; of steps 3,9) and windows (default 3,31,301,3001)")
      ->type_name("LIST");
  run->add_option("--team-size", texts.team_size, "Threads a team (default: the plan decides)")->type_name("N");
  run->add_option("--league-size", texts.league_size, "Teams (default: the plan decides)")->type_name("N");
  run->add_option("--repeat", texts.repeat, "Measured runs (default 10; end after 10 s in all)")->type_name("N");
  run->add_option("--warmup", texts.warmup, "Runs before them (default 2)")->type_name("N");
  run->add_option("--space", options.space, "cuda, openmp or serial (default: the best built in)")->type_name("NAME");
  run->add_option("--out", options.out, "Append a record for each row there")->type_name("FILE.jsonl");
  auto* report = app.add_subcommand("report", "Print tables of records")->allow_extras();
  report->set_help_flag("--help", "Print this help and exit");
  report->add_option("FILE", options.files, "Files that run --out wrote");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answer) {
    app.exit(answer);
    return false;
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
  options.is_report = report->parsed();
  if (options.is_report == run->parsed()) {
    refuse_unknown(app, app.remaining());
    refuse("expected one of the commands run and report; see --help");
  }
  auto* command = options.is_report ? report : run;
  std::vector<std::string> extras;
  for (const auto& extra : app.remaining(true)) {
    const bool is_kokkos = !options.is_report && extra.rfind("--kokkos-", 0) == 0;
    (is_kokkos ? options.kokkos_arguments : extras).push_back(extra);
  }
  refuse_unknown(*command, extras);
  if (options.is_report && options.files.empty()) refuse("report needs at least one FILE; see report --help");
  if (!options.is_report) convert(texts, operations, options);
  return true;
}

}  // namespace tessera::apps::bench
