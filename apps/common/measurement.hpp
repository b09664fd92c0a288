// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an engine hands to the report and the record: plain data, no Kokkos.
#ifndef TESSERA_APPS_COMMON_MEASUREMENT_HPP
#define TESSERA_APPS_COMMON_MEASUREMENT_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::apps {

/// A number that keeps its kind: integers stay exact, floating values are float64.
using Number = std::variant<std::int64_t, std::uint64_t, double>;
/// Many of one kind.
using Numbers = std::variant<std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<double>>;

/// Bytes moved in some seconds.
struct Transfer {
  double seconds = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] double gb_per_s() const { return seconds > 0 ? 1e-9 * static_cast<double>(bytes) / seconds : 0; }
};

/// min, median, mean, max and sample standard deviation of a set of times, in seconds.
struct TimeStatistics {
  double min = 0, median = 0, mean = 0, max = 0, stddev = 0;
};
/// samples: not empty.
[[nodiscard]] TimeStatistics statistics_of(std::vector<double> samples);

/// Best rates this machine gave in this process, GB = 1e9 bytes.
struct Ceiling {
  double copy_gb_per_s = 0, read_gb_per_s = 0;
  std::uint64_t bytes = 0;
};

/// How a result was checked. first_wrong is set where it did not pass.
struct Verification {
  std::string method = "none";
  bool passed = true;
  double max_abs_error = 0, max_rel_error = 0;
  std::uint64_t checked = 0, wrong = 0;
  std::string first_wrong;  // "index 17: got 1.5, expected 2.5"
};

/// One entry of the record's "runs".
struct Measurement {
  std::string operation, variant, summation = "none";
  bool deterministic = true;
  std::vector<std::pair<std::string, std::int64_t>> plan;  // field, value
  std::vector<double> seconds;                             // one a repeat
  std::uint64_t bytes = 0;                                 // compulsory bytes
  bool bounded_by_copy = false;                            // else by read
  Verification verification;
};

/// How often and on what to run; from the common options.
struct RunOptions {
  std::string space;                   // "cuda", "openmp", "serial"
  std::string variant = "automatic";   // an enumerator's name, "automatic" or "all"
  int team_size = 0, league_size = 0;  // 0: the plan decides
  int repeat = 10, warmup = 2;
  double time_limit_seconds = 10;  // for warm-up and repeats together
  std::string verify = "sample";   // none, sample, full
};

}  // namespace tessera::apps

#endif
