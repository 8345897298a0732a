/// A device for a benchmark: an error ends the process, because a benchmark without a device has no number.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "harness/base/error_fwd.h"
#include "harness/vulkan/device.h"

namespace lab::vulkan {

/// The value, or the end of the process with the error's status. `doing`: what was done.
template <typename T>
T required(Expected<T> value, const char* doing) {
  if (value) {
    if constexpr (std::is_void_v<T>)
      return;
    else
      return std::move(*value);
  }
  fmt::print(stderr, "error: {}: {}\n", doing, value.error().what);
  if (!value.error().hint.empty()) fmt::print(stderr, "hint: {}\n", value.error().hint);
  std::exit(static_cast<int>(value.error().status));
}

/// Without the validation layer. `driver`: bench::Case::device, "machine", or "" for the pinned driver. May start the
/// process again, so nothing must have been done before.
std::unique_ptr<Device> measured_device(const std::string& driver, const VkPhysicalDeviceFeatures& features);

/// Why a workload on a device is unsupported here; "": it is not.
std::string no_measured_device();

/// The metric of a device's own time: one name for a GPU, another for a program on the CPU.
inline constexpr const char *kGpuTime = "gpu_time", *kGpuTimeByCpu = "gpu_time_by_cpu";
inline constexpr const char *kGpuTimeTitle = "Time on the GPU",
                            *kGpuTimeByCpuTitle = "Time on the device, which is a program on the CPU";
inline void add_device_time(std::map<std::string, double>& counters, const Device& device, std::optional<double> ns) {
  if (ns) counters[device.is_cpu() ? kGpuTimeByCpu : kGpuTime] = *ns;
}

}  // namespace lab::vulkan
