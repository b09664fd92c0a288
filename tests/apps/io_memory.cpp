// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory may be used, from files and limits put in place of the system's.
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

#include "common/memory_limit.hpp"
#include "io_support.hpp"

namespace tessera::apps::test {
namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// A machine with 8000 MiB available, a process of 100 MiB mapped, 60 MiB of data, 40 MiB resident, and no limits.
struct Machine {
  Folder folder;
  std::map<std::string, std::string> environment;
  std::map<int, std::uint64_t> limits;

  Machine() {
    put("proc/meminfo", "MemTotal:       16384000 kB\nMemFree:  100 kB\nMemAvailable:    8192000 kB\n");
    put("proc/self/status", "Name:\ttest\nVmSize:\t  102400 kB\nVmRSS:\t   40960 kB\nVmData:\t   61440 kB\n");
  }
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder / name).parent_path());
    write_file(folder / name, text);
  }
  [[nodiscard]] MemoryLimit limit() const {
    MemorySources sources;
    sources.proc = folder / "proc";
    sources.root = folder.path();
    sources.environment = [this](const char* name) {
      const auto found = environment.find(name);
      return found == environment.end() ? std::string() : found->second;
    };
    sources.resource_limit = [this](int resource) {
      const auto found = limits.find(resource);
      return found == limits.end() ? unlimited : found->second;
    };
    return available_host_memory(sources);
  }
  void check(std::uint64_t mebibytes, const std::string& reason) const {
    const MemoryLimit found = limit();
    CHECK(found.bytes == mebibytes * mebi);
    CHECK(found.reason == reason);
  }
  void mount_version_2(const std::string& root = "/") const {
    put("proc/self/mountinfo",
        "22 1 0:20 / /proc rw shared:5 - proc proc rw\n"
        "30 22 0:26 " +
            root + " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void mount_version_1(const std::string& root = "/") const {
    put("proc/self/mountinfo",
        "31 22 0:27 / /sys/fs/cgroup/cpu\\040set rw shared:9 - cgroup cgroup rw,cpuset\n"
        "33 22 0:29 " +
            root + " /sys/fs/cgroup/the\\040memory rw shared:9 - cgroup cgroup rw,memory\n");
  }
};

}  // namespace

TEST_CASE("without limits, what the machine has available counts") { Machine().check(8000, "the machine"); }

TEST_CASE("a control group of version 2 limits, page cache that can go is no use") {
  Machine machine;
  machine.mount_version_2();
  machine.put("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  const std::string groups = "sys/fs/cgroup/slurm/job_7";
  machine.put(groups + "/step_0/memory.max", "max\n");
  machine.check(8000, "the machine");
  // The job above the step: 4000 MiB, 1500 used, 1100 of those file pages of which 100 are shared memory.
  machine.put(groups + "/memory.max", std::to_string(4000 * mebi) + "\n");
  machine.put(groups + "/memory.current", std::to_string(1500 * mebi) + "\n");
  machine.put(groups + "/memory.stat", "anon 1\nfile " + std::to_string(1100 * mebi) + "\nshmem " +
                                           std::to_string(100 * mebi) + "\nunevictable 0\n");
  machine.check(3500, "the control group");
  machine.put(groups + "/memory.high", std::to_string(3000 * mebi) + "\n");
  machine.check(2500, "the control group");
  machine.put(groups + "/step_0/memory.max", std::to_string(1000 * mebi) + "\n");
  machine.check(1000, "the control group");
  machine.put(groups + "/step_0/memory.current", std::to_string(1200 * mebi) + "\n");
  machine.check(0, "the control group");
}

TEST_CASE("a container sees its own group at the mount point") {
  Machine machine;
  machine.mount_version_2("/docker/abc");
  machine.put("proc/self/cgroup", "0::/docker/abc\n");
  machine.put("sys/fs/cgroup/memory.max", std::to_string(700 * mebi) + "\n");
  machine.check(700, "the control group");
  machine.put("proc/self/cgroup", "0::/docker/abc/inner\n");
  machine.put("sys/fs/cgroup/inner/memory.max", std::to_string(600 * mebi) + "\n");
  machine.check(600, "the control group");
}

TEST_CASE("a control group of version 1 limits") {
  Machine machine;
  machine.mount_version_1();
  machine.put("proc/self/cgroup", "12:cpuset:/other\n9:cpu,memory:/job/step\n0::/\n");
  const std::string groups = "sys/fs/cgroup/the memory/job";
  machine.put(groups + "/memory.limit_in_bytes", "9223372036854771712\n");
  machine.check(8000, "the machine");
  machine.put(groups + "/memory.limit_in_bytes", std::to_string(2000 * mebi) + "\n");
  machine.put(groups + "/memory.usage_in_bytes", std::to_string(900 * mebi) + "\n");
  machine.put(groups + "/memory.stat", "cache 5\ntotal_cache " + std::to_string(600 * mebi) + "\ntotal_shmem " +
                                           std::to_string(100 * mebi) + "\n");
  machine.check(1600, "the control group");
  machine.put(groups + "/step/memory.limit_in_bytes", std::to_string(500 * mebi) + "\n");
  machine.check(500, "the control group");
}

TEST_CASE("ulimit limits, less what is mapped") {
  Machine machine;
  machine.limits[RLIMIT_AS] = 1000 * mebi;
  machine.check(900, "ulimit -v");
  machine.limits[RLIMIT_DATA] = 500 * mebi;
  machine.check(440, "ulimit -d");
  machine.limits[RLIMIT_AS] = 50 * mebi;
  machine.check(0, "ulimit -v");
}

TEST_CASE("Slurm's memory of the node limits, less what the process has") {
  Machine machine;
  machine.environment["SLURM_MEM_PER_NODE"] = "2000";
  machine.check(1960, "the Slurm job");
  machine.environment = {{"SLURM_MEM_PER_CPU", "300"}, {"SLURM_CPUS_ON_NODE", "4"}};
  machine.check(1160, "the Slurm job");
  machine.environment = {{"SLURM_MEM_PER_GPU", "1000"}, {"SLURM_GPUS_ON_NODE", "2"}};
  machine.check(1960, "the Slurm job");
  machine.environment = {{"SLURM_MEM_PER_NODE", "0"}};  // all of the node
  machine.check(8000, "the machine");
  machine.environment = {{"SLURM_MEM_PER_NODE", "many"}, {"SLURM_MEM_PER_CPU", "300"}};
  machine.check(8000, "the machine");
  machine.environment = {{"SLURM_MEM_PER_NODE", "18446744073709551615"}};
  machine.check(8000, "the machine");
}

TEST_CASE("this process has a limit, and what exceeds it is refused with both sizes") {
  CHECK(available_host_bytes() > mebi);
  CHECK(available_host_bytes() < std::uint64_t{1} << 50);
  require_host_memory("x", 0);
  const std::string message = no_resource([] { require_host_memory("in.h5:/x", std::uint64_t{1} << 52); });
  CHECK(message.starts_with("in.h5:/x: needs 4.50 PB of host memory, "));
  CHECK(message.find(" are available (limited by ") != std::string::npos);
}

TEST_CASE("an address space limit is seen at work") {
  const ChildEnd end = in_child([]() -> std::string {
    constexpr std::uint64_t more = std::uint64_t{6} << 30;
    std::uint64_t mapped_pages = 0;
    std::ifstream("/proc/self/statm") >> mapped_pages;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = mapped_pages * static_cast<std::uint64_t>(getpagesize()) + more;
    if (setrlimit(RLIMIT_AS, &limit) != 0) return "no limit";
    return available_host_bytes() <= more ? "limited" : "not limited";
  });
  CHECK(end.text == "limited");
}

TEST_CASE("arrays on the host: sizes, shapes and what does not fit") {
  CHECK(to_string(Shape{}) == "()");
  CHECK(to_string(Shape{3}) == "(3,)");
  CHECK(to_string(Shape{3, 4}) == "(3, 4)");
  CHECK(element_count({}) == 1);
  CHECK(element_count({3, 4}) == 12);
  CHECK(element_count({~std::uint64_t{0}, 0, ~std::uint64_t{0}}) == 0);
  CHECK(no_resource([] {
          static_cast<void>(element_count({std::uint64_t{1} << 32, std::uint64_t{1} << 32}));
        }) == "an array of shape (4294967296, 4294967296) has more elements than 64 bits can count");
  CHECK(no_resource([] { HostBuffer{std::uint64_t{1} << 60}; }) == "no memory for an array of 1.15 EB on the host");
  CHECK(no_resource([] { HostBuffer{~std::uint64_t{0}}; }) == "no memory for an array of 18.45 EB on the host");
  HostBuffer buffer(100);
  CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
  CHECK(HostBuffer(0).data() == nullptr);
  const void* const data = buffer.data();
  HostBuffer moved(std::move(buffer));
  CHECK(moved.data() == data);
  CHECK(moved.bytes() == 100);
  HostBuffer assigned;
  assigned = std::move(moved);
  CHECK(assigned.data() == data);
  for (const ElementType type :
       {ElementType::int32, ElementType::int64, ElementType::uint64, ElementType::float32, ElementType::float64}) {
    CHECK(size_of(type) == (to_string(type).ends_with("32") ? 4U : 8U));
    CHECK(is_floating(type) == to_string(type).starts_with("float"));
  }
}

}  // namespace tessera::apps::test
