// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged and odd files: each is refused in one line that says what is wrong.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "common/hdf5_file.hpp"
#include "common/hdf5_storage.hpp"
#include "common/output_file.hpp"
#include "io_support.hpp"

namespace tessera::apps::test {
namespace {

std::string message_of(const std::string& spec) {
  return bad_input([&] { static_cast<void>(Dataset(spec).read()); });
}

/// Replaces the one place where a pattern stands in a file.
void patch(const std::string& path, const std::string& pattern, const std::string& replacement) {
  std::string bytes = bytes_of_file(path);
  const auto at = bytes.find(pattern);
  REQUIRE(at != std::string::npos);
  REQUIRE(bytes.find(pattern, at + 1) == std::string::npos);
  write_file(path, bytes.replace(at, replacement.size(), replacement));
}

std::string little_endian(std::uint64_t value) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &value, 8);
  return bytes;
}

/// Where a chunk of the dataset x lies in the file.
haddr_t chunk_address(hid_t file, hsize_t index) {
  const Handle dataset(H5Dopen2(file, "x", H5P_DEFAULT), H5Dclose), space(H5Dget_space(dataset.get()), H5Sclose);
  haddr_t address = 0;
  hsize_t start = 0, size = 0;
  unsigned mask = 0;
  REQUIRE(H5Dget_chunk_info(dataset.get(), space.get(), index, &start, &mask, &address, &size) >= 0);
  return address;
}

/// A stand-in for a filter that other machines have.
std::size_t pass_through(unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) {
  return bytes;
}

std::size_t never(unsigned, std::size_t, const unsigned*, std::size_t, std::size_t*, void**) { return 0; }

constexpr H5Z_filter_t private_filter = 32999;

/// A chunked dataset that went through a filter which is then gone.
void add_with_lost_filter(hid_t file, const std::string& name, unsigned flags) {
  const H5Z_class2_t filter{H5Z_CLASS_T_VERS, private_filter, 1, 1, "squeezer", nullptr, nullptr, pass_through};
  REQUIRE(H5Zregister(&filter) >= 0);
  const Handle list = chunked_list({4});
  REQUIRE(H5Pset_filter(list.get(), private_filter, flags, 0, nullptr) >= 0);
  add_numbers(file, name, {8}, list.get());
  REQUIRE(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
}

}  // namespace

TEST_CASE("what is no HDF5 file is refused") {
  const Folder folder;
  CHECK(message_of(folder / "gone.h5:/x") == folder / "gone.h5: no such file");
  CHECK(message_of(folder / "gone.h5") == folder / "gone.h5: no such file");
  CHECK(message_of(folder / "no/gone.h5:/x") == folder / "no/gone.h5: no such file");
  write_file(folder / "text.h5", "hello");
  CHECK(message_of(folder / "text.h5:/x") == folder / "text.h5: is not an HDF5 file");
  write_file(folder / "empty.h5", "");
  CHECK(message_of(folder / "empty.h5:/x") == folder / "empty.h5: is empty, not an HDF5 file");
  CHECK(message_of(folder.path() + ":/x") == folder.path() + ": is a directory, not an HDF5 file");
  REQUIRE(mkfifo((folder / "pipe.h5").c_str(), 0600) == 0);
  CHECK(message_of(folder / "pipe.h5:/x") == folder / "pipe.h5: is not a regular file");
  write_file(folder / "line\nbreak.h5", "hello");
  CHECK(message_of(folder / "line\nbreak.h5:/x") == folder / "line?break.h5: is not an HDF5 file");
}

TEST_CASE("a file that may not be read is refused") {
  const Folder folder;
  const std::string path = folder / "secret.h5";
  create_file(path).reset();
  REQUIRE(chmod(path.c_str(), 0000) == 0);
  CHECK(refusal_of_ordinary_user([&] { Dataset{path + ":/x"}; }) == "2 " + path + ": no permission to read it");
  std::filesystem::create_directory(folder / "locked");
  REQUIRE(chmod((folder / "locked").c_str(), 0000) == 0);
  CHECK(refusal_of_ordinary_user([&] { Dataset{folder / "locked/in.h5:/x"}; }) ==
        "2 " + (folder / "locked/in.h5: no permission to read it"));
}

TEST_CASE("a truncated file is refused with both sizes") {
  const Folder folder;
  const std::string path = folder / "short.h5";
  {
    const Handle file = create_file(path);
    add_numbers(file.get(), "x", {1000});
  }
  const auto whole = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, whole - 1000);
  CHECK(message_of(path + ":/x") ==
        path + ": is truncated: it has " + std::to_string(whole - 1000) + " bytes of " + std::to_string(whole));
}

TEST_CASE("data beyond the end of the file is refused") {
  const Folder folder;
  const std::string path = folder / "beyond.h5";
  std::uint64_t offset = 0;
  {
    const Handle file = create_file(path);
    add_numbers(file.get(), "x", {1000});
    const Handle dataset(H5Dopen2(file.get(), "x", H5P_DEFAULT), H5Dclose);
    offset = H5Dget_offset(dataset.get());
  }
  const std::uint64_t bytes = std::filesystem::file_size(path);
  patch(path, little_endian(offset) + little_endian(4000), little_endian(bytes - 100));
  CHECK(message_of(path + ":/x") == path + ":/x: its data lies beyond the end of the file: 4000 bytes from " +
                                        std::to_string(bytes - 100) + " on, the file has " + std::to_string(bytes));
}

TEST_CASE("a chunk that lies beyond the end of the file is refused") {
  const Folder folder;
  const std::string path = folder / "chunk.h5";
  haddr_t address = 0;
  {
    const Handle file = create_file(path);
    add_numbers(file.get(), "x", {1000}, chunked_list({500}).get());
    address = chunk_address(file.get(), 1);
  }
  patch(path, little_endian(address), little_endian(std::uint64_t{1} << 40));
  CHECK(message_of(path + ":/x") == path + ":/x: its data lies beyond the end of the file");
}

TEST_CASE("a wrong checksum is refused") {
  const Folder folder;
  const std::string path = folder / "checksum.h5";
  {
    const Handle file = create_file(path), list = chunked_list({500});
    REQUIRE(H5Pset_fletcher32(list.get()) >= 0);
    add_numbers(file.get(), "x", {1000}, list.get());
  }
  patch(path, little_endian(std::uint64_t{701} << 32 | 700), little_endian(std::uint64_t{701} << 32 | 999));
  CHECK(message_of(path + ":/x") == path + ":/x: its data is damaged: the Fletcher32 checksum of a chunk is wrong");
  CHECK(read_values<std::int32_t>(path + ":/x[:500]") == numbers(500));  // the other chunk is whole
}

TEST_CASE("damaged metadata is refused") {
  const Folder folder;
  const std::string path = folder / "metadata.h5";
  {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    REQUIRE(H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0);
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
    add_numbers(file.get(), "x", {10});
  }
  const std::string good = bytes_of_file(path);
  std::string bytes = good;
  bytes[9] = static_cast<char>(bytes[9] ^ 1);  // within the checksummed superblock: the size of offsets
  write_file(path, bytes);
  CHECK(message_of(path + ":/x").starts_with(path + ": "));
  bytes = good;
  bytes[20] = static_cast<char>(bytes[20] ^ 0x40);  // the address of the superblock's extension
  write_file(path, bytes);
  CHECK(message_of(path + ":/x") == path + ": is damaged: a checksum of its metadata is wrong");
}

TEST_CASE("a damaged compressed chunk is refused") {
  const Folder folder;
  const std::string path = folder / "deflate.h5";
  haddr_t address = 0;
  {
    const Handle file = create_file(path), list = chunked_list({1000});
    REQUIRE(H5Pset_deflate(list.get(), 6) >= 0);
    add_numbers(file.get(), "x", {1000}, list.get());
    address = chunk_address(file.get(), 0);
  }
  std::string bytes = bytes_of_file(path);
  write_file(path, bytes.replace(address, 64, std::string(64, '\x55')));
  CHECK(message_of(path + ":/x") == path + ":/x: its data is damaged: a chunk cannot be decompressed");
}

TEST_CASE("a filter that fails is refused with HDF5's reason") {
  const Folder folder;
  const std::string path = folder / "failing.h5";
  {
    const Handle file = create_file(path);
    add_with_lost_filter(file.get(), "x", H5Z_FLAG_MANDATORY);
  }
  const H5Z_class2_t failing{H5Z_CLASS_T_VERS, private_filter, 1, 1, "squeezer", nullptr, nullptr, never};
  REQUIRE(H5Zregister(&failing) >= 0);
  CHECK(message_of(path + ":/x") == path + ":/x: cannot be read: filter returned failure during read");
  REQUIRE(H5Zunregister(private_filter) >= 0);
}

TEST_CASE("a filter that is not there is refused with its number and name") {
  const Folder folder;
  const std::string path = folder / "filter.h5";
  {
    const Handle file = create_file(path);
    add_with_lost_filter(file.get(), "mandatory", H5Z_FLAG_MANDATORY);
    add_with_lost_filter(file.get(), "optional", H5Z_FLAG_OPTIONAL);
    add_dataset(file.get(), "unwritten", H5T_STD_I32LE, {8}, H5T_NATIVE_INT32, nullptr, [] {
      static Handle list = chunked_list({4});
      H5Pset_filter(list.get(), private_filter, H5Z_FLAG_OPTIONAL, 0, nullptr);
      return list.get();
    }());
  }
  REQUIRE(H5Zunregister(private_filter) >= 0);
  const std::string rest =
      ": its chunks need filter 32999 (squeezer), which this HDF5 does not have; name the folder of its plugin in "
      "HDF5_PLUGIN_PATH";
  CHECK(message_of(path + ":/mandatory") == path + ":/mandatory" + rest);
  CHECK(message_of(path + ":/optional") == path + ":/optional" + rest);
  CHECK(read_values<std::int32_t>(path + ":/unwritten") == std::vector<std::int32_t>(8));
}

TEST_CASE("external files that are missing, short or secret are refused") {
  const Folder folder;
  const std::string path = folder / "outer.h5", raw = folder / "a.raw";
  {
    const Handle file = create_file(path), list = creation_list();
    REQUIRE(H5Pset_external(list.get(), raw.c_str(), 10, 40) >= 0);
    add_dataset(file.get(), "x", H5T_STD_I32LE, {10}, H5T_NATIVE_INT32, nullptr, list.get());
  }
  CHECK(message_of(path) == path + ":/x: its external file '" + raw + "' does not exist");
  write_file(raw, std::string(49, 'x'));
  CHECK(message_of(path) ==
        path + ":/x: its external file '" + raw + "' is too short: 40 bytes from 10 on are needed, it has 49");
  write_file(raw, std::string(50, '\0'));
  CHECK(read_values<std::int32_t>(path) == std::vector<std::int32_t>(10));
  REQUIRE(chmod(raw.c_str(), 0000) == 0);
  CHECK(refusal_of_ordinary_user([&] { Dataset{path}; }) ==
        "2 " + path + ":/x: no permission to read its external file '" + raw + "'");
}

TEST_CASE("virtual sources that are missing are refused, where the selection needs them") {
  const Folder folder;
  const std::string path = folder / "virtual.h5", source_path = folder / "one.h5";
  {
    const Handle file = create_file(path), list = creation_list(), all = make_space({2, 6}), source = make_space({7});
    const std::array<hsize_t, 2> count{1, 6};
    select_box(source.get(), {1}, {6});
    for (const hsize_t row : {hsize_t{0}, hsize_t{1}}) {
      const std::array<hsize_t, 2> start{row, 0};
      REQUIRE(H5Sselect_hyperslab(all.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >= 0);
      REQUIRE(H5Pset_virtual(list.get(), all.get(), "one.h5", row == 0 ? "a" : "/group/b", source.get()) >= 0);
    }
    add_dataset(file.get(), "x", H5T_STD_I32LE, {2, 6}, H5T_NATIVE_INT32, nullptr, list.get());
  }
  const std::string name = path + ":/x";
  CHECK(message_of(name) == name + ": its virtual source file 'one.h5' does not exist");
  write_file(source_path, "text");
  CHECK(message_of(name) == name + ": virtual source " + source_path + ": is not an HDF5 file");
  {
    const Handle file = create_file(source_path);
    add_numbers(file.get(), "a", {7});
  }
  CHECK(message_of(name) == name + ": its virtual source " + source_path + ":/group/b does not exist");
  CHECK(read_values<std::int32_t>(name + "[0]") == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
  CHECK(message_of(name + "[:,0]") == name + ": its virtual source " + source_path + ":/group/b does not exist");
  CHECK(read_values<std::int32_t>(name + "[1:1]").empty());
  {
    const Handle file = edit_file(source_path);
    add_numbers(file.get(), "group/b", {5});
  }
  CHECK(message_of(name) == name + ": its virtual source " + source_path +
                                ":/group/b has 5 elements along axis 0, the part that is mapped 7");
  {
    const Handle file = edit_file(source_path);
    REQUIRE(H5Ldelete(file.get(), "group/b", H5P_DEFAULT) >= 0);
    add_numbers(file.get(), "group/b", {2, 3});
  }
  CHECK(message_of(name) ==
        name + ": its virtual source " + source_path + ":/group/b has another rank than the part that is mapped");
}

TEST_CASE("a virtual source that is mapped whole must have as many elements as its place") {
  const Folder folder;
  const std::string path = folder / "virtual.h5", source_path = folder / "one.h5";
  {
    const Handle file = create_file(path), list = creation_list(), all = make_space({6}), source = make_space({2, 3});
    REQUIRE(H5Pset_virtual(list.get(), all.get(), "one.h5", "a", source.get()) >= 0);
    add_dataset(file.get(), "x", H5T_STD_I32LE, {6}, H5T_NATIVE_INT32, nullptr, list.get());
    const Handle other = create_file(source_path);
    add_numbers(other.get(), "a", {2, 3});
  }
  CHECK(read_values<std::int32_t>(path) == numbers(6));
  {
    const Handle other = edit_file(source_path);
    REQUIRE(H5Ldelete(other.get(), "a", H5P_DEFAULT) >= 0);
    add_numbers(other.get(), "a", {2, 2});
  }
  CHECK(message_of(path) == path + ":/x: its virtual source " + source_path + ":/a has 4 elements, 6 are mapped");
}

/// The first bytes of a block of metadata, of which the file has several, changed.
void damage(const std::string& path, const std::string& signature) {
  std::string bytes = bytes_of_file(path);
  for (auto at = bytes.find(signature); at != std::string::npos; at = bytes.find(signature, at)) bytes[at] = '?';
  write_file(path, bytes);
}

TEST_CASE("a damaged group is no missing dataset") {
  const Folder folder;
  const std::string path = folder / "in.h5";
  for (const char* signature : {"TREE", "SNOD"}) {
    add_numbers(create_file(path).get(), "x", {4});
    damage(path, signature);
    const std::string text = ": cannot be looked up, the file may be damaged: ";
    CHECK(message_of(path + ":/x").starts_with(path + ":/x" + text));
    CHECK(message_of(path).starts_with(path + ":/" + text));
    CHECK(bad_input([&] { (void)list_datasets(path); }).starts_with(path + ":/" + text));
    CHECK(refusal(ExitStatus::bad_input, [&] {
            OutputFile(path + ":/x", {""}, false);
          }).starts_with(path + ":/x" + text));
  }
  add_numbers(create_file(path).get(), "x", {4});
  CHECK(message_of(path + ":/x/y") == path + ":/x/y: no such dataset; the nearest name is '/x'");
}

TEST_CASE("data that is cut short while it is read is refused") {
  const Folder folder;
  const std::string path = folder / "in.h5";
  add_numbers(create_file(path).get(), "x", {5000});
  const Dataset dataset(path);
  const auto bytes = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, bytes - 4000);
  CHECK(bad_input([&] { (void)dataset.read(); }) ==
        path + ":/x: '" + path + "' was cut short while it was read, from " + std::to_string(bytes) + " bytes to " +
            std::to_string(bytes - 4000) + "; run again when it is whole");
}

TEST_CASE("a dataset that was never written, behind a user block") {
  const Folder folder;
  const std::string path = folder / "in.h5";
  const Handle list(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  REQUIRE(H5Pset_userblock(list.get(), 512) >= 0);
  {
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, list.get(), H5P_DEFAULT), H5Fclose);
    add_dataset(file.get(), "x", H5T_STD_I32LE, {33, 17}, H5T_NATIVE_INT32, nullptr);
  }
  CHECK(read_values<std::int32_t>(path) == std::vector<std::int32_t>(33 * 17, 0));
}

TEST_CASE("elements that HDF5 leaves as memory was have their fill value, or are zero") {
  const Folder folder;
  const std::string path = folder / "in.h5";
  using Numbers = std::vector<std::int32_t>;
  const std::int32_t seven = 7;
  {
    const Handle file = create_file(path), source = make_space({2});
    for (const bool filled : {false, true}) {
      const Handle list = creation_list(), mapped = creation_list();
      H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER);
      if (filled) H5Pset_fill_value(list.get(), H5T_NATIVE_INT32, &seven);
      add_dataset(file.get(), filled ? "filled" : "never", H5T_STD_I32LE, {1000}, H5T_NATIVE_INT32, nullptr,
                  list.get());
      // Two mappings that overlap: HDF5 takes all to be mapped.
      if (filled) H5Pset_fill_value(mapped.get(), H5T_NATIVE_INT32, &seven);
      for (const hsize_t start : {0, 1}) {
        const Handle all = make_space({4});
        const hsize_t count = 2;
        H5Sselect_hyperslab(all.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
        REQUIRE(H5Pset_virtual(mapped.get(), all.get(), ".", "two", source.get()) >= 0);
      }
      add_dataset(file.get(), filled ? "mapped_filled" : "mapped", H5T_STD_I32LE, {4}, H5T_NATIVE_INT32, nullptr,
                  mapped.get());
    }
    add_numbers(file.get(), "two", {2});
  }
  {
    HostBuffer rubbish(4000);  // whose memory the next buffer gets
    std::memset(rubbish.as<std::byte>(), 0x5a, 4000);
  }
  CHECK(read_values<std::int32_t>(path + ":/never") == Numbers(1000, 0));
  CHECK(read_values<std::int32_t>(path + ":/filled") == Numbers(1000, 7));
  CHECK(read_values<std::int32_t>(path + ":/filled[::2]") == Numbers(500, 7));
  CHECK(read_values<std::int32_t>(path + ":/mapped") == Numbers{0, 0, 1, 0});
  CHECK(read_values<std::int32_t>(path + ":/mapped_filled") == Numbers{0, 0, 1, 7});
}

TEST_CASE("virtual datasets named by a pattern need their first file; a ring of them is refused") {
  const Folder folder;
  const std::string path = folder / "pattern.h5";
  {
    const Handle file = create_file(path), list = creation_list(), source = make_space({3});
    const hsize_t start = 0, stride = 3, count = H5S_UNLIMITED, block = 3, extent = 0, most = H5S_UNLIMITED;
    const Handle all(H5Screate_simple(1, &extent, &most), H5Sclose);
    REQUIRE(H5Sselect_hyperslab(all.get(), H5S_SELECT_SET, &start, &stride, &count, &block) >= 0);
    REQUIRE(H5Pset_virtual(list.get(), all.get(), "part%b.h5", "x", source.get()) >= 0);
    const Handle dataset(H5Dcreate2(file.get(), "x", H5T_STD_I32LE, all.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
                         H5Dclose);
    REQUIRE(dataset);
  }
  CHECK(message_of(path) == path + ":/x: its virtual source file 'part0.h5' does not exist");
  for (const char* name : {"part0.h5", "part1.h5"}) {
    const Handle file = create_file(folder / name);
    add_numbers(file.get(), "x", {3});
  }
  CHECK(read_values<std::int32_t>(path) == std::vector<std::int32_t>{0, 1, 2, 0, 1, 2});
  CHECK(Dataset(path).info().sources == std::vector<std::string>{path, folder / "part0.h5", folder / "part1.h5"});

  const std::string ring = folder / "ring.h5";
  {
    const Handle file = create_file(ring), space = make_space({3});
    for (const auto& [name, other] : {std::pair("a", "b"), std::pair("b", "a")}) {
      const Handle list = creation_list();
      REQUIRE(H5Pset_virtual(list.get(), space.get(), ".", other, space.get()) >= 0);
      add_dataset(file.get(), name, H5T_STD_I32LE, {3}, H5T_NATIVE_INT32, nullptr, list.get());
    }
  }
  CHECK(message_of(ring + ":/a").ends_with(": virtual datasets more than 8 deep"));
}

TEST_CASE("links that go nowhere are refused with what they are") {
  const Folder folder;
  const std::string path = folder / "links.h5";
  {
    const Handle file = create_file(path);
    REQUIRE(H5Lcreate_soft("/lost", file.get(), "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    REQUIRE(H5Lcreate_soft("/ring", file.get(), "ring", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    REQUIRE(H5Lcreate_external("gone.h5", "/x", file.get(), "far", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  CHECK(message_of(path + ":/soft") == path + ":/soft: is a soft link to '/lost' that leads nowhere");
  CHECK(message_of(path + ":/soft[0]") == path + ":/soft: is a soft link to '/lost' that leads nowhere");
  CHECK(message_of(path + ":/soft/x") == path + ":/soft: is a soft link to '/lost' that leads nowhere");
  CHECK(message_of(path + ":/ring").starts_with(path + ":/ring: is a soft link to '/ring' that leads nowhere"));
  CHECK(message_of(path + ":/far").starts_with(path + ":/far: is an external link to 'gone.h5:/x' that leads nowhere"));
}

TEST_CASE("null dataspaces and ranks above the largest that is asked for are refused") {
  const Folder folder;
  const std::string path = folder / "shapes.h5";
  {
    const Handle file = create_file(path), null(H5Screate(H5S_NULL), H5Sclose);
    const Handle dataset(
        H5Dcreate2(file.get(), "null", H5T_STD_I32LE, null.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    REQUIRE(dataset);
    add_numbers(file.get(), "nine", Shape(9, 1));
  }
  CHECK(message_of(path + ":/null") == path + ":/null: has a null dataspace, it holds no elements");
  CHECK(message_of(path + ":/nine") == path + ":/nine: has rank 9; up to 8 can be read");
  CHECK(Dataset(path + ":/nine", moved_rank_max).info().shape == Shape(9, 1));
}

TEST_CASE("extents that no memory holds are refused before anything is allocated") {
  const Folder folder;
  const std::string path = folder / "huge.h5";
  {
    const Handle file = create_file(path);
    const Handle list = chunked_list({1024, 1024});
    add_dataset(file.get(), "overflow", H5T_IEEE_F64LE, {std::uint64_t{1} << 40, std::uint64_t{1} << 23},
                H5T_NATIVE_DOUBLE, nullptr, list.get());
    add_dataset(file.get(), "large", H5T_IEEE_F64LE, {std::uint64_t{1} << 40, 1 << 10}, H5T_NATIVE_DOUBLE, nullptr,
                list.get());
  }
  const std::string overflow = no_resource([&] { static_cast<void>(Dataset(path + ":/overflow").read_bytes()); });
  CHECK(overflow.starts_with(path + ":/overflow: shape (1099511627776, 8388608) takes 7.38e+19 bytes, more than 64 "
                                    "bits can count; "));
  CHECK(overflow.ends_with(" of host memory are available"));
  const std::string raw = no_resource([&] { static_cast<void>(Dataset(path + ":/overflow").read_raw()); });
  CHECK(raw.substr(0, raw.find(';')) == overflow.substr(0, overflow.find(';')));  // what is available may change
  CHECK(raw.ends_with(" of host memory are available"));
  const Dataset large(path + ":/large");
  CHECK(large.read_bytes() == std::uint64_t{1} << 53);
  const std::string message = no_resource([&] { static_cast<void>(large.read()); });
  CHECK(message.starts_with(path + ":/large: needs 9.01 PB of host memory, "));
  CHECK(message.find(" are available (limited by ") != std::string::npos);
  CHECK(read_values<double>(path + ":/overflow[12345678901,:3]") == std::vector<double>(3));
}

TEST_CASE("locked and unfinished files are explained") {
  const Folder folder;
  const std::string path = folder / "locked.h5";
  {
    const Handle file = create_file(path);
    add_numbers(file.get(), "x", {3});
  }
  const int other = open(path.c_str(), O_RDWR);
  REQUIRE(flock(other, LOCK_EX) == 0);
  CHECK(message_of(path) == path +
                                ": is locked (Resource temporarily unavailable); wait for the process that writes "
                                "it, or where the file system cannot lock, set HDF5_USE_FILE_LOCKING=FALSE");
  close(other);
  CHECK(read_values<std::int32_t>(path) == numbers(3));
  Hdf5Error error;
  error.cause = "file is already open for write (may use <h5clear file> to clear file consistency flags)";
  CHECK(open_failure_text(error) ==
        "is marked as open for writing; wait for the process that writes it, or if that "
        "died, run h5clear -s on it");
  error.cause = "something new";
  CHECK(open_failure_text(error) == "cannot be opened as HDF5: something new");
  error.cause = "";
  CHECK(open_failure_text(error) == "cannot be opened as HDF5: no reason is given");
}

}  // namespace tessera::apps::test
