// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "dataset_impl.hpp"
#include "failure.hpp"
#include "hdf5_file.hpp"
#include "hdf5_pieces.hpp"
#include "hdf5_spec.hpp"
#include "hdf5_storage.hpp"
#include "hdf5_write_driver.hpp"
#include "temporary_file.hpp"

namespace tessera::apps {
namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t bookkeeping_bytes = std::uint64_t{16} << 10;  // headers, groups, attributes of a dataset

/// Of a complex type that of its parts.
hid_t native_type_of(NumberType type) {
  switch (type) {
    case NumberType::int8:
      return H5T_NATIVE_INT8;
    case NumberType::int16:
      return H5T_NATIVE_INT16;
    case NumberType::int32:
      return H5T_NATIVE_INT32;
    case NumberType::int64:
      return H5T_NATIVE_INT64;
    case NumberType::boolean:
    case NumberType::uint8:
      return H5T_NATIVE_UINT8;
    case NumberType::uint16:
      return H5T_NATIVE_UINT16;
    case NumberType::uint32:
      return H5T_NATIVE_UINT32;
    case NumberType::uint64:
      return H5T_NATIVE_UINT64;
    case NumberType::float32:
    case NumberType::complex64:
      return H5T_NATIVE_FLOAT;
    case NumberType::float64:
    case NumberType::complex128:
      break;
  }
  return H5T_NATIVE_DOUBLE;
}

/// Complex numbers as h5py stores them.
Handle hdf5_type_of(NumberType type) {
  const hid_t native = native_type_of(type);
  if (!is_complex(type)) return {H5Tcopy(native), H5Tclose};
  Handle compound(H5Tcreate(H5T_COMPOUND, size_of(type)), H5Tclose);
  H5Tinsert(compound.get(), "r", 0, native);
  H5Tinsert(compound.get(), "i", size_of(part_of(type)), native);
  return compound;
}

/// The folder and the file itself must be such that a new file can take the place.
void check_target(const std::string& target) {
  const std::string folder = folder_of(target), name = printable(target);
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) {
    if (errno == EACCES) refuse(name + ": no permission to enter its folder");
    refuse(fmt::format("{}: its folder '{}' does not exist", name, printable(folder)));
  }
  if (!S_ISDIR(status.st_mode)) refuse(fmt::format("{}: '{}' is not a folder", name, printable(folder)));
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse(fmt::format("{}: no permission to make files in its folder '{}'", name, printable(folder)));
  }
  if (stat(target.c_str(), &status) != 0) {
    if (errno == ENAMETOOLONG) refuse(name + ": the name is too long");
    return;
  }
  if (S_ISDIR(status.st_mode)) refuse(name + ": is a directory, not an HDF5 file");
  if (!S_ISREG(status.st_mode)) refuse(name + ": is not a regular file");
  if (access(target.c_str(), W_OK) != 0) refuse(name + ": no permission to write it");
}

Handle file_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  use_recording_driver(access.get());
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  H5Pset_file_locking(access.get(), false, true);  // nobody else knows the temporary name
#endif
  return access;
}

Handle string_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

bool write_attribute(hid_t dataset, const char* name, const std::string& value) {
  const Handle type = string_type(), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(dataset, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* text = value.c_str();
  return attribute && H5Awrite(attribute.get(), type.get(), &text) >= 0;
}

ResolvedSelection whole(const Shape& shape) {
  ResolvedSelection selection;
  for (const std::uint64_t extent : shape) selection.axes.push_back({0, 1, extent, false, false});
  return selection;
}

}  // namespace

struct OutputFile::Impl {
  std::string file, name, target;
  std::vector<std::string> suffixes;
  bool force = false;
  std::unique_ptr<TemporaryFile> temporary;
  Handle hdf5;

  [[nodiscard]] std::string dataset_name(const std::string& suffix) const {
    return suffix.empty() ? name : name + "/" + suffix;
  }
  void check_names(hid_t opened) const;
  void check_name(hid_t opened, const std::string& dataset) const;
  void begin();
  void write(const std::string& suffix, hid_t type, std::uint64_t element_bytes, const Shape& shape, const void* data,
             const Provenance& provenance, const ProgressCallback& progress);
  [[noreturn]] void fail(const std::string& what);
};

void OutputFile::Impl::check_names(hid_t opened) const {
  for (const std::string& suffix : suffixes) check_name(opened, dataset_name(suffix));
}

void OutputFile::Impl::check_name(hid_t opened, const std::string& dataset) const {
  const Handle root(H5Gopen2(opened, "/", H5P_DEFAULT), H5Gclose);
  const unsigned long own_file = identity_of(root.get()).file;
  for (auto slash = dataset.find('/', 1);; slash = dataset.find('/', slash + 1)) {
    const std::string part = dataset.substr(0, slash);
    const bool last = slash == std::string::npos;
    const htri_t exists = H5Lexists(opened, part.c_str(), H5P_DEFAULT);
    if (exists < 0) refuse(location(file, part) + ": " + damage_text(last_hdf5_error()));
    if (exists == 0) break;
    if (last && !force) refuse(location(file, part) + ": exists already; give --force to replace it");
    const Handle object(H5Oopen(opened, part.c_str(), H5P_DEFAULT), H5Oclose);
    const H5I_type_t kind = object ? H5Iget_type(object.get()) : H5I_BADID;
    const bool group = kind == H5I_GROUP;
    if (last && (group || kind == H5I_DATATYPE)) {
      refuse(fmt::format("{}: is a {}; --force replaces datasets only", location(file, part),
                         group ? "group" : "named datatype"));
    }
    if (last) break;
    if (!object) refuse(location(file, part) + ": is a link that leads nowhere; nothing can be written below it");
    if (!group) {
      refuse(fmt::format("{}: is not a group, so that '{}' cannot be made in it", location(file, part),
                         printable(dataset)));
    }
    if (identity_of(object.get()).file != own_file) {
      refuse(location(file, part) + ": lies in another file; results are not written through external links");
    }
  }
  H5Eclear2(H5E_DEFAULT);
}

void OutputFile::Impl::fail(const std::string& what) {
  const std::string cause = last_hdf5_error().cause;
  const int system_error = first_write_error();
  hdf5.reset();
  temporary.reset();
  const std::string where = location(file, name);
  if (system_error != 0) out_of_resource(fmt::format("{}: {}: {}", where, what, std::strerror(system_error)));
  refuse(fmt::format("{}: {}: {}", where, what, cause));
}

void OutputFile::Impl::begin() {
  if (hdf5) return;
  temporary = std::make_unique<TemporaryFile>(target);
  const Handle access = file_access();
  forget_write_error();
  const char* path = temporary->path().c_str();
  hdf5 = Handle(temporary->is_copy() ? H5Fopen(path, H5F_ACC_RDWR, access.get())
                                     : H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                H5Fclose);
  if (!hdf5 || first_write_error() != 0) fail("cannot be opened for writing");
  check_names(hdf5.get());  // again: the file may have changed since it was looked at first
}

void OutputFile::Impl::write(const std::string& suffix, hid_t type, std::uint64_t element_bytes, const Shape& shape,
                             const void* data, const Provenance& provenance, const ProgressCallback& progress) {
  begin();
  const std::uint64_t total = element_count(shape) * element_bytes;
  temporary->reserve(total + bookkeeping_bytes);
  const std::string dataset_path = dataset_name(suffix);
  if (H5Lexists(hdf5.get(), dataset_path.c_str(), H5P_DEFAULT) > 0 &&
      H5Ldelete(hdf5.get(), dataset_path.c_str(), H5P_DEFAULT) < 0) {
    fail("the old dataset cannot be removed");
  }
  H5Eclear2(H5E_DEFAULT);
  const Handle link(H5Pcreate(H5P_LINK_CREATE), H5Pclose), creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(link.get(), 1);
  H5Pset_char_encoding(link.get(), H5T_CSET_UTF8);
  H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(creation.get(), false);  // equal results make equal files
  const Handle space = make_space(shape);
  const Handle dataset(
      H5Dcreate2(hdf5.get(), dataset_path.c_str(), type, space.get(), link.get(), creation.get(), H5P_DEFAULT),
      H5Dclose);
  if (!dataset) fail("the dataset cannot be made");
  std::uint64_t done = 0;
  for_each_box(whole(shape), {}, element_bytes, piece_bytes, [&](const Box& box) {
    select_box(space.get(), box.first, box.count);
    const herr_t written = H5Dwrite(dataset.get(), type, space.get(), space.get(), H5P_DEFAULT, data);
    if (written < 0 || first_write_error() != 0) fail("cannot be written");
    done += element_count(box.count) * element_bytes;
    if (progress) progress(done, total);
  });
  if (!write_attribute(dataset.get(), "command", provenance.command) ||
      !write_attribute(dataset.get(), "version", provenance.version) ||
      !write_attribute(dataset.get(), "input", provenance.input)) {
    fail("its attributes cannot be written");
  }
}

OutputFile::OutputFile(const std::string& spec, const std::vector<std::string>& suffixes, bool force)
    : m_impl(std::make_unique<Impl>()) {
  silence_hdf5();
  Impl& self = *m_impl;
  FileSpec parts = split_output_spec(spec);
  self.file = std::move(parts.file);
  self.name = std::move(parts.name);
  self.target = resolve_links(self.file);
  self.suffixes = suffixes;
  self.force = force;
  check_target(self.target);
  if (state_of(self.target)) self.check_names(open_input_file(self.target).get());
}

OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;

void OutputFile::check_room(std::uint64_t bytes) {
  const Impl& self = *m_impl;
  const std::uint64_t bookkeeping = bookkeeping_bytes * self.suffixes.size();
  const std::optional<FileState> present = state_of(self.target);
  const std::uint64_t old_bytes = present ? static_cast<std::uint64_t>(present->bytes) : 0;
  const std::uint64_t added = bytes > ~std::uint64_t{0} - bookkeeping - old_bytes ? bytes : bytes + bookkeeping;
  const std::uint64_t all = added > ~std::uint64_t{0} - old_bytes ? added : added + old_bytes;
  require_disk_room(location(self.file, self.name), folder_of(self.target), all, all);
}

void OutputFile::write(const std::string& suffix, ElementType type, const Shape& shape, const void* data,
                       const Provenance& provenance, const ProgressCallback& progress) {
  write(suffix, number_type_of(type), shape, data, provenance, progress);
}

void OutputFile::write(const std::string& suffix, NumberType type, const Shape& shape, const void* data,
                       const Provenance& provenance, const ProgressCallback& progress) {
  m_impl->write(suffix, hdf5_type_of(type).get(), size_of(type), shape, data, provenance, progress);
}

void OutputFile::write_raw(const std::string& suffix, const Dataset& source, const Shape& shape, const void* data,
                           const Provenance& provenance, const ProgressCallback& progress) {
  const Dataset::Impl& input = *source.m_impl;
  const auto source_state = state_of(input.info.sources.front()), target_state = state_of(m_impl->target);
  const bool same_file = source_state && target_state && source_state->device == target_state->device &&
                         source_state->inode == target_state->inode;
  if (input.type.reference && !same_file) {
    refuse(fmt::format("{}: holds {}, which mean nothing in another file",
                       location(input.info.file, input.info.dataset), input.type.name));
  }
  const Handle type(H5Tcopy(input.hdf5_type.get()), H5Tclose);
  m_impl->write(suffix, type.get(), input.type.bytes, shape, data, provenance, progress);
}

void OutputFile::sync() {
  Impl& self = *m_impl;
  if (!self.hdf5) return;
  const bool closed = H5Fflush(self.hdf5.get(), H5F_SCOPE_GLOBAL) >= 0 && self.hdf5.reset();
  if (!closed || first_write_error() != 0) self.fail("cannot be written");
  self.temporary->sync();
}

void OutputFile::commit() {
  sync();
  Impl& self = *m_impl;
  if (!self.temporary) return;
  self.temporary->commit();
  self.temporary.reset();
}

}  // namespace tessera::apps
