// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An engine of doubles whose sums are off by one and whose minima and maxima are right, under the real driver.
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

  std::vector<std::string> variants(const ReducePass& pass) const override {
    if (pass.operations.size() > 1) return {"second"};
    if (!pass.exact || pass.operations[0] != "sum") return {"second", "first", "third"};
    return {"second", "third"};
  }
  ReduceRun measure(const ReducePass& pass, const RunOptions& options) const override {
    ReduceRun run;
    run.measurement.variant = options.variant == "automatic" ? "second" : options.variant;
    run.measurement.summation = pass.exact ? "exact" : "fast";
    run.measurement.seconds = {1e-3};
    run.measurement.bytes = m_values.size() * sizeof(double);
    run.values = reduce_range(pass, options, 0, m_values.size());
    return run;
  }
  std::vector<OpValues> reduce_range(const ReducePass& pass, const RunOptions&, std::uint64_t offset,
                                     std::uint64_t count) const override {
    const auto begin = m_values.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    std::vector<OpValues> values;
    for (const auto& op : pass.operations) {
      const double value = op == "min"   ? *std::min_element(begin, end)
                           : op == "max" ? *std::max_element(begin, end)
                                         : std::accumulate(begin, end, 1.0);
      values.push_back({op, std::vector<double>{value}, {}, {}});
    }
    return values;
  }
  Transfer to_device() const override { return {}; }

 private:
  std::vector<double> m_values;
};

}  // namespace

std::vector<std::string> reduce_variant_names() { return {"automatic", "first", "second", "third"}; }

std::unique_ptr<ReduceEngine> make_reduce_engine(HostArray& input, const std::string&) {
  return std::make_unique<FaultyEngine>(input);
}

std::unique_ptr<ReduceEngine> make_dot_engine(HostArray& x, HostArray&, const std::string&) {
  return std::make_unique<FaultyEngine>(x);
}

}  // namespace tessera::apps

int main(int argc, char** argv) { return tessera::apps::reduce_main(argc, argv); }
