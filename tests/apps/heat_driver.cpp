// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tessera-heat end to end, against plain loops.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "apps/driver_support.hpp"
#include "device/session.hpp"

namespace tessera::apps::test {
namespace {

using Cells = std::vector<double>;  // row-major

std::uint64_t splitmix64(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// What the solver does, in one thread and one loop.
class PlainHeat {
 public:
  PlainHeat(std::size_t n0, std::size_t n1, std::size_t n2) : m_n{n0, n1, n2}, m_now(n0 * n1 * n2) {
    for_each_cell([&](const auto& at, std::size_t cell) {
      bool hot = true;
      for (int d = 0; d < 3; ++d) hot = hot && at[d] >= m_n[d] / 4 && at[d] < m_n[d] - m_n[d] / 4;
      m_now[cell] = static_cast<double>(splitmix64(cell) >> 11) * 0x1p-53 + (hot ? 4 : 0);
    });
  }

  void step(double diffusion) {
    Cells next(m_now.size());
    for_each_cell([&](const auto& at, std::size_t cell) {
      double sides[3];
      for (int d = 0; d < 3; ++d) {
        auto before = at, after = at;
        if (at[d] > 0) --before[d];
        if (at[d] + 1 < m_n[d]) ++after[d];
        sides[d] = (value(before) - m_now[cell]) + (value(after) - m_now[cell]);
      }
      next[cell] = std::fma(diffusion, (sides[0] + sides[1]) + sides[2], m_now[cell]);
    });
    m_now = next;
  }

  [[nodiscard]] const Cells& cells() const { return m_now; }
  [[nodiscard]] double total() const { return static_cast<double>(std::accumulate(m_now.begin(), m_now.end(), 0.0L)); }

 private:
  using Place = std::array<std::size_t, 3>;
  template <class Function>
  void for_each_cell(const Function& function) const {
    for (std::size_t cell = 0; cell < m_n[0] * m_n[1] * m_n[2]; ++cell) {
      function(Place{cell / (m_n[1] * m_n[2]), cell / m_n[2] % m_n[1], cell % m_n[2]}, cell);
    }
  }
  [[nodiscard]] double value(const Place& at) const { return m_now[(at[0] * m_n[1] + at[1]) * m_n[2] + at[2]]; }

  Place m_n;
  Cells m_now;
};

std::vector<std::uint64_t> bits_of(const Cells& cells) {
  std::vector<std::uint64_t> bits;
  for (const double cell : cells) bits.push_back(std::bit_cast<std::uint64_t>(cell));
  return bits;
}

nlohmann::json result_of(const nlohmann::json& record, const std::string& op) {
  for (const auto& result : record["results"]) {
    if (result["op"] == op) return result;
  }
  FAIL("no result " << op);
  return {};
}

/// In the simplest space where the arguments name none.
ProgramEnd heat(std::vector<std::string> arguments, const std::string& program = TESSERA_HEAT) {
  if (std::none_of(arguments.begin(), arguments.end(), [](const auto& a) { return a.starts_with("--space"); })) {
    arguments.push_back(simplest_space());
  }
  return run_program(program, arguments);
}

std::string heat_refused(const std::vector<std::string>& arguments, int status = 2) {
  return refusal_line(heat(arguments), status, "tessera-heat");
}

/// Every space that is built in, OpenMP with several numbers of threads.
std::vector<std::vector<std::string>> space_settings() {
  std::vector<std::vector<std::string>> settings;
  for (const auto& space : built_in_spaces()) {
    settings.push_back({"--space=" + space, "--kokkos-num-threads=1"});
    if (space != "openmp") continue;
    settings.push_back({"--space=openmp", "--kokkos-num-threads=2"});
    settings.push_back({"--space=openmp", "--kokkos-num-threads=3"});
  }
  return settings;
}

}  // namespace

TEST_CASE("tessera-heat: field and totals have the bits of a plain loop, whatever the space and the threads") {
  const Folder folder;
  const std::string out = folder / "out.h5";
  struct Case {
    std::string shape, diffusion;
    PlainHeat plain;
  };
  for (auto& [shape, diffusion, plain] :
       std::vector<Case>{{"13,38,9", "0.15", {13, 38, 9}}, {"70,41", "0.25", {70, 41, 1}}, {"1,7", "0.1", {1, 7, 1}}}) {
    const double r = std::stod(diffusion);
    for (int step = 0; step < 33; ++step) plain.step(r);
    std::vector<nlohmann::json> totals, fingerprints;
    for (const auto& setting : space_settings()) {
      INFO(shape << ' ' << setting[0] << ' ' << setting[1]);
      std::vector<std::string> arguments{
          "--shape", shape,     "--steps",  "33",       "--every",    "4", "--diffusion=" + diffusion,
          "--force", "--quiet", "--json=-", "--output", out + ":/run"};
      arguments.insert(arguments.end(), setting.begin(), setting.end());
      const auto record = record_of(heat(arguments));
      CHECK(bits_of(read_values<double>(out + ":/run/field")) == bits_of(plain.cells()));
      totals.push_back(result_of(record, "total")["bits"]);
      fingerprints.push_back(result_of(record, "fingerprint")["value"]);
      CHECK(totals.back() == totals.front());
      CHECK(fingerprints.back() == fingerprints.front());
      CHECK(bits_of(read_values<double>(out + ":/run/total")).back() ==
            std::stoull(totals.back().back().get<std::string>(), nullptr, 16));
    }
  }
}

TEST_CASE("tessera-heat: each look sees the field of its step") {
  const Folder folder;
  const std::string out = folder / "out.h5";
  const auto record = record_of(heat(
      {"--shape=12,9,10", "--steps=25", "--every=10", "--axis=1", "--json=-", "--quiet", "--output", out + ":/a/b"}));
  PlainHeat plain(12, 9, 10);
  const auto steps = read_values<std::int64_t>(out + ":/a/b/step");
  REQUIRE(steps == std::vector<std::int64_t>{0, 10, 20, 25});
  CHECK(result_of(record, "step")["value"] == steps);
  const auto stored = [&](const std::string& name) { return read_values<double>(out + ":/a/b/" + name); };
  const Cells total = stored("total"), min = stored("min"), max = stored("max"), deviation = stored("std");
  CHECK(result_of(record, "total")["value"] == total);
  std::int64_t step = 0;
  for (std::size_t look = 0; look < steps.size(); ++look) {
    for (; step < steps[look]; ++step) plain.step(0.1);
    INFO("step " << step);
    const auto [lowest, highest] = std::minmax_element(plain.cells().begin(), plain.cells().end());
    CHECK(min[look] == *lowest);
    CHECK(max[look] == *highest);
    CHECK(std::abs(total[look] - plain.total()) <= 1e-12 * plain.total());
    const double mean = plain.total() / 1080;
    double squares = 0;
    for (const double cell : plain.cells()) squares += (cell - mean) * (cell - mean);
    CHECK(std::abs(deviation[look] - std::sqrt(squares / 1080)) <= 1e-10);
  }
  const Cells smooth = stored("smooth");
  REQUIRE(Dataset(out + ":/a/b/smooth").info().shape == Shape{12, 9, 10});
  constexpr int weights[] = {1, 4, 6, 4, 1};
  for (int cell = 0; cell < 1080; ++cell) {
    const int j = cell / 10 % 9;
    double expected = 0;
    for (int k = -2; k <= 2; ++k) {
      int at = j + k;
      at = at < 0 ? -1 - at : at >= 9 ? 17 - at : at;  // mode reflect
      expected += weights[k + 2] / 16.0 * plain.cells()[static_cast<std::size_t>(cell + 10 * (at - j))];
    }
    if (std::abs(smooth[static_cast<std::size_t>(cell)] - expected) > 1e-14) FAIL("cell " << cell);
  }
}

TEST_CASE("tessera-heat: the record and the report") {
  const Folder folder;
  const std::string json = folder / "heat.json", csv = folder / "heat.csv", plot = folder / "heat.svg";
  const ProgramEnd end = heat({"--shape=20,30", "--steps=12", "--every=5", "--smooth=3", "--json", json, "--csv", csv,
                               "--plot", plot, "--no-progress"});
  REQUIRE(end.status == 0);
  CHECK(end.out.find("input      made here, float64 (20, 30)  4.80 kB\n") != std::string::npos);
  CHECK(end.out.find("in situ    statistics, a filter and a change of layout every 5 steps: ") != std::string::npos);
  CHECK(end.out.find("file       ") == std::string::npos);
  const auto record = nlohmann::json::parse(bytes_of_file(json));
  CHECK(record["schema"] == "tessera/1");
  CHECK(record["app"] == "tessera-heat");
  CHECK(record["input"]["file"].is_null());
  CHECK(record["input"]["shape"] == std::vector<int>{20, 30});
  REQUIRE(record["runs"].size() == 2);
  CHECK(record["runs"][0]["variant"] == "alone");
  const auto& run = record["runs"][1];
  CHECK(run["operation"] == "step");
  CHECK(run["variant"] == "in_situ");
  CHECK(run["repeats"] == 3);
  CHECK(run["bytes"] == 2 * 600 * 8);
  CHECK(run["plan"] == nlohmann::json{{"steps", 12}, {"every", 5}, {"smooth_taps", 3}, {"smooth_axis", 1}});
  CHECK(run["verification"]["passed"] == true);
  CHECK(run["verification"]["max_rel_error"] < 1e-14);
  CHECK(result_of(record, "in_situ_percent")["value"].is_number());
  CHECK(bytes_of_file(csv).find(",,,float64,\"[20,30]\",step,in_situ,") != std::string::npos);
  CHECK(bytes_of_file(plot).find(">tessera-heat: float64 (20, 30)") != std::string::npos);
}

TEST_CASE("tessera-heat: what cannot be is refused in one line") {
  CHECK(heat_refused({}) == "--shape is missing; give two or three extents, such as --shape 512,512");
  CHECK(heat_refused({"--shape=8"}) == "--shape: `8` has 1 extents; give two or three");
  CHECK(heat_refused({"--shape=8,8,8,8"}) == "--shape: `8,8,8,8` has 4 extents; give two or three");
  CHECK(heat_refused({"--shape=8,0"}) == "--shape: `0` is not a whole number from 1 to 2147483647");
  CHECK(heat_refused({"--shape=8,"}) == "--shape: `` is not a whole number from 1 to 2147483647");
  CHECK(heat_refused({"--shape=2,70000,70000"}) ==
        "--shape: 4900000000 lines along the first axis; at most 2147483647");
  CHECK(heat_refused({"--shape=8,8", "--diffusion=0.3"}) ==
        "--diffusion: 0.3 makes the step unstable; in 2 dimensions at most 0.25");
  CHECK(heat_refused({"--shape=8,8,8", "--diffusion=0.2"}) ==
        "--diffusion: 0.2 makes the step unstable; in 3 dimensions at most 0.1667");
  for (const auto* value : {"0", "-0.1", "nan", "x"}) {
    CHECK(heat_refused({"--shape=8,8", "--diffusion", value}) ==
          std::string("--diffusion: `") + value + "` is not a number above 0");
  }
  CHECK(heat_refused({"--shape=8,8", "--steps=0"}) == "--steps: `0` is not a whole number from 1 to 2147483647");
  CHECK(heat_refused({"--shape=8,8", "--every=-1"}) == "--every: `-1` is not a whole number from 1 to 2147483647");
  CHECK(heat_refused({"--shape=8,8", "--smooth=1000"}) == "--smooth: `1000` is not a whole number from 1 to 999");
  CHECK(heat_refused({"--shape=8,8", "--smooth=4"}) ==
        "--smooth: 4 taps would shift the field by half a cell; give an odd number");
  CHECK(heat_refused({"--shape=8,8", "--axis=2"}) == "--axis: `2` is not a whole number from -2 to 1");
  CHECK(heat_refused({"--shape=8,8", "--space=abacus"}).starts_with("--space: "));
  CHECK(heat_refused({"in.h5"}) == "unexpected argument `in.h5`; see --help");
  CHECK(heat_refused({"--shape=8,8", "--repeat=3"}).starts_with("unknown option `--repeat`; did you mean "));
  CHECK(heat({"--help"}).out.find("--diffusion") != std::string::npos);
  CHECK(heat({"--version"}).out.starts_with("tessera-heat "));
}

TEST_CASE("tessera-heat: no memory, and outputs that cannot be written") {
  const Folder folder;
  const std::string out = folder / "out.h5";
  CHECK(heat_refused({"--shape=2000000,2000000"}, 3)
            .starts_with("field (2000000, 2000000): needs 320.00 TB of host memory, "));
  CHECK(heat_refused({"--shape=2147483647,2147483647"}, 3) ==
        "--shape: 4611686014132420609 cells need more memory than 64 bits can count");
  CHECK(heat_refused({"--shape=8,8", "--output", folder / "none/out.h5:/run"}).find("none' does not exist") !=
        std::string::npos);
  CHECK(heat_refused({"--shape=8,8", "--json", folder / "none/a.json"}).starts_with("--json "));
  REQUIRE(heat({"--shape=8,8", "--steps=1", "--quiet", "--output", out + ":/run"}).status == 0);
  const std::string before = bytes_of_file(out);
  CHECK(heat_refused({"--shape=8,8", "--output", out + ":/run"}) ==
        out + ":/run/field: exists already; give --force to replace it");
  CHECK(bytes_of_file(out) == before);
}

TEST_CASE("tessera-heat: lost heat is exit status 1, with its record, and nothing is written") {
  const Folder folder;
  const ProgramEnd end = heat({"--shape=8,8", "--steps=7", "--json=-", "--quiet", "--output", folder / "out.h5:/run"},
                              TESSERA_FAULTY_HEAT);
  CHECK(end.status == 1);
  CHECK(end.err ==
        "tessera-heat: error: field (8, 8): step (in_situ) did not verify: step 7: total 99.5, 100 at the start, may "
        "differ by 2.24e-12; 1 of 66 checked are wrong; the output was not written\n");
  CHECK(record_of(end)["runs"][1]["verification"]["passed"] == false);
  CHECK(folder.names().empty());
}

}  // namespace tessera::apps::test
