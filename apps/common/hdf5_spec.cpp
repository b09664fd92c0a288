// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5_spec.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <vector>

#include "failure.hpp"
#include "hdf5_handle.hpp"
#include "temporary_file.hpp"

namespace tessera::apps {
namespace {

enum class PathKind { missing, folder, file };

PathKind kind_of(const std::string& path) {
  struct stat status {};
  if (path.empty() || stat(path.c_str(), &status) != 0) return PathKind::missing;
  return S_ISDIR(status.st_mode) ? PathKind::folder : PathKind::file;
}

/// All ways to split at ":/", longest FILE first.
std::vector<FileSpec> splits_at_name(const std::string& spec) {
  std::vector<FileSpec> splits;
  for (auto at = spec.rfind(":/"); at != std::string::npos && at > 0; at = spec.rfind(":/", at - 1)) {
    splits.push_back({spec.substr(0, at), spec.substr(at + 1)});
  }
  return splits;
}

}  // namespace

FileSpec split_input_spec(const std::string& spec) {
  std::vector<FileSpec> candidates{{spec, ""}};
  const auto bracket = spec.ends_with(']') ? spec.rfind('[') : std::string::npos;
  const std::vector<FileSpec> splits = splits_at_name(spec);
  if (bracket != std::string::npos && spec.find(":/", bracket) == std::string::npos) {
    candidates.push_back({spec.substr(0, bracket), spec.substr(bracket)});  // the name left out, a selection given
  }
  candidates.insert(candidates.end(), splits.begin(), splits.end());
  for (const PathKind wanted : {PathKind::file, PathKind::folder}) {
    for (const FileSpec& candidate : candidates) {
      if (kind_of(candidate.file) == wanted) return candidate;
    }
  }
  const auto colon = spec.rfind(':');
  if (splits.empty() && colon != std::string::npos && kind_of(spec.substr(0, colon)) == PathKind::file) {
    refuse(fmt::format("{}: no such file; a dataset is named as FILE:/DATASET", printable(spec)));
  }
  return splits.empty() ? candidates.front() : splits.front();
}

FileSpec split_output_spec(const std::string& spec) {
  const std::vector<FileSpec> splits = splits_at_name(spec);
  FileSpec chosen = splits.empty() ? FileSpec{} : splits.back();
  const auto choose = [&](auto&& fits) {
    for (const FileSpec& candidate : splits) {
      if (!fits(candidate)) continue;
      chosen = candidate;
      return true;
    }
    return false;
  };
  choose([](const FileSpec& split) { return kind_of(split.file) == PathKind::file; }) ||
      choose([](const FileSpec& split) { return kind_of(folder_of(split.file)) == PathKind::folder; });
  while (chosen.name.ends_with('/')) chosen.name.pop_back();
  if (chosen.name.empty()) {
    refuse(fmt::format("{}: names no dataset to write; give FILE:/DATASET", printable(spec)));
  }
  return chosen;
}

}  // namespace tessera::apps
