#include "variants/vulkan/drawing.h"

#include <array>

namespace lab::vulkan {

Expected<Owned<VkRenderPass>> create_pass(const Device& device, std::span<const Attachment> attachments,
                                          std::span<const VkSubpassDependency> dependencies) {
  std::vector<VkAttachmentDescription> described;
  std::vector<VkAttachmentReference> colours, depths;
  for (const Attachment& attachment : attachments) {
    const auto index = static_cast<std::uint32_t>(described.size());
    VkAttachmentDescription& about = described.emplace_back();
    about.format = attachment.format;
    about.samples = VK_SAMPLE_COUNT_1_BIT;
    about.loadOp = attachment.load;
    about.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    about.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    about.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    about.initialLayout = attachment.before;
    about.finalLayout = attachment.after;
    if (aspect_of(attachment.format) == VK_IMAGE_ASPECT_DEPTH_BIT)
      depths.push_back({index, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL});
    else
      colours.push_back({index, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL});
  }
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = static_cast<std::uint32_t>(colours.size());
  subpass.pColorAttachments = colours.data();
  subpass.pDepthStencilAttachment = depths.empty() ? nullptr : depths.data();
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.attachmentCount = static_cast<std::uint32_t>(described.size());
  info.pAttachments = described.data();
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  info.dependencyCount = static_cast<std::uint32_t>(dependencies.size());
  info.pDependencies = dependencies.data();
  return create_object(device, device.vk().vkCreateRenderPass, device.vk().vkDestroyRenderPass, info,
                       "vkCreateRenderPass");
}

Expected<Owned<VkFramebuffer>> create_framebuffer(const Device& device, VkRenderPass pass,
                                                  std::span<const VkImageView> attachments, std::uint32_t width,
                                                  std::uint32_t height) {
  VkFramebufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
  info.renderPass = pass;
  info.attachmentCount = static_cast<std::uint32_t>(attachments.size());
  info.pAttachments = attachments.data();
  info.width = width;
  info.height = height;
  info.layers = 1;
  return create_object(device, device.vk().vkCreateFramebuffer, device.vk().vkDestroyFramebuffer, info,
                       "vkCreateFramebuffer");
}

Expected<Owned<VkPipeline>> create_pipeline(const Device& device, const GraphicsSpec& spec) {
  const auto vertex = create_shader(device, spec.vertex);
  if (!vertex) return vertex.error();
  std::vector stages{stage_of(VK_SHADER_STAGE_VERTEX_BIT, vertex->handle(), spec.constants)};
  Owned<VkShaderModule> fragment;
  if (!spec.fragment.empty()) {
    auto created = create_shader(device, spec.fragment);
    if (!created) return created.error();
    fragment = std::move(*created);
    stages.push_back(stage_of(VK_SHADER_STAGE_FRAGMENT_BIT, fragment.handle(), spec.constants));
  }
  const VkVertexInputBindingDescription binding{0, spec.stride, VK_VERTEX_INPUT_RATE_VERTEX};
  VkPipelineVertexInputStateCreateInfo vertices{};
  vertices.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  vertices.vertexBindingDescriptionCount = spec.stride > 0 ? 1 : 0;
  vertices.pVertexBindingDescriptions = &binding;
  vertices.vertexAttributeDescriptionCount = static_cast<std::uint32_t>(spec.attributes.size());
  vertices.pVertexAttributeDescriptions = spec.attributes.data();
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkViewport viewport{0, 0, static_cast<float>(spec.width), static_cast<float>(spec.height), 0, 1};
  const VkRect2D scissor{{0, 0}, {spec.width, spec.height}};
  VkPipelineViewportStateCreateInfo view{};
  view.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  view.viewportCount = view.scissorCount = 1;
  view.pViewports = &viewport;
  view.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo raster{};
  raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  raster.polygonMode = VK_POLYGON_MODE_FILL;
  raster.cullMode = spec.cull;
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{};
  samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineDepthStencilStateCreateInfo depth{};
  depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  depth.depthTestEnable = spec.depth ? VK_TRUE : VK_FALSE;
  depth.depthWriteEnable = spec.depth && spec.depth_write ? VK_TRUE : VK_FALSE;
  depth.depthCompareOp = spec.depth_compare;
  VkPipelineColorBlendStateCreateInfo blend{};
  blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  blend.attachmentCount = static_cast<std::uint32_t>(spec.blends.size());
  blend.pAttachments = spec.blends.data();
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.stageCount = static_cast<std::uint32_t>(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &vertices;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &view;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  const std::array set_later{VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic{};
  dynamic.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
  dynamic.dynamicStateCount = set_later.size();
  dynamic.pDynamicStates = set_later.data();
  if (spec.width == 0) info.pDynamicState = &dynamic;
  info.layout = spec.layout;
  info.renderPass = spec.pass;
  const auto create = [&](VkDevice handle, const auto* infos, const VkAllocationCallbacks* callbacks,
                          VkPipeline* made) {
    return device.vk().vkCreateGraphicsPipelines(handle, VK_NULL_HANDLE, 1, infos, callbacks, made);
  };
  return create_object(device, create, device.vk().vkDestroyPipeline, info, "vkCreateGraphicsPipelines");
}

}  // namespace lab::vulkan
