// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clocks, power cap and temperature, where the machine tells: figures depend on them.
#ifndef TESSERA_APPS_COMMON_MACHINE_STATE_HPP
#define TESSERA_APPS_COMMON_MACHINE_STATE_HPP

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace tessera::apps {

/// What is not told is missing.
struct MachineState {
  std::optional<double> gpu_sm_mhz, gpu_memory_mhz, gpu_power_limit_w, gpu_power_w, gpu_temperature_c;
  std::string gpu_driver;                      // its version
  std::optional<double> cpu_mhz, cpu_max_mhz;  // means over the processors
  std::string cpu_governor;
};

/// gpu_bus_id: of the PCI bus, for nvidia-smi; "" for none. cpu_folder: that of the processors.
[[nodiscard]] MachineState machine_state(const std::string& gpu_bus_id,
                                         const std::string& cpu_folder = "/sys/devices/system/cpu");

/// {"gpu": {..} or null, "cpu": {..} or null}
[[nodiscard]] nlohmann::ordered_json to_json(const MachineState& state);
/// The text, null for none.
[[nodiscard]] nlohmann::ordered_json or_null(const std::string& text);

}  // namespace tessera::apps

#endif
