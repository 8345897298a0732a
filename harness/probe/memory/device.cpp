#include "harness/probe/memory/device.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "harness/vulkan/objects.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

vulkan::DeviceSpec spec_of(const MemoryRequest& request, const MemoryEvents& events) {
  return {.application = "vulkan_memory_child",
          .loader = request.loader,
          .index = request.device,
          .validate = request.layers,
          .unfit = "",
          .doing = [&events](std::string_view call) { events.doing(call); },
          .unwatched = [&events](std::string_view why) { events.note(fmt::format("no validation layers: {}", why)); }};
}

}  // namespace

void MemoryEvents::problem(std::string_view text) const {
  write({.event = "problem", .text = std::string(text)});
  std::_Exit(EXIT_SUCCESS);
}

MemoryDevice::MemoryDevice(const MemoryRequest& request, const MemoryEvents& events, vulkan::Validation& validation)
    : Device(spec_of(request, events), validation), request_(request), events_(events) {
  required(start());
  auto info = vulkan::structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  info.queueFamilyIndex = queue_family();
  pool_ = required(
      vulkan::create_object(*this, vk().vkCreateCommandPool, vk().vkDestroyCommandPool, info, "vkCreateCommandPool"));
}

std::optional<std::string> MemoryDevice::refusal(const VkImageCreateInfo& info) const {
  VkImageFormatProperties most{};
  const VkResult result = instance_vk().vkGetPhysicalDeviceImageFormatProperties(
      physical(), info.format, info.imageType, info.tiling, info.usage, info.flags, &most);
  if (result != VK_SUCCESS) return enum_name(vulkan::kVkResult, result);
  if (info.extent.width > most.maxExtent.width || info.extent.height > most.maxExtent.height)
    return fmt::format("at most {}x{}", most.maxExtent.width, most.maxExtent.height);
  if (info.mipLevels > most.maxMipLevels) return fmt::format("at most {} mip levels", most.maxMipLevels);
  if (info.arrayLayers > most.maxArrayLayers) return fmt::format("at most {} layers", most.maxArrayLayers);
  return std::nullopt;
}

std::vector<std::uint32_t> MemoryDevice::usable_types(std::uint32_t bits) const {
  std::vector<std::uint32_t> types;
  for (std::uint32_t type = 0; type < memory_types(); ++type)
    if ((bits >> type & 1) && is_usable(type)) types.push_back(type);
  return types;
}

VkCommandBuffer MemoryDevice::record(const std::function<void(VkCommandBuffer)>& commands) const {
  auto info = vulkan::structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = pool_.handle();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  require(vk().vkAllocateCommandBuffers(handle(), &info, &buffer), "vkAllocateCommandBuffers");
  auto begin = vulkan::structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  require(vk().vkBeginCommandBuffer(buffer, &begin), "vkBeginCommandBuffer");
  commands(buffer);
  require(vk().vkEndCommandBuffer(buffer), "vkEndCommandBuffer");
  return buffer;
}

void MemoryDevice::free_commands(VkCommandBuffer commands) const {
  vk().vkFreeCommandBuffers(handle(), pool_.handle(), 1, &commands);
}

VkMemoryRequirements needs_of(const MemoryDevice& device, VkDeviceSize bytes, VkBufferUsageFlags usage) {
  return device.required(vulkan::create_buffer(device, bytes, usage)).needs;
}

VkMemoryRequirements needs_of(const MemoryDevice& device, const VkImageCreateInfo& info) {
  return device.required(vulkan::create_image(device, info)).needs;
}

std::optional<std::uint32_t> staging_type(const MemoryDevice& device) {
  const std::uint32_t bits =
      needs_of(device, 4096, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT).memoryTypeBits;
  for (const std::uint32_t type : device.usable_types(bits))
    if ((device.flags_of(type) & (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)) ==
        (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
      return type;
  return device.find_type(bits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

double timed_ns(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace lab::probe
