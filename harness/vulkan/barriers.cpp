#include "harness/vulkan/barriers.h"

namespace lab::vulkan {

void memory_barrier(const DeviceFunctions& vk, VkCommandBuffer commands, VkPipelineStageFlags from_stage,
                    VkAccessFlags from, VkPipelineStageFlags to_stage, VkAccessFlags to) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = from;
  barrier.dstAccessMask = to;
  vk.vkCmdPipelineBarrier(commands, from_stage, to_stage, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void image_barrier(const DeviceFunctions& vk, VkCommandBuffer commands, VkImage image, const ImageUse& from,
                   const ImageUse& to, VkImageAspectFlags aspect) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = from.access;
  barrier.dstAccessMask = to.access;
  barrier.oldLayout = from.layout;
  barrier.newLayout = to.layout;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  vk.vkCmdPipelineBarrier(commands, from.stage, to.stage, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

}  // namespace lab::vulkan
