// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An engine whose sums are off by one and whose minima and maxima are right, under the real driver.
#include <algorithm>
#include <numeric>

#include "reduce/reduce_app.hpp"
#include "reduce/reduce_engine.hpp"

namespace tessera::apps {
namespace {

class FaultyEngine final : public ReduceEngine {
 public:
  explicit FaultyEngine(const HostArray& input)
      : m_values(input.buffer.as<double>(), input.buffer.as<double>() + element_count(input.shape)) {}

  std::string automatic_variant(const std::string&) const override { return "second"; }
  ReduceRun measure(const std::string& operation, const RunOptions& options) const override {
    ReduceRun run;
    run.measurement.operation = operation;
    run.measurement.variant = options.variant == "automatic" ? "second" : options.variant;
    run.measurement.seconds = {1e-3};
    run.measurement.bytes = m_values.size() * sizeof(double);
    run.value = reduce_range(operation, options, 0, m_values.size());
    return run;
  }
  Number reduce_range(const std::string& operation, const RunOptions&, std::uint64_t offset,
                      std::uint64_t count) const override {
    const auto begin = m_values.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    if (operation == "min") return *std::min_element(begin, end);
    if (operation == "max") return *std::max_element(begin, end);
    return std::accumulate(begin, end, 1.0);
  }
  Transfer to_device() const override { return {}; }

 private:
  std::vector<double> m_values;
};

}  // namespace

std::vector<std::string> reduce_operation_names() { return {"sum", "min", "max"}; }
std::vector<std::string> reduce_variant_names() { return {"automatic", "first", "second", "third"}; }
std::vector<std::string> summation_names() { return {"fast"}; }

std::unique_ptr<ReduceEngine> make_reduce_engine(HostArray& input, const std::string&) {
  return std::make_unique<FaultyEngine>(input);
}

}  // namespace tessera::apps

int main(int argc, char** argv) { return tessera::apps::reduce_main(argc, argv); }
