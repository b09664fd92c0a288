// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "common/failure.hpp"
#include "common/record.hpp"
#include "common/text.hpp"
#include "common/version.hpp"
#include "experiment.hpp"

namespace tessera::apps::bench {
namespace {

int parse_positive(const std::string& option, const std::string& text, int lowest) {
  const auto number = parse_int64(text);
  if (!number || *number < lowest || *number > std::numeric_limits<int>::max()) {
    refuse(fmt::format("{}: `{}` is not a whole number of at least {}", option, text, lowest));
  }
  return static_cast<int>(*number);
}

/// Options as typed; nothing for those not given.
struct Texts {
  using Text = std::optional<std::string>;
  std::optional<std::string> experiment;
  Text op, sizes, types, variant, summation, taps, team_size, league_size;
  Text repeat, warmup, cold, time_limit, shard, tolerance;
};

std::vector<std::int64_t> parse_positives(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (const auto& part : split(text)) {
    const int number = parse_positive(option, part, 1);
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) {
      refuse(fmt::format("{}: {} is given twice", option, number));
    }
    numbers.push_back(number);
  }
  return numbers;
}

Part part_of(const Texts& texts, const std::vector<Operation>& operations) {
  Part part;
  const auto names = names_of(operations);
  part.operations = texts.op ? parse_names("--op", split(*texts.op), names) : names;
  if (texts.variant) part.variants = parse_variants("--variant", split(*texts.variant), part.operations, operations);
  if (texts.summation) part.summations = parse_names("--summation", split(*texts.summation), part.summations);
  for (const auto& text : split(texts.sizes.value_or("2^20,2^24"))) part.sizes.push_back(parse_size("--sizes", text));
  if (texts.types) part.types = parse_types("--types", split(*texts.types));
  if (texts.taps) part.taps = parse_positives("--taps", *texts.taps);
  if (texts.team_size) {
    const auto sizes = parse_positives("--team-size", *texts.team_size);
    part.team_sizes.assign(sizes.begin(), sizes.end());
  }
  if (texts.league_size) part.league_size = parse_positive("--league-size", *texts.league_size, 1);
  return part;
}

void refuse_beside_experiment(const Texts& texts) {
  const std::vector<std::pair<const char*, const Texts::Text*>> of_parts{{"--op", &texts.op},
                                                                         {"--sizes", &texts.sizes},
                                                                         {"--types", &texts.types},
                                                                         {"--variant", &texts.variant},
                                                                         {"--summation", &texts.summation},
                                                                         {"--taps", &texts.taps},
                                                                         {"--team-size", &texts.team_size},
                                                                         {"--league-size", &texts.league_size}};
  for (const auto& [option, text] : of_parts) {
    if (!text->has_value()) continue;
    refuse(fmt::format("{} stands beside the experiment {}, which says what is measured; leave one of them out", option,
                       *texts.experiment));
  }
}

Shard parse_shard(const std::string& text) {
  constexpr std::int64_t most = 100000;
  const auto slash = text.find('/');
  const auto index = parse_int64(text.substr(0, slash)).value_or(-1);
  const auto count = slash == std::string::npos ? -1 : parse_int64(text.substr(slash + 1)).value_or(-1);
  if (index < 0 || index >= count || count > most) {
    refuse(fmt::format("--shard: `{}` is no share; write I/N with 0 <= I < N <= {}", text, most));
  }
  return {static_cast<int>(index), static_cast<int>(count)};
}

double parse_seconds(const std::string& option, const std::string& text) {
  const auto seconds = parse_double(text);
  if (!seconds || !(*seconds > 0) || !std::isfinite(*seconds)) {
    refuse(fmt::format("{}: `{}` is not a number of seconds above 0", option, text));
  }
  return *seconds;
}

double parse_percent(const std::string& option, const std::string& text) {
  const auto percent = parse_double(text);
  if (!percent || !(*percent >= 0) || !std::isfinite(*percent)) {
    refuse(fmt::format("{}: `{}` is not a percentage of at least 0", option, text));
  }
  return *percent;
}

// The command line stands above the experiment.
void convert(const Texts& texts, const std::vector<Operation>& operations, BenchOptions& options) {
  if (texts.shard) options.shard = parse_shard(*texts.shard);
  if (!options.space.empty()) require_one_of("--space", options.space, {"cuda", "openmp", "serial"});
  if (texts.experiment) {
    refuse_beside_experiment(texts);
    refuse_same_file("--out", options.out, *texts.experiment, "the experiment");
    Experiment experiment = read_experiment(*texts.experiment, operations);
    options.parts = std::move(experiment.parts);
    options.measuring = experiment.measuring;
  } else {
    options.parts = {part_of(texts, operations)};
  }
  Measuring& measuring = options.measuring;
  if (texts.repeat) measuring.repeat = parse_positive("--repeat", *texts.repeat, 1);
  if (texts.warmup) measuring.warmup = parse_positive("--warmup", *texts.warmup, 0);
  if (texts.cold) measuring.cold = parse_positive("--cold", *texts.cold, 0);
  if (texts.time_limit) measuring.time_limit_seconds = parse_seconds("--time-limit", *texts.time_limit);
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

CLI::App* add_run(CLI::App& app, Texts& texts, BenchOptions& options) {
  auto* run = app.add_subcommand("run", "Measure; every result is checked before it is timed")->allow_extras();
  run->set_help_flag("--help", "Print this help and exit");
  run->add_option("EXPERIMENT.json", texts.experiment, "What to measure, in place of --op to --league-size");
  run->add_option("--op", texts.op,
                  "reduce, integer, min, argmin, stats, dot, spread, axes, dispatch, filter, window, lines, steps, "
                  "squares, transpose, "
                  "permute, ceiling (default: all)")
      ->type_name("LIST");
  run->add_option("--sizes", texts.sizes, "Elements: 1000000, 32e6, 2^24; matrices: 4096x4096 (default 2^20,2^24)")
      ->type_name("LIST");
  run->add_option("--types", texts.types,
                  "int8, int16, int32, int64, uint8, float32, float64 (default: those each operation has)")
      ->type_name("LIST");
  run->add_option("--variant", texts.variant, "Tessera's variants, or all (default automatic)")->type_name("LIST");
  run->add_option("--summation", texts.summation, "exact, fast (default: both)")->type_name("LIST");
  run->add_option("--taps", texts.taps,
                  "Widths of filters (default 3,9,33; of steps 3,9) and windows (default 3,31,301,3001)")
      ->type_name("LIST");
  run->add_option("--team-size", texts.team_size, "Threads a team, each number measured (default: the plan decides)")
      ->type_name("LIST");
  run->add_option("--league-size", texts.league_size, "Teams (default: the plan decides)")->type_name("N");
  run->add_option("--repeat", texts.repeat, "Measured runs (default 10)")->type_name("N");
  run->add_option("--warmup", texts.warmup, "Runs before them, and more until they are stable (default 2; 0: none)")
      ->type_name("N");
  run->add_option("--cold", texts.cold, "Runs behind a flush of the caches, after the others (default 3)")
      ->type_name("N");
  run->add_option("--time-limit", texts.time_limit, "No further round of a case begins after it (default 10)")
      ->type_name("SECONDS");
  run->add_option("--shard", texts.shard, "Measure share I of N of the cases, 0 <= I < N")->type_name("I/N");
  run->add_option("--space", options.space, "cuda, openmp or serial (default: the best built in)")->type_name("NAME");
  run->add_option("--out", options.out, "Put a record of each row there, at the end; a file that exists is extended")
      ->type_name("FILE.jsonl");
  return run;
}

CLI::App* add_report(CLI::App& app, BenchOptions& options) {
  auto* report = app.add_subcommand("report", "Print tables of records")->allow_extras();
  report->set_help_flag("--help", "Print this help and exit");
  report->add_option("FILE", options.files, "Files that run --out wrote");
  report->add_option("--plot", options.plot, "Draw a picture of each table")->type_name("FILE.svg");
  report->add_option("--csv", options.csv, "Write a line for each row")->type_name("FILE");
  report
      ->add_option("--markdown", options.markdown,
                   "Write one table, of Tessera's rows beside their best peers; -: on standard output, alone")
      ->type_name("FILE.md|-");
  report->add_flag("!--ratios", options.with_rates, "Leave the rates out of it");
  return report;
}

CLI::App* add_compare(CLI::App& app, Texts& texts, BenchOptions& options) {
  auto* compare =
      app.add_subcommand("compare", "Say what is slower or faster in NEW than in OLD, and which rows one of them lacks")
          ->allow_extras();
  compare->set_help_flag("--help", "Print this help and exit");
  compare->add_option("FILE", options.files, "OLD and NEW, which run --out wrote");
  compare->add_option("--tolerance", texts.tolerance, "Slower by more is an error: exit status 1 (default 5)")
      ->type_name("PERCENT");
  return compare;
}

}  // namespace

bool parse_options(int argc, const char* const* argv, const std::vector<Operation>& operations, BenchOptions& options) {
  options.command_line.assign(argv, argv + argc);
  CLI::App app("Measures Tessera's operations beside their peers and the machine's ceilings", "tessera-bench");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  app.set_help_flag("--help", "Print this help and exit");
  app.set_version_flag("--version", fmt::format("tessera-bench {} ({})", version(), git_hash()),
                       "Print the version and exit");
  app.footer(
      "Exit status: 0 good, 1 a result was wrong, 2 bad usage or input, 3 not enough memory or disk, or no device");
  app.allow_extras();
  Texts texts;
  auto* run = add_run(app, texts, options);
  auto* report = add_report(app, options);
  auto* compare = add_compare(app, texts, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answer) {
    app.exit(answer);
    return false;
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
  options.command = report->parsed() ? Command::report : compare->parsed() ? Command::compare : Command::run;
  if (run->parsed() + report->parsed() + compare->parsed() != 1) {
    refuse_unknown(app, app.remaining());
    refuse("expected one of the commands run, report and compare; see --help");
  }
  auto* command = report->parsed() ? report : compare->parsed() ? compare : run;
  std::vector<std::string> extras;
  for (const auto& extra : app.remaining(true)) {
    const bool is_kokkos = run->parsed() && extra.rfind("--kokkos-", 0) == 0;
    (is_kokkos ? options.kokkos_arguments : extras).push_back(extra);
  }
  refuse_unknown(*command, extras);
  if (report->parsed() && options.files.empty()) refuse("report needs at least one FILE; see report --help");
  if (!options.with_rates && options.markdown.empty()) refuse("--ratios is about --markdown, which is not given");
  if (compare->parsed() && options.files.size() != 2) refuse("compare needs OLD and NEW; see compare --help");
  if (texts.tolerance) options.tolerance_percent = parse_percent("--tolerance", *texts.tolerance);
  if (run->parsed()) convert(texts, operations, options);
  return true;
}

}  // namespace tessera::apps::bench
