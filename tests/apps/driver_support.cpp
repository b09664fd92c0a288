// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_support.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "device/session.hpp"

namespace tessera::apps::test {
namespace {

// A program whose output is awaited through files cannot block on a full pipe.
void become(const std::string& program, const std::vector<std::string>& arguments, const ProgramSetting& setting,
            const std::string& out, const std::string& err) {
  const int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (dup2(out_file, STDOUT_FILENO) < 0 || dup2(err_file, STDERR_FILENO) < 0) _exit(126);
  for (const auto& variable : setting.environment) putenv(const_cast<char*>(variable.c_str()));
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

}  // namespace

ProgramEnd run_program(const std::string& program, const std::vector<std::string>& arguments,
                       const ProgramSetting& setting) {
  const Folder folder;
  const std::string out = setting.out_file.empty() ? folder / "out" : setting.out_file;
  const std::string err = folder / "err";
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) become(program, arguments, setting, out, err);
  if (setting.terminate_after.count() > 0) {
    std::this_thread::sleep_for(setting.terminate_after);
    REQUIRE(kill(child, SIGTERM) == 0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  ProgramEnd end;
  if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (setting.out_file.empty()) end.out = bytes_of_file(out);
  end.err = bytes_of_file(err);
  return end;
}

std::string simplest_space() { return "--space=" + built_in_spaces().back(); }

ProgramEnd run_quickly(const std::string& program, std::vector<std::string> arguments, const ProgramSetting& setting) {
  const auto given = [&](const std::string& name) {
    return std::any_of(arguments.begin(), arguments.end(), [&](const auto& a) { return a.starts_with(name); });
  };
  for (const std::string& option : {simplest_space(), std::string("--repeat=1"), std::string("--warmup=0")}) {
    if (!given(option.substr(0, option.find('=')))) arguments.push_back(option);
  }
  return run_program(program, arguments, setting);
}

std::string refusal_line(const ProgramEnd& end, int status, const std::string& program) {
  INFO(end.err);
  CHECK(end.status == status);
  CHECK(end.out.empty());
  const std::string prefix = program + ": error: ";
  REQUIRE(end.err.starts_with(prefix));
  REQUIRE(std::count(end.err.begin(), end.err.end(), '\n') == 1);
  REQUIRE(end.err.back() == '\n');
  return end.err.substr(prefix.size(), end.err.size() - prefix.size() - 1);
}

nlohmann::json record_of(const ProgramEnd& end) {
  INFO(end.err);
  REQUIRE(end.status <= 1);
  return nlohmann::json::parse(end.out);
}

std::vector<nlohmann::json> rows_of(const std::string& file) {
  std::vector<nlohmann::json> rows;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) rows.push_back(nlohmann::json::parse(line));
  return rows;
}

}  // namespace tessera::apps::test
