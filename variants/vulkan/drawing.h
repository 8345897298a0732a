/// Render passes and pipelines that draw.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/error.h"
#include "harness/vulkan/objects.h"

namespace lab::vulkan {

/// What a pass does to an image. It is an attachment of depth if its format is one, otherwise one of colour.
struct Attachment {
  VkFormat format;
  VkAttachmentLoadOp load;
  VkImageLayout before, after;
};
/// One subpass. The colour attachments are the outputs of the fragment shader, in their order.
Expected<Owned<VkRenderPass>> create_pass(const Device& device, std::span<const Attachment> attachments,
                                          std::span<const VkSubpassDependency> dependencies);
Expected<Owned<VkFramebuffer>> create_framebuffer(const Device& device, VkRenderPass pass,
                                                  std::span<const VkImageView> attachments, std::uint32_t width,
                                                  std::uint32_t height);

struct GraphicsSpec {
  VkPipelineLayout layout;
  VkRenderPass pass;
  ShaderWords vertex, fragment;                               ///< no fragment shader: depth alone
  std::uint32_t width, height;                                ///< of the viewport; 0: set in the command buffer
  std::uint32_t stride = 0;                                   ///< of a vertex in binding 0; 0: no vertices are read
  std::vector<VkVertexInputAttributeDescription> attributes;  ///< of such a vertex
  std::vector<VkPipelineColorBlendAttachmentState> blends;    ///< of each colour attachment: kOverwrite, kAdd, kOver
  bool depth = false;                                         ///< test the depth
  VkCompareOp depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL;    ///< keep what is nearer, and the later of two at once
  bool depth_write = true;                                    ///< if it is tested
  VkCullModeFlags cull = VK_CULL_MODE_NONE;                   ///< front faces are counter-clockwise
  const VkSpecializationInfo* constants = nullptr;            ///< of both shaders
};
/// Adds what is drawn to what is there, each times its factor.
constexpr VkPipelineColorBlendAttachmentState blend_of(VkBool32 enabled, VkBlendFactor drawn, VkBlendFactor there) {
  return {.blendEnable = enabled,
          .srcColorBlendFactor = drawn,
          .dstColorBlendFactor = there,
          .colorBlendOp = VK_BLEND_OP_ADD,
          .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
          .dstAlphaBlendFactor = there,
          .alphaBlendOp = VK_BLEND_OP_ADD,
          .colorWriteMask = 0xf};
}
inline constexpr auto kOverwrite = blend_of(VK_FALSE, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO);
inline constexpr auto kAdd = blend_of(VK_TRUE, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE);
/// By the opacity of what is drawn.
inline constexpr auto kOver = blend_of(VK_TRUE, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA);
/// Draws triangles.
Expected<Owned<VkPipeline>> create_pipeline(const Device& device, const GraphicsSpec& spec);

}  // namespace lab::vulkan
