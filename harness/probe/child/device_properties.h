/// Queries the properties of a physical device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/probe/child/protocol.h"
#include "harness/vulkan/functions.h"

namespace lab::probe {

struct PhysicalDevice {
  DeviceProperties properties;
  std::uint32_t api_version = VK_API_VERSION_1_0;   ///< usable: the lower of the device's and the instance's
  std::vector<std::string> extensions;              ///< of the device
  VkDeviceSize max_buffer_size = ~VkDeviceSize{0};  ///< as reported by the device

  /// Whether a function of this core version, or of this extension before it, may be called.
  bool has(std::uint32_t version, const char* extension) const;
};

/// `instance_version` is the one that vkCreateInstance was asked for.
PhysicalDevice query_properties(const vulkan::InstanceFunctions& vulkan, VkPhysicalDevice device,
                                std::uint32_t instance_version);

/// "1.3.239"
std::string version_text(std::uint32_t version);

}  // namespace lab::probe
