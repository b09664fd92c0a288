// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that takes another's place all at once: built beside it, synced, renamed.
#ifndef TESSERA_APPS_COMMON_TEMPORARY_FILE_HPP
#define TESSERA_APPS_COMMON_TEMPORARY_FILE_HPP

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "signals.hpp"

namespace tessera::apps {

/// What tells one state of a file from another.
struct FileState {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t bytes = 0, seconds = 0, nanoseconds = 0;
  bool operator==(const FileState&) const = default;
};
/// Nothing where there is no such file.
[[nodiscard]] std::optional<FileState> state_of(const std::string& path);

/// "/a" for "/a/b", "." for "b".
[[nodiscard]] std::string folder_of(const std::string& path);

/// path with the symbolic links at its end followed, also where the last one leads to no file yet.
[[nodiscard]] std::string resolve_links(const std::string& path);

/// A hidden name beside target that tells a user what it is and no other process uses.
[[nodiscard]] std::string temporary_name(const std::string& target);

/// Waits some seconds for the lock of a file or folder. Not all file systems have locks, and some keep those of the
/// dead: then it goes on without one.
void lock_for_a_while(int descriptor);

/// Room for this many more bytes in a folder, so far as the file system and ulimit -f tell. file_bytes: the size that
/// one file will have.
void require_disk_room(const std::string& what, const std::string& folder, std::uint64_t bytes,
                       std::uint64_t file_bytes);

class TemporaryFile {
 public:
  /// Made beside target, as a copy of it where it exists. \throws Failure.
  explicit TemporaryFile(const std::string& target);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& path() const { return m_path; }
  [[nodiscard]] bool is_copy() const { return m_original.has_value(); }

  /// Claims disk blocks for growth where the file system can. \throws Failure (no_resource) where there are none.
  void reserve(std::uint64_t bytes);

  /// Brings all of it to disk, for the last time. \throws Failure (no_resource) where there is no room.
  void sync();
  /// Syncs where that has not been done, and puts the file in the target's place. \throws Failure where the target
  /// changed since it was copied.
  void commit();

 private:
  void copy_from_target();
  std::string m_target, m_path;
  std::optional<FileState> m_original;
  std::unique_ptr<TemporaryPath> m_guard;
  int m_descriptor = -1;
};

}  // namespace tessera::apps

#endif
