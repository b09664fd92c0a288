// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing results: what arrives, what is refused, and that nothing is lost on the way.
#include "common/output_file.hpp"

#include <sys/stat.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "common/hdf5_file.hpp"
#include "common/hdf5_storage.hpp"
#include "io_support.hpp"

namespace tessera::apps::test {
namespace {

using Numbers = std::vector<std::int32_t>;
const Provenance provenance{"tessera-test in out", "1.2.3", "in.h5:/x"};

/// Writes 0, 1, 2, .. to FILE:/DATASET.
void write_numbers(const std::string& spec, std::size_t count, bool force = false) {
  OutputFile output(spec, {""}, force);
  const Numbers values = numbers(count);
  output.check_room(4 * count);
  output.write("", ElementType::int32, {count}, values.data(), provenance);
  output.commit();
}

std::string open_message(const std::string& spec, bool force = false) {
  return bad_input([&] { OutputFile(spec, {""}, force); });
}

std::string attribute(hid_t dataset, const char* name) {
  const Handle attribute(H5Aopen(dataset, name, H5P_DEFAULT), H5Aclose);
  REQUIRE(attribute);
  const Handle type(H5Aget_type(attribute.get()), H5Tclose);
  REQUIRE(H5Tis_variable_str(type.get()) > 0);
  CHECK(H5Tget_cset(type.get()) == H5T_CSET_UTF8);
  char* text = nullptr;
  REQUIRE(H5Aread(attribute.get(), type.get(), &text) >= 0);
  const std::string value = text;
  H5free_memory(text);
  return value;
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

template <class T>
void check_round_trip(const Folder& folder, ElementType type, const std::vector<T>& values) {
  const std::string spec = folder / (to_string(type) + ".h5:/group/deep/x");
  OutputFile output(spec, {""}, false);
  output.write("", type, {values.size()}, values.data(), provenance);
  output.commit();
  const Dataset dataset(spec);
  CHECK(dataset.compute_type() == type);
  CHECK(dataset.info().stored_type == to_string(type));
  CHECK(dataset.info().layout == "contiguous");
  CHECK(values_of<T>(dataset.read()) == values);
}

}  // namespace

TEST_CASE("each element type comes back as it was written, in groups that are made") {
  const Folder folder;
  check_round_trip<std::int32_t>(folder, ElementType::int32, {std::numeric_limits<std::int32_t>::min(), 0, 7});
  check_round_trip<std::int64_t>(folder, ElementType::int64, {std::numeric_limits<std::int64_t>::min(), 0, 7});
  check_round_trip<std::uint64_t>(folder, ElementType::uint64, {std::numeric_limits<std::uint64_t>::max(), 0, 7});
  check_round_trip<float>(folder, ElementType::float32, {1.5F, -0.0F, 1e-45F, INFINITY});
  check_round_trip<double>(folder, ElementType::float64, {1.5, -0.0, 5e-324, INFINITY});
  CHECK(folder.names() == std::vector<std::string>{"float32.h5", "float64.h5", "int32.h5", "int64.h5", "uint64.h5"});
}

TEST_CASE("the attributes say where a dataset comes from") {
  const Folder folder;
  write_numbers(folder / "out.h5:/x", 3);
  const Handle file = open_input_file(folder / "out.h5"), dataset = open_dataset(file.get(), "out.h5", "/x");
  CHECK(attribute(dataset.get(), "command") == "tessera-test in out");
  CHECK(attribute(dataset.get(), "version") == "1.2.3");
  CHECK(attribute(dataset.get(), "input") == "in.h5:/x");
}

TEST_CASE("a very long command fits its attribute") {
  const Folder folder;
  OutputFile output(folder / "out.h5:/x", {""}, false);
  const std::int32_t value = 1;
  output.write("", ElementType::int32, {}, &value, {std::string(200000, 'c'), "v", "i"});
  output.commit();
  const Handle file = open_input_file(folder / "out.h5"), dataset = open_dataset(file.get(), "out.h5", "/x");
  CHECK(attribute(dataset.get(), "command") == std::string(200000, 'c'));
}

TEST_CASE("several datasets, scalars, empty arrays and truth values are written at once") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  OutputFile output(path + ":/results/", {"sum", "none", "any", "grid"}, false);
  const double sum = 2.5;
  const std::vector<std::uint8_t> any{0, 1, 1, 0};
  const Numbers grid = numbers(6);
  std::vector<std::uint64_t> reports;
  output.write("sum", ElementType::float64, {}, &sum, provenance);
  output.write("none", ElementType::float32, {3, 0}, nullptr, provenance);
  output.write("any", NumberType::boolean, {2, 2}, any.data(), provenance);
  output.write("grid", ElementType::int32, {2, 3}, grid.data(), provenance,
               [&](std::uint64_t done, std::uint64_t total) {
                 reports = {done, total};
               });
  CHECK_FALSE(std::filesystem::exists(path));
  output.commit();
  CHECK(reports == std::vector<std::uint64_t>{24, 24});
  CHECK(read_values<double>(path + ":/results/sum") == std::vector<double>{2.5});
  CHECK(Dataset(path + ":/results/sum").info().shape.empty());
  CHECK(Dataset(path + ":/results/none").info().shape == Shape{3, 0});
  CHECK(Dataset(path + ":/results/any").info().stored_type == "uint8");
  CHECK(read_values<std::int32_t>(path + ":/results/any") == Numbers{0, 1, 1, 0});
  CHECK(Dataset(path + ":/results/grid").info().shape == Shape{2, 3});
  CHECK(read_values<std::int32_t>(path + ":/results/grid") == grid);
}

TEST_CASE("equal results make equal files") {
  const Folder folder;
  write_numbers(folder / "a.h5:/x", 100);
  write_numbers(folder / "b.h5:/x", 100);
  CHECK(bytes_of_file(folder / "a.h5") == bytes_of_file(folder / "b.h5"));
}

TEST_CASE("a new file gets the usual mode, an existing one keeps its mode and its other datasets") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  const mode_t mask = umask(022);
  write_numbers(path + ":/x", 5);
  umask(mask);
  CHECK(mode_of(path) == 0644);
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  write_numbers(path + ":/group/y", 7);
  CHECK(mode_of(path) == 0640);
  CHECK(read_values<std::int32_t>(path + ":/x") == numbers(5));
  CHECK(read_values<std::int32_t>(path + ":/group/y") == numbers(7));
  CHECK(folder.names() == std::vector<std::string>{"out.h5"});
}

TEST_CASE("of a symbolic link the target is replaced") {
  const Folder folder;
  std::filesystem::create_directory(folder / "store");
  write_numbers(folder / "store/real.h5:/x", 5);
  std::filesystem::create_symlink("store/real.h5", folder / "link.h5");
  std::filesystem::create_symlink("store/new.h5", folder / "dangling.h5");
  std::filesystem::create_symlink("ring.h5", folder / "ring.h5");
  write_numbers(folder / "link.h5:/y", 6);
  write_numbers(folder / "dangling.h5:/z", 7);
  CHECK(std::filesystem::is_symlink(folder / "link.h5"));
  CHECK(std::filesystem::is_symlink(folder / "dangling.h5"));
  CHECK(read_values<std::int32_t>(folder / "store/real.h5:/y") == numbers(6));
  CHECK(read_values<std::int32_t>(folder / "store/new.h5:/z") == numbers(7));
  CHECK(open_message(folder / "ring.h5:/x") == folder / "ring.h5: too many symbolic links");
}

TEST_CASE("an existing dataset is replaced with --force only, a group never") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  write_numbers(path + ":/group/x", 5);
  const std::string before = bytes_of_file(path);
  CHECK(open_message(path + ":/group/x") == path + ":/group/x: exists already; give --force to replace it");
  CHECK(open_message(path + ":/group", true) == path + ":/group: is a group; --force replaces datasets only");
  CHECK(open_message(path + ":/group") == path + ":/group: exists already; give --force to replace it");
  CHECK(bad_input([&] {
          OutputFile(path + ":/group", {"y", "x"}, false);
        }) == path + ":/group/x: exists already; give --force to replace it");
  CHECK(bytes_of_file(path) == before);
  {
    const Handle file = edit_file(path), type(H5Tcopy(H5T_NATIVE_INT), H5Tclose);
    REQUIRE(H5Tcommit2(file.get(), "type", type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  CHECK(open_message(path + ":/type", true) == path + ":/type: is a named datatype; --force replaces datasets only");
  write_numbers(path + ":/group/x", 9, true);
  CHECK(read_values<std::int32_t>(path + ":/group/x") == numbers(9));
  {
    const Handle file = edit_file(path);
    REQUIRE(H5Lcreate_soft("/lost", file.get(), "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  CHECK(open_message(path + ":/soft") == path + ":/soft: exists already; give --force to replace it");
  write_numbers(path + ":/soft", 2, true);
  CHECK(read_values<std::int32_t>(path + ":/soft") == numbers(2));
}

TEST_CASE("a place below something that is no group of this file is refused") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  write_numbers(path + ":/x", 5);
  {
    const Handle other = create_file(folder / "other.h5"), file = edit_file(path);
    REQUIRE(H5Lcreate_soft("/lost", file.get(), "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    REQUIRE(H5Lcreate_external("other.h5", "/", file.get(), "far", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  CHECK(open_message(path + ":/x/y", true) == path + ":/x: is not a group, so that '/x/y' cannot be made in it");
  CHECK(bad_input([&] { OutputFile(path + ":/x", {"sum"}, true); }) ==
        path + ":/x: is not a group, so that '/x/sum' cannot be made in it");
  CHECK(open_message(path + ":/soft/y") ==
        path + ":/soft: is a link that leads nowhere; nothing can be written below it");
  CHECK(open_message(path + ":/far/y") ==
        path + ":/far: lies in another file; results are not written through external links");
}

TEST_CASE("a target that cannot be written is refused") {
  const Folder folder;
  CHECK(open_message("out.h5") == "out.h5: names no dataset to write; give FILE:/DATASET");
  CHECK(open_message("out.h5:/") == "out.h5:/: names no dataset to write; give FILE:/DATASET");
  CHECK(open_message(folder / "no/out.h5:/x") ==
        folder / "no/out.h5: its folder '" + (folder / "no") + "' does not exist");
  write_file(folder / "text", "text");
  CHECK(open_message(folder / "text/out.h5:/x") == folder / "text/out.h5: '" + (folder / "text") + "' is not a folder");
  CHECK(open_message(folder / "text:/x", true) == folder / "text: is not an HDF5 file");
  CHECK(open_message(folder.path() + ":/x") == folder.path() + ": is a directory, not an HDF5 file");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(open_message(folder / "pipe:/x") == folder / "pipe: is not a regular file");
  CHECK(bytes_of_file(folder / "text") == "text");
}

TEST_CASE("files and folders without permission are refused") {
  const Folder folder;
  write_numbers(folder / "mine.h5:/x", 3);
  std::filesystem::create_directory(folder / "open");
  REQUIRE(chmod((folder / "open").c_str(), 0777) == 0);
  write_numbers(folder / "open/fixed.h5:/x", 3);
  REQUIRE(chmod((folder / "open/fixed.h5").c_str(), 0444) == 0);
  std::filesystem::create_directory(folder / "shut");
  REQUIRE(chmod((folder / "shut").c_str(), 0000) == 0);
  REQUIRE(chmod(folder.path().c_str(), 0555) == 0);
  const auto message = [](const std::string& spec) {
    return refusal_of_ordinary_user([&] { OutputFile(spec, {""}, false); });
  };
  CHECK(message(folder / "new.h5:/x") ==
        "2 " + (folder / "new.h5") + ": no permission to make files in its folder '" + folder.path() + "'");
  CHECK(message(folder / "open/fixed.h5:/y") == "2 " + (folder / "open/fixed.h5: no permission to write it"));
  CHECK(message(folder / "shut/deep/new.h5:/y") ==
        "2 " + (folder / "shut/deep/new.h5: no permission to enter its folder"));
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
}

TEST_CASE("a name that no file can have is refused") {
  const Folder folder;
  const std::string path = folder / std::string(300, 'x');
  CHECK(open_message(path + ":/x") == path + ": the name is too long");
}

TEST_CASE("the longest file name that can be meant is taken for a new file") {
  const Folder folder;
  std::filesystem::create_directory(folder / "run:");
  write_numbers(folder / "run:/out.h5:/x", 3);
  CHECK(read_values<std::int32_t>(folder / "run:/out.h5:/x") == numbers(3));
  write_numbers(folder / "flat.h5:/a:/b", 4);
  CHECK(read_values<std::int32_t>(folder / "flat.h5:/a:/b") == numbers(4));
  CHECK(std::filesystem::is_regular_file(folder / "flat.h5"));
}

TEST_CASE("without a commit nothing changes") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  write_numbers(path + ":/x", 1000);
  const std::string before = bytes_of_file(path);
  {
    OutputFile output(path + ":/y", {""}, false);
    const Numbers values = numbers(1000);
    output.write("", ElementType::int32, {1000}, values.data(), provenance);
    CHECK(folder.names().size() == 2);
  }
  CHECK(bytes_of_file(path) == before);
  CHECK(folder.names() == std::vector<std::string>{"out.h5"});
  {
    OutputFile output(folder / "new.h5:/x", {""}, false);
    output.commit();  // nothing was written
  }
  CHECK(folder.names() == std::vector<std::string>{"out.h5"});
}

TEST_CASE("a change of the target by others is found and kept") {
  const Folder folder;
  const std::string path = folder / "out.h5";
  const Numbers values = numbers(10);
  const auto write_then = [&](const std::function<void()>& meanwhile) {
    OutputFile output(path + ":/x", {""}, false);
    output.write("", ElementType::int32, {10}, values.data(), provenance);
    meanwhile();
    return bad_input([&] { output.commit(); });
  };
  CHECK(write_then([&] { write_numbers(path + ":/other", 3); }) ==
        path + ": was made by another process meanwhile; it is left as it is, run again");
  CHECK(read_values<std::int32_t>(path + ":/other") == numbers(3));
  CHECK(write_then([&] { write_numbers(path + ":/third", 4); }) ==
        path + ": was changed by another process meanwhile; it is left as it is now, run again");
  CHECK(write_then([&] { std::filesystem::remove(path); }) ==
        path + ": was changed by another process meanwhile; it is left as it is now, run again");
  CHECK(folder.names().empty());
  // What appeared after the first look is found in the copy.
  OutputFile output(path + ":/x", {""}, false);
  write_numbers(path + ":/x", 3);
  CHECK(bad_input([&] { output.write("", ElementType::int32, {10}, values.data(), provenance); }) ==
        path + ":/x: exists already; give --force to replace it");
}

TEST_CASE("results may go into the input's own file while that is open") {
  const Folder folder;
  const std::string path = folder / "data.h5";
  write_numbers(path + ":/x", 100);
  const Dataset input(path + ":/x");
  write_numbers(path + ":/y", 50);
  CHECK(values_of<std::int32_t>(input.read()) == numbers(100));
  write_numbers(path + ":/x", 20, true);
  CHECK(read_values<std::int32_t>(path + ":/x") == numbers(20));
  CHECK(read_values<std::int32_t>(path + ":/y") == numbers(50));
}

TEST_CASE("raw elements keep their stored type") {
  const Folder folder;
  const std::string path = folder / "in.h5";
  const std::vector<std::int16_t> values{1, 2, 3, 4, 5, 6};
  const Handle colours(H5Tenum_create(H5T_STD_I16BE), H5Tclose), complex(H5Tcreate(H5T_COMPOUND, 16), H5Tclose);
  const std::int16_t red = 256;
  REQUIRE(H5Tenum_insert(colours.get(), "RED", &red) >= 0);
  H5Tinsert(complex.get(), "r", 0, H5T_IEEE_F64BE);
  H5Tinsert(complex.get(), "i", 8, H5T_IEEE_F64BE);
  const std::vector<double> pairs{1, 2, 3, 4};
  {
    const Handle file = create_file(path);
    add_dataset(file.get(), "big", H5T_STD_I16BE, {2, 3}, H5T_NATIVE_INT16, values.data());
    add_dataset(file.get(), "colour", colours.get(), {6}, colours.get(), values.data());
    add_dataset(file.get(), "complex", complex.get(), {2}, complex.get(), pairs.data());
  }
  for (const char* name : {"big", "colour", "complex"}) {
    INFO(name);
    const Dataset input(path + ":/" + name);
    const HostBuffer buffer = input.read_raw();
    OutputFile output(folder / "out.h5:/" + name, {""}, false);
    output.write_raw("", input, input.info().shape, buffer.data(), provenance);
    output.commit();
    const Dataset copy(folder / "out.h5:/" + name);
    CHECK(copy.info().stored_type == input.info().stored_type);
    const HostBuffer again = copy.read_raw();
    REQUIRE(again.bytes() == buffer.bytes());
    CHECK(std::string(again.as<char>(), again.bytes()) == std::string(buffer.as<char>(), buffer.bytes()));
    const Handle one = open_input_file(path), two = open_input_file(folder / "out.h5");
    const Handle first = open_dataset(one.get(), path, name), second = open_dataset(two.get(), "out.h5", name);
    const Handle type(H5Dget_type(first.get()), H5Tclose), kept(H5Dget_type(second.get()), H5Tclose);
    CHECK(H5Tequal(type.get(), kept.get()) > 0);
  }
}

TEST_CASE("references move within their file only") {
  const Folder folder;
  const std::string path = folder / "in.h5";
  {
    const Handle file = create_file(path);
    add_numbers(file.get(), "x", {3});
    hobj_ref_t reference{};
    REQUIRE(H5Rcreate(&reference, file.get(), "/x", H5R_OBJECT, -1) >= 0);
    add_dataset(file.get(), "reference", H5T_STD_REF_OBJ, {1}, H5T_STD_REF_OBJ, &reference);
  }
  const Dataset input(path + ":/reference");
  const HostBuffer buffer = input.read_raw();
  CHECK(bad_input([&] {
          OutputFile(folder / "out.h5:/y", {""}, false).write_raw("", input, {1}, buffer.data(), provenance);
        }) == path + ":/reference: holds references of 8 bytes, which mean nothing in another file");
  // The file counts that the dataset lies in, not the one with a link to it.
  const std::string linking = folder / "link.h5";
  REQUIRE(H5Lcreate_external("in.h5", "/reference", create_file(linking).get(), "r", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  const Dataset linked(linking + ":/r");
  CHECK(bad_input([&] {
          OutputFile(linking + ":/y", {""}, false).write_raw("", linked, {1}, buffer.data(), provenance);
        }) == linking + ":/r: holds references of 8 bytes, which mean nothing in another file");
  OutputFile output(path + ":/copy", {""}, false);
  output.write_raw("", linked, {1}, buffer.data(), provenance);
  output.commit();
  const Handle file = open_input_file(path), dataset = open_dataset(file.get(), path, "/copy");
  hobj_ref_t reference{};
  REQUIRE(H5Dread(dataset.get(), H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, &reference) >= 0);
  const Handle object(H5Rdereference2(dataset.get(), H5P_DEFAULT, H5R_OBJECT, &reference), H5Oclose);
  CHECK(H5Iget_type(object.get()) == H5I_DATASET);
}

}  // namespace tessera::apps::test
