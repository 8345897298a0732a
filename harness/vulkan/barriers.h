/// What must have happened before what, in a command buffer.
#pragma once

#include "harness/vulkan/functions.h"

namespace lab::vulkan {

/// Makes all earlier writes of `from` available to `to`.
void memory_barrier(const DeviceFunctions& vk, VkCommandBuffer commands, VkPipelineStageFlags from_stage,
                    VkAccessFlags from, VkPipelineStageFlags to_stage, VkAccessFlags to);

/// The same for an image, with a change of layout.
struct ImageUse {
  VkPipelineStageFlags stage;
  VkAccessFlags access;
  VkImageLayout layout;
};
inline constexpr ImageUse kFreshImage{VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, VK_IMAGE_LAYOUT_UNDEFINED};
inline constexpr ImageUse kCopiedTo{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL};
inline constexpr ImageUse kCopiedFrom{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT,
                                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
void image_barrier(const DeviceFunctions& vk, VkCommandBuffer commands, VkImage image, const ImageUse& from,
                   const ImageUse& to, VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT);

}  // namespace lab::vulkan
