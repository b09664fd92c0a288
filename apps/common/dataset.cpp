// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "dataset_impl.hpp"
#include "failure.hpp"
#include "hdf5_file.hpp"
#include "hdf5_pieces.hpp"
#include "hdf5_spec.hpp"
#include "hdf5_storage.hpp"
#include "memory_limit.hpp"
#include "text.hpp"

namespace tessera::apps {
namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t virtual_piece_bytes = std::uint64_t{256} << 20;  // where the sources' chunks end is not known

/// "/a, /b, /c", cut where there are very many.
std::string name_list(const std::vector<std::string>& names) {
  constexpr std::size_t most = 40;
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  return printable(join(shown)) +
         (names.size() > most ? fmt::format(" and {} more (--list shows them)", names.size() - most) : "");
}

/// The dataset where the spec names none.
std::string only_dataset(hid_t file, const std::string& path) {
  const NumericDatasets found = numeric_datasets(file);
  if (found.paths.empty()) refuse(printable(path) + ": holds no numeric dataset; name one as FILE:/DATASET");
  if (!found.unique) {
    refuse(fmt::format("{}: holds several numeric datasets; name one of {}", printable(path), name_list(found.paths)));
  }
  return found.paths.front();
}

[[noreturn]] void refuse_unknown(hid_t file, const std::string& path, const std::string& name) {
  const std::vector<std::string> candidates = numeric_datasets(file).paths;
  const std::string nearest = nearest_name(name, candidates);
  refuse(location(path, name) + ": no such dataset" +
         (nearest.empty() ? "" : "; the nearest name is '" + printable(nearest) + "'"));
}

struct NamedSelection {
  std::string dataset, selection;
};

/// A name that exists as it stands wins over reading its end as a selection.
NamedSelection split_name(hid_t file, const std::string& path, const std::string& name) {
  if (!name.empty() && name != "/" && object_exists(file, path, name)) return {name, ""};
  const auto bracket = name.rfind('[');
  const std::string stem = name.substr(0, bracket);
  const bool unnamed = stem.empty() || stem == "/";
  if (bracket == std::string::npos) {
    if (unnamed) return {only_dataset(file, path), ""};
    refuse_unknown(file, path, name);
  }
  const bool known = unnamed || object_exists(file, path, stem);
  if (!name.ends_with(']')) {
    if (!known) refuse_unknown(file, path, name);
    refuse(fmt::format("{}: the selection '{}' lacks its closing ']'", location(path, stem), name.substr(bracket)));
  }
  if (!known) refuse_unknown(file, path, stem);
  return {unnamed ? only_dataset(file, path) : stem, name.substr(bracket)};
}

std::string where(const DatasetInfo& info) { return location(info.file, info.dataset); }

/// Runs a step whose refusals do not know the dataset's name.
template <class Step>
auto naming(const DatasetInfo& info, Step&& step) {
  try {
    return step();
  } catch (const Failure& failure) {
    throw Failure(failure.status(), where(info) + ": " + failure.what());
  }
}

std::string read_failure_text(const Hdf5Error& error) {
  if (error.mentions("Fletcher32")) return "its data is damaged: the Fletcher32 checksum of a chunk is wrong";
  if (error.mentions("checksum")) return "its metadata is damaged: a checksum is wrong";
  if (error.mentions("inflate")) return "its data is damaged: a chunk cannot be decompressed";
  if (error.mentions("addr overflow")) return "its data lies beyond the end of the file";
  return "cannot be read: " + (error.cause.empty() ? "no reason is given" : error.cause);
}

/// bytes as text where they may not fit 64 bits.
std::string large_size(const Shape& shape, std::uint64_t element_bytes) {
  double bytes = static_cast<double>(element_bytes);
  for (const std::uint64_t extent : shape) bytes *= static_cast<double>(extent);
  return fmt::format("{:.3g} bytes", bytes);
}

Shape extents_of(const DatasetInfo& info, hid_t dataset, int rank_max) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (!space) refuse(fmt::format("{}: {}", where(info), read_failure_text(last_hdf5_error())));
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) {
    refuse(where(info) + ": has a null dataspace, it holds no elements");
  }
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  if (rank > rank_max) refuse(fmt::format("{}: has rank {}; up to {} can be read", where(info), rank, rank_max));
  return {extents.begin(), extents.begin() + rank};
}

}  // namespace

std::uint64_t Dataset::Impl::bytes_of(std::uint64_t element_bytes) const {
  std::uint64_t count = 0;
  try {
    count = element_count(info.shape);
  } catch (const Failure&) {
    count = ~std::uint64_t{0};
  }
  if (count > ~std::uint64_t{0} / element_bytes) {
    out_of_resource(fmt::format("{}: shape {} takes {}, more than 64 bits can count; {} of host memory are available",
                                where(info), to_string(info.shape), large_size(info.shape, element_bytes),
                                format_bytes(available_host_bytes())));
  }
  return count * element_bytes;
}

void Dataset::Impl::read_box(const Box& box, hid_t file_space, std::uint64_t gap, std::vector<std::byte>& staging,
                             std::byte* direct) const {
  const Shape counts = selection.counts();
  ResolvedSelection part = selection;
  for (std::size_t axis = 0; axis < counts.size(); ++axis) {
    part.axes[axis].start += box.first[axis] * part.axes[axis].stride;
    part.axes[axis].count = box.count[axis];
  }
  Shape read_shape = box.count;
  if (gap > 1) {
    read_shape.back() = (box.count.back() - 1) * gap + 1;
    part.axes.back().stride = 1;
    part.axes.back().count = read_shape.back();
  }
  select_elements(file_space, part);
  const Handle memory_space = make_space(direct != nullptr ? counts : read_shape);
  if (direct != nullptr) {
    select_box(memory_space.get(), box.first, box.count);
  } else {
    staging.resize(element_count(read_shape) * type.bytes);
  }
  void* const destination = direct != nullptr ? direct : staging.data();
  unwritten->fill(destination, memory_space.get());
  if (H5Dread(dataset.get(), hdf5_type.get(), memory_space.get(), file_space, H5P_DEFAULT, destination) < 0) {
    refuse(fmt::format("{}: {}", where(info), read_failure_text(last_hdf5_error())));
  }
  if (gap > 1) {
    const std::uint64_t lines = element_count(box.count) / box.count.back();
    close_gaps(staging.data(), lines, read_shape.back(), gap, box.count.back(), type.bytes);
  }
}

void Dataset::Impl::read_into(std::byte* out, const Decoder* decoder, std::uint64_t element_bytes,
                              const ProgressCallback& progress) const {
  const Shape counts = selection.counts();
  const Handle file_space(H5Dget_space(dataset.get()), H5Sclose);
  // HDF5 takes each element of a strided line by itself, which is slower than reading what lies between as well.
  constexpr std::uint64_t widest_gap_bytes = 512;
  const std::uint64_t stride = counts.empty() ? 1 : selection.axes.back().stride;
  const std::uint64_t gap = stride * type.bytes <= widest_gap_bytes ? stride : 1;
  const bool direct = decoder == nullptr && gap == 1;
  const std::uint64_t total = bytes_of(element_bytes);
  std::uint64_t done = 0;
  std::vector<std::byte> staging;
  const std::uint64_t target = info.layout == "virtual" ? virtual_piece_bytes : piece_bytes;
  for_each_box(selection, info.chunks, type.bytes, target / gap, [&](const Box& box) {
    read_box(box, file_space.get(), gap, staging, direct ? out : nullptr);
    if (!direct) {
      for_each_run(box, counts, [&](std::uint64_t from, std::uint64_t to, std::uint64_t length) {
        const std::byte* const in = staging.data() + from * type.bytes;
        if (decoder != nullptr) {
          decoder->decode(in, length, out + to * element_bytes);
        } else {
          std::memcpy(out + to * element_bytes, in, length * element_bytes);
        }
      });
    }
    done += element_count(box.count) * element_bytes;
    if (progress) progress(done, total);
  });
  check_source_lengths();
  for (std::size_t axis = 0; axis < counts.size(); ++axis) {
    if (selection.axes[axis].reversed && total > 0) reverse_axis(out, counts, axis, element_bytes);
  }
}

void Dataset::Impl::check_source_lengths() const {
  for (const auto& [path, before] : source_states) {
    const auto now = state_of(path);
    // Where another file has taken its name, the one that is open is as it was.
    if (!now || now->device != before.device || now->inode != before.inode || now->bytes >= before.bytes) continue;
    refuse(fmt::format("{}: '{}' was cut short while it was read, from {} bytes to {}; run again when it is whole",
                       where(info), printable(path), before.bytes, now->bytes));
  }
}

Dataset::Dataset(const std::string& spec, int rank_max) : m_impl(std::make_unique<Impl>()) {
  Impl& self = *m_impl;
  DatasetInfo& info = self.info;
  const FileSpec parts = split_input_spec(spec);
  info.file = parts.file;
  self.file = open_input_file(parts.file);
  const NamedSelection named = split_name(self.file.get(), parts.file, parts.name);
  info.dataset = named.dataset;
  while (info.dataset.ends_with('/')) info.dataset.pop_back();
  info.selection = named.selection;

  self.dataset = open_dataset(self.file.get(), info.file, info.dataset, dataset_access().get());
  if (const Handle access = external_file_access(self.dataset.get())) {
    self.dataset.reset();  // HDF5 does not open one dataset twice with different places for its external files
    self.dataset = open_dataset(self.file.get(), info.file, info.dataset, access.get());
  }
  self.hdf5_type = Handle(H5Dget_type(self.dataset.get()), H5Tclose);
  if (!self.hdf5_type) refuse(fmt::format("{}: {}", where(info), read_failure_text(last_hdf5_error())));
  self.type = stored_type(self.hdf5_type.get());
  info.stored_type = self.type.name;
  info.stored_element_bytes = self.type.bytes;
  info.stored_shape = extents_of(info, self.dataset.get(), rank_max);
  StorageDescription storage = describe_storage(self.dataset.get());
  info.layout = std::move(storage.layout);
  info.chunks = std::move(storage.chunks);
  info.filters = std::move(storage.filters);
  self.selection = naming(info, [&] { return Selection(info.selection).resolve(info.stored_shape); });
  info.shape = self.selection.shape();
  info.sources = check_storage(self.dataset.get(), where(info), &self.selection);
  for (const std::string& path : info.sources) {
    if (const auto state = state_of(path)) self.source_states.emplace_back(path, *state);
  }
  self.unwritten.emplace(self.dataset.get());
}

Dataset::~Dataset() = default;
Dataset::Dataset(Dataset&&) noexcept = default;
Dataset& Dataset::operator=(Dataset&&) noexcept = default;

const DatasetInfo& Dataset::info() const { return m_impl->info; }

ElementType Dataset::compute_type() const {
  const Impl& self = *m_impl;
  if (!self.type.numeric()) {
    refuse(fmt::format("{}: holds {}; only integers, booleans, enums and floating-point numbers can be computed with",
                       where(self.info), self.type.name));
  }
  if (self.type.is_complex()) {
    refuse(fmt::format("{}: holds {}; only real numbers can be computed with here", where(self.info), self.type.name));
  }
  return compute_type_of(self.type);
}

ElementType Dataset::part_type() const { return is_complex() ? compute_type_of(m_impl->type) : compute_type(); }

bool Dataset::is_complex() const { return m_impl->type.is_complex(); }

NumberType Dataset::element_type() const {
  const ElementType computed = part_type();
  const StoredType& stored = m_impl->type;
  if (is_complex()) return complex_of(number_type_of(computed));
  if (is_floating(computed)) return number_type_of(computed);
  const bool is_signed = stored.is_signed;
  if (stored.precision <= 8) return is_signed ? NumberType::int8 : NumberType::uint8;
  if (stored.precision <= 16) return is_signed ? NumberType::int16 : NumberType::uint16;
  if (stored.precision <= 32) return is_signed ? NumberType::int32 : NumberType::uint32;
  return is_signed ? NumberType::int64 : NumberType::uint64;
}

std::optional<Number> Dataset::nearest_element(const Number& value) const {
  return apps::nearest_element(m_impl->type, value);
}

std::string Dataset::notice() const {
  const Impl& self = *m_impl;
  if (!self.type.numeric() || !wider_than_float64(self.type)) return "";
  return fmt::format("{}: {} is rounded to float64", where(self.info), self.type.name);
}

std::uint64_t Dataset::read_bytes() const { return m_impl->bytes_of(size_of(part_type()) * m_impl->type.parts); }

std::uint64_t Dataset::raw_bytes() const {
  const Impl& self = *m_impl;
  if (self.type.variable_length || self.type.bytes < 1) {
    refuse(fmt::format("{}: holds {}; only types of a fixed size can be moved", where(self.info), self.type.name));
  }
  return self.bytes_of(self.type.bytes);
}

HostArray Dataset::read(const ProgressCallback& progress) const {
  const Impl& self = *m_impl;
  HostArray array;
  array.type = part_type();
  array.shape = self.info.shape;
  array.is_complex = is_complex();
  const std::uint64_t bytes = read_bytes();
  require_host_memory(where(self.info), bytes);
  array.buffer = HostBuffer(bytes);
  const Decoder decoder(self.type);
  self.read_into(array.buffer.as<std::byte>(), decoder.is_copy() ? nullptr : &decoder,
                 size_of(array.type) * self.type.parts, progress);
  return array;
}

HostBuffer Dataset::read_raw(const ProgressCallback& progress) const {
  const Impl& self = *m_impl;
  const std::uint64_t bytes = raw_bytes();
  require_host_memory(where(self.info), bytes);
  HostBuffer buffer(bytes);
  self.read_into(buffer.as<std::byte>(), nullptr, self.type.bytes, progress);
  return buffer;
}

std::vector<ListedDataset> list_datasets(const std::string& file) {
  const Handle opened = open_input_file(file);
  std::vector<ListedDataset> rows;
  visit_datasets(opened.get(), [&](const std::string& path, hid_t dataset) {
    const Handle type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
    if (!type || !space || H5Sget_simple_extent_type(space.get()) == H5S_NULL) return;
    const StoredType stored = stored_type(type.get());
    if (!stored.numeric()) return;
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    const int rank = H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    const StorageDescription storage = describe_storage(dataset);
    rows.push_back({path, stored.name, storage.layout, join(storage.filters, ","),
                    Shape(extents.begin(), extents.begin() + std::max(rank, 0))});
  });
  return rows;
}

}  // namespace tessera::apps
