// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tessera-bench: Tessera's operations and their peers, checked, then timed beside the machine's ceilings.
#include <optional>

#include "bench_compare.hpp"
#include "bench_options.hpp"
#include "bench_report.hpp"
#include "bench_run.hpp"
#include "common/driver.hpp"

int main(int argc, char** argv) {
  using namespace tessera::apps;
  return run_driver("tessera-bench", [&] {
    const std::vector<bench::Operation> operations{
        bench::reduce_operation(),         bench::integer_operation(), bench::min_operation(),
        bench::argmin_operation(),         bench::stats_operation(),   bench::dot_operation(),
        bench::spread_operation(),         bench::axes_operation(),    bench::dispatch_operation(),
        bench::filter_operation(),         bench::window_operation(),  bench::lines_operation(),
        bench::short_integers_operation(), bench::steps_operation(),   bench::squares_operation(),
        bench::transpose_operation(),      bench::permute_operation()};
    bench::BenchOptions options;
    if (!bench::parse_options(argc, argv, operations, options)) return ExitStatus::good;
    if (options.command == bench::Command::report) return bench::run_report(options);
    if (options.command == bench::Command::compare) return bench::run_compare(options);
    std::optional<bench::RowFile> file;
    if (!options.out.empty()) file.emplace(options.out);
    const Session session(options.kokkos_arguments, options.space);
    return bench::run_bench(options, operations, session, file ? &*file : nullptr);
  });
}
