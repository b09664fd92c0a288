// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool of Kokkos Tools, as KOKKOS_TOOLS_LIBS loads it: writes the names that it is told to the file that
// TESSERA_TEST_TOOL_FILE names, "kernel NAME" and "region NAME", and at the end "open REGIONS".
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

std::FILE* file = nullptr;
int open_regions = 0;

void write(const char* kind, const char* name) {
  if (file != nullptr) std::fprintf(file, "%s %s\n", kind, name);
}

void on_kernel(const char* name, std::uint64_t* id) {
  *id = 0;
  write("kernel", name);
}

}  // namespace

extern "C" {

void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {
  if (const char* name = std::getenv("TESSERA_TEST_TOOL_FILE")) file = std::fopen(name, "w");
}

void kokkosp_finalize_library() {
  if (file == nullptr) return;
  std::fprintf(file, "open %d\n", open_regions);
  std::fclose(file);
  file = nullptr;
}

void kokkosp_begin_parallel_for(const char* name, std::uint32_t, std::uint64_t* id) { on_kernel(name, id); }
void kokkosp_end_parallel_for(std::uint64_t) {}
void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t, std::uint64_t* id) { on_kernel(name, id); }
void kokkosp_end_parallel_reduce(std::uint64_t) {}
void kokkosp_begin_parallel_scan(const char* name, std::uint32_t, std::uint64_t* id) { on_kernel(name, id); }
void kokkosp_end_parallel_scan(std::uint64_t) {}

void kokkosp_push_profile_region(const char* name) {
  ++open_regions;
  write("region", name);
}
void kokkosp_pop_profile_region() { --open_regions; }
}
