/// The objects that a frame is recorded with: images, render passes, framebuffers, pipelines and the images that a
/// shader reads. Equal specs have one object, which lives as long as one of its users.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/vulkan/functions.h"
#include "variants/render_config/language/config.h"

namespace lab::render_config {

VkFormat vulkan_format(Format format);

/// A handle, and what keeps its object alive.
template <typename Handle>
struct Kept {
  Handle handle = VK_NULL_HANDLE;
  std::shared_ptr<const void> owner = {};
};

struct ImageSpec {
  std::string name;  ///< two images that exist at once need two names
  Format format = Format::kRgba8;
  std::uint32_t width = 1, height = 1;
  bool odd = false;  ///< the second of two with one name, which frames with odd numbers draw
};
/// The number of a frame. kNoFrame is none, and no frame comes after it.
using FrameNumber = std::uint64_t;
inline constexpr FrameNumber kNoFrame = ~FrameNumber{0} - 1;

struct TargetImage {
  Kept<VkImage> image;
  Kept<VkImageView> view;
  /// In which frame it was drawn last, kept by who records frames that read it later.
  std::shared_ptr<FrameNumber> drawn_in = {};
};

/// What a pass does with an image: clears it, keeps what is in it, or draws all of it anew.
enum class Begin : std::uint8_t { kClear, kKeep, kCover };
struct TargetSpec {
  Format format;
  Begin begin;
};
/// Colours, and then depth. Before and after a pass, shaders can read its images.
using PassSpec = std::vector<TargetSpec>;

/// SPIR-V with the name that its contents have.
struct ShaderCode {
  std::vector<std::uint32_t> words;
  std::string name;
};

struct PipelineSpec {
  PassSpec pass = {};
  std::shared_ptr<const ShaderCode> vertex = nullptr, fragment = nullptr;  ///< no fragment shader: depth alone
  bool reads_vertices = true;                                              ///< Vertex, in binding 0
  Cull cull = Cull::kNone;
  DepthTest depth = DepthTest::kOff;
  bool depth_write = true;
  Blend blend = Blend::kNone;
};

struct InputSpec {
  std::uint32_t binding;
  Kept<VkImageView> view;
  bool depth;   ///< of a depth format
  bool linear;  ///< filter between texels
};

/// What every pass of every configuration binds. Set 0 is the frame's, set 1 are the images that a shader reads.
struct Binding {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet frame = VK_NULL_HANDLE;
  VkBuffer vertices = VK_NULL_HANDLE, indices = VK_NULL_HANDLE;
};
inline constexpr VkShaderStageFlags kPushStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
inline constexpr std::uint32_t kPushBytes = 128;

/// Makes objects. Used by one thread, which also drops the last user of each.
class Objects {
 public:
  virtual ~Objects() = default;
  virtual Expected<TargetImage> image(const ImageSpec& spec) = 0;
  virtual Expected<Kept<VkRenderPass>> pass(const PassSpec& spec) = 0;
  virtual Expected<Kept<VkFramebuffer>> framebuffer(const PassSpec& pass, std::span<const Kept<VkImageView>> views,
                                                    std::uint32_t width, std::uint32_t height) = 0;
  virtual Expected<Kept<VkPipeline>> pipeline(const PipelineSpec& spec) = 0;
  /// At least one.
  virtual Expected<Kept<VkDescriptorSet>> inputs(std::span<const InputSpec> inputs) = 0;
};

/// Handles without a device, for the commands alone: each is a number made of its spec, so equal specs have equal
/// handles in every process.
class NumberedObjects final : public Objects {
 public:
  static Binding binding();

  Expected<TargetImage> image(const ImageSpec& spec) override;
  Expected<Kept<VkRenderPass>> pass(const PassSpec& spec) override;
  Expected<Kept<VkFramebuffer>> framebuffer(const PassSpec& pass, std::span<const Kept<VkImageView>> views,
                                            std::uint32_t width, std::uint32_t height) override;
  Expected<Kept<VkPipeline>> pipeline(const PipelineSpec& spec) override;
  Expected<Kept<VkDescriptorSet>> inputs(std::span<const InputSpec> inputs) override;
};

/// The text of a spec, which differs wherever specs do.
std::string key_of(const ImageSpec& spec);
std::string key_of(const PassSpec& spec);
std::string key_of(const PipelineSpec& spec);

}  // namespace lab::render_config
