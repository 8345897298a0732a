#include "variants/vulkan/objects.h"

#include <array>

namespace lab::vulkan {

namespace {

Expected<Owned<VkShaderModule>> create_shader(Device& device, ShaderWords words) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  return create_object(device, device.vk().vkCreateShaderModule, device.vk().vkDestroyShaderModule, info,
                       "vkCreateShaderModule");
}

VkPipelineShaderStageCreateInfo stage_of(VkShaderStageFlagBits stage, VkShaderModule shader,
                                         const VkSpecializationInfo* constants) {
  VkPipelineShaderStageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage = stage;
  info.module = shader;
  info.pName = "main";
  info.pSpecializationInfo = constants;
  return info;
}

Owned<VkPipeline> owned(Device& device, VkPipeline pipeline) {
  return {pipeline, [&device](VkPipeline p) { device.vk().vkDestroyPipeline(device.handle(), p, nullptr); }};
}

VkWriteDescriptorSet write_of(VkDescriptorSet set, std::uint32_t binding, VkDescriptorType type) {
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.dstBinding = binding;
  write.descriptorCount = 1;
  write.descriptorType = type;
  return write;
}

}  // namespace

Expected<Owned<VkImageView>> create_view(Device& device, const Image& image) {
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image.handle();
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = image.format;
  info.subresourceRange = {aspect_of(image.format), 0, 1, 0, 1};
  return create_object(device, device.vk().vkCreateImageView, device.vk().vkDestroyImageView, info,
                       "vkCreateImageView");
}

Expected<Owned<VkSampler>> create_sampler(Device& device, VkFilter filter) {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = info.minFilter = filter;
  info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  return create_object(device, device.vk().vkCreateSampler, device.vk().vkDestroySampler, info, "vkCreateSampler");
}

Expected<Owned<VkRenderPass>> create_pass(Device& device, std::span<const Attachment> attachments,
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

Expected<Owned<VkFramebuffer>> create_framebuffer(Device& device, VkRenderPass pass,
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

void Descriptors::write(Device& device, std::uint32_t binding, VkDescriptorType type, VkBuffer buffer) const {
  const VkDescriptorBufferInfo info{buffer, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write = write_of(set, binding, type);
  write.pBufferInfo = &info;
  device.vk().vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
}

void Descriptors::write(Device& device, std::uint32_t binding, VkSampler sampler, VkImageView view,
                        VkImageLayout image_layout) const {
  const VkDescriptorImageInfo info{sampler, view, image_layout};
  VkWriteDescriptorSet write = write_of(set, binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
  write.pImageInfo = &info;
  device.vk().vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
}

Expected<Descriptors> create_descriptors(Device& device, std::span<const VkDescriptorType> types,
                                         VkShaderStageFlags stages) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  std::vector<VkDescriptorPoolSize> sizes;
  for (const VkDescriptorType type : types) {
    bindings.push_back({static_cast<std::uint32_t>(bindings.size()), type, 1, stages, nullptr});
    sizes.push_back({type, 1});
  }
  VkDescriptorSetLayoutCreateInfo layout_info{};
  layout_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  layout_info.bindingCount = static_cast<std::uint32_t>(bindings.size());
  layout_info.pBindings = bindings.data();
  VkDescriptorPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool_info.maxSets = 1;
  pool_info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  pool_info.pPoolSizes = sizes.data();
  auto layout = create_object(device, device.vk().vkCreateDescriptorSetLayout, device.vk().vkDestroyDescriptorSetLayout,
                              layout_info, "vkCreateDescriptorSetLayout");
  if (!layout) return layout.error();
  auto pool = create_object(device, device.vk().vkCreateDescriptorPool, device.vk().vkDestroyDescriptorPool, pool_info,
                            "vkCreateDescriptorPool");
  if (!pool) return pool.error();
  Descriptors descriptors{std::move(*layout), std::move(*pool), VK_NULL_HANDLE};
  const VkDescriptorSetLayout set_layout = descriptors.layout.handle();
  VkDescriptorSetAllocateInfo set_info{};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  set_info.descriptorPool = descriptors.pool.handle();
  set_info.descriptorSetCount = 1;
  set_info.pSetLayouts = &set_layout;
  if (const auto made = success_of(device.vk().vkAllocateDescriptorSets(device.handle(), &set_info, &descriptors.set),
                                   "vkAllocateDescriptorSets");
      !made)
    return made.error();
  return descriptors;
}

Expected<Owned<VkPipelineLayout>> create_pipeline_layout(Device& device, std::span<const VkDescriptorSetLayout> sets,
                                                         VkShaderStageFlags stages, std::uint32_t push_bytes) {
  const VkPushConstantRange range{stages, 0, push_bytes};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = static_cast<std::uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = push_bytes > 0 ? 1 : 0;
  info.pPushConstantRanges = &range;
  return create_object(device, device.vk().vkCreatePipelineLayout, device.vk().vkDestroyPipelineLayout, info,
                       "vkCreatePipelineLayout");
}

Expected<Owned<VkPipeline>> create_pipeline(Device& device, const GraphicsSpec& spec) {
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
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (const auto made = success_of(
          device.vk().vkCreateGraphicsPipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateGraphicsPipelines");
      !made)
    return made.error();
  return owned(device, pipeline);
}

Expected<Owned<VkPipeline>> create_pipeline(Device& device, VkPipelineLayout layout, ShaderWords compute,
                                            const VkSpecializationInfo* constants) {
  const auto shader = create_shader(device, compute);
  if (!shader) return shader.error();
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage = stage_of(VK_SHADER_STAGE_COMPUTE_BIT, shader->handle(), constants);
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (const auto made = success_of(
          device.vk().vkCreateComputePipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateComputePipelines");
      !made)
    return made.error();
  return owned(device, pipeline);
}

}  // namespace lab::vulkan
