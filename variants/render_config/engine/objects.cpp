#include "variants/render_config/engine/objects.h"

#include <fmt/format.h>

#include "harness/base/hash.h"

namespace lab::render_config {

namespace {

/// A handle that is no address and never null.
template <typename Handle>
Kept<Handle> numbered(const std::string& key) {
  const std::uint64_t number = std::stoull(content_name(key).substr(0, 12), nullptr, 16) | 1;
  return {reinterpret_cast<Handle>(number), nullptr};
}

template <typename Handle>
std::uint64_t number_of(Handle handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

}  // namespace

VkFormat vulkan_format(Format format) {
  constexpr std::array<VkFormat, kFormats.size()> kVulkan{VK_FORMAT_R8_UNORM,
                                                          VK_FORMAT_R8G8_UNORM,
                                                          VK_FORMAT_R8G8B8A8_UNORM,
                                                          VK_FORMAT_R16_SFLOAT,
                                                          VK_FORMAT_R16G16_SFLOAT,
                                                          VK_FORMAT_R16G16B16A16_SFLOAT,
                                                          VK_FORMAT_R32_SFLOAT,
                                                          VK_FORMAT_R32G32_SFLOAT,
                                                          VK_FORMAT_R32G32B32A32_SFLOAT,
                                                          VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                                          VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                                          VK_FORMAT_R8G8B8_UNORM,
                                                          VK_FORMAT_R16G16B16_SFLOAT,
                                                          VK_FORMAT_R32G32B32_SFLOAT,
                                                          VK_FORMAT_D16_UNORM,
                                                          VK_FORMAT_X8_D24_UNORM_PACK32,
                                                          VK_FORMAT_D32_SFLOAT,
                                                          VK_FORMAT_D24_UNORM_S8_UINT};
  return kVulkan[static_cast<std::size_t>(format)];
}

std::string key_of(const ImageSpec& spec) {
  return fmt::format("image {} {} {}x{}{}", spec.name, static_cast<int>(spec.format), spec.width, spec.height,
                     spec.odd ? " odd" : "");
}

std::string key_of(const PassSpec& spec) {
  std::string key = "pass";
  for (const TargetSpec& target : spec)
    key += fmt::format(" {}:{}", static_cast<int>(target.format), static_cast<int>(target.begin));
  return key;
}

std::string key_of(const PipelineSpec& spec) {
  return fmt::format("pipeline {} {} vertices {} cull {} depth {} {} blend {} in {}", spec.vertex->name,
                     spec.fragment ? spec.fragment->name : "none", spec.reads_vertices, static_cast<int>(spec.cull),
                     static_cast<int>(spec.depth), spec.depth_write, static_cast<int>(spec.blend), key_of(spec.pass));
}

Binding NumberedObjects::binding() {
  return {numbered<VkPipelineLayout>("layout").handle, numbered<VkDescriptorSet>("frame").handle,
          numbered<VkBuffer>("vertices").handle, numbered<VkBuffer>("indices").handle};
}

Expected<TargetImage> NumberedObjects::image(const ImageSpec& spec) {
  const std::string key = key_of(spec);
  return TargetImage{numbered<VkImage>(key), numbered<VkImageView>("view of " + key),
                     std::make_shared<FrameNumber>(kNoFrame)};
}

Expected<Kept<VkRenderPass>> NumberedObjects::pass(const PassSpec& spec) {
  return numbered<VkRenderPass>(key_of(spec));
}

Expected<Kept<VkFramebuffer>> NumberedObjects::framebuffer(const PassSpec& pass,
                                                           std::span<const Kept<VkImageView>> views,
                                                           std::uint32_t width, std::uint32_t height) {
  std::string key = fmt::format("framebuffer {}x{} {}", width, height, key_of(pass));
  for (const Kept<VkImageView>& view : views) key += fmt::format(" {}", number_of(view.handle));
  return numbered<VkFramebuffer>(key);
}

Expected<Kept<VkPipeline>> NumberedObjects::pipeline(const PipelineSpec& spec) {
  return numbered<VkPipeline>(key_of(spec));
}

Expected<Kept<VkDescriptorSet>> NumberedObjects::inputs(std::span<const InputSpec> inputs) {
  std::string key = "inputs";
  for (const InputSpec& input : inputs)
    key += fmt::format(" {}:{}{}{}", input.binding, number_of(input.view.handle), input.depth ? "d" : "",
                       input.linear ? "l" : "");
  return numbered<VkDescriptorSet>(key);
}

}  // namespace lab::render_config
