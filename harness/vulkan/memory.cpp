#include "harness/vulkan/memory.h"

#include <fmt/format.h>

#include <cassert>
#include <optional>

#include "harness/base/error.h"

namespace lab::vulkan {

VkResult allocate_memory(const Device& device, std::uint32_t type, VkDeviceSize bytes, VkDeviceMemory& memory) {
  auto info = structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = bytes;
  info.memoryTypeIndex = type;
  memory = VK_NULL_HANDLE;
  return device.vk().vkAllocateMemory(device.handle(), &info, nullptr, &memory);
}

Expected<Memory> Memory::allocate(const Device& device, std::uint32_t type, VkDeviceSize bytes) {
  static constexpr char kCall[] = "vkAllocateMemory of {} bytes of memory type {}";
  device.doing(kCall, bytes, type);
  VkDeviceMemory handle = VK_NULL_HANDLE;
  if (const VkResult result = allocate_memory(device, type, bytes, handle); result != VK_SUCCESS)
    return success_of(result, fmt::format(kCall, bytes, type)).error();
  Memory memory;
  memory.device_ = &device;
  memory.type_ = type;
  memory.bytes_ = bytes;
  memory.memory_ = {handle, [&device](VkDeviceMemory m) { device.vk().vkFreeMemory(device.handle(), m, nullptr); }};
  if ((device.flags_of(type) & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) return memory;
  memory.coherent_ = (device.flags_of(type) & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  void* address = nullptr;
  if (const auto mapped =
          success_of(device.vk().vkMapMemory(device.handle(), handle, 0, VK_WHOLE_SIZE, 0, &address), "vkMapMemory");
      !mapped)
    return mapped.error();
  memory.mapped_ = static_cast<std::byte*>(address);
  return memory;
}

Expected<void> Memory::flush() const {
  if (coherent_) return {};
  const VkMappedMemoryRange range = whole();
  return success_of(device_->vk().vkFlushMappedMemoryRanges(device_->handle(), 1, &range), "vkFlushMappedMemoryRanges");
}

Expected<void> Memory::invalidate() const {
  if (coherent_) return {};
  const VkMappedMemoryRange range = whole();
  return success_of(device_->vk().vkInvalidateMappedMemoryRanges(device_->handle(), 1, &range),
                    "vkInvalidateMappedMemoryRanges");
}

VkMappedMemoryRange Memory::whole() const {
  auto range = structure<VkMappedMemoryRange>(VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE);
  range.memory = handle();
  range.size = VK_WHOLE_SIZE;
  return range;
}

Expected<Buffer> create_buffer(const Device& device, VkDeviceSize length, VkBufferUsageFlags usage) {
  auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = length;
  info.usage = usage;
  VkBuffer handle = VK_NULL_HANDLE;
  if (const VkResult result = device.vk().vkCreateBuffer(device.handle(), &info, nullptr, &handle);
      result != VK_SUCCESS)
    return success_of(result, fmt::format("vkCreateBuffer of {} bytes", length)).error();
  Buffer buffer;
  buffer.owned = {handle, [&device](VkBuffer b) { device.vk().vkDestroyBuffer(device.handle(), b, nullptr); }};
  buffer.length = length;
  device.vk().vkGetBufferMemoryRequirements(device.handle(), handle, &buffer.needs);
  return buffer;
}

VkImageCreateInfo image_info(VkFormat format, std::uint32_t width, std::uint32_t height, VkImageTiling tiling,
                             VkImageUsageFlags usage) {
  auto info = structure<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {width, height, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = tiling;
  info.usage = usage;
  info.initialLayout = tiling == VK_IMAGE_TILING_LINEAR ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED;
  return info;
}

Expected<Image> create_image(const Device& device, const VkImageCreateInfo& info) {
  VkImage handle = VK_NULL_HANDLE;
  if (const VkResult result = device.vk().vkCreateImage(device.handle(), &info, nullptr, &handle); result != VK_SUCCESS)
    return success_of(result, fmt::format("vkCreateImage of {}x{} texels", info.extent.width, info.extent.height))
        .error();
  Image image;
  image.owned = {handle, [&device](VkImage i) { device.vk().vkDestroyImage(device.handle(), i, nullptr); }};
  image.width = info.extent.width;
  image.height = info.extent.height;
  image.format = info.format;
  device.vk().vkGetImageMemoryRequirements(device.handle(), handle, &image.needs);
  return image;
}

Expected<Image> create_image(const Device& device, std::uint32_t width, std::uint32_t height, VkImageUsageFlags usage,
                             VkFormat format) {
  return create_image(device, image_info(format, width, height, VK_IMAGE_TILING_OPTIMAL, usage));
}

std::uint32_t texel_bytes(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R8_UNORM:
      return 1;
    case VK_FORMAT_R16_SFLOAT:
    case VK_FORMAT_D16_UNORM:
      return 2;
    case VK_FORMAT_R8G8B8A8_UNORM:
    case VK_FORMAT_R32_UINT:
    case VK_FORMAT_R32_SFLOAT:
    case VK_FORMAT_D32_SFLOAT:
      return 4;
    case VK_FORMAT_R16G16B16A16_SFLOAT:
      return 8;
    case VK_FORMAT_R32G32B32A32_SFLOAT:
      return 16;
    default:
      assert(!"a format without an entry");
      return 0;
  }
}

VkImageAspectFlags aspect_of(VkFormat format) {
  switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT:
    case VK_FORMAT_D24_UNORM_S8_UINT:
      return VK_IMAGE_ASPECT_DEPTH_BIT;
    default:
      return VK_IMAGE_ASPECT_COLOR_BIT;
  }
}

Expected<void> bind(const Device& device, const Buffer& buffer, const Memory& memory, VkDeviceSize offset) {
  return success_of(device.vk().vkBindBufferMemory(device.handle(), buffer.handle(), memory.handle(), offset),
                    "vkBindBufferMemory");
}

Expected<void> bind(const Device& device, const Image& image, const Memory& memory, VkDeviceSize offset) {
  return success_of(device.vk().vkBindImageMemory(device.handle(), image.handle(), memory.handle(), offset),
                    "vkBindImageMemory");
}

designs::MemoryPolicy policy_of(const Device& device, std::uint64_t others) {
  designs::MemoryPolicy policy;
  for (std::uint32_t type = 0; type < device.memory_types(); ++type)
    policy.heap_bytes.push_back(device.heap_bytes(type));
  policy.max_allocations = device.limits().maxMemoryAllocationCount - others;
  policy.max_allocation_bytes = device.max_allocation_bytes();
  policy.granularity = device.limits().bufferImageGranularity;
  return policy;
}

designs::MemoryDevice AllocatedMemory::device() {
  return {.allocate = [this](unsigned type, std::uint64_t bytes) -> std::optional<std::uint64_t> {
            Expected<Memory> memory = Memory::allocate(device_, type, bytes);
            if (!memory) return std::nullopt;
            live_.emplace(++last_, std::move(*memory));
            ++calls_;
            bytes_ += bytes;
            most_bytes_ = std::max(most_bytes_, bytes_);
            most_allocations_ = std::max(most_allocations_, live_.size());
            return last_;
          },
          .free =
              [this](std::uint64_t allocation) {
                const auto found = live_.find(allocation);
                bytes_ -= found->second.bytes();
                live_.erase(found);
              }};
}

Expected<Planted> plant_violation(const Device& device) {
  const Expected<Buffer> buffer = create_buffer(device, 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  if (!buffer) return buffer.error();
  const VkMemoryRequirements& needs = buffer->needs;
  const std::optional<std::uint32_t> type = device.find_type(needs.memoryTypeBits, 0);
  if (!type) return Error{"no memory type for a buffer", ""};
  const Expected<Memory> memory = Memory::allocate(device, *type, 2 * needs.size);
  if (!memory) return memory.error();
  const bool misaligned = needs.alignment > 1;
  const VkDeviceSize offset = misaligned ? needs.alignment / 2 : memory->bytes() - 1;
  Planted planted;
  planted.what =
      misaligned ? fmt::format("a buffer bound at offset {}, with an alignment of {}", offset, needs.alignment)
                 : fmt::format("a buffer of {} bytes bound at offset {} of {}", needs.size, offset, memory->bytes());
  const std::vector<std::string> said =
      device.validation().planted([&] { static_cast<void>(bind(device, *buffer, *memory, offset)); });
  if (!said.empty()) planted.caught = said.front();
  return planted;
}

}  // namespace lab::vulkan
