// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An engine that is the identity but for the last element, under the real driver.
#include <algorithm>

#include "filter/filter_app.hpp"
#include "filter/filter_engine.hpp"

namespace tessera::apps {
namespace {

class FaultyEngine final : public FilterEngine {
 public:
  FaultyEngine(const HostArray& input, HostArray& output) : m_input(input), m_output(output) {}

  std::string automatic_variant() const override { return "overlapping"; }
  Measurement measure(const RunOptions&) const override {
    const std::uint64_t size = element_count(m_input.shape);
    double* output = m_output.buffer.as<double>();
    std::copy_n(m_input.buffer.as<double>(), size, output);
    output[size - 1] += 0.5;
    Measurement measurement;
    measurement.operation = "correlate";
    measurement.variant = "overlapping";
    measurement.seconds = {1e-3};
    measurement.bytes = 2 * size * sizeof(double);
    measurement.bounded_by_copy = true;
    return measurement;
  }
  Transfer to_device() const override { return {}; }
  Transfer fetch_output() const override { return {}; }

 private:
  const HostArray& m_input;
  HostArray& m_output;
};

}  // namespace

std::vector<std::string> boundary_mode_names() { return {"reflect"}; }
std::vector<std::string> filter_variant_names() { return {"automatic", "overlapping"}; }

std::unique_ptr<FilterEngine> make_filter_engine(HostArray& input, HostArray& output, const FilterRequest&,
                                                 const std::string&) {
  return std::make_unique<FaultyEngine>(input, output);
}

}  // namespace tessera::apps

int main(int argc, char** argv) { return tessera::apps::filter_main(argc, argv); }
