/// Frames by compute shaders.
#pragma once

#include "harness/base/error.h"
#include "harness/vulkan/device.h"
#include "variants/ambient_obscurance/family/renderer.h"

namespace lab::ambient_obscurance {

/// What the shaders need.
VkPhysicalDeviceFeatures device_features();

/// Its one phase lasts from recording a frame's commands until the device has executed them. What the frames of the
/// sequence give lies on the device before the first one. Errors later end the process (vulkan::required).
Expected<std::unique_ptr<Renderer>> make_device_renderer(vulkan::Device& device, const Work& work);

/// A device of its own for each renderer.
Maker device_maker();

}  // namespace lab::ambient_obscurance
