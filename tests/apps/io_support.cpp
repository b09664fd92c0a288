// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "io_support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>

#include "common/hdf5_storage.hpp"

#if defined(__SANITIZE_ADDRESS__)
// Arrays that no machine holds are asked for on purpose: the answer is a null pointer as without the sanitizer.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif

namespace tessera::apps::test {

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  m_path = pattern;
  std::filesystem::permissions(m_path, std::filesystem::perms(0755));
}

Folder::~Folder() {
  std::error_code error;
  std::filesystem::remove_all(m_path, error);
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(m_path)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

Handle create_file(const std::string& path) {
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  REQUIRE(file);
  return file;
}

Handle edit_file(const std::string& path) {
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  REQUIRE(file);
  return file;
}

Handle creation_list() { return {H5Pcreate(H5P_DATASET_CREATE), H5Pclose}; }

Handle chunked_list(const Shape& chunks) {
  Handle list = creation_list();
  const std::vector<hsize_t> extents(chunks.begin(), chunks.end());
  REQUIRE(H5Pset_chunk(list.get(), static_cast<int>(extents.size()), extents.data()) >= 0);
  return list;
}

void add_dataset(hid_t file, const std::string& name, hid_t stored_type, const Shape& shape, hid_t memory_type,
                 const void* data, hid_t creation) {
  const Handle space = make_space(shape), link(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  REQUIRE(H5Pset_create_intermediate_group(link.get(), 1) >= 0);
  const Handle dataset(H5Dcreate2(file, name.c_str(), stored_type, space.get(), link.get(), creation, H5P_DEFAULT),
                       H5Dclose);
  REQUIRE(dataset);
  if (data != nullptr) REQUIRE(H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
}

Handle complex_type(hid_t part, const char* real, const char* imaginary) {
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * H5Tget_size(part)), H5Tclose);
  REQUIRE(H5Tinsert(type.get(), real, 0, part) >= 0);
  REQUIRE(H5Tinsert(type.get(), imaginary, H5Tget_size(part), part) >= 0);
  return type;
}

std::vector<std::int32_t> numbers(std::size_t count) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

void add_numbers(hid_t file, const std::string& name, const Shape& shape, hid_t creation) {
  const std::vector<std::int32_t> values = numbers(element_count(shape));
  add_dataset(file, name, H5T_STD_I32LE, shape, H5T_NATIVE_INT32, values.data(), creation);
}

std::string refusal(ExitStatus status, const std::function<void()>& action) {
  std::optional<Failure> thrown;
  try {
    action();
  } catch (const Failure& failure) {
    thrown = failure;
  }
  REQUIRE(thrown.has_value());
  const std::string message = thrown->what();
  INFO(message);
  CHECK(thrown->status() == status);
  CHECK(message.find('\n') == std::string::npos);
  return message;
}

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

ChildEnd in_child(const std::function<std::string()>& action, bool ordinary_user) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(ends[0]);
    if (ordinary_user && geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(99);
    const std::string text = action();
    if (write(ends[1], text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(98);
    close(ends[1]);
    std::exit(0);
  }
  close(ends[1]);
  ChildEnd end;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    end.text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  end.exited = WIFEXITED(status);
  end.status = end.exited ? WEXITSTATUS(status) : 0;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return end;
}

std::string refusal_of_ordinary_user(const std::function<void()>& action) {
  const ChildEnd end = in_child(
      [&]() -> std::string {
        try {
          action();
        } catch (const Failure& failure) {
          return std::to_string(static_cast<int>(failure.status())) + " " + failure.what();
        }
        return "";
      },
      true);
  CHECK(end.exited);
  CHECK(end.status == 0);
  return end.text;
}

}  // namespace tessera::apps::test
