// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line that all drivers share: strict, every option at most once, every value taken whole.
#ifndef TESSERA_APPS_COMMON_COMMAND_LINE_HPP
#define TESSERA_APPS_COMMON_COMMAND_LINE_HPP

#include <memory>
#include <string>
#include <vector>

#include "measurement.hpp"

namespace CLI {
class App;
}

namespace tessera::apps {

/// The options that drivers share; programs without INPUT have fewer.
struct CommonOptions {
  std::string input;
  RunOptions run;
  bool force = false, list = false, quiet = false, no_progress = false;
  std::string json_file, csv_file, plot_file;  // "" for none; json_file "-": standard output
  std::vector<std::string> kokkos_arguments;   // as given, --kokkos-NAME or --kokkos-NAME=VALUE
};

class CommandLine {
 public:
  /// variants: what --variant accepts beside all and list.
  CommandLine(std::string program, const std::string& description, std::vector<std::string> variants);
  /// Of a program without INPUT: none of the options about it and about variants.
  CommandLine(std::string program, const std::string& description);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// name: with its dashes. target keeps its value where the option is not given.
  void add_option(const std::string& name, std::string& target, const std::string& value_name, const std::string& help);
  void add_flag(const std::string& name, bool& target, const std::string& help);

  /// Returns false where --help, --version or --variant list has been answered on standard output.
  /// \throws Failure (bad_input) for everything else that is not a complete and legal command line.
  [[nodiscard]] bool parse(int argc, const char* const* argv);

  [[nodiscard]] bool given(const std::string& name) const;
  [[nodiscard]] const std::string& program() const { return m_program; }
  [[nodiscard]] const std::vector<std::string>& command() const { return m_command; }
  [[nodiscard]] const CommonOptions& common() const { return m_common; }

 private:
  struct Known {
    std::string name;
    bool takes_value;
  };
  [[nodiscard]] const Known* find(const std::string& name) const;
  void add_common_options();
  void add_input_options();
  [[nodiscard]] std::vector<std::string> normalise();
  void take_kokkos_argument(std::size_t& position);
  void convert();
  void convert_input_options();

  std::string m_program;
  bool m_takes_input = false;
  std::vector<std::string> m_variants, m_command, m_given;
  std::vector<Known> m_known;
  std::unique_ptr<CLI::App> m_app;
  CommonOptions m_common;
  std::string m_repeat, m_warmup, m_team_size, m_league_size;
};

}  // namespace tessera::apps

#endif
