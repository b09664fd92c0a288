// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that records go to.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "descriptor.hpp"
#include "failure.hpp"
#include "record.hpp"
#include "temporary_file.hpp"
#include "text.hpp"

namespace tessera::apps {
namespace {

constexpr const char* csv_header =
    "time,app,git,host,backend,file,dataset,dtype,shape,operation,variant,summation,repeats,min_seconds,median_seconds,"
    "mean_seconds,max_seconds,stddev_seconds,bytes,median_gb_per_s,best_gb_per_s,fraction_of_ceiling,verified\n";

// A full disk is a matter of resources, everything else one of the name that was given.
[[noreturn]] void fail(const std::string& file, int error) {
  const bool no_room = error == ENOSPC || error == EDQUOT || error == EFBIG;
  throw Failure(no_room ? ExitStatus::no_resource : ExitStatus::bad_input,
                fmt::format("{}: cannot be written: {}", file, std::strerror(error)));
}

void write_text(const std::string& file, const Descriptor& target, std::string_view text) {
  if (const int error = write_all(target.get(), text); error != 0) fail(file, error);
}

std::string csv_rows(const Record& record) {
  const auto json = to_json(record);
  const auto& input = json["input"];
  std::string rows;
  for (const auto& run : json["runs"]) {
    const auto& seconds = run["seconds"];
    std::vector<std::string> cells;
    for (const auto& value : {json["time"],
                              json["app"],
                              json["git"],
                              json["host"],
                              json["kokkos"]["backend"],
                              input["file"],
                              input["dataset"],
                              input["dtype"],
                              input["shape"],
                              run["operation"],
                              run["variant"],
                              run["summation"],
                              run["repeats"],
                              seconds["min"],
                              seconds["median"],
                              seconds["mean"],
                              seconds["max"],
                              seconds["stddev"],
                              run["bytes"],
                              run["gb_per_s"]["median"],
                              run["gb_per_s"]["best"],
                              run["fraction_of_ceiling"],
                              run["verification"]["passed"]}) {
      cells.push_back(csv_cell(value));
    }
    rows += join(cells, ",") + '\n';
  }
  return rows;
}

/// Whether the last line of a file of so many bytes is complete; true where it cannot be read.
bool ends_a_line(const std::string& file, off_t bytes) {
  const Descriptor source(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char last = '\n';
  return source.get() < 0 || pread(source.get(), &last, 1, bytes - 1) != 1 || last == '\n';
}

}  // namespace

void refuse_same_file(const std::string& option, const std::string& file, const std::string& other,
                      const std::string& what) {
  if (file.empty() || file == "-" || other.empty() || other == "-") return;
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(file, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return;  // as /dev/null is
  const auto whole = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(resolve_links(name), ignored), ignored);
  };
  if (std::filesystem::equivalent(file, other, ignored) || whole(file) == whole(other)) {
    refuse(fmt::format("{} {}: is {}", option, file, what));
  }
}

void check_writable(const std::string& option, const std::string& file, Rewriting rewriting) {
  const auto refuse_file = [&](const std::string& why) { refuse(fmt::format("{} {}: {}", option, file, why)); };
  struct stat status {};
  if (stat(file.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse_file("is a folder");
    if (access(file.c_str(), W_OK) != 0) refuse_file(std::strerror(errno));
    if (!S_ISREG(status.st_mode) || rewriting == Rewriting::appends) return;
  }
  const std::string folder = folder_of(resolve_links(file));
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse_file(fmt::format("folder {}: {}", folder, std::strerror(errno)));
}

WholeFile::WholeFile(const std::string& file, std::string_view text) : m_file(file) {
  struct stat status {};
  const bool exists = stat(file.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {  // a pipe or /dev/null is written to, not replaced
    const Descriptor target(open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (target.get() < 0) fail(file, errno);
    write_text(file, target, text);
    return;
  }
  m_target = resolve_links(file);
  m_temporary = temporary_name(m_target);
  m_guard = std::make_unique<TemporaryPath>(m_temporary);
  const Descriptor target(open(m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (target.get() < 0) fail(file, errno);
  if (exists && fchmod(target.get(), status.st_mode & 07777) != 0) fail(file, errno);
  write_text(file, target, text);
  if (fsync(target.get()) != 0) fail(file, errno);
}

void WholeFile::commit() {
  if (!m_guard) return;
  if (std::rename(m_temporary.c_str(), m_target.c_str()) != 0) fail(m_file, errno);
  m_guard->release();
}

void write_whole(const std::string& file, std::string_view text) { WholeFile(file, text).commit(); }

std::string json_text(const nlohmann::ordered_json& record) {
  // Names from the command line and the file system may hold bytes that are no UTF-8; they are replaced.
  return record.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::string csv_cell(const nlohmann::ordered_json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted_text = "\"";
  for (const char c : text) quoted_text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted_text + '"';
}

void append_csv(const std::string& file, const Record& record) {
  const Descriptor target(open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (target.get() < 0) fail(file, errno);
  // Jobs of an array may append to one file: the lock decides who writes the header.
  lock_for_a_while(target.get());
  struct stat status {};
  if (fstat(target.get(), &status) != 0) fail(file, errno);
  const std::string before = status.st_size == 0 ? csv_header : ends_a_line(file, status.st_size) ? "" : "\n";
  if (const int error = write_all(target.get(), before + csv_rows(record)); error != 0) {
    // The next row would go on in the middle of this one.
    if (S_ISREG(status.st_mode) && ftruncate(target.get(), status.st_size) != 0) fail(file, errno);
    fail(file, error);
  }
}

}  // namespace tessera::apps
