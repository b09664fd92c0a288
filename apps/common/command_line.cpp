// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "failure.hpp"
#include "text.hpp"
#include "version.hpp"

namespace tessera::apps {
namespace {

// Values are checked when Kokkos starts; here they are only told from INPUT.
const std::vector<std::string> kokkos_options{
    "--kokkos-num-threads", "--kokkos-device-id",        "--kokkos-map-device-id-by", "--kokkos-tools-libs",
    "--kokkos-tools-args",  "--kokkos-disable-warnings", "--kokkos-tune-internals",   "--kokkos-print-configuration"};
constexpr std::size_t kokkos_options_with_value = 5;  // the first of them

int to_count(const std::string& option, const std::string& text, int lowest) {
  const auto number = parse_int64(text);
  if (!number || *number < lowest || *number > std::numeric_limits<int>::max()) {
    refuse(fmt::format("{}: `{}` is not a whole number of at least {}", option, text, lowest));
  }
  return static_cast<int>(*number);
}

std::pair<std::string, std::string> split_name(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  return equals == std::string::npos ? std::pair{argument, std::string{}}
                                     : std::pair{argument.substr(0, equals), argument.substr(equals + 1)};
}

}  // namespace

CommandLine::CommandLine(std::string program, const std::string& description)
    : m_program(std::move(program)), m_app(std::make_unique<CLI::App>(description, m_program)) {
  m_app->set_help_flag("--help", "Print this help and exit");
  m_app->set_version_flag("--version", fmt::format("{} {} ({})", m_program, version(), git_hash()),
                          "Print the version and exit");
  m_known = {{"--help", false}, {"--version", false}};
  m_app->footer(
      "Kokkos: --kokkos-num-threads=N --kokkos-device-id=N --kokkos-map-device-id-by=mpi_rank|random\n"
      "  --kokkos-tools-libs=LIST --kokkos-tools-args=TEXT --kokkos-tune-internals --kokkos-print-configuration\n"
      "Exit status: 0 good, 1 the result did not verify, 2 bad usage or input, 3 not enough memory, disk or device");
}

CommandLine::CommandLine(std::string program, const std::string& description, std::vector<std::string> variants)
    : CommandLine(std::move(program), description) {
  m_takes_input = true;
  m_variants = std::move(variants);
  m_app->add_option("INPUT", m_common.input, "FILE[:/DATASET[SELECTION]], SELECTION as in NumPy: [0:100,::2]")
      ->type_name("");
}

CommandLine::~CommandLine() = default;

// Called last, so that --help begins with the driver's own options.
void CommandLine::add_common_options() {
  add_option("--space", m_common.run.space, "NAME", "cuda, openmp or serial (default: the best built in)");
  if (m_takes_input) add_input_options();
  add_flag("--force", m_common.force, "Replace datasets that exist in the output");
  add_option("--json", m_common.json_file, "FILE",
             "Write the record there; -: on standard output, the report on error");
  add_option("--csv", m_common.csv_file, "FILE", "Append a row for each run there");
  add_option("--plot", m_common.plot_file, "FILE.svg", "Draw the run there");
  add_flag("--quiet", m_common.quiet, "No report and no progress bar");
  add_flag("--no-progress", m_common.no_progress, "No progress bar");
}

void CommandLine::add_input_options() {
  add_option("--variant", m_common.run.variant, "NAME", fmt::format("{}, all or list", join(m_variants)));
  add_option("--team-size", m_team_size, "N", "Threads a team (default: the plan decides)");
  add_option("--league-size", m_league_size, "N", "Teams (default: the plan decides)");
  add_option("--repeat", m_repeat, "N", "Measured runs (default 10; ends after 10 s)");
  add_option("--warmup", m_warmup, "N", "Runs before them (default 2)");
  add_option("--verify", m_common.run.verify, "HOW", "none, sample or full (default sample)");
  add_flag("--list", m_common.list, "List the numeric datasets of INPUT and exit");
}

void CommandLine::add_option(const std::string& name, std::string& target, const std::string& value_name,
                             const std::string& help) {
  m_app->add_option(name, target, help)->type_name(value_name);
  m_known.push_back({name, true});
}

void CommandLine::add_flag(const std::string& name, bool& target, const std::string& help) {
  m_app->add_flag(name, target, help);
  m_known.push_back({name, false});
}

bool CommandLine::given(const std::string& name) const {
  return std::find(m_given.begin(), m_given.end(), name) != m_given.end();
}

const CommandLine::Known* CommandLine::find(const std::string& name) const {
  const auto it = std::find_if(m_known.begin(), m_known.end(), [&](const Known& known) { return known.name == name; });
  return it == m_known.end() ? nullptr : &*it;
}

bool CommandLine::parse(int argc, const char* const* argv) {
  m_command.assign(argv, argv + argc);
  add_common_options();
  std::vector<std::string> arguments = normalise();
  std::reverse(arguments.begin(), arguments.end());  // the order in which CLI11 takes a vector
  try {
    m_app->parse(std::move(arguments));
  } catch (const CLI::Success& answer) {  // --help or --version
    m_app->exit(answer);
    return false;
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
  if (m_common.run.variant == "list") {
    for (const auto& name : m_variants) fmt::print("{}\n", name);
    return false;
  }
  convert();
  return true;
}

// CLI11 takes a value that begins with '-' for an option, and the last of repeated options; so each option is joined
// with its value, and everything it would accept too lightly is refused, before it sees them.
std::vector<std::string> CommandLine::normalise() {
  std::vector<std::string> options, inputs;
  bool only_inputs = false;
  for (std::size_t i = 1; i < m_command.size(); ++i) {
    const std::string& argument = m_command[i];
    if (only_inputs || argument.size() < 2 || argument[0] != '-') {
      inputs.push_back(argument);
      continue;
    }
    if (argument == "--") {
      only_inputs = true;
      continue;
    }
    if (argument.starts_with("--kokkos-")) {
      take_kokkos_argument(i);
      continue;
    }
    auto [name, value] = split_name(argument);
    const Known* known = find(name);
    if (!known) {
      std::vector<std::string> names;
      for (const auto& candidate : m_known) names.push_back(candidate.name);
      refuse(fmt::format("unknown option `{}`; did you mean `{}`? See --help", name, nearest_name(name, names)));
    }
    if (given(name)) refuse(fmt::format("{} is given twice", name));
    m_given.push_back(name);
    const bool joined = name.size() < argument.size();
    if (!known->takes_value) {
      if (joined) refuse(fmt::format("{} takes no value, got `{}`", name, value));
      options.push_back(name);
      continue;
    }
    if (!joined && i + 1 < m_command.size() && !find(split_name(m_command[i + 1]).first)) value = m_command[++i];
    if (value.empty()) refuse(fmt::format("{} needs a value", name));
    options.push_back(name + '=' + value);
  }
  if (!inputs.empty() && !m_takes_input) refuse(fmt::format("unexpected argument `{}`; see --help", inputs[0]));
  if (inputs.size() > 1) refuse(fmt::format("one INPUT is expected, got `{}`", join(inputs, "` and `")));
  if (!inputs.empty()) {
    if (inputs[0].empty()) refuse("INPUT is empty; see --help");
    options.emplace_back("--");
    options.push_back(inputs[0]);
  }
  return options;
}

void CommandLine::take_kokkos_argument(std::size_t& position) {
  auto [name, value] = split_name(m_command[position]);
  const auto known = std::find(kokkos_options.begin(), kokkos_options.end(), name);
  if (known == kokkos_options.end()) {
    refuse(fmt::format("unknown option `{}`; did you mean `{}`? See --help", name, nearest_name(name, kokkos_options)));
  }
  if (given(name)) refuse(fmt::format("{} is given twice", name));
  m_given.push_back(name);
  const bool joined = name.size() < m_command[position].size();
  if (known >= kokkos_options.begin() + kokkos_options_with_value && !joined) {
    m_common.kokkos_arguments.push_back(name);
    return;
  }
  if (!joined && position + 1 < m_command.size()) value = m_command[++position];
  if (value.empty()) refuse(fmt::format("{} needs a value", name));
  m_common.kokkos_arguments.push_back(name + '=' + value);
}

void CommandLine::convert() {
  if (m_takes_input) convert_input_options();
  if (given("--space")) require_one_of("--space", m_common.run.space, {"cuda", "openmp", "serial"});
  if (given("--plot") && !m_common.plot_file.ends_with(".svg")) {
    refuse(fmt::format("--plot: `{}` is not FILE.svg; pictures are SVG", m_common.plot_file));
  }
}

void CommandLine::convert_input_options() {
  RunOptions& run = m_common.run;
  if (given("--team-size")) run.team_size = to_count("--team-size", m_team_size, 1);
  if (given("--league-size")) run.league_size = to_count("--league-size", m_league_size, 1);
  if (given("--repeat")) run.repeat = to_count("--repeat", m_repeat, 1);
  if (given("--warmup")) run.warmup = to_count("--warmup", m_warmup, 0);
  require_one_of("--verify", run.verify, {"none", "sample", "full"});
  std::vector<std::string> variants = m_variants;
  variants.insert(variants.end(), {"all", "list"});
  require_one_of("--variant", run.variant, variants);
  if (m_common.input.empty()) refuse("INPUT is missing; see --help");
  if (m_common.list && (given("--json") || given("--csv") || given("--plot") || given("--output"))) {
    refuse("--list only lists: --json, --csv, --plot and --output cannot go with it");
  }
}

}  // namespace tessera::apps
