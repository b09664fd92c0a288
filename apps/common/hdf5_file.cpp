// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include "hdf5_storage.hpp"
#include "hdf5_type.hpp"

namespace tessera::apps {
namespace {

[[noreturn]] void refuse_errno(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) refuse(printable(path) + ": no such file");
  if (error == EACCES || error == EPERM) refuse(printable(path) + ": no permission to read it");
  refuse(fmt::format("{}: cannot be opened: {}", printable(path), std::strerror(error)));
}

/// HDF5 looks for its signature at 0, 512, 1024, 2048, .. : a user block may come first.
bool has_signature(int descriptor, off_t bytes) {
  constexpr std::array<char, 8> signature{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> found{};
  for (off_t at = 0; at + 8 <= bytes; at = at == 0 ? 512 : 2 * at) {
    if (pread(descriptor, found.data(), found.size(), at) == 8 && found == signature) return true;
  }
  return false;
}

void check_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) refuse_errno(path, errno);
  if (S_ISDIR(status.st_mode)) refuse(printable(path) + ": is a directory, not an HDF5 file");
  if (!S_ISREG(status.st_mode)) refuse(printable(path) + ": is not a regular file");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) refuse_errno(path, errno);
  const bool is_hdf5 = has_signature(descriptor, status.st_size);
  close(descriptor);
  if (status.st_size == 0) refuse(printable(path) + ": is empty, not an HDF5 file");
  if (!is_hdf5) refuse(printable(path) + ": is not an HDF5 file");
}

/// "a soft link to '/x'" and the like.
std::string link_text(hid_t file, const std::string& name) {
  H5L_info_t info{};
  if (H5Lget_info(file, name.c_str(), &info, H5P_DEFAULT) < 0 || info.type == H5L_TYPE_HARD) return "a damaged link";
  std::vector<char> value(info.u.val_size + 1, '\0');
  if (H5Lget_val(file, name.c_str(), value.data(), info.u.val_size, H5P_DEFAULT) < 0) return "a damaged link";
  if (info.type == H5L_TYPE_SOFT) return fmt::format("a soft link to '{}'", printable(value.data()));
  const char *target_file = nullptr, *target = nullptr;
  if (info.type == H5L_TYPE_EXTERNAL &&
      H5Lunpack_elink_val(value.data(), info.u.val_size, nullptr, &target_file, &target) >= 0) {
    return fmt::format("an external link to '{}:{}'", printable(target_file), printable(target));
  }
  return "a link of a kind that HDF5 does not know";
}

/// prefix: the group's name, for messages.
std::vector<std::string> link_names(hid_t group, const std::string& prefix) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names) < 0) {
    const std::string cause = damage_text(last_hdf5_error());
    refuse(fmt::format("{}: {}", location(file_of(group), prefix), cause));
  }
  std::sort(names.begin(), names.end());
  return names;
}

void visit_group(hid_t group, const std::string& prefix, std::set<ObjectIdentity>& visited,
                 const std::function<void(const std::string&, hid_t)>& visit) {
  if (!visited.insert(identity_of(group)).second) return;  // hard links may form a ring
  for (const std::string& name : link_names(group, prefix)) {
    H5L_info_t info{};
    if (H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) < 0) continue;
    if (info.type != H5L_TYPE_HARD && info.type != H5L_TYPE_EXTERNAL) continue;
    const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object) continue;
    const H5I_type_t kind = H5Iget_type(object.get());
    if (kind == H5I_DATASET) visit(prefix + name, object.get());
    if (kind == H5I_GROUP && info.type == H5L_TYPE_HARD) visit_group(object.get(), prefix + name + "/", visited, visit);
  }
}

/// Of the root where it is "".
bool is_group(hid_t file, const std::string& name) {
  const Handle object(H5Oopen(file, name.empty() ? "/" : name.c_str(), H5P_DEFAULT), H5Oclose);
  H5Eclear2(H5E_DEFAULT);
  return object && H5Iget_type(object.get()) == H5I_GROUP;
}

}  // namespace

std::string open_failure_text(const Hdf5Error& error) {
  unsigned long long present = 0, base = 0, expected = 0;
  const auto at = error.cause.find("truncated file");
  if (at != std::string::npos &&
      std::sscanf(error.cause.c_str() + at, "truncated file: eof = %llu, sblock->base_addr = %llu, stored_eof = %llu",
                  &present, &base, &expected) == 3) {
    return fmt::format("is truncated: it has {} bytes of {}", present, base + expected);
  }
  if (error.mentions("lock file")) {
    return fmt::format(
        "is locked ({}); wait for the process that writes it, or where the file system cannot lock, set "
        "HDF5_USE_FILE_LOCKING=FALSE",
        std::strerror(error.system_errno));
  }
  if (error.mentions("already open for write")) {
    return "is marked as open for writing; wait for the process that writes it, or if that died, run h5clear -s on it";
  }
  if (error.mentions("checksum")) return "is damaged: a checksum of its metadata is wrong";
  return "cannot be opened as HDF5: " + (error.cause.empty() ? "no reason is given" : error.cause);
}

Handle open_input_file(const std::string& path) {
  silence_hdf5();
  check_file(path);
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file) refuse(printable(path) + ": " + open_failure_text(last_hdf5_error()));
  return file;
}

std::string damage_text(const Hdf5Error& error) {
  return "cannot be looked up, the file may be damaged: " + (error.cause.empty() ? "no reason is given" : error.cause);
}

bool object_exists(hid_t file, const std::string& path, const std::string& name) {
  std::size_t end = 0;
  while (end != std::string::npos) {
    end = name.find_first_not_of('/', end);
    if (end == std::string::npos) break;  // trailing slashes
    end = name.find('/', end);
    const std::string part = name.substr(0, end);
    const htri_t exists = H5Lexists(file, part.c_str(), H5P_DEFAULT);
    const Hdf5Error reason = last_hdf5_error();
    if (exists < 0 && is_group(file, part.substr(0, part.rfind('/')))) {
      refuse(location(path, part) + ": " + damage_text(reason));
    }
    if (exists <= 0) return false;
    const htri_t leads_somewhere = H5Oexists_by_name(file, part.c_str(), H5P_DEFAULT);
    if (leads_somewhere > 0) continue;
    const Hdf5Error error = last_hdf5_error();
    refuse(fmt::format("{}: is {} that leads nowhere{}", location(path, part), link_text(file, part),
                       leads_somewhere < 0 && !error.cause.empty() ? " (" + error.cause + ")" : ""));
  }
  return true;
}

Handle open_dataset(hid_t file, const std::string& path, const std::string& name, hid_t access) {
  H5I_type_t kind = H5I_BADID;
  {
    // Closed again first: HDF5 does not open one dataset twice with different access lists.
    const Handle object(H5Oopen(file, name.c_str(), H5P_DEFAULT), H5Oclose);
    if (object) kind = H5Iget_type(object.get());
  }
  if (kind == H5I_GROUP) refuse(location(path, name) + ": is a group, not a dataset");
  if (kind == H5I_DATATYPE) refuse(location(path, name) + ": is a named datatype, not a dataset");
  Handle dataset(H5Dopen2(file, name.c_str(), access), H5Dclose);
  if (dataset) return dataset;
  const Hdf5Error error = last_hdf5_error();
  if (error.mentions("external file prefix")) {  // open already, by one who found its external files beside the file
    const Handle beside(access == H5P_DEFAULT ? H5Pcreate(H5P_DATASET_ACCESS) : H5Pcopy(access), H5Pclose);
    H5Pset_efile_prefix(beside.get(), "${ORIGIN}");
    dataset = Handle(H5Dopen2(file, name.c_str(), beside.get()), H5Dclose);
  }
  if (!dataset) refuse(fmt::format("{}: cannot be opened: {}", location(path, name), error.cause));
  return dataset;
}

void visit_datasets(hid_t file, const std::function<void(const std::string&, hid_t)>& visit) {
  std::set<ObjectIdentity> visited;
  const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose);
  if (root) visit_group(root.get(), "/", visited, visit);
  H5Eclear2(H5E_DEFAULT);
}

NumericDatasets numeric_datasets(hid_t file) {
  NumericDatasets found;
  std::set<ObjectIdentity> distinct;
  visit_datasets(file, [&](const std::string& path, hid_t dataset) {
    const Handle type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
    if (!type || !space || H5Sget_simple_extent_type(space.get()) == H5S_NULL) return;
    if (!stored_type(type.get()).numeric()) return;
    found.paths.push_back(path);
    distinct.insert(identity_of(dataset));
  });
  found.unique = distinct.size() == 1;
  return found;
}

}  // namespace tessera::apps
