// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

#include "common/measurement.hpp"

namespace tessera::apps::bench {
namespace {

class Rounds {
 public:
  Rounds(const Case& bench_case, const std::vector<const Contender*>& contenders, const Measuring& measuring)
      : m_case(bench_case),
        m_contenders(contenders),
        m_measuring(measuring),
        m_order(contenders.size()),
        m_samples(contenders.size()) {
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
  }

  std::vector<Samples> all() {
    warm_up();
    for (int round = 0; round < m_measuring.repeat && (round == 0 || !time_is_up()); ++round) {
      for (const std::size_t i : next_order()) m_samples[i].warm.push_back(timed(i));
    }
    for (int round = 0; m_case.flush && round < m_measuring.cold && !time_is_up(); ++round) {
      for (const std::size_t i : next_order()) {
        m_case.flush();
        m_samples[i].cold.push_back(timed(i));
      }
    }
    return std::move(m_samples);
  }

 private:
  void warm_up() {
    constexpr int more_rounds = 20;
    constexpr double gain = 0.95;  // less is none
    double best = 0;
    bool is_faster = false;
    for (int round = 0; round < m_measuring.warmup || (is_faster && round < m_measuring.warmup + more_rounds);
         ++round) {
      if (time_is_up()) return;
      double total = 0;
      for (const std::size_t i : next_order()) total += timed(i);
      is_faster = round > 0 && total < gain * best;
      best = round == 0 ? total : std::min(best, total);
    }
  }
  [[nodiscard]] bool time_is_up() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count() >
           m_measuring.time_limit_seconds;
  }
  // std::shuffle differs between libraries.
  const std::vector<std::size_t>& next_order() {
    for (std::size_t rest = m_order.size(); rest > 1; --rest) std::swap(m_order[rest - 1], m_order[m_random() % rest]);
    return m_order;
  }
  [[nodiscard]] double timed(std::size_t i) const {
    try {
      m_case.start();
      m_contenders[i]->run();
      return m_case.stop();
    } catch (const std::exception& error) {
      throw ContenderFailure(m_contenders[i]->name, error.what());
    }
  }

  const Case& m_case;
  const std::vector<const Contender*>& m_contenders;
  const Measuring& m_measuring;
  std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
  std::mt19937 m_random;  // from its default seed
  std::vector<std::size_t> m_order;
  std::vector<Samples> m_samples;
};

/// Between neighbours where the place is none; sorted: not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::vector<Samples> time_contenders(const Case& bench_case, const std::vector<const Contender*>& contenders,
                                     const Measuring& measuring) {
  if (contenders.empty()) return {};
  return Rounds(bench_case, contenders, measuring).all();
}

Spread spread_of(std::vector<double> samples) {
  constexpr int draws = 1000;
  std::sort(samples.begin(), samples.end());
  std::mt19937 random;
  std::vector<double> medians, drawn(samples.size());
  for (int draw = 0; draw < draws; ++draw) {
    for (double& value : drawn) value = samples[random() % samples.size()];
    medians.push_back(statistics_of(drawn).median);
  }
  std::sort(medians.begin(), medians.end());
  return {quantile(samples, 0.25), quantile(samples, 0.75), quantile(medians, 0.025), quantile(medians, 0.975)};
}

}  // namespace tessera::apps::bench
