// An independent program with the same queries: it shares no code with the probe, creates no image (Vulkan 1.3's
// vkGetDeviceImageMemoryRequirements), and uses one driver through the loader.
//   vulkan_second_opinion LOADER WIDTH HEIGHT [WIDTH HEIGHT]...
// prints a line "width,height,size,alignment,memory_type_bits" for each.
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

void* must(void* pointer, const char* what) {
  if (pointer) return pointer;
  std::fprintf(stderr, "no %s\n", what);
  std::exit(1);
}

void must_succeed(VkResult result, const char* what) {
  must(result == VK_SUCCESS ? &result : nullptr, what);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  void* loader = must(dlopen(argv[1], RTLD_NOW), "loader");
  const auto proc = reinterpret_cast<PFN_vkGetInstanceProcAddr>(must(dlsym(loader, "vkGetInstanceProcAddr"), "entry"));
  const auto get = [&](VkInstance from, const char* name) {
    return must(reinterpret_cast<void*>(proc(from, name)), name);
  };
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo instance_info{};
  instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  instance_info.pApplicationInfo = &application;
  VkInstance instance = nullptr;
  must_succeed(
      reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"))(&instance_info, nullptr, &instance),
      "instance");
  VkPhysicalDevice physical = nullptr;
  std::uint32_t one = 1;
  must_succeed(reinterpret_cast<PFN_vkEnumeratePhysicalDevices>(get(instance, "vkEnumeratePhysicalDevices"))(
                   instance, &one, &physical),
               "device");
  VkPhysicalDeviceMaintenance4Features maintenance4{};
  maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES;
  maintenance4.maintenance4 = VK_TRUE;
  const float priority = 0;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo device_info{};
  device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  device_info.pNext = &maintenance4;
  device_info.queueCreateInfoCount = 1;
  device_info.pQueueCreateInfos = &queue;
  VkDevice device = nullptr;
  must_succeed(
      reinterpret_cast<PFN_vkCreateDevice>(get(instance, "vkCreateDevice"))(physical, &device_info, nullptr, &device),
      "logical device");
  const auto requirements =
      reinterpret_cast<PFN_vkGetDeviceImageMemoryRequirements>(get(instance, "vkGetDeviceImageMemoryRequirements"));

  VkImageCreateInfo image{};
  image.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  image.imageType = VK_IMAGE_TYPE_2D;
  image.format = VK_FORMAT_R8G8B8A8_UNORM;
  image.extent.depth = image.mipLevels = image.arrayLayers = 1;
  image.samples = VK_SAMPLE_COUNT_1_BIT;
  image.tiling = VK_IMAGE_TILING_OPTIMAL;
  image.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
  for (int i = 2; i + 1 < argc; i += 2) {
    image.extent.width = static_cast<std::uint32_t>(std::atol(argv[i]));
    image.extent.height = static_cast<std::uint32_t>(std::atol(argv[i + 1]));
    VkDeviceImageMemoryRequirements question{};
    question.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS;
    question.pCreateInfo = &image;
    VkMemoryRequirements2 answer{};
    answer.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
    requirements(device, &question, &answer);
    const VkMemoryRequirements& needs = answer.memoryRequirements;
    std::printf("%u,%u,%llu,%llu,%u\n", image.extent.width, image.extent.height,
                static_cast<unsigned long long>(needs.size), static_cast<unsigned long long>(needs.alignment),
                needs.memoryTypeBits);
  }
  std::fflush(stdout);
  std::_Exit(0);
}
