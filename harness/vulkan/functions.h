/// Vulkan's functions without a library at link time: the loader is opened at run time.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <string>
#include <string_view>

#include "harness/base/error_fwd.h"
#include "vulkan_functions_generated.h"

namespace lab::vulkan {

#define LAB_VULKAN_MEMBER(name) PFN_##name name = nullptr;

/// Functions without a device; null if the loader does not have one.
struct InstanceFunctions {
  PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;
  PFN_vkGetDeviceProcAddr vkGetDeviceProcAddr = nullptr;
  PFN_vkCreateInstance vkCreateInstance = nullptr;
  PFN_vkEnumerateInstanceVersion vkEnumerateInstanceVersion = nullptr;
  LAB_VULKAN_INSTANCE_FUNCTIONS(LAB_VULKAN_MEMBER)
  LAB_VULKAN_MESSENGER_FUNCTIONS(LAB_VULKAN_MEMBER)

  /// Opens the loader: a path, or a name for the dynamic linker. It stays open until the process ends.
  Expected<void> open(const std::string& loader);
  /// After vkCreateInstance.
  void bind(VkInstance instance);
};

/// A device's own functions, without the loader in between; null if the driver does not have one.
struct DeviceFunctions {
  LAB_VULKAN_DEVICE_FUNCTIONS(LAB_VULKAN_MEMBER)
  LAB_VULKAN_NEWER_DEVICE_FUNCTIONS(LAB_VULKAN_MEMBER)

  void bind(const InstanceFunctions& instance, VkDevice device);
  /// An error if one of Vulkan 1.0 is null.
  Expected<void> complete() const;
};

#undef LAB_VULKAN_MEMBER

/// A structure of Vulkan that is empty but for its type.
template <typename Structure>
Structure structure(VkStructureType type) {
  Structure made{};
  made.sType = type;
  return made;
}

/// An error unless `result` is VK_SUCCESS: the call, and the result's name.
Expected<void> success_of(VkResult result, std::string_view call);

}  // namespace lab::vulkan
