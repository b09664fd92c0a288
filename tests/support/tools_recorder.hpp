// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records, through Kokkos Tools, what a call does: kernels with their instance, fences, allocations, copies, regions.
#ifndef TESSERA_TESTS_SUPPORT_TOOLS_RECORDER_HPP
#define TESSERA_TESTS_SUPPORT_TOOLS_RECORDER_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::test {

struct ToolsEvent {
  std::string label;
  std::uint32_t device = 0;  // type, device and instance, as Kokkos::Tools::Experimental::device_id() packs them
};

struct ToolsRecord {
  std::vector<ToolsEvent> kernels, fences;
  std::vector<std::string> allocations, deallocations, copies, regions;
  int open_regions = 0;
};

/// Records for its lifetime; one at a time. Callbacks that were set before come back after it.
class ToolsRecorder {
 public:
  ToolsRecorder();
  ~ToolsRecorder();
  ToolsRecorder(const ToolsRecorder&) = delete;
  ToolsRecorder& operator=(const ToolsRecorder&) = delete;

  [[nodiscard]] const ToolsRecord& record() const { return m_record; }

 private:
  ToolsRecord m_record;
  Kokkos::Tools::Experimental::EventSet m_before;
};

/// What `call` does.
template <class Call>
ToolsRecord recorded(const Call& call) {
  const ToolsRecorder recorder;
  call();
  return recorder.record();
}

/// Fails the test unless `record` has kernels, all of them on `space` and labelled "tessera::...".
template <class Space>
void check_kernels(const ToolsRecord& record, const Space& space);

/// As the check for one instance, with the identifier taken from it.
void check_kernels_on(const ToolsRecord& record, std::uint32_t device);

template <class Space>
void check_kernels(const ToolsRecord& record, const Space& space) {
  check_kernels_on(record, Kokkos::Tools::Experimental::device_id(space));
}

/// Fails the test if `record` has a fence, an allocation or a copy.
void check_asynchronous(const ToolsRecord& record);

}  // namespace tessera::test

#endif
