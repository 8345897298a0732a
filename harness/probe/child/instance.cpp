#include "harness/probe/child/instance.h"

#include <algorithm>
#include <array>

namespace lab::probe {

std::uint32_t loader_version(const Vulkan& vulkan) {
  std::uint32_t version = VK_API_VERSION_1_0;
  if (vulkan.vkEnumerateInstanceVersion) vulkan.vkEnumerateInstanceVersion(&version);
  return version;
}

std::uint32_t instance_version(std::uint32_t loader_version) {
  return std::min(loader_version, VK_API_VERSION_1_3);
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(PFN_vkDebugUtilsMessengerCallbackEXT callback, void* user_data) {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = callback;
  info.pUserData = user_data;
  return info;
}

VkResult create_instance(const Vulkan& vulkan, const char* application, std::uint32_t version,
                         const VkDebugUtilsMessengerCreateInfoEXT* messenger, VkInstance& instance) {
  VkApplicationInfo about{};
  about.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  about.pApplicationName = application;
  about.apiVersion = version;
  const std::array layers{"VK_LAYER_KHRONOS_validation"};
  const std::array extensions{VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &about;
  if (messenger) {
    info.pNext = messenger;
    info.enabledLayerCount = layers.size();
    info.ppEnabledLayerNames = layers.data();
    info.enabledExtensionCount = extensions.size();
    info.ppEnabledExtensionNames = extensions.data();
  }
  return vulkan.vkCreateInstance(&info, nullptr, &instance);
}

}  // namespace lab::probe
