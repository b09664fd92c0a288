// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that KOKKOS_TOOLS_LIBS, or an option, names sees what the drivers do.
#include <algorithm>
#include <set>
#include <sstream>

#include "apps/driver_support.hpp"

namespace tessera::apps::test {
namespace {

/// What tests/support/tool_library.cpp wrote.
struct Told {
  std::set<std::string> kernels, regions;
  int open = -1;
};

Told told_by(const std::string& file) {
  Told told;
  std::istringstream lines(bytes_of_file(file));
  for (std::string kind, name; lines >> kind && std::getline(lines >> std::ws, name);) {
    if (kind == "kernel") told.kernels.insert(name);
    if (kind == "region") told.regions.insert(name);
    if (kind == "open") told.open = std::stoi(name);
  }
  return told;
}

/// Runs a program with the tool named by the environment.
Told told_of(const std::string& program, const std::vector<std::string>& arguments) {
  const Folder folder;
  const std::string file = folder / "told";
  const ProgramEnd end = run_program(
      program, arguments,
      {.out_file = {}, .environment = {"KOKKOS_TOOLS_LIBS=" TESSERA_TOOL, "TESSERA_TEST_TOOL_FILE=" + file}});
  INFO(end.err);
  REQUIRE(end.status == 0);
  return told_by(file);
}

bool has_kernels(const Told& told, const std::string& prefix) {
  return std::any_of(told.kernels.begin(), told.kernels.end(),
                     [&](const auto& name) { return name.starts_with(prefix); });
}

}  // namespace

TEST_CASE("a Kokkos tool sees regions and kernels of each driver") {
  const Folder folder;
  const std::string in = folder / "in.h5";
  add_values<float>(create_file(in).get(), "x", std::vector<float>(600, 1.5f), {20, 30});
  struct Case {
    std::string program;
    std::vector<std::string> arguments;
    std::set<std::string> regions, kernels;
  };
  for (const auto& [program, arguments, regions, kernels] : std::vector<Case>{
           {TESSERA_REDUCE, {in, "--op=stats"}, {"tessera::reduce"}, {"tessera::reduce::"}},
           {TESSERA_REDUCE, {in, "--op=sum", "--axis=0"}, {"tessera::reduce_axes"}, {"tessera::reduce_axes::"}},
           {TESSERA_FILTER, {in, "--weights=1,2,1"}, {"tessera::filter"}, {"tessera::filter::"}},
           {TESSERA_FILTER, {in, "--box=3"}, {"tessera::window"}, {"tessera::window::"}},
           {TESSERA_FILTER, {in, "--median=3"}, {"tessera::median_filter"}, {"tessera::window::"}},
           {TESSERA_TRANSPOSE, {in}, {"tessera::permute_array"}, {"tessera::transpose::"}},
           {TESSERA_TRANSPOSE, {in, "--in-place"}, {"tessera::transpose_in_place"}, {"tessera::transpose_in_place::"}},
           {TESSERA_HEAT,
            {"--shape=20,30", "--steps=3"},
            {"tessera::reduce", "tessera::filter", "tessera::copy_layout"},
            {"tessera::reduce::", "tessera::filter::", "tessera::transpose::", "heat::start", "heat::step"}},
#ifdef TESSERA_BENCH
           {TESSERA_BENCH,
            {"run", "--op=reduce,filter,transpose", "--sizes=900", "--taps=3", "--types=float", "--repeat=1",
             "--cold=0"},
            {"tessera::reduce", "tessera::filter", "tessera::transpose"},
            {"tessera::reduce::", "tessera::filter::", "tessera::transpose::", "tessera::bench::"}},
#endif
       }) {
    auto all = arguments;
    all.push_back(simplest_space());
    const Told told = told_of(program, all);
    INFO(program << ' ' << arguments.back());
    CHECK(told.open == 0);
    for (const auto& region : regions) {
      INFO("region " << region);
      CHECK(told.regions.count(region) == 1);
    }
    for (const auto& kernel : kernels) {
      INFO("kernel " << kernel);
      CHECK(has_kernels(told, kernel));
    }
  }
}

TEST_CASE("a tool may be named by an option; one that is not there is refused") {
  const Folder folder;
  const std::string file = folder / "told", none = folder / "none.so";
  const std::vector<std::string> arguments{"--shape=8,8", "--steps=1", "--quiet", simplest_space()};
  auto with_tool = arguments;
  with_tool.emplace_back("--kokkos-tools-libs=" TESSERA_TOOL);
  REQUIRE(run_program(TESSERA_HEAT, with_tool, {.out_file = {}, .environment = {"TESSERA_TEST_TOOL_FILE=" + file}})
              .status == 0);
  CHECK(told_by(file).regions.count("tessera::reduce") == 1);
  CHECK(
      refusal_line(run_program(TESSERA_HEAT, arguments, {.out_file = {}, .environment = {"KOKKOS_TOOLS_LIBS=" + none}}),
                   2, "tessera-heat") ==
      "environment variable KOKKOS_TOOLS_LIBS=" + none + ": the tool library \"" + none + "\" cannot be loaded");
}

}  // namespace tessera::apps::test
