#include "harness/probe/child/vulkan.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace lab::probe {

Expected<void> Vulkan::open(const std::string& loader) {
  void* library = ::dlopen(loader.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return Error{fmt::format("opening the Vulkan loader: {}", ::dlerror()), ""};
  vkGetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library, "vkGetInstanceProcAddr"));
  if (!vkGetInstanceProcAddr) return Error{fmt::format("'{}' is no Vulkan loader", loader), ""};
#define LAB_LOAD(name) name = reinterpret_cast<PFN_##name>(vkGetInstanceProcAddr(nullptr, #name));
  LAB_VULKAN_GLOBAL_FUNCTIONS(LAB_LOAD)
#undef LAB_LOAD
  if (!vkCreateInstance) return Error{fmt::format("'{}' has no vkCreateInstance", loader), ""};
  return {};
}

void Vulkan::bind(VkInstance instance) {
#define LAB_LOAD(name) name = reinterpret_cast<PFN_##name>(vkGetInstanceProcAddr(instance, #name));
  LAB_VULKAN_INSTANCE_FUNCTIONS(LAB_LOAD)
#undef LAB_LOAD
}

void DeviceFunctions::bind(const Vulkan& vulkan, VkDevice device) {
#define LAB_LOAD(name) name = reinterpret_cast<PFN_##name>(vulkan.vkGetDeviceProcAddr(device, #name));
  LAB_VULKAN_DEVICE_FUNCTIONS(LAB_LOAD)
#undef LAB_LOAD
}

}  // namespace lab::probe
