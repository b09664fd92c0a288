// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the end-to-end tests of tessera-transpose share.
#ifndef TESSERA_TESTS_APPS_TRANSPOSE_DRIVER_SUPPORT_HPP
#define TESSERA_TESTS_APPS_TRANSPOSE_DRIVER_SUPPORT_HPP

#include <algorithm>
#include <string>
#include <vector>

#include "apps/driver_support.hpp"

namespace tessera::apps::test {

inline ProgramEnd transpose(const std::vector<std::string>& arguments) {
  return run_quickly(TESSERA_TRANSPOSE, arguments);
}

inline std::string transpose_refused(const std::vector<std::string>& arguments, int status = 2) {
  return refusal_line(transpose(arguments), status, "tessera-transpose");
}

using Bytes = std::vector<unsigned char>;

/// Bytes without a period that tiles or axes have.
inline Bytes mixed_bytes(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>((i * 2654435761U) >> 11 ^ i);
  return bytes;
}

/// Walks the input: its element at j goes to i with i[d] = j[axes[d]].
inline Bytes permuted(const Bytes& in, std::size_t element_bytes, const Shape& shape,
                      const std::vector<std::size_t>& axes) {
  Bytes out(in.size());
  Shape j(shape.size());
  for (std::size_t element = 0; element < in.size() / element_bytes; ++element) {
    std::size_t rest = element;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) j[axis] = rest % shape[axis];
    std::size_t to = 0;
    for (const std::size_t axis : axes) to = to * shape[axis] + j[axis];
    for (std::size_t byte = 0; byte < element_bytes; ++byte) {
      out[to * element_bytes + byte] = in[element * element_bytes + byte];
    }
  }
  return out;
}

inline Bytes stored_bytes(const Dataset& dataset) {
  const HostBuffer raw = dataset.read_raw();
  return {raw.as<unsigned char>(), raw.as<unsigned char>() + raw.bytes()};
}

inline std::string axes_option(const std::vector<std::size_t>& axes) {
  std::string option = "--axes=";
  for (const std::size_t axis : axes) option += (option.back() == '=' ? "" : ",") + std::to_string(axis);
  return option;
}

inline Shape permuted(const Shape& shape, const std::vector<std::size_t>& axes) {
  Shape result;
  for (const std::size_t axis : axes) result.push_back(shape[axis]);
  return result;
}

/// Transposes and compares every byte of the output, and its shape. arguments: besides INPUT, --axes and --output.
inline void check_transpose(const std::string& file, const std::string& name, const std::vector<std::size_t>& axes,
                            std::vector<std::string> arguments = {}) {
  INFO(name << " " << axes_option(axes));
  const Folder folder;
  const std::string out = folder / "out.h5:/t";
  arguments.insert(arguments.end(),
                   {file + ":/" + name, axes_option(axes), "--verify=full", "--quiet", "--output", out});
  if (axes.empty()) arguments.erase(std::find(arguments.begin(), arguments.end(), "--axes="));
  const ProgramEnd end = transpose(arguments);
  INFO(end.err);
  REQUIRE(end.status == 0);
  const Dataset in(file + ":/" + name, moved_rank_max), turned(out, moved_rank_max);
  CHECK(turned.info().shape == permuted(in.info().shape, axes));
  CHECK(turned.info().stored_type == in.info().stored_type);
  const bool right =
      stored_bytes(turned) == permuted(stored_bytes(in), in.info().stored_element_bytes, in.info().shape, axes);
  CHECK(right);
}

}  // namespace tessera::apps::test

#endif
