// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An engine that is the identity but for the last element, or its imaginary part, under the real driver. Of more than
// three applications it joins some; all is right then, but for the last element of what it leaves one by one.
#include <algorithm>

#include "filter/filter_app.hpp"
#include "filter/filter_engine.hpp"

namespace tessera::apps {
namespace {

class FaultyEngine final : public FilterEngine {
 public:
  FaultyEngine(FilterArrays& arrays, const FilterRequest& request) : m_arrays(arrays), m_request(request) {}

  std::string automatic_variant() const override { return "overlapping"; }
  Measurement measure(const RunOptions&) const override {
    const std::uint64_t size = m_arrays.input.buffer.bytes() / sizeof(double);
    double* output = m_arrays.output.buffer.as<double>();
    std::copy_n(m_arrays.input.buffer.as<double>(), size, output);
    if (m_request.iterate > 1) std::copy_n(output, size, m_arrays.previous.buffer.as<double>());
    if (!joins_applications({})) output[size - 1] += 0.5;
    Measurement measurement;
    measurement.operation = m_request.operation;
    measurement.variant = "overlapping";
    measurement.seconds = {1e-3};
    measurement.bytes = 2 * size * sizeof(double);
    measurement.bounded_by_copy = true;
    return measurement;
  }
  bool joins_applications(const RunOptions&) const override { return m_request.iterate > 3; }
  void apply_one_by_one(const RunOptions&) const override {
    m_arrays.output.buffer.as<double>()[m_arrays.output.buffer.bytes() / sizeof(double) - 1] += 0.5;
  }
  Transfer to_device() const override { return {}; }
  Transfer fetch_output() const override { return {}; }
  void fetch_previous() const override {}

 private:
  FilterArrays& m_arrays;
  FilterRequest m_request;
};

}  // namespace

std::vector<std::string> boundary_mode_names() { return {"reflect"}; }
std::vector<std::string> window_mode_names() { return {"reflect"}; }
std::vector<std::string> filter_variant_names() { return {"automatic", "overlapping"}; }

std::unique_ptr<FilterEngine> make_filter_engine(FilterArrays& arrays, const FilterRequest& request,
                                                 const std::string&) {
  return std::make_unique<FaultyEngine>(arrays, request);
}

}  // namespace tessera::apps

int main(int argc, char** argv) { return tessera::apps::filter_main(argc, argv); }
