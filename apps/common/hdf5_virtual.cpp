// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5_virtual.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "hdf5_file.hpp"
#include "hdf5_storage.hpp"
#include "text.hpp"

namespace tessera::apps {
namespace {

template <class Get>
std::string string_from(Get&& get) {
  const ssize_t length = get(nullptr, 0);
  std::string text(static_cast<std::size_t>(std::max<ssize_t>(length, 0)), '\0');
  if (length > 0) get(text.data(), text.size() + 1);
  return text;
}

/// A source name as HDF5 reads it: "%%" is '%', and "%b" the number of a block, of which the first stands for all.
struct SourceName {
  std::string text;
  bool is_pattern = false;
};
SourceName source_name(const std::string& stored, std::size_t block = 0) {
  SourceName name;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] != '%' || i + 1 == stored.size()) {
      name.text += stored[i];
    } else if (stored[++i] == 'b') {
      name.text += std::to_string(block);
      name.is_pattern = true;
    } else if (stored[i] == '%') {
      name.text += '%';
    } else {
      name.text += {'%', stored[i]};
    }
  }
  return name;
}

/// The places where HDF5 looks for a source file, in its order.
std::vector<std::string> places(const std::string& name, const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path path(name), relative = path.is_absolute() ? path.filename() : path;
  std::vector<std::string> found;
  if (path.is_absolute()) found.push_back(name);
  if (const char* prefixes = std::getenv("HDF5_VDS_PREFIX"); prefixes != nullptr) {
    const fs::path origin = fs::path(file).parent_path();
    for (std::string prefix : split(prefixes, ':')) {
      constexpr std::string_view key = "${ORIGIN}";
      if (prefix.starts_with(key)) prefix.replace(0, key.size(), origin.empty() ? "." : origin.string());
      if (!prefix.empty()) found.push_back((fs::path(prefix) / relative).string());
    }
  }
  found.push_back((fs::path(file).parent_path() / relative).string());
  found.push_back(relative.string());
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (!error) found.push_back((real.parent_path() / relative).string());
  return found;
}

/// The first of them that exists; "" where none does.
std::string place_of(const std::string& name, const std::string& file) {
  if (name == ".") return file;
  for (const std::string& path : places(name, file)) {
    if (access(path.c_str(), F_OK) == 0) return path;
  }
  return "";
}

/// Adds the files that a source name stands for, or would if it were there. Returns the first; "" where there is none.
std::string note_sources(const std::string& stored, const std::string& file, std::set<std::string>& noted) {
  const SourceName name = source_name(stored);
  const std::string first = place_of(name.text, file);
  noted.insert(first.empty() ? places(name.text, file).front() : first);
  std::string place = first;
  for (std::size_t block = 1; name.is_pattern && !place.empty(); ++block) {
    place = place_of(source_name(stored, block).text, file);
    if (!place.empty()) noted.insert(place);
  }
  return first;
}

/// Whether a mapping and the selection have elements in common; yes where HDF5 cannot tell, and for mappings without an
/// end: how far they reach depends on what is there.
bool is_needed(hid_t mapped, const ResolvedSelection* selection) {
  if (selection == nullptr || H5Sget_select_npoints(mapped) == static_cast<hssize_t>(H5S_UNLIMITED)) return true;
  const Shape counts = selection->counts();
  if (std::find(counts.begin(), counts.end(), 0U) != counts.end()) return false;
  const Handle common(H5Scopy(mapped), H5Sclose);
  std::vector<hsize_t> start, stride, count;
  for (const SelectedAxis& axis : selection->axes) {
    start.push_back(axis.start);
    stride.push_back(axis.stride);
    count.push_back(axis.count);
  }
  const bool known =
      H5Sselect_hyperslab(common.get(), H5S_SELECT_AND, start.data(), stride.data(), count.data(), nullptr) >= 0;
  H5Eclear2(H5E_DEFAULT);
  return !known || H5Sget_select_npoints(common.get()) != 0;
}

/// The mapped part must lie within the source; HDF5 would give fill values for what does not.
void check_extents(hid_t source, hid_t selected, hid_t mapped, const std::string& where) {
  const Handle space(H5Dget_space(source), H5Sclose);
  if (H5Sget_select_type(selected) == H5S_SEL_ALL) {
    const hssize_t present = H5Sget_simple_extent_npoints(space.get()), needed = H5Sget_select_npoints(mapped);
    if (present != needed) refuse(fmt::format("{} has {} elements, {} are mapped", where, present, needed));
    return;
  }
  std::array<hsize_t, H5S_MAX_RANK> low{}, high{}, extents{};
  const int rank = H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  if (rank != H5Sget_simple_extent_ndims(selected)) refuse(where + " has another rank than the part that is mapped");
  if (H5Sget_select_bounds(selected, low.data(), high.data()) < 0) {  // unlimited: as much as there is
    H5Eclear2(H5E_DEFAULT);
    return;
  }
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    if (high[i] < extents[i]) continue;
    refuse(fmt::format("{} has {} elements along axis {}, the part that is mapped {}", where, extents[i], axis,
                       high[i] + 1));
  }
}

}  // namespace

void check_virtual_sources(hid_t dataset, const std::string& file, const std::string& where,
                           const ResolvedSelection* selection, int depth, std::vector<std::string>& sources) {
  constexpr int deepest = 8;  // virtual datasets may refer to each other in a ring
  if (depth > deepest) refuse(fmt::format("{}: virtual datasets more than {} deep", where, deepest));
  const Handle list(H5Dget_create_plist(dataset), H5Pclose);
  std::size_t mappings = 0;
  H5Pget_virtual_count(list.get(), &mappings);
  std::set<std::string> checked;  // sources whose own storage has been looked at
  std::set<std::string> noted;
  std::map<std::string, std::string> first_places;  // of the names of source files
  std::string opened_path;
  Handle opened;
  for (std::size_t i = 0; i < mappings; ++i) {
    const std::string stored_file =
        string_from([&](char* text, std::size_t size) { return H5Pget_virtual_filename(list.get(), i, text, size); });
    const auto [known, is_new] = first_places.try_emplace(stored_file);
    if (is_new) known->second = note_sources(stored_file, file, noted);
    const std::string& place = known->second;
    const Handle mapped(H5Pget_virtual_vspace(list.get(), i), H5Sclose);
    if (!is_needed(mapped.get(), selection)) continue;
    const SourceName source_file = source_name(stored_file);
    const SourceName source = source_name(
        string_from([&](char* text, std::size_t size) { return H5Pget_virtual_dsetname(list.get(), i, text, size); }));
    if (place.empty()) {
      refuse(fmt::format("{}: its virtual source file '{}' does not exist", where, printable(source_file.text)));
    }
    if (place != opened_path) {
      try {
        opened = open_input_file(place);
      } catch (const Failure& failure) {
        refuse(fmt::format("{}: virtual source {}", where, failure.what()));
      }
      opened_path = place;
    }
    const std::string name = source.text.starts_with('/') ? source.text : "/" + source.text;
    const std::string source_where = where + ": its virtual source " + location(place, name);
    if (!object_exists(opened.get(), place, name)) refuse(source_where + " does not exist");
    const Handle source_dataset = open_dataset(opened.get(), place, name, dataset_access().get());
    if (!source_file.is_pattern && !source.is_pattern) {
      const Handle selected(H5Pget_virtual_srcspace(list.get(), i), H5Sclose);
      check_extents(source_dataset.get(), selected.get(), mapped.get(), source_where);
    }
    if (checked.insert(location(place, name)).second) {
      for (std::string& path : check_storage(source_dataset.get(), source_where, nullptr, depth + 1)) {
        noted.insert(std::move(path));
      }
    }
  }
  sources.insert(sources.end(), noted.begin(), noted.end());
}

}  // namespace tessera::apps
