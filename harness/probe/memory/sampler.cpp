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
  const auto type = device.find_type(needs_of(device, 4096, kSumsUsage).memoryTypeBits, needed, wanted);
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
                   type_of_sums(device, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, VK_MEMORY_PROPERTY_HOST_CACHED_BIT)),
      sampler_(device.required(vulkan::create_sampler(device))),
      model_(create_descriptors()),
      layout_(device.required(vulkan::create_pipeline_layout(device, std::array{model_.layout.handle()},
                                                             VK_SHADER_STAGE_COMPUTE_BIT, sizeof(PushConstants)))) {
  device_.events().doing("vkCreateComputePipelines");
  pipeline_ = device_.required(vulkan::create_pipeline(device_, layout_.handle(), kSampleTextureComp));
}

vulkan::Descriptors TextureSampler::create_descriptors() const {
  return device_.required(vulkan::create_descriptors(
      device_, std::array{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
      VK_SHADER_STAGE_COMPUTE_BIT));
}

VkDescriptorSet TextureSampler::add(const vulkan::Image& image, VkImageLayout layout) {
  const Texture& texture =
      textures_.emplace_back(device_.required(vulkan::create_view(device_, image)), create_descriptors());
  texture.descriptors.write(device_, 0, sampler_.handle(), texture.view.handle(), layout);
  texture.descriptors.write(device_, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sums_.buffer.handle());
  return texture.descriptors.set;
}

void TextureSampler::record(VkCommandBuffer commands, VkDescriptorSet texture, SampleOrder order) const {
  const PushConstants constants{edge_, edge_, order == SampleOrder::kTiles ? 3u : 0u};
  const vulkan::DeviceFunctions& vk = device_.vk();
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.handle());
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.handle(), 0, 1, &texture, 0, nullptr);
  vk.vkCmdPushConstants(commands, layout_.handle(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, &constants);
  vk.vkCmdDispatch(commands, edge_ * edge_ / (kGroup * kTiles), 1, 1);
  // A later pass overwrites the results of this one, or they are copied.
  vulkan::memory_barrier(device_.vk(), commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                         VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

std::uint32_t TextureSampler::checksum() const {
  device_.run([&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, 0, bytes_of_sums(edge_)};
    device_.vk().vkCmdCopyBuffer(commands, sums_.buffer.handle(), copied_sums_.buffer.handle(), 1, &copy);
    vulkan::memory_barrier(
        device_.vk(), commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
        VK_ACCESS_HOST_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  });
  device_.required(copied_sums_.memory.invalidate());
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
