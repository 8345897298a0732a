#include "harness/probe/memory/sampler.h"

#include <array>
#include <cstdint>

#include "sample_texture.comp.h"

namespace lab::probe {

namespace {

// As in shaders/sample_texture.comp.
constexpr std::uint32_t kGroup = 64;
constexpr std::uint32_t kTiles = 16;
struct PushConstants {
  std::uint32_t width, height, tile_log2;
};

constexpr VkBufferUsageFlags kSumsUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

// A type with `needed`, if possible with `wanted`, for any buffer of results.
std::uint32_t type_of_sums(const MemoryDevice& device, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags wanted) {
  const auto type = device.find_type(create_buffer(device, 4096, kSumsUsage).needs().memoryTypeBits, needed, wanted);
  if (!type) device.events().problem("no memory type for a shader's results");
  return *type;
}

VkDeviceSize bytes_of_sums(std::uint32_t edge) {
  return VkDeviceSize{edge} * edge / kTiles * sizeof(std::uint32_t);
}

}  // namespace

TextureSampler::TextureSampler(const MemoryDevice& device, std::uint32_t edge)
    : device_(device),
      edge_(edge),
      sums_(device, bytes_of_sums(edge), kSumsUsage, type_of_sums(device, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)),
      copied_sums_(device, bytes_of_sums(edge), kSumsUsage,
                   type_of_sums(device, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, VK_MEMORY_PROPERTY_HOST_CACHED_BIT)) {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  device_.require(device_.vk().vkCreateSampler(device_.handle(), &info, nullptr, &sampler_), "vkCreateSampler");
  create_layouts();
  create_pipeline();
  create_pool();
}

TextureSampler::~TextureSampler() {
  const MemoryFunctions& vk = device_.vk();
  for (const VkImageView view : views_) vk.vkDestroyImageView(device_.handle(), view, nullptr);
  vk.vkDestroyDescriptorPool(device_.handle(), pool_, nullptr);
  vk.vkDestroyPipeline(device_.handle(), pipeline_, nullptr);
  vk.vkDestroyPipelineLayout(device_.handle(), layout_, nullptr);
  vk.vkDestroyDescriptorSetLayout(device_.handle(), set_layout_, nullptr);
  vk.vkDestroySampler(device_.handle(), sampler_, nullptr);
}

void TextureSampler::create_layouts() {
  std::array<VkDescriptorSetLayoutBinding, 2> bindings{};
  bindings[0] = {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  bindings[1] = {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = bindings.size();
  set.pBindings = bindings.data();
  device_.require(device_.vk().vkCreateDescriptorSetLayout(device_.handle(), &set, nullptr, &set_layout_),
                  "vkCreateDescriptorSetLayout");
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(PushConstants)};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &set_layout_;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  device_.require(device_.vk().vkCreatePipelineLayout(device_.handle(), &info, nullptr, &layout_),
                  "vkCreatePipelineLayout");
}

void TextureSampler::create_pipeline() {
  VkShaderModuleCreateInfo module{};
  module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module.codeSize = sizeof kSampleTextureComp;
  module.pCode = kSampleTextureComp;
  VkShaderModule shader = VK_NULL_HANDLE;
  device_.require(device_.vk().vkCreateShaderModule(device_.handle(), &module, nullptr, &shader),
                  "vkCreateShaderModule");
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader;
  info.stage.pName = "main";
  info.layout = layout_;
  device_.events().doing("vkCreateComputePipelines");
  device_.require(
      device_.vk().vkCreateComputePipelines(device_.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
      "vkCreateComputePipelines");
  device_.vk().vkDestroyShaderModule(device_.handle(), shader, nullptr);
}

void TextureSampler::create_pool() {
  const std::array<VkDescriptorPoolSize, 2> sizes{
      {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kMostTextures}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kMostTextures}}};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = kMostTextures;
  pool.poolSizeCount = sizes.size();
  pool.pPoolSizes = sizes.data();
  device_.require(device_.vk().vkCreateDescriptorPool(device_.handle(), &pool, nullptr, &pool_),
                  "vkCreateDescriptorPool");
}

VkDescriptorSet TextureSampler::add(VkImage image, VkImageLayout layout) {
  VkImageViewCreateInfo view{};
  view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view.image = image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = kFormat;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  device_.require(device_.vk().vkCreateImageView(device_.handle(), &view, nullptr, &views_.emplace_back()),
                  "vkCreateImageView");
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool_;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &set_layout_;
  VkDescriptorSet set = VK_NULL_HANDLE;
  device_.require(device_.vk().vkAllocateDescriptorSets(device_.handle(), &info, &set), "vkAllocateDescriptorSets");
  const VkDescriptorImageInfo texture{sampler_, views_.back(), layout};
  const VkDescriptorBufferInfo buffer{sums_.buffer.handle(), 0, VK_WHOLE_SIZE};
  std::array<VkWriteDescriptorSet, 2> writes{};
  for (std::uint32_t i = 0; i < writes.size(); ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
  }
  writes[0].descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  writes[0].pImageInfo = &texture;
  writes[1].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  writes[1].pBufferInfo = &buffer;
  device_.vk().vkUpdateDescriptorSets(device_.handle(), writes.size(), writes.data(), 0, nullptr);
  return set;
}

void TextureSampler::record(VkCommandBuffer commands, VkDescriptorSet texture, SampleOrder order) const {
  const PushConstants constants{edge_, edge_, order == SampleOrder::kTiles ? 3u : 0u};
  const MemoryFunctions& vk = device_.vk();
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &texture, 0, nullptr);
  vk.vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, &constants);
  vk.vkCmdDispatch(commands, edge_ * edge_ / (kGroup * kTiles), 1, 1);
  // A later pass overwrites the results of this one, or they are copied.
  memory_barrier(device_, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                 VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                 VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

std::uint32_t TextureSampler::checksum() const {
  device_.run([&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, 0, bytes_of_sums(edge_)};
    device_.vk().vkCmdCopyBuffer(commands, sums_.buffer.handle(), copied_sums_.buffer.handle(), 1, &copy);
    memory_barrier(device_, commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                   VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                   VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                   VK_ACCESS_HOST_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  });
  copied_sums_.memory.invalidate();
  const auto* sums = reinterpret_cast<const std::uint32_t*>(copied_sums_.memory.mapped());
  std::uint32_t all = 0;
  for (std::uint32_t i = 0; i < edge_ * edge_ / kTiles; ++i) all += sums[i];
  return all;
}

std::uint32_t expected_checksum(std::span<const std::uint32_t> texels) {
  std::uint32_t all = 0;
  for (std::uint32_t i = 0; i < texels.size(); ++i) all += texels[i] * (2 * i + 1);
  return all;
}

}  // namespace lab::probe
