// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5_storage.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "hdf5_virtual.hpp"
#include "temporary_file.hpp"

namespace tessera::apps {
namespace {

constexpr std::uint64_t too_many_bytes = std::numeric_limits<std::uint64_t>::max();

Handle creation_list(hid_t dataset) { return {H5Dget_create_plist(dataset), H5Pclose}; }

struct Filter {
  H5Z_filter_t id = 0;
  unsigned flags = 0;
  std::string name;
};

std::vector<Filter> filters_of(hid_t list) {
  std::vector<Filter> filters;
  const int count = H5Pget_nfilters(list);
  for (int i = 0; i < count; ++i) {
    Filter filter;
    std::array<char, 128> name{};
    std::size_t values = 0;
    filter.id = H5Pget_filter2(list, static_cast<unsigned>(i), &filter.flags, &values, nullptr, name.size() - 1,
                               name.data(), nullptr);
    switch (filter.id) {
      case H5Z_FILTER_DEFLATE:
        filter.name = "deflate";
        break;
      case H5Z_FILTER_SHUFFLE:
        filter.name = "shuffle";
        break;
      case H5Z_FILTER_FLETCHER32:
        filter.name = "fletcher32";
        break;
      case H5Z_FILTER_SZIP:
        filter.name = "szip";
        break;
      case H5Z_FILTER_NBIT:
        filter.name = "nbit";
        break;
      case H5Z_FILTER_SCALEOFFSET:
        filter.name = "scaleoffset";
        break;
      default:
        filter.name = name[0] != '\0' ? printable(name.data()) : fmt::format("filter {}", filter.id);
        break;
    }
    filters.push_back(filter);
  }
  return filters;
}

/// Whether the first chunk went through the filter: an optional one may have been passed over when it was written.
bool is_applied(hid_t dataset, const Filter& filter, std::size_t position) {
  if ((filter.flags & H5Z_FLAG_OPTIONAL) == 0) return true;
  const Handle space(H5Dget_space(dataset), H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> offset{};
  unsigned passed_over = 0;
  haddr_t address = 0;
  hsize_t bytes = 0;
  if (H5Dget_storage_size(dataset) == 0) return false;
  if (H5Dget_chunk_info(dataset, space.get(), 0, offset.data(), &passed_over, &address, &bytes) < 0) return true;
  return (passed_over >> position & 1U) == 0;
}

void check_filters(hid_t dataset, hid_t list, const std::string& where) {
  const std::vector<Filter> filters = filters_of(list);
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (H5Zfilter_avail(filters[i].id) > 0 || !is_applied(dataset, filters[i], i)) continue;
    H5Eclear2(H5E_DEFAULT);
    refuse(
        fmt::format("{}: its chunks need filter {} ({}), which this HDF5 does not have; name the folder of its plugin "
                    "in HDF5_PLUGIN_PATH",
                    where, static_cast<int>(filters[i].id), filters[i].name));
  }
}

/// Bytes of a whole dataset; the largest number where 64 bits do not hold them.
std::uint64_t extent_bytes(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  const Shape shape(extents.begin(), extents.begin() + std::max(rank, 0));
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return 0;
  std::uint64_t bytes = H5Tget_size(type.get());
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return too_many_bytes;
  }
  return bytes;
}

void check_contiguous(hid_t dataset, const std::string& where) {
  if (H5Dget_storage_size(dataset) == 0) return;  // never written
  const haddr_t offset = H5Dget_offset(dataset);
  struct stat status {};
  if (offset == HADDR_UNDEF || stat(file_of(dataset).c_str(), &status) != 0) return;
  const std::uint64_t bytes = extent_bytes(dataset), present = static_cast<std::uint64_t>(status.st_size);
  if (bytes == too_many_bytes) return;  // a question of memory, asked elsewhere
  if (offset <= present && bytes <= present - offset) return;
  refuse(fmt::format("{}: its data lies beyond the end of the file: {} bytes from {} on, the file has {}", where, bytes,
                     offset, present));
}

struct ExternalFile {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;
};

std::vector<ExternalFile> external_files(hid_t list) {
  std::vector<ExternalFile> files;
  const int count = H5Pget_external_count(list);
  for (int i = 0; i < count; ++i) {
    std::array<char, 4096> name{};
    off_t offset = 0;
    hsize_t bytes = 0;
    H5Pget_external(list, static_cast<unsigned>(i), name.size() - 1, name.data(), &offset, &bytes);
    files.push_back({name.data(), static_cast<std::uint64_t>(offset), bytes});
  }
  return files;
}

/// Where HDF5 will look: relative to HDF5_EXTFILE_PREFIX where that is set, else to the working folder.
std::string external_path(const std::string& name, const std::string& folder, bool beside) {
  if (name.starts_with('/')) return name;
  const char* prefix = std::getenv("HDF5_EXTFILE_PREFIX");
  if (prefix != nullptr && *prefix != '\0') {
    std::string base = prefix;
    constexpr std::string_view origin = "${ORIGIN}";
    if (base.starts_with(origin)) base.replace(0, origin.size(), folder);
    return base + "/" + name;
  }
  return beside ? folder + "/" + name : name;
}

void check_external(hid_t dataset, hid_t list, const std::string& where, std::vector<std::string>& sources) {
  const std::string folder = folder_of(file_of(dataset));
  const bool beside = static_cast<bool>(external_file_access(dataset));
  std::uint64_t needed = extent_bytes(dataset);
  for (const ExternalFile& file : external_files(list)) {
    const std::string path = external_path(file.name, folder, beside);
    sources.push_back(path);
    if (needed == 0) continue;
    const std::uint64_t part = std::min<std::uint64_t>(file.bytes, needed);
    needed -= part;
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
      refuse(fmt::format("{}: its external file '{}' does not exist", where, printable(path)));
    }
    if (access(path.c_str(), R_OK) != 0) {
      refuse(fmt::format("{}: no permission to read its external file '{}'", where, printable(path)));
    }
    const auto present = static_cast<std::uint64_t>(status.st_size);
    if (file.offset > present || part > present - file.offset) {
      refuse(fmt::format("{}: its external file '{}' is too short: {} bytes from {} on are needed, it has {}", where,
                         printable(path), part, file.offset, present));
    }
  }
  if (needed > 0) refuse(fmt::format("{}: its external files lack {} bytes of the data", where, needed));
}

}  // namespace

std::string file_of(hid_t object) {
  const ssize_t length = H5Fget_name(object, nullptr, 0);
  std::string name(static_cast<std::size_t>(std::max<ssize_t>(length, 0)), '\0');
  if (length > 0) H5Fget_name(object, name.data(), name.size() + 1);
  return name;
}

StorageDescription describe_storage(hid_t dataset) {
  const Handle list = creation_list(dataset);
  StorageDescription storage;
  switch (H5Pget_layout(list.get())) {
    case H5D_COMPACT:
      storage.layout = "compact";
      break;
    case H5D_CHUNKED: {
      storage.layout = "chunked";
      std::array<hsize_t, H5S_MAX_RANK> extents{};
      const int rank = H5Pget_chunk(list.get(), H5S_MAX_RANK, extents.data());
      storage.chunks.assign(extents.begin(), extents.begin() + std::max(rank, 0));
      break;
    }
    case H5D_VIRTUAL:
      storage.layout = "virtual";
      break;
    default:
      storage.layout = H5Pget_external_count(list.get()) > 0 ? "external" : "contiguous";
      break;
  }
  for (const Filter& filter : filters_of(list.get())) storage.filters.push_back(filter.name);
  return storage;
}

Handle dataset_access() {
  Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_virtual_view(access.get(), H5D_VDS_FIRST_MISSING);
  return access;
}

Handle external_file_access(hid_t dataset) {
  const Handle list = creation_list(dataset);
  const std::vector<ExternalFile> files = external_files(list.get());
  const std::string folder = folder_of(file_of(dataset));
  const auto all_exist = [&](bool beside) {
    return std::all_of(files.begin(), files.end(), [&](const ExternalFile& file) {
      return access(external_path(file.name, folder, beside).c_str(), F_OK) == 0;
    });
  };
  if (files.empty() || all_exist(false) || !all_exist(true)) return {};
  Handle access_list = dataset_access();
  H5Pset_efile_prefix(access_list.get(), "${ORIGIN}");
  return access_list;
}

Handle make_space(const Shape& shape) {
  if (shape.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose};
}

void select_box(hid_t space, const Shape& first, const Shape& count) {
  if (first.empty()) return;
  const std::vector<hsize_t> start(first.begin(), first.end()), extents(count.begin(), count.end());
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr);
}

void select_elements(hid_t space, const ResolvedSelection& selection) {
  std::vector<hsize_t> start, stride, count;
  for (const SelectedAxis& axis : selection.axes) {
    start.push_back(axis.start);
    stride.push_back(axis.stride);
    count.push_back(axis.count);
  }
  if (std::find(count.begin(), count.end(), hsize_t{0}) != count.end()) {
    H5Sselect_none(space);
  } else if (!count.empty()) {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), stride.data(), count.data(), nullptr);
  }
}

std::vector<std::string> check_storage(hid_t dataset, const std::string& where, const ResolvedSelection* selection,
                                       int depth) {
  const Handle list = creation_list(dataset);
  check_filters(dataset, list.get(), where);
  std::vector<std::string> sources{file_of(dataset)};
  const std::string layout = describe_storage(dataset).layout;
  if (layout == "contiguous") check_contiguous(dataset, where);
  if (layout == "external") check_external(dataset, list.get(), where, sources);
  if (layout == "virtual") check_virtual_sources(dataset, sources.front(), where, selection, depth, sources);
  return sources;
}

UnwrittenElements::UnwrittenElements(hid_t dataset) : m_type(H5Dget_type(dataset), H5Tclose) {
  const Handle list = creation_list(dataset);
  H5D_fill_time_t time = H5D_FILL_TIME_IFSET;
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  H5Pget_fill_time(list.get(), &time);
  H5Pfill_value_defined(list.get(), &defined);
  m_any =
      H5Pget_layout(list.get()) == H5D_VIRTUAL || time == H5D_FILL_TIME_NEVER || defined == H5D_FILL_VALUE_UNDEFINED;
  if (!m_any || defined != H5D_FILL_VALUE_USER_DEFINED) return;
  m_value.resize(H5Tget_size(m_type.get()));
  if (H5Pget_fill_value(list.get(), m_type.get(), m_value.data()) < 0) m_value.clear();
}

void UnwrittenElements::fill(void* memory, hid_t memory_space) const {
  if (m_any) H5Dfill(m_value.empty() ? nullptr : m_value.data(), m_type.get(), memory, m_type.get(), memory_space);
}

}  // namespace tessera::apps
