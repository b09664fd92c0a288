// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "descriptor.hpp"
#include "failure.hpp"
#include "hdf5_handle.hpp"
#include "text.hpp"

namespace tessera::apps {
namespace {

/// Ends with the status that an errno of a failed write deserves.
[[noreturn]] void fail(const std::string& what, int error) {
  const std::string message = fmt::format("{}: {}", what, std::strerror(error));
  if (error == EACCES || error == EPERM || error == EROFS || error == ENOENT) refuse(message);
  out_of_resource(message);
}

/// Sharing blocks costs no room and no time; copying inside the kernel is next.
void copy_bytes(int from, int to, std::int64_t bytes, const std::string& what) {
  if (ioctl(to, FICLONE, from) == 0) return;
  std::int64_t done = 0;
  while (done < bytes) {
    const ssize_t copied = copy_file_range(from, nullptr, to, nullptr, static_cast<std::size_t>(bytes - done), 0);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO)) fail(what, errno);
    if (copied <= 0) break;
    done += copied;
  }
  std::vector<char> buffer(std::size_t{8} << 20);
  while (done < bytes) {
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(what, errno);
    if (got == 0) break;  // it has become shorter: found before the rename
    const int error = write_all(to, {buffer.data(), static_cast<std::size_t>(got)});
    if (error != 0) fail(what, error);
    done += got;
  }
}

}  // namespace

std::optional<FileState> state_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileState{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string temporary_name(const std::string& target) {
  static std::random_device random;
  const std::string name = target.substr(target.rfind('/') + 1);  // npos + 1 is 0
  constexpr std::size_t longest = 200;                            // file systems allow 255 bytes
  return fmt::format("{}/.{}.tessera-tmp-{:08x}{:08x}", folder_of(target), name.substr(0, longest), random(), random());
}

void lock_for_a_while(int descriptor) {
  for (int tries = 0; tries < 500 && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::string resolve_links(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path resolved(path);
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(resolved, error)); ++links) {
    if (links == 40) refuse(printable(path) + ": too many symbolic links");
    const fs::path next = fs::read_symlink(resolved, error);
    resolved = next.is_absolute() ? next : resolved.parent_path() / next;
  }
  return resolved.string();
}

void require_disk_room(const std::string& what, const std::string& folder, std::uint64_t bytes,
                       std::uint64_t file_bytes) {
  struct statvfs status {};
  if (statvfs(folder.c_str(), &status) == 0) {
    const std::uint64_t blocks = status.f_bavail, block = status.f_frsize;
    const std::uint64_t room = blocks > std::numeric_limits<std::uint64_t>::max() / std::max<std::uint64_t>(block, 1)
                                   ? std::numeric_limits<std::uint64_t>::max()
                                   : blocks * block;
    if (bytes > room) {
      out_of_resource(fmt::format("{}: needs {} of disk room, the folder '{}' has {}", what, format_bytes(bytes),
                                  printable(folder), format_bytes(room)));
    }
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && file_bytes > limit.rlim_cur) {
    out_of_resource(fmt::format("{}: the file will have {}, ulimit -f allows {}", what, format_bytes(file_bytes),
                                format_bytes(limit.rlim_cur)));
  }
}

TemporaryFile::TemporaryFile(const std::string& target) : m_target(target) {
  install_signal_handlers();
  // Absolute, since a signal handler must find it wherever the process has gone.
  m_path = std::filesystem::absolute(temporary_name(target)).string();
  m_guard = std::make_unique<TemporaryPath>(m_path);
  m_descriptor = open(m_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (m_descriptor < 0) fail(fmt::format("{}: cannot make a file beside it", printable(target)), errno);
  m_original = state_of(target);
  if (m_original) copy_from_target();
}

TemporaryFile::~TemporaryFile() {
  if (m_descriptor >= 0) close(m_descriptor);
}

void TemporaryFile::copy_from_target() {
  const std::string what = printable(m_target) + ": cannot be copied beside itself";
  const Descriptor source(open(m_target.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (source.get() < 0 || fstat(source.get(), &status) != 0) fail(what, errno);
  copy_bytes(source.get(), m_descriptor, status.st_size, what);
  // Only root can give a file away; the mode must not open it to others then.
  const bool same_owner = fchown(m_descriptor, status.st_uid, status.st_gid) == 0;
  const mode_t mode = status.st_mode & (same_owner ? 07777U : 0777U);
  if (fchmod(m_descriptor, mode) != 0) fail(what, errno);
}

void TemporaryFile::reserve(std::uint64_t bytes) {
  struct stat status {};
  if (bytes == 0 || fstat(m_descriptor, &status) != 0) return;
  const int result = fallocate(m_descriptor, FALLOC_FL_KEEP_SIZE, status.st_size, static_cast<off_t>(bytes));
  if (result == 0 || (errno != ENOSPC && errno != EDQUOT && errno != EFBIG)) return;
  fail(fmt::format("{}: no room for {} more", printable(m_target), format_bytes(bytes)), errno);
}

void TemporaryFile::sync() {
  if (m_descriptor < 0) return;
  const std::string name = printable(m_target);
  if (fsync(m_descriptor) != 0) fail(name + ": cannot be written to disk", errno);
  const int closed = close(std::exchange(m_descriptor, -1));  // network file systems report a full disk here
  if (closed != 0) fail(name + ": cannot be written to disk", errno);
}

void TemporaryFile::commit() {
  sync();
  const std::string name = printable(m_target);
  const Descriptor folder(open(folder_of(m_target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Keeps two of our processes from renaming onto one target at the same moment; without a lock, the check of the
  // target's state is all there is.
  if (folder.get() >= 0) lock_for_a_while(folder.get());
  if (state_of(m_target) != m_original) {
    refuse(name + (m_original ? ": was changed by another process meanwhile; it is left as it is now, run again"
                              : ": was made by another process meanwhile; it is left as it is, run again"));
  }
  if (rename(m_path.c_str(), m_target.c_str()) != 0) fail(name + ": cannot be put in place", errno);
  m_guard->release();
  if (folder.get() >= 0) fsync(folder.get());
}

}  // namespace tessera::apps
