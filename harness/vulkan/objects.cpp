#include "harness/vulkan/objects.h"

namespace lab::vulkan {

namespace {

VkWriteDescriptorSet write_of(VkDescriptorSet set, std::uint32_t binding, VkDescriptorType type) {
  auto write = structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set;
  write.dstBinding = binding;
  write.descriptorCount = 1;
  write.descriptorType = type;
  return write;
}

}  // namespace

Expected<Owned<VkImageView>> create_view(const Device& device, const Image& image) {
  auto info = structure<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  info.image = image.handle();
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = image.format;
  info.subresourceRange = {aspect_of(image.format), 0, 1, 0, 1};
  return create_object(device, device.vk().vkCreateImageView, device.vk().vkDestroyImageView, info,
                       "vkCreateImageView");
}

Expected<Owned<VkSampler>> create_sampler(const Device& device, VkFilter filter) {
  auto info = structure<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
  info.magFilter = info.minFilter = filter;
  info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  return create_object(device, device.vk().vkCreateSampler, device.vk().vkDestroySampler, info, "vkCreateSampler");
}

void Descriptors::write(const Device& device, std::uint32_t binding, VkDescriptorType type, VkBuffer buffer) const {
  const VkDescriptorBufferInfo info{buffer, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write = write_of(set, binding, type);
  write.pBufferInfo = &info;
  device.vk().vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
}

void Descriptors::write(const Device& device, std::uint32_t binding, VkSampler sampler, VkImageView view,
                        VkImageLayout image_layout) const {
  const VkDescriptorImageInfo info{sampler, view, image_layout};
  VkWriteDescriptorSet write = write_of(set, binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
  write.pImageInfo = &info;
  device.vk().vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
}

Expected<Descriptors> create_descriptors(const Device& device, std::span<const VkDescriptorType> types,
                                         VkShaderStageFlags stages) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  std::vector<VkDescriptorPoolSize> sizes;
  for (const VkDescriptorType type : types) {
    bindings.push_back({static_cast<std::uint32_t>(bindings.size()), type, 1, stages, nullptr});
    sizes.push_back({type, 1});
  }
  auto layout_info = structure<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  layout_info.bindingCount = static_cast<std::uint32_t>(bindings.size());
  layout_info.pBindings = bindings.data();
  auto pool_info = structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
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
  auto set_info = structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  set_info.descriptorPool = descriptors.pool.handle();
  set_info.descriptorSetCount = 1;
  set_info.pSetLayouts = &set_layout;
  if (const auto made = success_of(device.vk().vkAllocateDescriptorSets(device.handle(), &set_info, &descriptors.set),
                                   "vkAllocateDescriptorSets");
      !made)
    return made.error();
  return descriptors;
}

Expected<Owned<VkPipelineLayout>> create_pipeline_layout(const Device& device,
                                                         std::span<const VkDescriptorSetLayout> sets,
                                                         VkShaderStageFlags stages, std::uint32_t push_bytes) {
  const VkPushConstantRange range{stages, 0, push_bytes};
  auto info = structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = static_cast<std::uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = push_bytes > 0 ? 1 : 0;
  info.pPushConstantRanges = &range;
  return create_object(device, device.vk().vkCreatePipelineLayout, device.vk().vkDestroyPipelineLayout, info,
                       "vkCreatePipelineLayout");
}

VkPipelineShaderStageCreateInfo stage_of(VkShaderStageFlagBits stage, VkShaderModule shader,
                                         const VkSpecializationInfo* constants) {
  auto info = structure<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  info.stage = stage;
  info.module = shader;
  info.pName = "main";
  info.pSpecializationInfo = constants;
  return info;
}

Expected<Owned<VkShaderModule>> create_shader(const Device& device, ShaderWords words) {
  auto info = structure<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  return create_object(device, device.vk().vkCreateShaderModule, device.vk().vkDestroyShaderModule, info,
                       "vkCreateShaderModule");
}

Expected<Owned<VkPipeline>> create_pipeline(const Device& device, VkPipelineLayout layout, ShaderWords compute,
                                            const VkSpecializationInfo* constants) {
  const auto shader = create_shader(device, compute);
  if (!shader) return shader.error();
  auto info = structure<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage = stage_of(VK_SHADER_STAGE_COMPUTE_BIT, shader->handle(), constants);
  info.layout = layout;
  const auto create = [&](VkDevice handle, const auto* infos, const VkAllocationCallbacks* callbacks,
                          VkPipeline* made) {
    return device.vk().vkCreateComputePipelines(handle, VK_NULL_HANDLE, 1, infos, callbacks, made);
  };
  return create_object(device, create, device.vk().vkDestroyPipeline, info, "vkCreateComputePipelines");
}

}  // namespace lab::vulkan
