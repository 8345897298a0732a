#include "variants/vulkan/functions.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace lab::vulkan {

namespace {

std::string name_of(VkResult result) {
  switch (result) {
#define LAB_NAME(name) \
  case name:           \
    return #name;
    LAB_NAME(VK_NOT_READY)
    LAB_NAME(VK_TIMEOUT)
    LAB_NAME(VK_INCOMPLETE)
    LAB_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    LAB_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    LAB_NAME(VK_ERROR_INITIALIZATION_FAILED)
    LAB_NAME(VK_ERROR_DEVICE_LOST)
    LAB_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    LAB_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    LAB_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    LAB_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    LAB_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    LAB_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    LAB_NAME(VK_ERROR_FORMAT_NOT_SUPPORTED)
    LAB_NAME(VK_ERROR_VALIDATION_FAILED_EXT)
    LAB_NAME(VK_ERROR_SURFACE_LOST_KHR)
    LAB_NAME(VK_ERROR_NATIVE_WINDOW_IN_USE_KHR)
    LAB_NAME(VK_ERROR_OUT_OF_DATE_KHR)
    LAB_NAME(VK_SUBOPTIMAL_KHR)
#undef LAB_NAME
    default:
      return fmt::format("VkResult {}", static_cast<int>(result));
  }
}

}  // namespace

Expected<void> InstanceFunctions::open(const std::string& loader) {
  void* const library = ::dlopen(loader.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Error{fmt::format("opening the Vulkan loader: {}", ::dlerror()), "python3 make.py spm install vulkan-loader",
                 ExitStatus::kUnfit};
  vkGetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library, "vkGetInstanceProcAddr"));
  if (vkGetInstanceProcAddr == nullptr)
    return Error{fmt::format("'{}' is no Vulkan loader", loader), "", ExitStatus::kUnfit};
#define LAB_LOAD(name) name = reinterpret_cast<PFN_##name>(vkGetInstanceProcAddr(nullptr, #name));
  LAB_VULKAN_LOADER_FUNCTIONS(LAB_LOAD)
#undef LAB_LOAD
  return {};
}

void InstanceFunctions::bind(VkInstance instance) {
#define LAB_LOAD(name) name = reinterpret_cast<PFN_##name>(vkGetInstanceProcAddr(instance, #name));
  LAB_VULKAN_INSTANCE_FUNCTIONS(LAB_LOAD)
#undef LAB_LOAD
}

Expected<void> DeviceFunctions::bind(const InstanceFunctions& instance, VkDevice device, bool presents) {
#define LAB_LOAD(name)                                                              \
  name = reinterpret_cast<PFN_##name>(instance.vkGetDeviceProcAddr(device, #name)); \
  if (name == nullptr) return Error{"the Vulkan driver has no function " #name, ""};
  LAB_VULKAN_DEVICE_FUNCTIONS(LAB_LOAD)
  if (!presents) return {};
  LAB_VULKAN_SWAPCHAIN_FUNCTIONS(LAB_LOAD)
#undef LAB_LOAD
  return {};
}

Expected<void> success_of(VkResult result, std::string_view call) {
  if (result == VK_SUCCESS) return {};
  return Error{fmt::format("{}: {}", call, name_of(result)), ""};
}

}  // namespace lab::vulkan
