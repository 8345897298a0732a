/// Views, descriptors, shaders and pipelines that compute.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/vulkan/memory.h"

namespace lab::vulkan {

/// An object that `create` makes of `info`, for example with vk().vkCreateSampler and vk().vkDestroySampler. `call`
/// names it in an error.
template <typename Handle, typename Info, typename Create>
Expected<Owned<Handle>> create_object(const Device& device, const Create& create,
                                      void (*destroy)(VkDevice, Handle, const VkAllocationCallbacks*), const Info& info,
                                      std::string_view call) {
  Handle handle = VK_NULL_HANDLE;
  if (const auto created = success_of(create(device.handle(), &info, nullptr, &handle), call); !created)
    return created.error();
  return Owned<Handle>(handle, [&device, destroy](Handle h) { destroy(device.handle(), h, nullptr); });
}

/// Of the whole image.
Expected<Owned<VkImageView>> create_view(const Device& device, const Image& image);
/// Of the nearest texel, or linear between texels; coordinates beyond the edge read the edge.
Expected<Owned<VkSampler>> create_sampler(const Device& device, VkFilter filter = VK_FILTER_NEAREST);

/// The descriptors of all shaders of a program: one set, bound once.
struct Descriptors {
  Owned<VkDescriptorSetLayout> layout;
  Owned<VkDescriptorPool> pool;  ///< of the set
  VkDescriptorSet set = VK_NULL_HANDLE;

  void write(const Device& device, std::uint32_t binding, VkDescriptorType type, VkBuffer buffer) const;
  void write(const Device& device, std::uint32_t binding, VkSampler sampler, VkImageView view,
             VkImageLayout layout) const;
};
/// `types`: of the bindings from 0 on, one descriptor each.
Expected<Descriptors> create_descriptors(const Device& device, std::span<const VkDescriptorType> types,
                                         VkShaderStageFlags stages);
/// `push_bytes` of push constants for all `stages`; 0: none.
Expected<Owned<VkPipelineLayout>> create_pipeline_layout(const Device& device,
                                                         std::span<const VkDescriptorSetLayout> sets,
                                                         VkShaderStageFlags stages, std::uint32_t push_bytes);

using ShaderWords = std::span<const std::uint32_t>;  ///< SPIR-V

/// Of a stage that runs a shader's main().
VkPipelineShaderStageCreateInfo stage_of(VkShaderStageFlagBits stage, VkShaderModule shader,
                                         const VkSpecializationInfo* constants);
Expected<Owned<VkShaderModule>> create_shader(const Device& device, ShaderWords words);
/// Computes.
Expected<Owned<VkPipeline>> create_pipeline(const Device& device, VkPipelineLayout layout, ShaderWords compute,
                                            const VkSpecializationInfo* constants = nullptr);

}  // namespace lab::vulkan
