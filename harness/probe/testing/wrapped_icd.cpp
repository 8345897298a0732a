// A driver for tests: another driver (LAB_WRAPPED_DRIVER, the pinned lavapipe) with one difference, which the name
// under which it is loaded selects:
//   same.so            none
//   gpu.so             as different from lavapipe as a GPU may be: Vulkan 1.0, no graphics queue, device-local memory
//                      that cannot be mapped, host-visible memory that is not coherent (a write without a flush is
//                      lost)
//   limit_100.so       reports 4096 allocations at once, and fails at the 101st
//   limit_79.so        fails at the 80th
//   wrong_read.so      a copy from an image to a buffer does nothing
//   no_linear.so       cannot sample linear images
//   crash_allocate.so, hang_allocate.so   in the third vkAllocateMemory
#include <dlfcn.h>
#include <unistd.h>
#include <vulkan/vk_icd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace {

std::string mode() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<void*>(&mode), &info);
  std::string name = info.dli_fname ? info.dli_fname : "";
  name = name.substr(name.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

void* wrapped() {
  static void* const library = ::dlopen(std::getenv("LAB_WRAPPED_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  return library;
}

VkInstance instance = VK_NULL_HANDLE;

PFN_vkVoidFunction wrapped_function(VkInstance from, const char* name) {
  return reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(wrapped(), "vk_icdGetInstanceProcAddr"))(from, name);
}

template <typename Function>
Function wrapped_function(const char* name) {
  return reinterpret_cast<Function>(wrapped_function(instance, name));
}
#define WRAPPED(name) wrapped_function<PFN_##name>(#name)

bool is_gpu() {
  static const bool gpu = mode() == "gpu";
  return gpu;
}

constexpr std::uint32_t kLocal = 0, kVisible = 1;  // memory types of gpu.so

struct Allocation {
  std::uint32_t type = 0;
  VkDeviceSize bytes = 0;
  std::byte* mapped = nullptr;
  std::unique_ptr<std::byte[]> cached = {};  // what the host sees until a flush or an invalidation
};
std::map<VkDeviceMemory, Allocation> allocations;
std::set<VkImage> linear_images;
std::uint64_t calls = 0;

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* callbacks,
                                               VkInstance* out) {
  const VkResult result = WRAPPED(vkCreateInstance)(info, callbacks, out);
  instance = *out;
  return result;
}

VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* out) {
  WRAPPED(vkGetPhysicalDeviceProperties)(device, out);
  if (mode().starts_with("limit_")) out->limits.maxMemoryAllocationCount = 4096;
  if (!is_gpu()) return;
  out->apiVersion = VK_API_VERSION_1_0;
  out->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

VKAPI_ATTR void VKAPI_CALL memory_properties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* out) {
  WRAPPED(vkGetPhysicalDeviceMemoryProperties)(device, out);
  if (!is_gpu()) return;
  out->memoryHeapCount = out->memoryTypeCount = 2;
  out->memoryHeaps[1] = {out->memoryHeaps[0].size, 0};
  out->memoryTypes[kLocal] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
  out->memoryTypes[kVisible] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 1};
}

VKAPI_ATTR VkResult VKAPI_CALL extensions(VkPhysicalDevice device, const char* layer, uint32_t* count,
                                          VkExtensionProperties* out) {
  if (!is_gpu()) return WRAPPED(vkEnumerateDeviceExtensionProperties)(device, layer, count, out);
  *count = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL queue_families(VkPhysicalDevice device, uint32_t* count, VkQueueFamilyProperties* out) {
  WRAPPED(vkGetPhysicalDeviceQueueFamilyProperties)(device, count, out);
  if (out && is_gpu()) out->queueFlags = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
}

VKAPI_ATTR void VKAPI_CALL format_properties(VkPhysicalDevice device, VkFormat format, VkFormatProperties* out) {
  WRAPPED(vkGetPhysicalDeviceFormatProperties)(device, format, out);
  if (mode() == "no_linear") out->linearTilingFeatures &= ~VkFormatFeatureFlags{VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT};
}

VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo* info,
                                            const VkAllocationCallbacks* callbacks, VkImage* out) {
  const VkResult result = WRAPPED(vkCreateImage)(device, info, callbacks, out);
  linear_images.erase(*out);
  if (info->tiling == VK_IMAGE_TILING_LINEAR) linear_images.insert(*out);
  return result;
}

VKAPI_ATTR void VKAPI_CALL image_requirements(VkDevice device, VkImage image, VkMemoryRequirements* out) {
  WRAPPED(vkGetImageMemoryRequirements)(device, image, out);
  if (is_gpu()) out->memoryTypeBits = 1u << (linear_images.contains(image) ? kVisible : kLocal);
}

VKAPI_ATTR void VKAPI_CALL buffer_requirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements* out) {
  WRAPPED(vkGetBufferMemoryRequirements)(device, buffer, out);
  if (is_gpu()) out->memoryTypeBits = 1u << kVisible | 1u << kLocal;
}

VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                                               const VkAllocationCallbacks* callbacks, VkDeviceMemory* out) {
  static const std::string fault = mode();
  if (++calls == 3) {
    if (fault == "crash_allocate") {
      std::fprintf(stderr, "wrapped driver: about to crash\n");
      ::raise(SIGSEGV);
    }
    while (fault == "hang_allocate") ::pause();
  }
  if (fault.starts_with("limit_") && allocations.size() >= std::stoul(fault.substr(6)))
    return VK_ERROR_TOO_MANY_OBJECTS;
  VkMemoryAllocateInfo real = *info;
  real.memoryTypeIndex = 0;
  const VkResult result = WRAPPED(vkAllocateMemory)(device, &real, callbacks, out);
  if (result == VK_SUCCESS)
    allocations[*out] = {.type = info->memoryTypeIndex, .bytes = info->allocationSize, .cached = {}};
  return result;
}

VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
  allocations.erase(memory);
  WRAPPED(vkFreeMemory)(device, memory, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                          VkDeviceSize bytes, VkMemoryMapFlags flags, void** out) {
  Allocation& allocation = allocations.at(memory);
  if (is_gpu() && allocation.type == kLocal) return VK_ERROR_MEMORY_MAP_FAILED;
  const VkResult result = WRAPPED(vkMapMemory)(device, memory, offset, bytes, flags, out);
  if (!is_gpu() || result != VK_SUCCESS) return result;
  allocation.mapped = static_cast<std::byte*>(*out);
  allocation.cached = std::make_unique<std::byte[]>(allocation.bytes);
  *out = allocation.cached.get();
  return VK_SUCCESS;
}

// Only whole allocations.
VKAPI_ATTR VkResult VKAPI_CALL flush(VkDevice, uint32_t, const VkMappedMemoryRange* range) {
  const Allocation& allocation = allocations.at(range->memory);
  if (is_gpu()) std::memcpy(allocation.mapped, allocation.cached.get(), allocation.bytes);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL invalidate(VkDevice, uint32_t, const VkMappedMemoryRange* range) {
  const Allocation& allocation = allocations.at(range->memory);
  if (is_gpu()) std::memcpy(allocation.cached.get(), allocation.mapped, allocation.bytes);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL copy_image_to_buffer(VkCommandBuffer commands, VkImage image, VkImageLayout layout,
                                                VkBuffer buffer, uint32_t count, const VkBufferImageCopy* copies) {
  if (mode() != "wrong_read") WRAPPED(vkCmdCopyImageToBuffer)(commands, image, layout, buffer, count, copies);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice, const char* name);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL function(VkInstance from, const char* name) {
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
      ENTRY("vkGetPhysicalDeviceProperties", properties),
      ENTRY("vkGetPhysicalDeviceMemoryProperties", memory_properties),
      ENTRY("vkEnumerateDeviceExtensionProperties", extensions),
      ENTRY("vkGetPhysicalDeviceQueueFamilyProperties", queue_families),
      ENTRY("vkGetPhysicalDeviceFormatProperties", format_properties),
      ENTRY("vkGetDeviceProcAddr", device_function),
      ENTRY("vkCreateImage", create_image),
      ENTRY("vkGetImageMemoryRequirements", image_requirements),
      ENTRY("vkGetBufferMemoryRequirements", buffer_requirements),
      ENTRY("vkAllocateMemory", allocate_memory),
      ENTRY("vkFreeMemory", free_memory),
      ENTRY("vkMapMemory", map_memory),
      ENTRY("vkFlushMappedMemoryRanges", flush),
      ENTRY("vkInvalidateMappedMemoryRanges", invalidate),
      ENTRY("vkCmdCopyImageToBuffer", copy_image_to_buffer),
  };
  for (const Entry& entry : table)
    if (entry.name == name) return entry.address;
  // Newer than 1.0.
  const std::string_view wanted = name;
  if (is_gpu() && (wanted.ends_with("2") || wanted.ends_with("2KHR") || wanted.starts_with("vkGetDeviceImageMemory") ||
                   wanted.starts_with("vkGetDeviceBufferMemory") || wanted == "vkEnumerateInstanceVersion"))
    return nullptr;
  return wrapped_function(from, name);
}

PFN_vkVoidFunction device_function(VkDevice, const char* name) {
  return function(instance, name);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance from, const char* name) {
  return function(from, name);
}

__attribute__((visibility("default"))) VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  using Negotiate = VkResult (*)(uint32_t*);
  return reinterpret_cast<Negotiate>(::dlsym(wrapped(), "vk_icdNegotiateLoaderICDInterfaceVersion"))(version);
}
}
