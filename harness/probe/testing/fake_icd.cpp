// A driver for tests with two devices that do not exist. The name under which it is loaded selects its fault: good.so,
// crash_load.so, crash_instance.so, crash_image.so, hang_image.so, exit_image.so, refuse.so, lie.so, none.so, twin.so,
// bytes.so, nameless.so, long.so, shrink.so.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vulkan/vk_icd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace {

struct Dispatchable {
  VK_LOADER_DATA loader{};
  Dispatchable() { set_loader_magic_value(&loader); }
};

// Created by name rather than statically: crash_load.so crashes before any static object exists.
std::string mode() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<void*>(&mode), &info);
  std::string name = info.dli_fname ? info.dli_fname : "";
  name = name.substr(name.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

void crash() {
  std::fprintf(stderr, "fake driver: about to crash\n");
  ::raise(SIGSEGV);
}

[[gnu::constructor]] void load() {
  if (mode() == "crash_load") crash();
}

Dispatchable instance, devices[2], logical[2];
int images_created = 0;

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*,
                                               VkInstance* out) {
  // Output of a driver on standard output must not disturb the protocol.
  std::printf("fake driver: hello\n{\"event\": \"done\"}\n");
  std::fflush(stdout);
  if (mode() == "crash_instance") crash();
  *out = reinterpret_cast<VkInstance>(&instance);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL enumerate_devices(VkInstance, uint32_t* count, VkPhysicalDevice* out) {
  if (mode() == "none") {
    *count = 0;
    return VK_SUCCESS;
  }
  *count = mode() == "twin" ? 1 : 2;
  for (uint32_t i = 0; out && i < *count; ++i) out[i] = reinterpret_cast<VkPhysicalDevice>(&devices[i]);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL no_extensions(VkPhysicalDevice, const char*, uint32_t* count, VkExtensionProperties*) {
  *count = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL no_instance_extensions(const char*, uint32_t* count, VkExtensionProperties*) {
  *count = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* out) {
  const bool twin = mode() == "twin";
  *out = {};
  out->apiVersion = VK_API_VERSION_1_2;
  out->vendorID = 0x1002;
  out->deviceID = device == reinterpret_cast<VkPhysicalDevice>(&devices[0]) ? 1 : 2;
  out->deviceType = twin ? VK_PHYSICAL_DEVICE_TYPE_CPU : VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  std::strcpy(out->deviceName, "AMD Radeon RX 1 (RADV FAKE)");
  if (mode() == "bytes") std::strcpy(out->deviceName, "Caf\xe9");
  if (mode() == "nameless") out->deviceName[0] = 0;
  if (mode() == "long") std::memset(out->deviceName, 'x', sizeof out->deviceName);
  out->limits.maxMemoryAllocationCount = 4096;
  out->limits.timestampPeriod = std::numeric_limits<float>::infinity();
}

VKAPI_ATTR void VKAPI_CALL properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* out) {
  properties(device, &out->properties);
  for (auto* next = static_cast<VkBaseOutStructure*>(out->pNext); next; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) continue;
    auto* driver = reinterpret_cast<VkPhysicalDeviceDriverProperties*>(next);
    const bool twin = mode() == "twin";
    driver->driverID = twin ? VK_DRIVER_ID_MESA_LLVMPIPE : VK_DRIVER_ID_MESA_RADV;
    if (mode() == "long") {
      std::memset(driver->driverInfo, '1', sizeof driver->driverInfo);
      driver->driverInfo[1] = '.';
      continue;
    }
    std::strcpy(driver->driverInfo, twin ? "Mesa 22.3.6 (LLVM 15.0.6)" : "Mesa 1.2.3");
  }
}

VKAPI_ATTR void VKAPI_CALL memory_properties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* out) {
  *out = {};
  out->memoryHeapCount = 1;
  out->memoryHeaps[0] = {std::uint64_t{8} << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  out->memoryTypeCount = 1;
  out->memoryTypes[0] = {
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
      0};
}

VKAPI_ATTR void VKAPI_CALL queue_families(VkPhysicalDevice, uint32_t* count, VkQueueFamilyProperties* out) {
  *count = 1;
  if (out) *out = {VK_QUEUE_GRAPHICS_BIT, 1, 0, {1, 1, 1}};
}

VKAPI_ATTR VkResult VKAPI_CALL image_format(VkPhysicalDevice, VkFormat, VkImageType, VkImageTiling, VkImageUsageFlags,
                                            VkImageCreateFlags, VkImageFormatProperties* out) {
  *out = {{2048, 2048, 1}, 1, 1, VK_SAMPLE_COUNT_1_BIT, 1 << 30};
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo*,
                                             const VkAllocationCallbacks*, VkDevice* out) {
  *out = reinterpret_cast<VkDevice>(&logical[physical == reinterpret_cast<VkPhysicalDevice>(&devices[1])]);
  return VK_SUCCESS;
}

// Every file that this process could have inherited.
void shrink_files() {
  for (int file = 3; file < 64; ++file) {
    struct stat about {};
    if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && ::ftruncate(file, 0) != 0)
      std::fprintf(stderr, "fake driver: a file keeps its size\n");
  }
}

VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo* info,
                                            const VkAllocationCallbacks*, VkImage* out) {
  // Only the first device misbehaves, and only after some answers.
  if (device == reinterpret_cast<VkDevice>(&logical[0]) && ++images_created > 10) {
    if (mode() == "crash_image") crash();
    if (mode() == "exit_image") ::_exit(3);
    if (mode() == "bytes") {
      std::fprintf(stderr, "\xe9t\xe9\n");
      ::_exit(3);
    }
    if (mode() == "shrink") {
      shrink_files();
      crash();
    }
    while (mode() == "hang_image") ::pause();
  }
  if (mode() == "refuse" && info->extent.width == 1024) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  // Enough for every format and for all mip levels.
  const std::uint64_t texel = info->format == VK_FORMAT_R8G8B8A8_UNORM ? 4 : 16;
  std::uint64_t bytes = std::uint64_t{info->extent.width} * info->extent.height * info->extent.depth * texel;
  if (info->mipLevels > 1) bytes *= 2;
  // Another answer the second time.
  static int of_64x64 = 0;
  if (mode() == "lie" && info->extent.width == 64 && info->extent.height == 64 && ++of_64x64 > 1) bytes += 4096;
  *out = reinterpret_cast<VkImage>((bytes + 4095) / 4096 * 4096);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice, const VkBufferCreateInfo* info, const VkAllocationCallbacks*,
                                             VkBuffer* out) {
  *out = reinterpret_cast<VkBuffer>((info->size + 15) / 16 * 16);
  return VK_SUCCESS;
}

template <typename Resource, std::uint64_t alignment>
VKAPI_ATTR void VKAPI_CALL requirements(VkDevice, Resource resource, VkMemoryRequirements* out) {
  *out = {reinterpret_cast<std::uint64_t>(resource), alignment, 1};
}

VKAPI_ATTR void VKAPI_CALL nothing() {}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice, const char* name);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL function(VkInstance, const char* name) {
  struct Entry {
    std::string_view name;
    PFN_vkVoidFunction address;
  };
#define ENTRY(name, f)                            \
  Entry {                                         \
    name, reinterpret_cast<PFN_vkVoidFunction>(f) \
  }
  const Entry table[] = {
      ENTRY("vkCreateInstance", create_instance),
      ENTRY("vkEnumerateInstanceExtensionProperties", no_instance_extensions),
      ENTRY("vkEnumeratePhysicalDevices", enumerate_devices),
      ENTRY("vkEnumerateDeviceExtensionProperties", no_extensions),
      ENTRY("vkGetPhysicalDeviceProperties", properties),
      ENTRY("vkGetPhysicalDeviceProperties2", properties2),
      ENTRY("vkGetPhysicalDeviceMemoryProperties", memory_properties),
      ENTRY("vkGetPhysicalDeviceQueueFamilyProperties", queue_families),
      ENTRY("vkGetPhysicalDeviceImageFormatProperties", image_format),
      ENTRY("vkCreateDevice", create_device),
      ENTRY("vkCreateImage", create_image),
      ENTRY("vkCreateBuffer", create_buffer),
      ENTRY("vkGetImageMemoryRequirements", (requirements<VkImage, 4096>)),
      ENTRY("vkGetBufferMemoryRequirements", (requirements<VkBuffer, 16>)),
      ENTRY("vkGetDeviceProcAddr", device_function),
      // Functions that the loader requires and no test calls.
      ENTRY("vkDestroyInstance", nothing),
      ENTRY("vkDestroyDevice", nothing),
      ENTRY("vkDestroyImage", nothing),
      ENTRY("vkDestroyBuffer", nothing),
      ENTRY("vkGetPhysicalDeviceFeatures", nothing),
      ENTRY("vkGetPhysicalDeviceFormatProperties", nothing),
      ENTRY("vkGetPhysicalDeviceSparseImageFormatProperties", nothing),
  };
  for (const Entry& entry : table)
    if (entry.name == name) return entry.address;
  return nullptr;
}

PFN_vkVoidFunction device_function(VkDevice, const char* name) {
  return function(nullptr, name);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance from, const char* name) {
  return function(from, name);
}

__attribute__((visibility("default"))) VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  *version = 5;
  return VK_SUCCESS;
}
}
