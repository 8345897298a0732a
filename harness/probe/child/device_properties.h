/// Queries the properties of a physical device.
#pragma once

#include <string>

#include "harness/probe/child/protocol.h"
#include "harness/probe/child/vulkan.h"

namespace lab::probe {

struct PhysicalDevice {
  DeviceProperties properties;
  VkDeviceSize max_buffer_size = ~VkDeviceSize{0};  ///< as reported by the device
};

PhysicalDevice query_properties(const Vulkan& vulkan, VkPhysicalDevice device);

/// "1.3.239"
std::string version_text(std::uint32_t version);

}  // namespace lab::probe
