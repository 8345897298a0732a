/// The compute shader that samples a texture (shaders/sample_texture.comp) and what it needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/probe/memory/device.h"
#include "harness/vulkan/objects.h"

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

  /// A texture that is sampled in this layout; for record().
  VkDescriptorSet add(const vulkan::Image& image, VkImageLayout layout);
  /// Records one pass over a texture.
  void record(VkCommandBuffer commands, VkDescriptorSet texture, SampleOrder order) const;
  /// The checksum of the last pass. Has the device copy its results.
  std::uint32_t checksum() const;

 private:
  vulkan::Descriptors create_descriptors() const;

  const MemoryDevice& device_;
  std::uint32_t edge_;
  BoundBuffer sums_, copied_sums_;
  vulkan::Owned<VkSampler> sampler_;
  vulkan::Descriptors model_;  // of no texture: its layout is that of all others
  vulkan::Owned<VkPipelineLayout> layout_;
  vulkan::Owned<VkPipeline> pipeline_;
  struct Texture {
    vulkan::Owned<VkImageView> view;
    vulkan::Descriptors descriptors;
  };
  std::vector<Texture> textures_;
};

/// The checksum that a pass over these texels must give.
std::uint32_t expected_checksum(std::span<const std::uint32_t> texels);

}  // namespace lab::probe
