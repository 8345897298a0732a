#include "variants/vulkan/staging.h"

#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/vulkan/barriers.h"

namespace lab::vulkan {

namespace {

constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;

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
    memory_barrier(device_->vk(), commands, kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT, kTransfer,
                   VK_ACCESS_TRANSFER_READ_BIT);
  });
}

Expected<void> Staging::to(const Image& image) const {
  if (const auto flushed = memory_.flush(); !flushed) return flushed.error();
  return device_->run([&](VkCommandBuffer commands) {
    const VkBufferImageCopy copy = whole(image);
    const VkImageAspectFlags aspect = aspect_of(image.format);
    image_barrier(device_->vk(), commands, image.handle(), {kTransfer, 0, VK_IMAGE_LAYOUT_UNDEFINED}, kCopiedTo,
                  aspect);
    device_->vk().vkCmdCopyBufferToImage(commands, buffer_.handle(), image.handle(), kCopiedTo.layout, 1, &copy);
    image_barrier(device_->vk(), commands, image.handle(), kCopiedTo, kCopiedFrom, aspect);
  });
}

Expected<void> Staging::from(const Buffer& buffer) const {
  if (const auto flushed = memory_.flush(); !flushed) return flushed.error();
  const auto copied = device_->run([&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, 0, buffer.length};
    device_->vk().vkCmdCopyBuffer(commands, buffer.handle(), buffer_.handle(), 1, &copy);
    memory_barrier(device_->vk(), commands, kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                   VK_ACCESS_HOST_READ_BIT);
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
    memory_barrier(device_->vk(), commands, kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                   VK_ACCESS_HOST_READ_BIT);
  });
  if (!copied) return copied.error();
  return memory_.invalidate();
}

}  // namespace lab::vulkan
