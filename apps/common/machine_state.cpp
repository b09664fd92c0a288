// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "text.hpp"

namespace tessera::apps {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

/// What a program prints first; "" where there is none.
std::string first_line_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 512> line{};
  if (pipe == nullptr || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return "";
  return line.data();
}

std::string trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::optional<double> number_in(std::string_view text) { return parse_double(trimmed(text)); }

void read_gpu(const std::string& bus_id, MachineState& state) {
  const bool is_plain = std::all_of(bus_id.begin(), bus_id.end(), [](char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == ':' || c == '.';
  });
  if (bus_id.empty() || !is_plain) return;
  const auto values = split(first_line_of(
      fmt::format("nvidia-smi --id={} --query-gpu=clocks.sm,clocks.mem,power.limit,power.draw,temperature.gpu,"
                  "driver_version --format=csv,noheader,nounits 2>/dev/null",
                  bus_id)));
  if (values.size() != 6) return;
  state.gpu_sm_mhz = number_in(values[0]);
  state.gpu_memory_mhz = number_in(values[1]);
  state.gpu_power_limit_w = number_in(values[2]);
  state.gpu_power_w = number_in(values[3]);
  state.gpu_temperature_c = number_in(values[4]);
  state.gpu_driver = trimmed(values[5]);
}

void read_cpu(const std::filesystem::path& folder, MachineState& state) {
  double sum = 0, sum_of_max = 0;
  int count = 0, count_of_max = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto frequencies = entry.path() / "cpufreq";
    if (const auto khz = number_in(first_line(frequencies / "scaling_cur_freq"))) {
      sum += *khz;
      ++count;
    }
    if (const auto khz = number_in(first_line(frequencies / "scaling_max_freq"))) {
      sum_of_max += *khz;
      ++count_of_max;
    }
  }
  if (count > 0) state.cpu_mhz = 1e-3 * sum / count;
  if (count_of_max > 0) state.cpu_max_mhz = 1e-3 * sum_of_max / count_of_max;
  state.cpu_governor = first_line(folder / "cpu0/cpufreq/scaling_governor");
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

MachineState machine_state(const std::string& gpu_bus_id, const std::string& cpu_folder) {
  MachineState state;
  read_gpu(gpu_bus_id, state);
  read_cpu(cpu_folder, state);
  return state;
}

nlohmann::ordered_json to_json(const MachineState& state) {
  nlohmann::ordered_json gpu = nullptr, cpu = nullptr;
  if (state.gpu_sm_mhz || state.gpu_memory_mhz || state.gpu_power_limit_w || state.gpu_power_w ||
      state.gpu_temperature_c || !state.gpu_driver.empty()) {
    gpu = {{"sm_mhz", number_or_null(state.gpu_sm_mhz)},
           {"memory_mhz", number_or_null(state.gpu_memory_mhz)},
           {"power_limit_w", number_or_null(state.gpu_power_limit_w)},
           {"power_w", number_or_null(state.gpu_power_w)},
           {"temperature_c", number_or_null(state.gpu_temperature_c)},
           {"driver", or_null(state.gpu_driver)}};
  }
  if (state.cpu_mhz || state.cpu_max_mhz || !state.cpu_governor.empty()) {
    cpu = {{"mhz", number_or_null(state.cpu_mhz)},
           {"max_mhz", number_or_null(state.cpu_max_mhz)},
           {"governor", or_null(state.cpu_governor)}};
  }
  return {{"gpu", gpu}, {"cpu", cpu}};
}

}  // namespace tessera::apps
