// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "apps/transpose_driver_support.hpp"
#include "common/hdf5_file.hpp"

namespace tessera::apps::test {
namespace {

constexpr std::uint64_t rows = 37, columns = 41;

Handle opaque_type(std::size_t bytes) {
  Handle type(H5Tcreate(H5T_OPAQUE, bytes), H5Tclose);
  REQUIRE(H5Tset_tag(type.get(), "bytes") >= 0);
  return type;
}

Handle string_type(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  REQUIRE(H5Tset_size(type.get(), bytes) >= 0);
  REQUIRE(H5Tset_strpad(type.get(), H5T_STR_SPACEPAD) >= 0);
  return type;
}

/// 24 bytes, of which 1 to 7 and 19 to 23 belong to no member.
Handle padded_compound() {
  Handle type(H5Tcreate(H5T_COMPOUND, 24), H5Tclose);
  REQUIRE(H5Tinsert(type.get(), "flag", 0, H5T_STD_I8LE) >= 0);
  REQUIRE(H5Tinsert(type.get(), "value", 8, H5T_IEEE_F64BE) >= 0);
  REQUIRE(H5Tinsert(type.get(), "name", 16, string_type(3).get()) >= 0);
  return type;
}

bool keeps_type(const std::string& first, const std::string& first_name, const std::string& second,
                const std::string& second_name) {
  const auto type_of = [](const std::string& path, const std::string& name) {
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    const Handle dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
    return Handle(H5Dget_type(dataset.get()), H5Tclose);
  };
  return H5Tequal(type_of(first, first_name).get(), type_of(second, second_name).get()) > 0;
}

/// Elements of the type with every bit in use, through the driver, axes reversed.
void check_type(hid_t type, const Shape& shape) {
  const Folder folder;
  const std::string file = folder / "in.h5", out = folder / "out.h5";
  const Bytes bytes = mixed_bytes(element_count(shape) * H5Tget_size(type));
  add_dataset(create_file(file).get(), "x", type, shape, type, bytes.data());
  const ProgramEnd end =
      transpose({file + ":/x", "--verify=full", "--variant=all", "--quiet", "--output", out + ":/t"});
  INFO(end.err);
  REQUIRE(end.status == 0);
  CHECK(keeps_type(file, "/x", out, "/t"));
  std::vector<std::size_t> axes;
  for (std::size_t axis = shape.size(); axis-- > 0;) axes.push_back(axis);
  const Dataset turned(out + ":/t");
  CHECK(turned.info().shape == permuted(shape, axes));
  const bool right = stored_bytes(turned) == permuted(bytes, H5Tget_size(type), shape, axes);
  CHECK(right);
}

}  // namespace

TEST_CASE("tessera-transpose: elements of 1 to 16 bytes keep their type and every bit") {
  for (std::size_t size = 1; size <= 16; ++size) {
    INFO(size);
    check_type(opaque_type(size).get(), {rows, columns});
  }
}

TEST_CASE("tessera-transpose: so do elements of more bytes") {
  for (const std::size_t size : {17U, 24U, 32U, 100U, 4096U}) {
    INFO(size);
    check_type(opaque_type(size).get(), {5, rows});
    check_type(opaque_type(size).get(), {3, 5, 7});
  }
  check_type(opaque_type(100000).get(), {2, 3});
}

TEST_CASE("tessera-transpose: types of every kind that has a fixed size") {
  check_type(H5T_IEEE_F64BE, {rows, columns});
  check_type(H5T_STD_I16BE, {rows, columns});
  check_type(complex_type(H5T_IEEE_F64BE).get(), {rows, columns});
  check_type(padded_compound().get(), {rows, columns});
  check_type(padded_compound().get(), {4, 5, 6, 2});
  check_type(string_type(100).get(), {9, 11});
  const hsize_t extents[] = {3, 5};
  check_type(Handle(H5Tarray_create2(H5T_STD_U16BE, 2, extents), H5Tclose).get(), {6, 7});
}

TEST_CASE("tessera-transpose: types whose bytes mean nothing elsewhere are refused") {
  const Folder folder;
  const std::string file = folder / "in.h5", out = folder / "out.h5";
  {
    const auto in = create_file(file);
    const Handle words(H5Tcopy(H5T_C_S1), H5Tclose), ragged(H5Tvlen_create(H5T_STD_I16LE), H5Tclose);
    REQUIRE(H5Tset_size(words.get(), H5T_VARIABLE) >= 0);
    const Handle mixed(H5Tcreate(H5T_COMPOUND, 24), H5Tclose), linked(H5Tcreate(H5T_COMPOUND, 16), H5Tclose);
    REQUIRE(H5Tinsert(mixed.get(), "n", 0, H5T_STD_I32LE) >= 0);
    REQUIRE(H5Tinsert(mixed.get(), "list", 8, ragged.get()) >= 0);
    REQUIRE(H5Tinsert(linked.get(), "n", 0, H5T_STD_I32LE) >= 0);
    REQUIRE(H5Tinsert(linked.get(), "target", 8, H5T_STD_REF_OBJ) >= 0);
    for (const auto& [name, type] : {std::pair<std::string, hid_t>{"words", words.get()},
                                     {"ragged", ragged.get()},
                                     {"mixed", mixed.get()},
                                     {"linked", linked.get()}}) {
      add_dataset(in.get(), name, type, {2, 3}, type, nullptr);
    }
  }
  const auto refused = [&](const std::string& name) {
    const std::string line = transpose_refused({file + ":/" + name, "--output", out + ":/t"});
    REQUIRE(line.starts_with(file + ":/" + name + ": holds "));
    return line.substr(file.size() + name.size() + std::string(":/: holds ").size());
  };
  CHECK(refused("words") == "strings of variable length; only types of a fixed size can be moved");
  CHECK(refused("ragged") == "sequences of variable length of int16; only types of a fixed size can be moved");
  CHECK(refused("mixed") ==
        "compound {n: int32, list: sequences of variable length of int16} of 24 bytes; only types of a fixed size can "
        "be moved");
  CHECK(refused("linked") ==
        "compound {n: int32, target: references of 8 bytes} of 16 bytes, which mean nothing in another file");
  CHECK(folder.names() == std::vector<std::string>{"in.h5"});
  CHECK(transpose({file + ":/linked", "--quiet", "--output", file + ":/turned"}).status == 0);
}

TEST_CASE("tessera-transpose: a wrong byte of a large element is named") {
  const Folder folder;
  const std::string file = folder / "in.h5";
  const Bytes bytes = mixed_bytes(6 * 100);
  add_dataset(create_file(file).get(), "x", opaque_type(100).get(), {2, 3}, opaque_type(100).get(), bytes.data());
  const ProgramEnd end = run_quickly(TESSERA_FAULTY_TRANSPOSE, {file + ":/x", "--quiet"});
  CHECK(end.status == 1);
  CHECK(end.err.starts_with("tessera-transpose: error: " + file +
                            ":/x: transpose (padded) did not verify: index (0, 1): got 0x"));
  CHECK(end.err.ends_with(" (bytes 0 to 15); 4 of 6 checked are wrong\n"));
}

}  // namespace tessera::apps::test
