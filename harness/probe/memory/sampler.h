/// The compute shader that samples a texture (shaders/sample_texture.comp) and what it needs.
#pragma once

#include <cstdint>
#include <span>

#include "harness/probe/memory/device.h"

namespace lab::probe {

/// In which order the shader's invocations sample: squares as in rendering, or a column of texels at a time.
enum class SampleOrder { kTiles, kColumns };

/// For textures of format R8G8B8A8_UNORM whose edges are equal, and powers of two from 64 on.
class TextureSampler {
 public:
  static constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
  static constexpr std::uint32_t kTexelBytes = 4;

  /// Results are in device-local memory if there is any, so that they do not outweigh the samples.
  TextureSampler(const MemoryDevice& device, std::uint32_t edge);
  ~TextureSampler();
  TextureSampler(const TextureSampler&) = delete;
  TextureSampler& operator=(const TextureSampler&) = delete;

  /// A texture that is sampled in this layout; for record(). At most kMostTextures.
  VkDescriptorSet add(VkImage image, VkImageLayout layout);
  static constexpr std::uint32_t kMostTextures = 4 * VK_MAX_MEMORY_TYPES;
  /// Records one pass over a texture.
  void record(VkCommandBuffer commands, VkDescriptorSet texture, SampleOrder order) const;
  /// The checksum of the last pass. Has the device copy its results.
  std::uint32_t checksum() const;

 private:
  void create_layouts();
  void create_pipeline();
  void create_pool();

  const MemoryDevice& device_;
  std::uint32_t edge_;
  BoundBuffer sums_, copied_sums_;
  VkSampler sampler_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  std::vector<VkImageView> views_;
};

/// The checksum that a pass over these texels must give.
std::uint32_t expected_checksum(std::span<const std::uint32_t> texels);

}  // namespace lab::probe
