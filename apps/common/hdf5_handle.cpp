// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5_handle.hpp"

#include <cstdlib>
#include <string_view>

namespace tessera::apps {
namespace {

/// The number behind "errno = " in a description of HDF5's, 0 where there is none.
int errno_in(std::string_view description) {
  constexpr std::string_view key = "errno = ";
  const auto at = description.find(key);
  return at == std::string_view::npos ? 0 : std::atoi(std::string(description.substr(at + key.size())).c_str());
}

/// HDF5 walks upward from the innermost call: the first entry with words is the cause, but entries that only say that
/// something cannot be done yield to a later one that names an errno.
herr_t collect(unsigned, const H5E_error2_t* entry, void* data) {
  auto& error = *static_cast<Hdf5Error*>(data);
  const std::string description = entry->desc != nullptr ? printable(entry->desc) : "";
  if (error.cause.empty()) error.cause = description;
  if (error.system_errno == 0) {
    error.system_errno = errno_in(description);
    if (error.system_errno != 0) error.cause = description;
  }
  return 0;
}

}  // namespace

void silence_hdf5() {
  H5dont_atexit();  // which visits what is still open, and does not survive some damaged files
  H5open();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Error last_hdf5_error() {
  Hdf5Error error;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &error);
  H5Eclear2(H5E_DEFAULT);
  return error;
}

ObjectIdentity identity_of(hid_t object) {
  ObjectIdentity identity;
#if H5_VERSION_GE(1, 12, 0)
  H5O_info2_t info{};
  if (H5Oget_info3(object, &info, H5O_INFO_BASIC) >= 0) {
    identity.object.assign(reinterpret_cast<const char*>(&info.token), sizeof(info.token));
  }
#else
  H5O_info_t info{};
  if (H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0) identity.object = std::to_string(info.addr);
#endif
  identity.file = info.fileno;
  return identity;
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

std::string location(std::string_view file, std::string_view dataset) {
  return printable(file) + ":" + printable(dataset);
}

}  // namespace tessera::apps
