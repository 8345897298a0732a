#include "variants/vulkan/staging.h"

#include <optional>
#include <utility>

namespace lab::vulkan {

namespace {

constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;

void memory_barrier(const Device& device, VkCommandBuffer commands, VkPipelineStageFlags to_stage, VkAccessFlags to) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = to;
  device.vk().vkCmdPipelineBarrier(commands, kTransfer, to_stage, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void image_barrier(const Device& device, VkCommandBuffer commands, const Image& image, VkAccessFlags from,
                   VkImageLayout old_layout, VkAccessFlags to, VkImageLayout layout) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = from;
  barrier.dstAccessMask = to;
  barrier.oldLayout = old_layout;
  barrier.newLayout = layout;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.handle();
  barrier.subresourceRange = {aspect_of(image.format), 0, 1, 0, 1};
  device.vk().vkCmdPipelineBarrier(commands, kTransfer, kTransfer, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

VkBufferImageCopy whole(const Image& image) {
  VkBufferImageCopy copy{};
  copy.imageSubresource = {aspect_of(image.format), 0, 0, 1};
  copy.imageExtent = {image.width, image.height, 1};
  return copy;
}

}  // namespace

Expected<Staging> Staging::create(Device& device, VkDeviceSize bytes) {
  Expected<Buffer> buffer =
      create_buffer(device, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  if (!buffer) return buffer.error();
  const std::optional<std::uint32_t> type = device.find_type(
      buffer->needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  if (!type) return Error{"no host-visible memory type: nothing can be written", ""};
  Expected<Memory> memory = Memory::allocate(device, *type, buffer->needs.size);
  if (!memory) return memory.error();
  if (const auto bound = bind(device, *buffer, *memory, 0); !bound) return bound.error();
  Staging staging;
  staging.device_ = &device;
  staging.memory_ = std::move(*memory);
  staging.buffer_ = std::move(*buffer);
  return staging;
}

Expected<void> Staging::to(const Buffer& buffer) const {
  if (const auto flushed = memory_.flush(); !flushed) return flushed.error();
  return device_->run([&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, 0, buffer.length};
    device_->vk().vkCmdCopyBuffer(commands, buffer_.handle(), buffer.handle(), 1, &copy);
    memory_barrier(*device_, commands, kTransfer, VK_ACCESS_TRANSFER_READ_BIT);
  });
}

Expected<void> Staging::to(const Image& image) const {
  if (const auto flushed = memory_.flush(); !flushed) return flushed.error();
  return device_->run([&](VkCommandBuffer commands) {
    const VkBufferImageCopy copy = whole(image);
    image_barrier(*device_, commands, image, 0, VK_IMAGE_LAYOUT_UNDEFINED, VK_ACCESS_TRANSFER_WRITE_BIT,
                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    device_->vk().vkCmdCopyBufferToImage(commands, buffer_.handle(), image.handle(),
                                         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    image_barrier(*device_, commands, image, VK_ACCESS_TRANSFER_WRITE_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                  VK_ACCESS_TRANSFER_READ_BIT, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  });
}

Expected<void> Staging::from(const Buffer& buffer) const {
  if (const auto flushed = memory_.flush(); !flushed) return flushed.error();
  const auto copied = device_->run([&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, 0, buffer.length};
    device_->vk().vkCmdCopyBuffer(commands, buffer.handle(), buffer_.handle(), 1, &copy);
    memory_barrier(*device_, commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  });
  if (!copied) return copied.error();
  return memory_.invalidate();
}

Expected<void> Staging::from(const Image& image) const {
  if (const auto flushed = memory_.flush(); !flushed) return flushed.error();
  const auto copied = device_->run([&](VkCommandBuffer commands) {
    const VkBufferImageCopy copy = whole(image);
    device_->vk().vkCmdCopyImageToBuffer(commands, image.handle(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                         buffer_.handle(), 1, &copy);
    memory_barrier(*device_, commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  });
  if (!copied) return copied.error();
  return memory_.invalidate();
}

}  // namespace lab::vulkan
