// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Naming datasets, reading each layout and selection of them, listing them.
#include "common/dataset.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "common/hdf5_storage.hpp"
#include "io_support.hpp"

namespace tessera::apps::test {
namespace {

using Numbers = std::vector<std::int32_t>;

Handle filtered_list(const Shape& chunks) {
  Handle list = chunked_list(chunks);
  REQUIRE(H5Pset_shuffle(list.get()) >= 0);
  REQUIRE(H5Pset_deflate(list.get(), 4) >= 0);
  REQUIRE(H5Pset_fletcher32(list.get()) >= 0);
  return list;
}

/// An external dataset of 12 numbers in two files, after 4 bytes of something else in the first.
void add_external(hid_t file, const std::string& folder, const std::string& first, const std::string& second) {
  const Numbers values = numbers(12);
  const char* const bytes = reinterpret_cast<const char*>(values.data());
  write_file(folder + "/" + std::filesystem::path(first).filename().string(), "head" + std::string(bytes, 20));
  write_file(folder + "/" + std::filesystem::path(second).filename().string(), std::string(bytes + 20, 28));
  const Handle list = creation_list();
  REQUIRE(H5Pset_external(list.get(), first.c_str(), 4, 20) >= 0);
  REQUIRE(H5Pset_external(list.get(), second.c_str(), 0, H5F_UNLIMITED) >= 0);
  add_dataset(file, "external", H5T_STD_I32LE, {12}, H5T_NATIVE_INT32, nullptr, list.get());
}

/// A virtual dataset of two sources, 6 numbers of each, one after the other.
void add_virtual(hid_t file, const std::string& first, const std::string& second) {
  const Handle list = creation_list(), all = make_space({2, 6}), source = make_space({6});
  const std::array<hsize_t, 2> count{1, 6};
  for (const hsize_t row : {hsize_t{0}, hsize_t{1}}) {
    const std::array<hsize_t, 2> start{row, 0};
    REQUIRE(H5Sselect_hyperslab(all.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >= 0);
    const std::string& name = row == 0 ? first : second;
    REQUIRE(H5Pset_virtual(list.get(), all.get(), name.c_str(), "part", source.get()) >= 0);
  }
  add_dataset(file, "virtual", H5T_STD_I32LE, {2, 6}, H5T_NATIVE_INT32, nullptr, list.get());
}

}  // namespace

TEST_CASE("each layout and built-in filter is read, whole and in part") {
  const Folder folder;
  const std::string path = folder / "layouts.h5";
  {
    const Handle file = create_file(path), compact = creation_list();
    add_numbers(file.get(), "contiguous", {7, 11, 13});
    REQUIRE(H5Pset_layout(compact.get(), H5D_COMPACT) >= 0);
    add_numbers(file.get(), "compact", {7, 11, 13}, compact.get());
    add_numbers(file.get(), "chunked", {7, 11, 13}, chunked_list({2, 3, 5}).get());
    add_numbers(file.get(), "filtered", {7, 11, 13}, filtered_list({3, 11, 4}).get());
    const Handle scaled = chunked_list({7, 4, 13}), packed = chunked_list({1, 11, 13}), rice = chunked_list({7, 11, 8});
    REQUIRE(H5Pset_scaleoffset(scaled.get(), H5Z_SO_INT, 0) >= 0);
    add_numbers(file.get(), "scaleoffset", {7, 11, 13}, scaled.get());
    REQUIRE(H5Pset_nbit(packed.get()) >= 0);
    add_numbers(file.get(), "nbit", {7, 11, 13}, packed.get());
    if (H5Zfilter_avail(H5Z_FILTER_SZIP) > 0) {  // a build option of HDF5
      REQUIRE(H5Pset_szip(rice.get(), H5_SZIP_NN_OPTION_MASK, 8) >= 0);
      add_numbers(file.get(), "szip", {7, 11, 13}, rice.get());
    }
  }
  const Numbers all = numbers(7 * 11 * 13);
  const auto at = [](int i, int j, int k) { return (i * 11 + j) * 13 + k; };
  for (const ListedDataset& listed : list_datasets(path)) {
    INFO(listed.path);
    const std::string spec = path + ":" + listed.path;
    CHECK(read_values<std::int32_t>(spec) == all);
    CHECK(read_values<std::int32_t>(spec + "[2,3]") == Numbers(all.begin() + at(2, 3, 0), all.begin() + at(2, 4, 0)));
    Numbers part;
    for (const int i : {6, 4, 2, 0}) {
      for (int j = 1; j < 9; j += 3) {
        for (int k = 12; k >= 0; k -= 5) part.push_back(at(i, j, k));
      }
    }
    const Dataset dataset(spec + "[::-2,1:9:3,::-5]");
    CHECK(dataset.info().shape == Shape{4, 3, 3});
    CHECK(values_of<std::int32_t>(dataset.read()) == part);
    CHECK(read_values<std::int32_t>(spec + "[0:0]").empty());
    CHECK(read_values<std::int32_t>(spec + "[1,2,3]") == Numbers{at(1, 2, 3)});
  }
  const DatasetInfo info = Dataset(path + ":/filtered[0]").info();
  CHECK(info.file == path);
  CHECK(info.dataset == "/filtered");
  CHECK(info.selection == "[0]");
  CHECK(info.shape == Shape{11, 13});
  CHECK(info.stored_shape == Shape{7, 11, 13});
  CHECK(info.layout == "chunked");
  CHECK(info.chunks == Shape{3, 11, 4});
  CHECK(info.filters == std::vector<std::string>{"shuffle", "deflate", "fletcher32"});
  CHECK(info.stored_element_bytes == 4);
  CHECK(Dataset(path + ":/compact").info().layout == "compact");
  CHECK(Dataset(path + ":/contiguous").info().layout == "contiguous");
  CHECK(Dataset(path + ":/contiguous").info().chunks.empty());
}

TEST_CASE("external files are found from the working folder or from beside the HDF5 file") {
  const Folder folder;
  const std::string path = folder / "outer.h5";
  SECTION("absolute names") {
    const Handle file = create_file(path);
    add_external(file.get(), folder.path(), folder / "a.raw", folder / "b.raw");
  }
  SECTION("names relative to the HDF5 file") {
    const Handle file = create_file(path);
    add_external(file.get(), folder.path(), "a.raw", "b.raw");
  }
  const Dataset dataset(path);
  CHECK(dataset.info().layout == "external");
  CHECK(values_of<std::int32_t>(dataset.read()) == numbers(12));
  CHECK(read_values<std::int32_t>(path + ":/external[4:7]") == Numbers{4, 5, 6});
}

TEST_CASE("names relative to the working folder win, as in HDF5") {
  const Folder folder, work;
  const std::string path = folder / "outer.h5";
  {
    const Handle file = create_file(path);
    add_external(file.get(), work.path(), "a.raw", "b.raw");
  }
  const ChildEnd end = in_child([&]() -> std::string {
    if (chdir(work.path().c_str()) != 0) return "no folder";
    return read_values<std::int32_t>(path) == numbers(12) ? "read" : "wrong";
  });
  CHECK(end.text == "read");
}

TEST_CASE("virtual datasets are read through their sources") {
  const Folder folder;
  for (const char* name : {"one.h5", "two.h5"}) {
    const Handle file = create_file(folder / name);
    add_numbers(file.get(), "part", {6});
  }
  const std::string path = folder / "virtual.h5";
  {
    const Handle file = create_file(path);
    add_virtual(file.get(), "one.h5", "two.h5");
  }
  const Dataset dataset(path);
  CHECK(dataset.info().layout == "virtual");
  CHECK(values_of<std::int32_t>(dataset.read()) == Numbers{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  CHECK(read_values<std::int32_t>(path + ":/virtual[1,::-2]") == Numbers{5, 3, 1});
}

TEST_CASE("long transfers report how far they are") {
  const Folder folder;
  const std::string path = folder / "big.h5";
  {
    const Handle file = create_file(path);
    add_numbers(file.get(), "x", {3000, 3000}, chunked_list({700, 800}).get());
  }
  std::vector<std::uint64_t> reports;
  const Dataset dataset(path);
  const HostArray array = dataset.read([&](std::uint64_t done, std::uint64_t total) {
    CHECK(total == 36000000);
    reports.push_back(done);
  });
  CHECK(values_of<std::int32_t>(array) == numbers(9000000));
  REQUIRE(reports.size() >= 3);
  CHECK(std::is_sorted(reports.begin(), reports.end()));
  CHECK(reports.back() == 36000000);
}

TEST_CASE("raw bytes keep the stored byte order") {
  const Folder folder;
  const std::string path = folder / "raw.h5";
  {
    const Handle file = create_file(path);
    const std::vector<std::int16_t> values{1, 2, 3, 4, 5, 6};
    add_dataset(file.get(), "x", H5T_STD_I16BE, {2, 3}, H5T_NATIVE_INT16, values.data());
  }
  const Dataset dataset(path + ":/x[:,::-1]");
  CHECK(dataset.raw_bytes() == 12);
  const HostBuffer buffer = dataset.read_raw();
  REQUIRE(buffer.bytes() == 12);
  CHECK(std::string(buffer.as<char>(), 12) == std::string("\0\3\0\2\0\1\0\6\0\5\0\4", 12));
}

TEST_CASE("ranks 0 to 8 are read") {
  const Folder folder;
  const std::string path = folder / "ranks.h5";
  {
    const Handle file = create_file(path);
    add_numbers(file.get(), "r0", {});
    add_numbers(file.get(), "r8", {2, 1, 2, 1, 2, 1, 2, 2});
    add_numbers(file.get(), "empty", {3, 0});
  }
  const HostArray scalar = Dataset(path + ":/r0").read();
  CHECK(scalar.shape.empty());
  CHECK(values_of<std::int32_t>(scalar) == Numbers{0});
  CHECK(read_values<std::int32_t>(path + ":/r8") == numbers(32));
  CHECK(Dataset(path + ":/empty").read().shape == Shape{3, 0});
  CHECK(Dataset(path + ":/empty").read_bytes() == 0);
}

TEST_CASE("a name that exists as it stands wins over reading its end as a selection") {
  const Folder folder;
  const std::string path = folder / "names.h5";
  {
    const Handle file = create_file(path);
    add_numbers(file.get(), "x", {4});
    add_numbers(file.get(), "x[1]", {2});
    add_numbers(file.get(), "group/x:/y[0:1]", {3});
  }
  CHECK(read_values<std::int32_t>(path + ":/x") == numbers(4));
  CHECK(read_values<std::int32_t>(path + ":/x[1]") == numbers(2));
  CHECK(read_values<std::int32_t>(path + ":/x[1:3]") == Numbers{1, 2});
  CHECK(read_values<std::int32_t>(path + ":/x[1][1]") == Numbers{1});
  CHECK(read_values<std::int32_t>(path + ":/group/x:/y[0:1]") == numbers(3));
  CHECK(read_values<std::int32_t>(path + ":/group/x:/y[0:1][2]") == Numbers{2});
  CHECK(Dataset(path + ":/x[1]").info().selection.empty());
  CHECK(Dataset(path + ":/x/").info().dataset == "/x");
}

TEST_CASE("the longest file that exists wins where names hold ':/'") {
  const Folder folder;
  std::filesystem::create_directory(folder / "run.h5:");
  {
    const Handle outer = create_file(folder / "run.h5"), inner = create_file(folder / "run.h5:/x");
    add_numbers(outer.get(), "x", {2});
    add_numbers(outer.get(), "x:/y", {3});
    add_numbers(inner.get(), "y", {5});
  }
  CHECK(read_values<std::int32_t>(folder / "run.h5:/x:/y") == numbers(5));
  CHECK(read_values<std::int32_t>(folder / "run.h5:/x") == numbers(5));  // the inner file, its name left out
  std::filesystem::remove(folder / "run.h5:/x");
  CHECK(read_values<std::int32_t>(folder / "run.h5:/x") == numbers(2));
  CHECK(read_values<std::int32_t>(folder / "run.h5:/x:/y") == numbers(3));
}

TEST_CASE("the name may be left out where there is one numeric dataset") {
  const Folder folder;
  const std::string path = folder / "one[2].h5";
  {
    const Handle file = create_file(path);
    add_numbers(file.get(), "deep/in/x", {4});
    const Handle text(H5Tcopy(H5T_C_S1), H5Tclose), null(H5Screate(H5S_NULL), H5Sclose);
    add_dataset(file.get(), "text", text.get(), {3}, text.get(), nullptr);
    const Handle nothing(
        H5Dcreate2(file.get(), "nothing", H5T_STD_I32LE, null.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    REQUIRE(H5Lcreate_hard(file.get(), "deep/in/x", file.get(), "same", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    REQUIRE(H5Lcreate_soft("/deep/in/x", file.get(), "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    REQUIRE(H5Lcreate_hard(file.get(), "/", file.get(), "deep/ring", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  CHECK(Dataset(path).info().dataset == "/deep/in/x");
  CHECK(read_values<std::int32_t>(path) == numbers(4));
  CHECK(read_values<std::int32_t>(path + ":/") == numbers(4));
  CHECK(read_values<std::int32_t>(path + "[1:3]") == Numbers{1, 2});
  CHECK(read_values<std::int32_t>(path + ":/[1:3]") == Numbers{1, 2});
  CHECK(read_values<std::int32_t>(path + ":/soft") == numbers(4));
  {
    const Handle file = edit_file(path);
    add_numbers(file.get(), "another", {1});
  }
  CHECK(bad_input([&] { Dataset{path}; }) ==
        path + ": holds several numeric datasets; name one of /another, /deep/in/x, /same");
  const std::string none = folder / "none.h5";
  create_file(none).reset();
  CHECK(bad_input([&] { Dataset{none}; }) == none + ": holds no numeric dataset; name one as FILE:/DATASET");
}

TEST_CASE("very many names are cut in the message") {
  const Folder folder;
  const std::string path = folder / "many.h5";
  {
    const Handle file = create_file(path);
    for (int i = 0; i < 43; ++i) add_numbers(file.get(), std::to_string(100 + i), {1});
  }
  CHECK(bad_input([&] { Dataset{path}; }).ends_with("/138, /139 and 3 more (--list shows them)"));
}

TEST_CASE("the list has the numeric datasets in path order, those behind external links too") {
  const Folder folder;
  const std::string path = folder / "list.h5";
  {
    const Handle other = create_file(folder / "other.h5");
    add_numbers(other.get(), "x", {3});
    const Handle file = create_file(path), text(H5Tcopy(H5T_C_S1), H5Tclose);
    add_numbers(file.get(), "b/x", {2, 3}, filtered_list({2, 2}).get());
    add_numbers(file.get(), "a", {});
    add_dataset(file.get(), "text", text.get(), {3}, text.get(), nullptr);
    REQUIRE(H5Lcreate_external("other.h5", "/x", file.get(), "far", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    REQUIRE(H5Lcreate_external("lost.h5", "/x", file.get(), "lost", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  const std::vector<ListedDataset> rows = list_datasets(path);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].path == "/a");
  CHECK(rows[0].shape.empty());
  CHECK(rows[0].layout == "contiguous");
  CHECK(rows[0].filters.empty());
  CHECK(rows[1].path == "/b/x");
  CHECK(rows[1].shape == Shape{2, 3});
  CHECK(rows[1].type == "int32");
  CHECK(rows[1].layout == "chunked");
  CHECK(rows[1].filters == "shuffle,deflate,fletcher32");
  CHECK(rows[2].path == "/far");
  CHECK(read_values<std::int32_t>(path + ":/far") == numbers(3));
  CHECK(bad_input([&] { static_cast<void>(list_datasets(folder / "gone.h5")); }) == folder / "gone.h5: no such file");
}

TEST_CASE("names that lead to no dataset are refused, with the nearest one") {
  const Folder folder;
  const std::string path = folder / "names.h5";
  {
    const Handle file = create_file(path);
    add_numbers(file.get(), "group/temperature", {4});
    const Handle type(H5Tcopy(H5T_STD_I32LE), H5Tclose);
    REQUIRE(H5Tcommit2(file.get(), "kind", type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  const auto message = [&](const std::string& rest) { return bad_input([&] { Dataset{path + rest}; }); };
  CHECK(message(":/group/temperatur") ==
        path + ":/group/temperatur: no such dataset; the nearest name is '/group/temperature'");
  CHECK(message(":/group/temperatur[0:3]") ==
        path + ":/group/temperatur: no such dataset; the nearest name is '/group/temperature'");
  CHECK(message(":/group/temperatur[0:3") ==
        path + ":/group/temperatur[0:3: no such dataset; the nearest name is '/group/temperature'");
  CHECK(message(":/group/temperature/x") ==
        path + ":/group/temperature/x: no such dataset; the nearest name is '/group/temperature'");
  CHECK(message(":/group/temperature[0:3") == path + ":/group/temperature: the selection '[0:3' lacks its closing ']'");
  CHECK(message(":/group/temperature[9]") ==
        path + ":/group/temperature: index 9 is out of range for axis 0 of extent 4");
  CHECK(message(":/group/temperature[]") ==
        path + ":/group/temperature: the selection '[]' is empty; write [...] for all or leave it out");
  CHECK(message(":/group") == path + ":/group: is a group, not a dataset");
  CHECK(message(":/kind") == path + ":/kind: is a named datatype, not a dataset");
  CHECK(message(":group") == path + ":group: no such file; a dataset is named as FILE:/DATASET");
  const std::string empty = folder / "empty.h5";
  create_file(empty).reset();
  CHECK(bad_input([&] { Dataset{empty + ":/x"}; }) == empty + ":/x: no such dataset");
}

}  // namespace tessera::apps::test
