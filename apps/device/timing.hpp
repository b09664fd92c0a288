// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of asynchronous work on an execution space: CUDA events there, a fenced host clock elsewhere.
#ifndef TESSERA_APPS_DEVICE_TIMING_HPP
#define TESSERA_APPS_DEVICE_TIMING_HPP

#include <Kokkos_Core.hpp>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "common/measurement.hpp"

namespace tessera::apps {

/// Seconds between start() and the end of the work submitted since, on one instance.
template <class Space>
class Stopwatch {
 public:
  explicit Stopwatch(const Space& space) : m_space(space) {}
  void start() {
    m_space.fence("tessera::apps::Stopwatch::start");
    m_start = std::chrono::steady_clock::now();
  }
  double stop() {
    m_space.fence("tessera::apps::Stopwatch::stop");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
  }

 private:
  Space m_space;
  std::chrono::steady_clock::time_point m_start;
};

#ifdef KOKKOS_ENABLE_CUDA
inline void check_cuda(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

template <>
class Stopwatch<Kokkos::Cuda> {
 public:
  explicit Stopwatch(const Kokkos::Cuda& space) : m_space(space) {
    check_cuda(cudaEventCreate(&m_start));
    if (const auto status = cudaEventCreate(&m_stop); status != cudaSuccess) {
      (void)cudaEventDestroy(m_start);
      check_cuda(status);
    }
  }
  ~Stopwatch() {
    (void)cudaEventDestroy(m_start);
    (void)cudaEventDestroy(m_stop);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start() {
    m_space.fence("tessera::apps::Stopwatch::start");
    check_cuda(cudaEventRecord(m_start, m_space.cuda_stream()));
  }
  double stop() {
    check_cuda(cudaEventRecord(m_stop, m_space.cuda_stream()));
    check_cuda(cudaEventSynchronize(m_stop));
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, m_start, m_stop));
    return 1e-3 * milliseconds;
  }

 private:
  Kokkos::Cuda m_space;
  cudaEvent_t m_start{}, m_stop{};
};
#endif

/// The times of options.repeat calls of function after options.warmup untimed ones; both stop early once
/// options.time_limit_seconds have passed in all, but one call at least is timed. function submits its work to space;
/// so does prepare, which is called before each call of function and not timed.
template <class Space, class Function, class Prepare>
[[nodiscard]] std::vector<double> time_repeats(const Space& space, const RunOptions& options, Function&& function,
                                               Prepare&& prepare) {
  const auto begin = std::chrono::steady_clock::now();
  const auto time_is_up = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > options.time_limit_seconds;
  };
  for (int i = 0; i < options.warmup && !time_is_up(); ++i) {
    prepare();
    function();
    space.fence("tessera::apps::time_repeats: warm-up");
  }
  Stopwatch<Space> stopwatch(space);
  std::vector<double> seconds;
  do {
    prepare();
    stopwatch.start();
    function();
    seconds.push_back(stopwatch.stop());
  } while (static_cast<int>(seconds.size()) < options.repeat && !time_is_up());
  return seconds;
}

template <class Space, class Function>
[[nodiscard]] std::vector<double> time_repeats(const Space& space, const RunOptions& options, Function&& function) {
  return time_repeats(space, options, function, [] {});
}

}  // namespace tessera::apps

#endif
