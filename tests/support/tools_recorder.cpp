// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools_recorder.hpp"

#include <catch2/catch_test_macros.hpp>

namespace tessera::test {
namespace {

namespace tools = Kokkos::Tools::Experimental;

ToolsRecord* active = nullptr;  // Kokkos' callbacks carry no user pointer

void on_kernel(const char* label, std::uint32_t device, std::uint64_t* id) {
  *id = 0;
  active->kernels.push_back({label, device});
}
void on_fence(const char* label, std::uint32_t device, std::uint64_t* id) {
  *id = 0;
  // Kokkos fences around callbacks for the tools' own sake; that says nothing about the call.
  if (std::string(label).find("Tool Fence") == std::string::npos) active->fences.push_back({label, device});
}
void on_end(std::uint64_t) {}
void on_allocation(Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
  // Kokkos' CUDA back end reports an empty one, its unused level-1 scratch, at every launch.
  if (bytes > 0) active->allocations.emplace_back(label);
}
void on_deallocation(Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
  if (bytes > 0) active->deallocations.emplace_back(label);
}
void on_copy(Kokkos::Tools::SpaceHandle, const char* to, const void*, Kokkos::Tools::SpaceHandle, const char* from,
             const void*, std::uint64_t) {
  active->copies.push_back(std::string(from) + " -> " + to);
}
void on_copy_end() {}
void on_push(const char* label) {
  active->regions.emplace_back(label);
  ++active->open_regions;
}
void on_pop() { --active->open_regions; }

}  // namespace

ToolsRecorder::ToolsRecorder() : m_before(tools::get_callbacks()) {
  REQUIRE(active == nullptr);
  active = &m_record;
  tools::set_begin_parallel_for_callback(on_kernel);
  tools::set_end_parallel_for_callback(on_end);
  tools::set_begin_parallel_reduce_callback(on_kernel);
  tools::set_end_parallel_reduce_callback(on_end);
  tools::set_begin_parallel_scan_callback(on_kernel);
  tools::set_end_parallel_scan_callback(on_end);
  tools::set_begin_fence_callback(on_fence);
  tools::set_end_fence_callback(on_end);
  tools::set_allocate_data_callback(on_allocation);
  tools::set_deallocate_data_callback(on_deallocation);
  tools::set_begin_deep_copy_callback(on_copy);
  tools::set_end_deep_copy_callback(on_copy_end);
  tools::set_push_region_callback(on_push);
  tools::set_pop_region_callback(on_pop);
}

ToolsRecorder::~ToolsRecorder() {
  tools::set_callbacks(m_before);
  active = nullptr;
}

void check_kernels_on(const ToolsRecord& record, std::uint32_t device) {
  CHECK_FALSE(record.kernels.empty());
  for (const ToolsEvent& kernel : record.kernels) {
    INFO("kernel " << kernel.label);
    CHECK(kernel.device == device);
    CHECK(kernel.label.rfind("tessera::", 0) == 0);
  }
  CHECK(record.open_regions == 0);
}

void check_asynchronous(const ToolsRecord& record) {
  for (const ToolsEvent& fence : record.fences) UNSCOPED_INFO("fence: " << fence.label);
  CHECK(record.fences.empty());
  for (const std::string& allocation : record.allocations) UNSCOPED_INFO("allocation: " << allocation);
  CHECK(record.allocations.empty());
  for (const std::string& copy : record.copies) UNSCOPED_INFO("copy: " << copy);
  CHECK(record.copies.empty());
}

}  // namespace tessera::test
