/// Objects on a real device.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "variants/render_config/engine/objects.h"
#include "variants/vulkan/resources.h"

namespace lab::render_config {

/// The layouts that every pipeline has, and the samplers. Several threads may use it.
class Layouts {
 public:
  static Expected<std::shared_ptr<const Layouts>> create(vulkan::Device& device);

  VkPipelineLayout pipeline() const { return pipeline_.handle(); }
  VkSampler sampler(bool linear) const { return (linear ? linear_ : nearest_).handle(); }
  /// A set for the frame's buffers, and one for the images that a shader reads.
  static Expected<vulkan::Descriptors> frame_set(vulkan::Device& device);
  static Expected<vulkan::Descriptors> input_set(vulkan::Device& device);

 private:
  vulkan::Descriptors frame_, inputs_;  // for their layouts
  vulkan::Owned<VkPipelineLayout> pipeline_;
  vulkan::Owned<VkSampler> nearest_, linear_;
};

class DeviceObjects final : public Objects {
 public:
  DeviceObjects(vulkan::Device& device, std::shared_ptr<const Layouts> layouts);

  Expected<TargetImage> image(const ImageSpec& spec) override;
  Expected<Kept<VkRenderPass>> pass(const PassSpec& spec) override;
  Expected<Kept<VkFramebuffer>> framebuffer(const PassSpec& pass, std::span<const Kept<VkImageView>> views,
                                            std::uint32_t width, std::uint32_t height) override;
  Expected<Kept<VkPipeline>> pipeline(const PipelineSpec& spec) override;
  Expected<Kept<VkDescriptorSet>> inputs(std::span<const InputSpec> inputs) override;

 private:
  template <typename Object, typename Make>
  Expected<std::shared_ptr<Object>> found_or_made(std::map<std::string, std::weak_ptr<Object>>& known,
                                                  const std::string& key, const Make& make);

  vulkan::Device& device_;
  std::shared_ptr<const Layouts> layouts_;
  std::shared_ptr<vulkan::Resources> resources_;  // each image keeps it
  struct PlacedTarget;
  std::map<std::string, std::weak_ptr<PlacedTarget>> images_;
  std::map<std::string, std::weak_ptr<vulkan::Owned<VkRenderPass>>> passes_;
  std::map<std::string, std::weak_ptr<vulkan::Owned<VkPipeline>>> pipelines_;
};

}  // namespace lab::render_config
