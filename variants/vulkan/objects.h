/// Views, shaders, render passes and pipelines: what one needs to draw into images or to compute.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "variants/vulkan/memory.h"

namespace lab::vulkan {

/// An object that `create` makes of `info`, for example with vk().vkCreateSampler and vk().vkDestroySampler. `call`
/// names it in an error.
template <typename Handle, typename Info>
Expected<Owned<Handle>> create_object(Device& device,
                                      VkResult (*create)(VkDevice, const Info*, const VkAllocationCallbacks*, Handle*),
                                      void (*destroy)(VkDevice, Handle, const VkAllocationCallbacks*), const Info& info,
                                      std::string_view call) {
  Handle handle = VK_NULL_HANDLE;
  if (const auto created = success_of(create(device.handle(), &info, nullptr, &handle), call); !created)
    return created.error();
  return Owned<Handle>(handle, [&device, destroy](Handle h) { destroy(device.handle(), h, nullptr); });
}

/// Of the whole image.
Expected<Owned<VkImageView>> create_view(Device& device, const Image& image);
/// Of the nearest texel, or linear between texels; coordinates beyond the edge read the edge.
Expected<Owned<VkSampler>> create_sampler(Device& device, VkFilter filter = VK_FILTER_NEAREST);

/// What a pass does to an image. It is an attachment of depth if its format is one, otherwise one of colour.
struct Attachment {
  VkFormat format;
  VkAttachmentLoadOp load;
  VkImageLayout before, after;
};
/// One subpass. The colour attachments are the outputs of the fragment shader, in their order.
Expected<Owned<VkRenderPass>> create_pass(Device& device, std::span<const Attachment> attachments,
                                          std::span<const VkSubpassDependency> dependencies);
Expected<Owned<VkFramebuffer>> create_framebuffer(Device& device, VkRenderPass pass,
                                                  std::span<const VkImageView> attachments, std::uint32_t width,
                                                  std::uint32_t height);

/// The descriptors of all shaders of a program: one set, bound once.
struct Descriptors {
  Owned<VkDescriptorSetLayout> layout;
  Owned<VkDescriptorPool> pool;  ///< of the set
  VkDescriptorSet set = VK_NULL_HANDLE;

  void write(Device& device, std::uint32_t binding, VkDescriptorType type, VkBuffer buffer) const;
  void write(Device& device, std::uint32_t binding, VkSampler sampler, VkImageView view, VkImageLayout layout) const;
};
/// `types`: of the bindings from 0 on, one descriptor each.
Expected<Descriptors> create_descriptors(Device& device, std::span<const VkDescriptorType> types,
                                         VkShaderStageFlags stages);
/// `push_bytes` of push constants for all `stages`; 0: none.
Expected<Owned<VkPipelineLayout>> create_pipeline_layout(Device& device, std::span<const VkDescriptorSetLayout> sets,
                                                         VkShaderStageFlags stages, std::uint32_t push_bytes);

using ShaderWords = std::span<const std::uint32_t>;  ///< SPIR-V

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
inline constexpr VkPipelineColorBlendAttachmentState kOverwrite{.blendEnable = VK_FALSE,
                                                                .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                .dstColorBlendFactor = VK_BLEND_FACTOR_ZERO,
                                                                .colorBlendOp = VK_BLEND_OP_ADD,
                                                                .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                .dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO,
                                                                .alphaBlendOp = VK_BLEND_OP_ADD,
                                                                .colorWriteMask = 0xf};
inline constexpr VkPipelineColorBlendAttachmentState kAdd{.blendEnable = VK_TRUE,
                                                          .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                          .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                          .colorBlendOp = VK_BLEND_OP_ADD,
                                                          .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                          .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                          .alphaBlendOp = VK_BLEND_OP_ADD,
                                                          .colorWriteMask = 0xf};
/// By the opacity of what is drawn.
inline constexpr VkPipelineColorBlendAttachmentState kOver{.blendEnable = VK_TRUE,
                                                           .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
                                                           .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                           .colorBlendOp = VK_BLEND_OP_ADD,
                                                           .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                           .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                           .alphaBlendOp = VK_BLEND_OP_ADD,
                                                           .colorWriteMask = 0xf};
/// Draws triangles.
Expected<Owned<VkPipeline>> create_pipeline(Device& device, const GraphicsSpec& spec);
Expected<Owned<VkPipeline>> create_pipeline(Device& device, VkPipelineLayout layout, ShaderWords compute,
                                            const VkSpecializationInfo* constants = nullptr);

}  // namespace lab::vulkan
