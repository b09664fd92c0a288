// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "failure.hpp"
#include "text.hpp"

namespace tessera::apps {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t minus(std::uint64_t limit, std::uint64_t used) { return limit > used ? limit - used : 0; }

/// "key: 12 kB" or "key 12" lines as a table of the numbers as they stand.
std::map<std::string, std::uint64_t> read_table(const std::string& path) {
  std::map<std::string, std::uint64_t> table;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    std::uint64_t value = 0;
    if (!(words >> key >> value)) continue;
    if (key.ends_with(':')) key.pop_back();
    table[key] = value;
  }
  return table;
}

std::uint64_t value_of(const std::map<std::string, std::uint64_t>& table, const std::string& key) {
  const auto entry = table.find(key);
  return entry == table.end() ? 0 : entry->second;
}

/// A file with one number; "max", and the huge number that version 1 writes, mean none.
std::optional<std::uint64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (!(file >> value) || value >= std::uint64_t{1} << 62) return std::nullopt;
  return value;
}

/// One mounted hierarchy that accounts memory.
struct Hierarchy {
  int version = 2;
  std::string mount, root;  ///< where it is mounted, and which of its groups stands there
};

/// The escapes of mountinfo: \040 is a space.
std::string unescape(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>(std::strtol(text.substr(i + 1, 3).c_str(), nullptr, 8));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<Hierarchy> hierarchies(const std::string& proc) {
  std::vector<Hierarchy> found;
  std::ifstream file(proc + "/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto separator = line.find(" - ");
    if (separator == std::string::npos) continue;
    std::istringstream left(line.substr(0, separator)), right(line.substr(separator + 3));
    std::string id, parent, device, root, mount, type, source, options;
    left >> id >> parent >> device >> root >> mount;
    right >> type >> source >> options;
    const std::vector<std::string> flags = split(options);
    const bool memory_v1 = type == "cgroup" && std::find(flags.begin(), flags.end(), "memory") != flags.end();
    if (type == "cgroup2" || memory_v1) found.push_back({memory_v1 ? 1 : 2, unescape(mount), unescape(root)});
  }
  return found;
}

/// The group of this process in a hierarchy: "0::/a/b" or "9:memory:/a/b".
std::string group_of(const std::string& proc, int version) {
  std::ifstream file(proc + "/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::vector<std::string> controllers = split(line.substr(first + 1, second - first - 1));
    const bool fits = version == 2 ? line.starts_with("0::")
                                   : std::find(controllers.begin(), controllers.end(), "memory") != controllers.end();
    if (fits) return line.substr(second + 1);
  }
  return "/";
}

/// What one group leaves: its limit less its use, where page cache that can be dropped is no use.
std::uint64_t left_in_group(const std::string& folder, int version) {
  const auto table = read_table(folder + "/memory.stat");
  const std::string total = version == 1 ? "total_" : "";
  const std::uint64_t cache = version == 1 ? value_of(table, "total_cache") : value_of(table, "file");
  const std::uint64_t reclaimable =
      minus(cache, value_of(table, total + "shmem") + value_of(table, total + "unevictable"));
  const auto used = read_number(folder + (version == 1 ? "/memory.usage_in_bytes" : "/memory.current"));
  std::uint64_t left = unlimited;
  const auto limits = version == 1 ? std::vector<std::string>{"/memory.limit_in_bytes"}
                                   : std::vector<std::string>{"/memory.max", "/memory.high"};
  for (const std::string& name : limits) {
    const auto limit = read_number(folder + name);
    if (limit) left = std::min(left, minus(*limit, minus(used.value_or(0), reclaimable)));
  }
  return left;
}

std::uint64_t left_in_groups(const MemorySources& sources) {
  std::uint64_t left = unlimited;
  for (const Hierarchy& hierarchy : hierarchies(sources.proc)) {
    std::string group = group_of(sources.proc, hierarchy.version);
    // In a container the group may be named as the host sees it, from above what is mounted.
    if (hierarchy.root != "/" && group.starts_with(hierarchy.root)) group.erase(0, hierarchy.root.size());
    const std::string mount = sources.root + hierarchy.mount;
    while (!group.empty() && group != "/") {
      left = std::min(left, left_in_group(mount + group, hierarchy.version));
      group.erase(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
    left = std::min(left, left_in_group(mount, hierarchy.version));
  }
  return left;
}

/// MiB from a Slurm variable; 0 means "all of the node" there and no limit here.
std::uint64_t slurm_number(const MemorySources& sources, const char* variable) {
  return parse_uint64(sources.environment(variable)).value_or(0);
}

std::uint64_t slurm_bytes(const MemorySources& sources) {
  std::uint64_t mebibytes = slurm_number(sources, "SLURM_MEM_PER_NODE");
  if (mebibytes == 0) {
    mebibytes = slurm_number(sources, "SLURM_MEM_PER_CPU") * slurm_number(sources, "SLURM_CPUS_ON_NODE");
  }
  if (mebibytes == 0) {
    mebibytes = slurm_number(sources, "SLURM_MEM_PER_GPU") * slurm_number(sources, "SLURM_GPUS_ON_NODE");
  }
  return mebibytes == 0 || mebibytes >= unlimited >> 20 ? unlimited : mebibytes << 20;
}

}  // namespace

MemorySources::MemorySources()
    : environment([](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value != nullptr ? value : "");
      }),
      resource_limit([](int resource) {
        rlimit limit{};
        const bool known = getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0;
        return known && limit.rlim_cur != RLIM_INFINITY ? static_cast<std::uint64_t>(limit.rlim_cur) : unlimited;
      }) {}

MemoryLimit available_host_memory(const MemorySources& sources) {
  MemoryLimit tightest{unlimited, "nothing known"};
  const auto consider = [&](std::uint64_t bytes, const char* reason) {
    if (bytes < tightest.bytes) tightest = {bytes, reason};
  };
  const auto machine = read_table(sources.proc + "/meminfo");
  const auto process = read_table(sources.proc + "/self/status");
  const auto kib = [](const auto& table, const char* key) { return value_of(table, key) << 10; };
  if (machine.contains("MemAvailable")) consider(kib(machine, "MemAvailable"), "the machine");
  consider(left_in_groups(sources), "the control group");
  const auto limit_less = [&](int resource, const char* used) {
    const std::uint64_t limit = sources.resource_limit(resource);
    return limit == unlimited ? unlimited : minus(limit, kib(process, used));
  };
  consider(limit_less(RLIMIT_AS, "VmSize"), "ulimit -v");
  consider(limit_less(RLIMIT_DATA, "VmData"), "ulimit -d");
  const std::uint64_t slurm = slurm_bytes(sources);
  if (slurm != unlimited) consider(minus(slurm, kib(process, "VmRSS")), "the Slurm job");
  return tightest;
}

std::uint64_t available_host_bytes() { return available_host_memory().bytes; }

void require_host_memory(const std::string& what, std::uint64_t bytes) {
  const MemoryLimit limit = available_host_memory();
  if (bytes <= limit.bytes) return;
  out_of_resource(fmt::format("{}: needs {} of host memory, {} are available (limited by {})", what,
                              format_bytes(bytes), format_bytes(limit.bytes), limit.reason));
}

}  // namespace tessera::apps
