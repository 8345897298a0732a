/// What a physical device says of itself, as the fields of a column.
#pragma once

#include <boost/json/object.hpp>

#include "harness/probe/child/vulkan.h"

namespace lab::probe {

struct DeviceFacts {
  boost::json::object event;                        ///< the "device" event
  VkDeviceSize max_buffer_size = ~VkDeviceSize{0};  ///< as far as the device says
};

DeviceFacts device_facts(const Vulkan& vulkan, VkPhysicalDevice device);

/// "1.3.239"
std::string version_text(std::uint32_t version);

}  // namespace lab::probe
