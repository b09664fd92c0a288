// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Full disks and signals: the old file stays as it was, and what is left behind.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include "common/hdf5_write_driver.hpp"
#include "common/output_file.hpp"
#include "common/record.hpp"
#include "common/signals.hpp"
#include "common/temporary_file.hpp"
#include "io_support.hpp"

namespace tessera::apps::test {
namespace {

using Numbers = std::vector<std::int32_t>;
const Provenance origin{"tessera-test", "1.2.3", "in.h5:/x"};

void make_old_file(const std::string& path) {
  const Handle file = create_file(path);
  add_numbers(file.get(), "old", {5000});
}

/// Adds a dataset of a few MiB, with a call before the commit.
void write_more(const std::string& spec, const std::function<void()>& before_commit = {},
                const ProgressCallback& progress = {}) {
  const Numbers values = numbers(1000000);
  OutputFile output(spec, {""}, true);
  output.write("", ElementType::int32, {values.size()}, values.data(), origin, progress);
  if (before_commit) before_commit();
  output.commit();
}

void limit_file_size(rlim_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &limit);
}

std::string message_in_child(const std::function<void()>& action) {
  const ChildEnd end = in_child([&]() -> std::string {
    try {
      action();
    } catch (const Failure& failure) {
      return std::to_string(static_cast<int>(failure.status())) + " " + failure.what();
    }
    return "";
  });
  // HDF5 loops or crashes on its way out where it has seen a write fail.
  CHECK(end.exited);
  CHECK(end.status == 0);
  return end.text;
}

}  // namespace

TEST_CASE("rows that a full disk cuts short are taken back") {
  const Folder folder;
  const std::string file = folder / "rows.csv", before = "a head\na row\n";
  write_file(file, before);
  Record record;
  record.runs.emplace_back();
  record.runs[0].seconds = {1e-6};
  CHECK(message_in_child([&] {
          install_signal_handlers();
          limit_file_size(20);
          append_csv(file, record);
        }) == "3 " + file + ": cannot be written: File too large");
  CHECK(bytes_of_file(file) == before);
}

TEST_CASE("room on the disk and under ulimit -f is asked for first") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  const std::string message =
      no_resource([&] { OutputFile(path + ":/x", {""}, false).check_room(std::uint64_t{1} << 60); });
  CHECK(message.starts_with(path + ":/x: needs 1.15 EB of disk room, the folder '" + folder.path() + "' has "));
  CHECK(no_resource([&] {
          OutputFile(path + ":/x", {""}, false).check_room(~std::uint64_t{0});
        }).starts_with(path + ":/x: needs 18.45 EB of disk room, "));
  CHECK(message_in_child([&] {
          limit_file_size(100000);
          OutputFile(path + ":/x", {""}, false).check_room(1000000);
        }) == "3 " + path + ":/x: the file will have 1.02 MB, ulimit -f allows 100.00 kB");
}

TEST_CASE("a disk that is full after all ends with status 3 and leaves the old file") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  make_old_file(path);
  const std::string before = bytes_of_file(path);
  const std::string message = message_in_child([&] {
    limit_file_size(before.size() + 100000);
    write_more(path + ":/x");
  });
  // Some file systems say so when room is claimed, others only when it is used.
  CHECK((message == "3 " + path + ": no room for 4.02 MB more: File too large" ||
         message == "3 " + path + ":/x: cannot be written: File too large"));
  CHECK(message_in_child([&] {
          limit_file_size(before.size() / 2);
          write_more(path + ":/x");
        }) == "3 " + path + ": cannot be copied beside itself: File too large");
  CHECK(message_in_child([&] {
          limit_file_size(0);
          write_more(folder / "new.h5:/x");
        }) == "3 " + (folder / "new.h5:/x: cannot be opened for writing: File too large"));
  CHECK(bytes_of_file(path) == before);
  CHECK(folder.names() == std::vector<std::string>{"out.h5"});
}

TEST_CASE("a disk that fills up while data is written ends with status 3") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  make_old_file(path);
  const std::string before = bytes_of_file(path);
  CHECK(message_in_child([&] {
          const Numbers values = numbers(100);
          OutputFile output(path + ":/x", {"a", "b"}, false);
          output.write("a", ElementType::int32, {100}, values.data(), origin);
          limit_file_size(100);
          output.commit();
        }) == "3 " + path + ":/x: cannot be written: File too large");
  CHECK(bytes_of_file(path) == before);
  CHECK(folder.names() == std::vector<std::string>{"out.h5"});
}

TEST_CASE("HDF5 survives writes that fail, and the first one's reason is kept") {
  const Folder folder;
  const ChildEnd end = in_child([&]() -> std::string {
    silence_hdf5();
    install_signal_handlers();
    limit_file_size(20000);
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    use_recording_driver(access.get());
    forget_write_error();
    Handle file(H5Fcreate((folder / "x.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
    for (int i = 0; i < 50; ++i) add_numbers(file.get(), std::to_string(i), {1000});
    const bool closed = file.reset();
    return std::string(closed ? "closed " : "open ") + std::to_string(first_write_error());
  });
  CHECK(end.text == "closed " + std::to_string(EFBIG));
  CHECK(end.exited);
  CHECK(end.status == 0);
}

TEST_CASE("a killed writer leaves the old file as it was") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  make_old_file(path);
  const std::string before = bytes_of_file(path);
  const auto die = [] { raise(SIGKILL); };
  for (const bool before_commit : {false, true}) {
    const ChildEnd end = in_child([&]() -> std::string {
      write_more(
          path + ":/x", before_commit ? std::function<void()>(die) : std::function<void()>(),
          before_commit ? ProgressCallback() : [&](std::uint64_t, std::uint64_t) { die(); });
      return "";
    });
    CHECK(end.signal == SIGKILL);
    CHECK(bytes_of_file(path) == before);
  }
  // Nobody could remove those; they say what they are.
  const std::vector<std::string> names = folder.names();
  REQUIRE(names.size() == 3);
  CHECK(names[0].starts_with(".out.h5.tessera-tmp-"));
  CHECK(names[1].starts_with(".out.h5.tessera-tmp-"));
}

TEST_CASE("a writer killed at any moment leaves the old file or the whole new one") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  make_old_file(path);
  const std::string before = bytes_of_file(path);
  write_more(path + ":/x");
  const std::string after = bytes_of_file(path);
  int old_files = 0;
  for (int delay = 0; delay < 24; ++delay) {
    write_file(path, before);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      write_more(path + ":/x");
      _exit(0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * delay));
    kill(child, SIGKILL);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    const std::string found = bytes_of_file(path);
    old_files += found == before ? 1 : 0;
    CHECK((found == before || found == after));
  }
  CHECK(old_files > 0);
}

TEST_CASE("a signal removes the temporary file and ends the process by that signal") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  make_old_file(path);
  const std::string before = bytes_of_file(path);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGXCPU}) {
    INFO(signal);
    const ChildEnd end = in_child([&]() -> std::string {
      // Catch2 handles some of them for its own reports; a driver starts with none.
      std::signal(signal, SIG_DFL);
      if (chdir(folder.path().c_str()) != 0) return "no folder";
      write_more("out.h5:/x", [&] {
        if (chdir("/") == 0) raise(signal);
      });
      return "";
    });
    CHECK(end.signal == signal);
    CHECK(bytes_of_file(path) == before);
    CHECK(folder.names() == std::vector<std::string>{"out.h5"});
  }
}

TEST_CASE("a signal that is ignored stays ignored") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  const ChildEnd end = in_child([&]() -> std::string {
    std::signal(SIGHUP, SIG_IGN);  // as nohup does
    write_more(path + ":/x", [] { raise(SIGHUP); });
    return "written";
  });
  CHECK(end.text == "written");
  CHECK(read_values<std::int32_t>(path + ":/x[-1]") == Numbers{999999});
}

TEST_CASE("temporary paths are few, and removed unless released") {
  const Folder folder;
  write_file(folder / "gone", "x");
  write_file(folder / "kept", "x");
  {
    const TemporaryPath gone(folder / "gone");
    TemporaryPath kept(folder / "kept");
    kept.release();
  }
  CHECK(folder.names() == std::vector<std::string>{"kept"});
  std::vector<std::unique_ptr<TemporaryPath>> many;
  for (int i = 0; i < 16; ++i) many.push_back(std::make_unique<TemporaryPath>(folder / std::to_string(i)));
  CHECK(no_resource([&] { TemporaryPath(folder / "more"); }) == "more than 16 temporary files at a time");
  CHECK(
      bad_input([] { TemporaryPath(std::string(5000, 'x')); }).starts_with("the path of a temporary file is too long"));
}

TEST_CASE("a temporary file that cannot be made is refused") {
  const Folder folder;
  std::filesystem::create_directory(folder / "shut");
  REQUIRE(chmod((folder / "shut").c_str(), 0555) == 0);
  CHECK(refusal_of_ordinary_user([&] { TemporaryFile{folder / "shut/out.h5"}; }) ==
        "2 " + (folder / "shut/out.h5: cannot make a file beside it: Permission denied"));
  TemporaryFile file(folder / "out.h5");
  std::filesystem::remove(file.path());
  CHECK(bad_input([&] { file.commit(); }) == folder / "out.h5: cannot be put in place: No such file or directory");
}

}  // namespace tessera::apps::test
