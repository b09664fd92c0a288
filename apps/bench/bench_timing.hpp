// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of a case's contenders, by turns, and what can be said of them.
#ifndef TESSERA_APPS_BENCH_BENCH_TIMING_HPP
#define TESSERA_APPS_BENCH_BENCH_TIMING_HPP

#include <stdexcept>
#include <string>
#include <vector>

#include "bench_options.hpp"

namespace tessera::apps::bench {

struct Samples {
  std::vector<double> warm;  // seconds: caches as the contender before left them, on the same arrays
  std::vector<double> cold;  // behind a flush of the caches; empty where time was up
};

/// A contender that failed while it was timed.
struct ContenderFailure : std::runtime_error {
  std::string contender;
  ContenderFailure(const std::string& name, const std::string& why) : std::runtime_error(why), contender(name) {}
};

/// Every contender once a round, in an order that is new in each and the same in every run. Rounds of warm-up come
/// first, and more of them while they become faster; once the time is up no round begins but the first timed one.
/// \throws ContenderFailure
[[nodiscard]] std::vector<Samples> time_contenders(const Case& bench_case,
                                                   const std::vector<const Contender*>& contenders,
                                                   const Measuring& measuring);

/// Quartiles, and the interval in which the median lies with 95 %: that of medians of samples drawn from the samples
/// (B. Efron, "Bootstrap methods: another look at the jackknife", 1979), from a fixed seed.
struct Spread {
  double first_quartile = 0, third_quartile = 0, median_low = 0, median_high = 0;
};
/// samples: not empty.
[[nodiscard]] Spread spread_of(std::vector<double> samples);

}  // namespace tessera::apps::bench

#endif
