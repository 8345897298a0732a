/// A Vulkan instance, with or without the validation layers.
#pragma once

#include <cstdint>
#include <span>

#include "harness/vulkan/functions.h"

namespace lab::vulkan {

/// What the loader supports; 1.0 where it cannot say.
std::uint32_t loader_version(const InstanceFunctions& vulkan);

/// The version to ask an instance for: the loader's, at most the pinned headers'.
std::uint32_t instance_version(std::uint32_t loader_version);

/// Errors and warnings of the validation layers go to `callback`. The loader's own remarks do not.
VkDebugUtilsMessengerCreateInfoEXT messenger_info(PFN_vkDebugUtilsMessengerCallbackEXT callback, void* user_data);

/// vkCreateInstance. With a `messenger`, the validation layers are used, and it receives the messages of
/// vkCreateInstance and vkDestroyInstance; for those between, bind() `vulkan` and create it.
VkResult create_instance(const InstanceFunctions& vulkan, const char* application, std::uint32_t version,
                         const VkDebugUtilsMessengerCreateInfoEXT* messenger, std::span<const char* const> extensions,
                         VkInstance& instance);

}  // namespace lab::vulkan
