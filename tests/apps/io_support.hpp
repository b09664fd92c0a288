// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of HDF5 input and output share: a private folder, files made with the plain HDF5 library, refusals
// turned into text, and child processes.
#ifndef TESSERA_TESTS_APPS_IO_SUPPORT_HPP
#define TESSERA_TESTS_APPS_IO_SUPPORT_HPP

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/dataset.hpp"
#include "common/failure.hpp"
#include "common/hdf5_handle.hpp"
#include "common/host_array.hpp"

namespace tessera::apps::test {

/// A folder of its own for each test; gone afterwards.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return m_path + "/" + name; }
  [[nodiscard]] const std::string& path() const { return m_path; }
  /// Names of all that is in it, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::string m_path;
};

/// Files and datasets made with HDF5 itself.
[[nodiscard]] Handle create_file(const std::string& path);
[[nodiscard]] Handle edit_file(const std::string& path);
[[nodiscard]] Handle creation_list();
[[nodiscard]] Handle chunked_list(const Shape& chunks);
/// data: in memory_type, may be null for a dataset that is never written.
void add_dataset(hid_t file, const std::string& name, hid_t stored_type, const Shape& shape, hid_t memory_type,
                 const void* data, hid_t creation = H5P_DEFAULT);
/// A compound of two parts, as h5py and others store complex numbers.
[[nodiscard]] Handle complex_type(hid_t part, const char* real = "r", const char* imaginary = "i");
/// 0, 1, 2, .. as int32, stored little-endian.
void add_numbers(hid_t file, const std::string& name, const Shape& shape, hid_t creation = H5P_DEFAULT);
[[nodiscard]] std::vector<std::int32_t> numbers(std::size_t count);

/// The message of the Failure that action must throw, after a check of its status.
[[nodiscard]] std::string refusal(ExitStatus status, const std::function<void()>& action);
[[nodiscard]] inline std::string bad_input(const std::function<void()>& action) {
  return refusal(ExitStatus::bad_input, action);
}
[[nodiscard]] inline std::string no_resource(const std::function<void()>& action) {
  return refusal(ExitStatus::no_resource, action);
}

/// A read array as a vector; T must be its element type.
template <class T>
std::vector<T> values_of(const HostArray& array) {
  const auto count = element_count(array.shape);
  REQUIRE(array.buffer.bytes() == count * sizeof(T));
  return std::vector<T>(array.buffer.as<T>(), array.buffer.as<T>() + count);
}
template <class T>
std::vector<T> read_values(const std::string& spec) {
  return values_of<T>(Dataset(spec).read());
}

[[nodiscard]] std::string bytes_of_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

/// How a child process ended, and what its action returned.
struct ChildEnd {
  bool exited = false;
  int status = 0, signal = 0;
  std::string text;
};
/// Runs action in a child, which exits with 0 by way of exit(): what libraries do then is part of the test.
/// ordinary_user: a child of root becomes nobody, so that permissions count.
[[nodiscard]] ChildEnd in_child(const std::function<std::string()>& action, bool ordinary_user = false);
/// The message of the Failure that action throws in a child; "" where it throws none.
[[nodiscard]] std::string refusal_of_ordinary_user(const std::function<void()>& action);

}  // namespace tessera::apps::test

#endif
