#include "harness/vulkan/functions.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "harness/base/error.h"
#include "vulkan_names_generated.h"

namespace lab::vulkan {

Expected<void> InstanceFunctions::open(const std::string& loader) {
  void* const library = ::dlopen(loader.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Error{fmt::format("opening the Vulkan loader: {}", ::dlerror()), "python3 make.py spm install vulkan-loader",
                 ExitStatus::kUnfit};
  vkGetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library, "vkGetInstanceProcAddr"));
  if (vkGetInstanceProcAddr == nullptr)
    return Error{fmt::format("'{}' is no Vulkan loader", loader), "", ExitStatus::kUnfit};
#define LAB_LOAD(name) name = reinterpret_cast<PFN_##name>(vkGetInstanceProcAddr(nullptr, #name));
  LAB_LOAD(vkCreateInstance)
  LAB_LOAD(vkEnumerateInstanceVersion)
#undef LAB_LOAD
  if (vkCreateInstance == nullptr)
    return Error{fmt::format("'{}' has no vkCreateInstance", loader), "", ExitStatus::kUnfit};
  return {};
}

void InstanceFunctions::bind(VkInstance instance) {
#define LAB_LOAD(name) name = reinterpret_cast<PFN_##name>(vkGetInstanceProcAddr(instance, #name));
  LAB_LOAD(vkGetDeviceProcAddr)
  LAB_VULKAN_INSTANCE_FUNCTIONS(LAB_LOAD)
  LAB_VULKAN_MESSENGER_FUNCTIONS(LAB_LOAD)
#undef LAB_LOAD
}

void DeviceFunctions::bind(const InstanceFunctions& instance, VkDevice device) {
#define LAB_LOAD(name) name = reinterpret_cast<PFN_##name>(instance.vkGetDeviceProcAddr(device, #name));
  LAB_VULKAN_DEVICE_FUNCTIONS(LAB_LOAD)
  LAB_VULKAN_NEWER_DEVICE_FUNCTIONS(LAB_LOAD)
#undef LAB_LOAD
}

Expected<void> DeviceFunctions::complete() const {
#define LAB_CHECK(name) \
  if (name == nullptr) return Error{"the driver has no function " #name, ""};
  LAB_VULKAN_DEVICE_FUNCTIONS(LAB_CHECK)
#undef LAB_CHECK
  return {};
}

Expected<void> success_of(VkResult result, std::string_view call) {
  if (result == VK_SUCCESS) return {};
  return Error{fmt::format("{}: {}", call, enum_name(kVkResult, result)), ""};
}

}  // namespace lab::vulkan
