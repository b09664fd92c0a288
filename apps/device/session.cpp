// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <latch>
#include <limits>
#include <system_error>
#include <thread>
#include <vector>

#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

#include "common/failure.hpp"
#include "common/memory_limit.hpp"
#include "common/text.hpp"
#include "kokkos_settings.hpp"
#include "spaces.hpp"
#include "timing.hpp"

namespace tessera::apps {
namespace {

Kokkos::InitializationSettings to_kokkos(const KokkosSettings& settings) {
  Kokkos::InitializationSettings kokkos;
  kokkos.set_disable_warnings(true);
  if (settings.num_threads) kokkos.set_num_threads(*settings.num_threads);
#ifdef KOKKOS_ENABLE_OPENMP
  if (!settings.num_threads && omp_get_max_threads() > host_threads_max) kokkos.set_num_threads(host_threads_max);
#endif
  if (settings.device_id) kokkos.set_device_id(*settings.device_id);
  if (settings.map_device_id_by) kokkos.set_map_device_id_by(*settings.map_device_id_by);
  if (settings.tools_libs) kokkos.set_tools_libs(*settings.tools_libs);
  if (settings.tools_args) kokkos.set_tools_args(*settings.tools_args);
  if (settings.tune_internals) kokkos.set_tune_internals(true);
  return kokkos;
}

#ifdef KOKKOS_ENABLE_CUDA
__global__ void probe_kernel() {}

// Why Kokkos could not start on a GPU, "" where it can. Kokkos itself would abort.
std::string device_trouble(const KokkosSettings& settings) {
  int count = 0, driver = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return "no driver found";
  auto status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) {
    const int device = settings.device_id.value_or(0);
    if (device >= count) {
      return "device " + std::to_string(device) + " was asked for, " + std::to_string(count) + " found";
    }
    // Among several GPUs Kokkos chooses; a context on another one would only cost memory there.
    if (count > 1 && !settings.device_id) return "";
    cudaFuncAttributes attributes{};
    status = cudaSetDevice(device);
    if (status == cudaSuccess) status = cudaFuncGetAttributes(&attributes, probe_kernel);
    if (status == cudaSuccess) return "";
  }
  (void)cudaGetLastError();
  return status == cudaSuccess ? "none found" : cudaGetErrorString(status);
}
#endif

bool host_spaces_only = false;

// What Kokkos::initialize does for all spaces, for those of the host alone: it knows no other way to start without the
// GPU that it was built for.
void initialize_host_spaces(const Kokkos::InitializationSettings& settings) {
  Kokkos::Impl::pre_initialize(settings);
#ifdef KOKKOS_ENABLE_OPENMP
  Kokkos::OpenMP::impl_initialize(settings);
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  Kokkos::Serial::impl_initialize(settings);
#endif
  Kokkos::Impl::post_initialize(settings);
}

void finalize_host_spaces() {
  Kokkos::Impl::pre_finalize();
#ifdef KOKKOS_ENABLE_OPENMP
  Kokkos::OpenMP::impl_finalize();
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  Kokkos::Serial::impl_finalize();
#endif
  Kokkos::Impl::post_finalize();
}

#ifdef KOKKOS_ENABLE_OPENMP
/// The OpenMP library ends the process where it cannot start a thread: threads of our own are tried first.
void require_threads(int count) {
  std::latch all_there(count);
  std::vector<std::jthread> threads;
  try {
    for (int i = 1; i < count; ++i) threads.emplace_back([&] { all_there.wait(); });
  } catch (const std::system_error&) {
    all_there.count_down(count);
    out_of_resource(std::to_string(count) + " host threads cannot be started, " + std::to_string(threads.size() + 1) +
                    " can; set OMP_NUM_THREADS to fewer, or raise the limits of processes and memory (ulimit -u and "
                    "-v, the job's)");
  }
  all_there.count_down(count);
}
#endif

void initialize(const KokkosSettings& settings, const std::string& space) {
#ifdef KOKKOS_ENABLE_CUDA
  const auto trouble = device_trouble(settings);
  if (!trouble.empty() && space == "cuda") {
    out_of_resource("built for CUDA, but there is no usable GPU (" + trouble + "); --space openmp runs without one");
  }
  host_spaces_only = !trouble.empty();
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  require_threads(settings.num_threads.value_or(std::min(omp_get_max_threads(), host_threads_max)));
#endif
  try {
    if (host_spaces_only) {
      initialize_host_spaces(to_kokkos(settings));
    } else {
      Kokkos::initialize(to_kokkos(settings));
    }
  } catch (const std::exception& error) {
    const std::string text = error.what();
    out_of_resource("Kokkos cannot start on " + space + ": " + text.substr(0, text.find('\n')));
  }
  if (settings.print_configuration) {
    visit_space(space, [](const auto& instance) { instance.print_configuration(std::cerr); });
  }
}

std::string processor_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  }
  return "unknown processor";
}

}  // namespace

std::vector<std::string> built_in_spaces() {
  return {
#ifdef KOKKOS_ENABLE_CUDA
    "cuda",
#endif
#ifdef KOKKOS_ENABLE_OPENMP
        "openmp",
#endif
#if defined(KOKKOS_ENABLE_SERIAL) && !defined(TESSERA_ONE_SPACE)
        "serial",
#endif
  };
}

std::uint64_t free_bytes([[maybe_unused]] const std::string& space) {
#ifdef KOKKOS_ENABLE_CUDA
  if (space == "cuda") {
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total));
    return free;
  }
#endif
  return available_host_bytes();
}

Session::Session(const std::vector<std::string>& kokkos_arguments, const std::string& space) {
  const auto spaces = built_in_spaces();
  if (!space.empty() && std::find(spaces.begin(), spaces.end(), space) == spaces.end()) {
    refuse("--space " + space + ": not built in; this build has " + join(spaces));
  }
  m_space = space.empty() ? spaces.front() : space;
  initialize(kokkos_settings(kokkos_arguments), m_space);
}

Session::~Session() {
  if (host_spaces_only) {
    finalize_host_spaces();
  } else {
    Kokkos::finalize();
  }
}

KokkosInfo Session::info() const {
  KokkosInfo info;
  info.version = std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                 std::to_string(KOKKOS_VERSION % 100);
  visit_space(m_space, [&](const auto& instance) {
    info.backend = instance.name();
    info.concurrency = instance.concurrency();
  });
  info.device = processor_name();
#ifdef KOKKOS_ENABLE_CUDA
  if (m_space == "cuda") {
    info.device = Kokkos::Cuda{}.cuda_device_prop().name;
    std::array<char, 32> bus_id{};
    check_cuda(cudaDeviceGetPCIBusId(bus_id.data(), bus_id.size(), Kokkos::Cuda{}.cuda_device()));
    info.gpu_bus_id = bus_id.data();
  }
#endif
  return info;
}

bool Session::has_own_memory() const {
  return visit_space(m_space, [](const auto& instance) { return !is_host_space<std::decay_t<decltype(instance)>>; });
}

}  // namespace tessera::apps
