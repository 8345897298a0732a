/// Vulkan's functions without a link-time library: the loader is opened by path, in this process only.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <string>

#include "harness/base/error.h"

namespace lab::probe {

#define LAB_VULKAN_GLOBAL_FUNCTIONS(X) \
  X(vkCreateInstance)                  \
  X(vkEnumerateInstanceVersion)        \
  X(vkEnumerateInstanceExtensionProperties)

#define LAB_VULKAN_INSTANCE_FUNCTIONS(X)      \
  X(vkDestroyInstance)                        \
  X(vkEnumeratePhysicalDevices)               \
  X(vkEnumerateDeviceExtensionProperties)     \
  X(vkGetPhysicalDeviceProperties)            \
  X(vkGetPhysicalDeviceProperties2)           \
  X(vkGetPhysicalDeviceFeatures)              \
  X(vkGetPhysicalDeviceFeatures2)             \
  X(vkGetPhysicalDeviceMemoryProperties)      \
  X(vkGetPhysicalDeviceImageFormatProperties) \
  X(vkCreateDevice)                           \
  X(vkGetDeviceProcAddr)                      \
  X(vkCreateDebugUtilsMessengerEXT)           \
  X(vkDestroyDebugUtilsMessengerEXT)

#define LAB_VULKAN_DEVICE_FUNCTIONS(X)  \
  X(vkDestroyDevice)                    \
  X(vkCreateImage)                      \
  X(vkDestroyImage)                     \
  X(vkGetImageMemoryRequirements)       \
  X(vkGetImageMemoryRequirements2)      \
  X(vkGetDeviceImageMemoryRequirements) \
  X(vkCreateBuffer)                     \
  X(vkDestroyBuffer)                    \
  X(vkGetBufferMemoryRequirements)      \
  X(vkGetBufferMemoryRequirements2)     \
  X(vkGetDeviceBufferMemoryRequirements)

/// Every function without a device that the probe calls; null if the loader does not have it.
struct Vulkan {
#define LAB_MEMBER(name) PFN_##name name = nullptr;
  PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;
  LAB_VULKAN_GLOBAL_FUNCTIONS(LAB_MEMBER)
  LAB_VULKAN_INSTANCE_FUNCTIONS(LAB_MEMBER)
#undef LAB_MEMBER

  /// Opens the loader: a path, or a name for the dynamic linker.
  Expected<void> open(const std::string& loader);
  /// After vkCreateInstance: loads the functions that need an instance or an object created from one.
  void bind(VkInstance instance);
};

/// The driver's own functions for one device, without the loader in between; null if the driver does not have one.
struct DeviceFunctions {
#define LAB_MEMBER(name) PFN_##name name = nullptr;
  LAB_VULKAN_DEVICE_FUNCTIONS(LAB_MEMBER)
#undef LAB_MEMBER

  void bind(const Vulkan& vulkan, VkDevice device);
};

}  // namespace lab::probe
