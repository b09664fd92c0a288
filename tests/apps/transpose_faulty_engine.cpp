// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An engine that copies instead of transposing, under the real driver.
#include <cstring>

#include "transpose/transpose_app.hpp"
#include "transpose/transpose_engine.hpp"

namespace tessera::apps {
namespace {

class FaultyEngine final : public TransposeEngine {
 public:
  FaultyEngine(const HostBuffer& input, HostBuffer& output) : m_input(input), m_output(output) {}

  std::string automatic_variant() const override { return "padded"; }
  Measurement measure(const RunOptions&) const override {
    std::memcpy(m_output.data(), m_input.data(), m_input.bytes());
    Measurement measurement;
    measurement.operation = "transpose";
    measurement.variant = "padded";
    measurement.seconds = {1e-3};
    measurement.bytes = 2 * m_input.bytes();
    measurement.bounded_by_copy = true;
    return measurement;
  }
  Transfer to_device() const override { return {}; }
  Transfer fetch_output() const override { return {}; }

 private:
  const HostBuffer& m_input;
  HostBuffer& m_output;
};

}  // namespace

std::vector<std::string> transpose_variant_names(bool) { return {"automatic", "padded"}; }

std::unique_ptr<TransposeEngine> make_transpose_engine(HostBuffer& input, HostBuffer& output, const TransposeRequest&,
                                                       const std::string&) {
  return std::make_unique<FaultyEngine>(input, output);
}

}  // namespace tessera::apps

int main(int argc, char** argv) { return tessera::apps::transpose_main(argc, argv); }
