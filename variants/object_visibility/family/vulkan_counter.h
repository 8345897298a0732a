/// Counts on a Vulkan device.
#pragma once

#include <memory>
#include <string>

#include "harness/vulkan/device.h"
#include "variants/object_visibility/family/counter.h"

namespace lab::object_visibility {

/// The image lies in a buffer of the device before it is counted, as a renderer's would. What is timed is one
/// submission: clearing the counters, counting, and copying the counters to the host. An error of the device ends the
/// process. `device` must live as long.
std::unique_ptr<Counter> make_vulkan_counter(vulkan::Device& device);
/// The same on a device of its own, which vulkan::measured_device opens.
std::unique_ptr<Counter> make_measured_vulkan_counter(const std::string& driver);

}  // namespace lab::object_visibility
