// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/session.hpp"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <set>

#include "common/failure.hpp"
#include "device/ceiling.hpp"
#include "device/kokkos_settings.hpp"

namespace {

using namespace tessera::apps;

// Kokkos starts once in a process, so all cases share a session.
const Session& session() {
  static const Session the_session({}, "openmp");
  return the_session;
}

std::vector<std::string> host_spaces() {
  auto spaces = built_in_spaces();
  std::erase(spaces, "cuda");
  return spaces;
}

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    (void)kokkos_settings(arguments);
  } catch (const Failure& failure) {
    CHECK(failure.status() == ExitStatus::bad_input);
    return failure.what();
  }
  return "accepted";
}

/// A variable of the environment for the time of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : m_name(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(m_name); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* m_name;
};

}  // namespace

TEST_CASE("kokkos_settings: takes every argument that Kokkos knows") {
  const auto settings =
      kokkos_settings({"--kokkos-num-threads=3", "--kokkos-device-id=1", "--kokkos-map-device-id-by=random",
                       "--kokkos-disable-warnings", "--kokkos-print-configuration", "--kokkos-tune-internals=no",
                       "--kokkos-tools-args=-c input"});
  CHECK(settings.num_threads == 3);
  CHECK(settings.device_id == 1);
  CHECK(settings.map_device_id_by == "random");
  CHECK(settings.print_configuration);
  CHECK_FALSE(settings.tune_internals);
  CHECK(settings.tools_args == "-c input");
  CHECK_FALSE(kokkos_settings({}).num_threads);
}

TEST_CASE("kokkos_settings: an argument comes before the environment") {
  const Variable variable("KOKKOS_NUM_THREADS", "7");
  CHECK(kokkos_settings({}).num_threads == 7);
  CHECK(kokkos_settings({"--kokkos-num-threads=2"}).num_threads == 2);
}

TEST_CASE("kokkos_settings: refuses what Kokkos would end the process for") {
  CHECK(refusal({"--kokkos-num-threads=0"}) ==
        "--kokkos-num-threads=0: expected an integer of at least 1 and at most 512");
  CHECK(refusal({"--kokkos-num-threads=4x"}) ==
        "--kokkos-num-threads=4x: expected an integer of at least 1 and at most 512");
  CHECK(refusal({"--kokkos-num-threads=99999999999"}) ==
        "--kokkos-num-threads=99999999999: expected an integer of at least 1 and at most 512");
  CHECK(refusal({"--kokkos-num-threads"}) == "--kokkos-num-threads: expected --kokkos-num-threads=VALUE");
  CHECK(refusal({"--kokkos-device-id=-1"}) == "--kokkos-device-id=-1: expected an integer of at least 0");
  CHECK(refusal({"--kokkos-map-device-id-by=rank"}) == "--kokkos-map-device-id-by=rank: expected random or mpi_rank");
  CHECK(refusal({"--kokkos-tune-internals=maybe"}) ==
        "--kokkos-tune-internals=maybe: expected true, yes, 1, false, no or 0");
  CHECK(refusal({"--kokkos-tools-libs=/nowhere/tool.so"}) ==
        "--kokkos-tools-libs=/nowhere/tool.so: the tool library \"/nowhere/tool.so\" cannot be loaded");
  CHECK(refusal({"--kokkos-threads=4"}) ==
        "--kokkos-threads=4: unknown; the Kokkos arguments are --kokkos-num-threads, --kokkos-device-id, "
        "--kokkos-map-device-id-by, --kokkos-disable-warnings, --kokkos-print-configuration, --kokkos-tune-internals, "
        "--kokkos-tools-libs, --kokkos-tools-args");
}

TEST_CASE("kokkos_settings: refuses a variable and names it") {
  const Variable variable("KOKKOS_DEVICE_ID", "first");
  CHECK(refusal({}) == "environment variable KOKKOS_DEVICE_ID=first: expected an integer of at least 0");
}

TEST_CASE("Session: refuses a space that is not built in before Kokkos starts") {
  const auto spaces = built_in_spaces();
#if defined(TESSERA_ONE_SPACE)
  REQUIRE(host_spaces() == std::vector<std::string>{"openmp"});
#else
  REQUIRE(spaces.back() == "serial");
#endif
  CHECK((spaces.front() == "cuda") == (TESSERA_HAS_CUDA == 1));
  std::string list;
  for (const auto& space : spaces) {
    if (!list.empty()) list += ", ";
    list += space;
  }
  try {
    const Session refused({}, "sycl");
    FAIL("accepted");
  } catch (const Failure& failure) {
    CHECK(failure.status() == ExitStatus::bad_input);
    CHECK(std::string(failure.what()) == "--space sycl: not built in; this build has " + list);
  }
}

TEST_CASE("Session: knows what it runs on") {
  CHECK(session().space() == "openmp");
  const auto info = session().info();
  CHECK(info.backend == "OpenMP");
  CHECK(info.version.find('.') != std::string::npos);
  CHECK_FALSE(info.device.empty());
  CHECK(info.concurrency >= 1);
  CHECK_FALSE(session().has_own_memory());
  CHECK(session().free_bytes() > 1'000'000);
}

TEST_CASE("ceiling: the runtime's copy and six shapes of a kernel, each on the array's size") {
  REQUIRE(session().space() == "openmp");  // Kokkos has started
  for (const std::string& space : host_spaces()) {
    CAPTURE(space);
    const std::uint64_t bytes = 16 * 100'003;
    const auto candidates = ceiling_candidates(space, bytes);
    std::set<std::string> copies, reads;
    Ceiling best;
    for (const auto& candidate : candidates) {
      (candidate.is_copy ? copies : reads).insert(candidate.name);
      CHECK(candidate.bytes == (candidate.is_copy ? 2 * bytes : bytes));
      const double rate = 1e-9 * static_cast<double>(candidate.bytes) / statistics_of(candidate.seconds).median;
      auto& record = candidate.is_copy ? best.copy_gb_per_s : best.read_gb_per_s;
      record = std::max(record, rate);
    }
    CHECK(copies.count("memcpy by all threads") == 1);
    CHECK(copies.size() == 7);
    CHECK(reads.size() == 6);
    CHECK(copies.size() + reads.size() == candidates.size());
    const auto ceiling = ceiling_of(candidates);
    CHECK(ceiling.bytes == bytes);
    CHECK(ceiling.copy_gb_per_s == Catch::Approx(best.copy_gb_per_s));
    CHECK(ceiling.read_gb_per_s == Catch::Approx(best.read_gb_per_s));
  }
}

TEST_CASE("ceiling: small arrays are rounded to a 16-byte piece, an empty one has no ceiling") {
  CHECK(measure_ceiling(session().space(), 0).bytes == 0);
  CHECK(ceiling_candidates(session().space(), 0).empty());
  CHECK(measure_ceiling(session().space(), 1).bytes == 16);
  CHECK(measure_ceiling(session().space(), 47).bytes == 32);
  CHECK(measure_ceiling(session().space(), 47).read_gb_per_s > 0);
}

TEST_CASE("error_norms: largest and Euclidean error, and the reference's largest magnitude") {
  REQUIRE(session().space() == "openmp");  // Kokkos has started
  for (const std::string& space : host_spaces()) {
    CAPTURE(space);
    const auto norms = error_norms(space, {1, 2, 3, -7}, {1, 2.5, 3, -10});
    CHECK(norms.max_abs == 3);
    CHECK(norms.reference_max_abs == 10);
    CHECK(norms.l2 == Catch::Approx(std::sqrt(9.25)));
    const auto none = error_norms(space, {}, {});
    CHECK(none.max_abs == 0);
    CHECK(none.l2 == 0);
  }
}

TEST_CASE("error_norms: refuses arrays of different sizes") {
  try {
    (void)error_norms(session().space(), {1}, {1, 2});
    FAIL("accepted");
  } catch (const std::invalid_argument& error) {
    CHECK(std::string(error.what()) == "error_norms: the sizes differ");
  }
}
