#include "harness/vulkan/instance.h"

#include <algorithm>
#include <vector>

namespace lab::vulkan {

std::uint32_t loader_version(const InstanceFunctions& vulkan) {
  std::uint32_t version = VK_API_VERSION_1_0;
  if (vulkan.vkEnumerateInstanceVersion) vulkan.vkEnumerateInstanceVersion(&version);
  return version;
}

std::uint32_t instance_version(std::uint32_t loader_version) {
  return std::min(loader_version, VK_API_VERSION_1_3);
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(PFN_vkDebugUtilsMessengerCallbackEXT callback, void* user_data) {
  auto info = structure<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = callback;
  info.pUserData = user_data;
  return info;
}

VkResult create_instance(const InstanceFunctions& vulkan, const char* application, std::uint32_t version,
                         const VkDebugUtilsMessengerCreateInfoEXT* messenger, std::span<const char* const> extensions,
                         VkInstance& instance) {
  auto about = structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  about.pApplicationName = application;
  about.apiVersion = version;
  constexpr const char* kLayers[] = {"VK_LAYER_KHRONOS_validation"};
  std::vector<const char*> enabled(extensions.begin(), extensions.end());
  auto info = structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &about;
  if (messenger != nullptr) {
    info.pNext = messenger;
    info.enabledLayerCount = std::size(kLayers);
    info.ppEnabledLayerNames = kLayers;
    enabled.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  }
  info.enabledExtensionCount = static_cast<std::uint32_t>(enabled.size());
  info.ppEnabledExtensionNames = enabled.data();
  return vulkan.vkCreateInstance(&info, nullptr, &instance);
}

}  // namespace lab::vulkan
