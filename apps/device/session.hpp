// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kokkos behind a header that needs none of it: start and end, what it runs on, and how much memory is there.
#ifndef TESSERA_APPS_DEVICE_SESSION_HPP
#define TESSERA_APPS_DEVICE_SESSION_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "common/measurement.hpp"

namespace tessera::apps {

/// The record's "kokkos" object.
struct KokkosInfo {
  std::string version, backend, device;
  std::int64_t concurrency = 0;
  std::string gpu_bus_id = {};  // "" for a host
};

/// Names of the execution spaces built in, best first.
[[nodiscard]] std::vector<std::string> built_in_spaces();

/// Free bytes where the space keeps its arrays; host spaces: what this process may still take. Kokkos must have
/// started.
[[nodiscard]] std::uint64_t free_bytes(const std::string& space);

/// Kokkos for the lifetime of the object. Only one may exist, once in a process.
class Session {
 public:
  /// kokkos_arguments: the --kokkos-* ones. space: "" for the best built in.
  /// \throws Failure: bad_input for a space that is not built in, no_resource where there is no device.
  Session(const std::vector<std::string>& kokkos_arguments, const std::string& space);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const std::string& space() const { return m_space; }
  [[nodiscard]] KokkosInfo info() const;
  [[nodiscard]] std::uint64_t free_bytes() const { return apps::free_bytes(m_space); }
  [[nodiscard]] bool has_own_memory() const;  // true where arrays must be copied to a device

 private:
  std::string m_space;
};

/// The best rates of copying and reading min(array_bytes, 1 GiB, a third of the free memory), over the ways of
/// ceiling.hpp; zeros for an empty array. Take it when the run's own arrays are freed or small beside the memory.
[[nodiscard]] Ceiling measure_ceiling(const std::string& space, std::uint64_t array_bytes);

/// max |a-b|, max |b| and ||a-b||_2, by Kokkos Kernels on the space. NaN pairs and equal infinities must be removed
/// before.
struct ErrorNorms {
  double max_abs = 0, reference_max_abs = 0, l2 = 0;
};
[[nodiscard]] ErrorNorms error_norms(const std::string& space, const std::vector<double>& got,
                                     const std::vector<double>& expected);

}  // namespace tessera::apps

#endif
