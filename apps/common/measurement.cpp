// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measurement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::apps {

TimeStatistics statistics_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t count = samples.size();
  TimeStatistics result;
  result.min = samples.front();
  result.max = samples.back();
  result.median = count % 2 == 1 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
  result.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(count);
  if (count > 1) {
    double squares = 0;
    for (const double sample : samples) squares += (sample - result.mean) * (sample - result.mean);
    result.stddev = std::sqrt(squares / static_cast<double>(count - 1));
  }
  return result;
}

}  // namespace tessera::apps
