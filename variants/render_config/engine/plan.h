/// A configuration made ready for a device: a list of steps that a frame walks through.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/vulkan/device.h"
#include "variants/render_config/engine/frame_renderer.h"
#include "variants/render_config/engine/objects.h"
#include "variants/render_config/engine/shader_compiler.h"
#include "variants/render_config/language/config.h"

namespace lab::render_config {

/// A pass with all that was looked up for it, in one piece of memory: between two frames, a device may clear the
/// caches.
struct Step {
  VkRenderPassBeginInfo begin{};                          ///< with clear_values
  VkDescriptorSet inputs = VK_NULL_HANDLE;                ///< null: the pass reads no images
  VkPipeline pipeline = VK_NULL_HANDLE;                   ///< of a fullscreen pass
  std::array<VkPipeline, kMaterials.size()> pipelines{};  ///< of a draw: by material; null: not drawn
  VkViewport viewport{};
  VkRect2D scissor{};
  Order order = Order::kByMaterial;
  bool fullscreen = false;
  std::uint32_t push_bytes = sizeof(std::uint32_t);  ///< `view` alone
  std::array<std::byte, kPushBytes> push{};
  std::array<VkClearValue, kMostTargets + 1> clear_values{};
};

/// A resource that a pass reads as it was at the end of the last frame: of its two images, a frame draws one and reads
/// the other.
struct History {
  std::array<VkRenderPassBeginInfo, 2> clears{};  ///< by image
  std::array<std::shared_ptr<FrameNumber>, 2> drawn_in;
};

/// Where each constant lies in a step's `push`, by name.
using ConstantOffsets = std::map<std::string, std::uint32_t>;

/// Walks through steps. The one reader of a plan in each frame.
void record_step(const FrameContext& frame, const Step& step);

class Plan final : public FrameRenderer {
 public:
  /// Every problem names the place in the configuration. `width` and `height` are those of the output.
  static Expected<std::unique_ptr<Plan>> make(const Config& config, ShaderCompiler& compiler, const ReadFile& read,
                                              Objects& objects, std::uint32_t width, std::uint32_t height);

  void record(const FrameContext& frame) const override;
  const FrameOutput& output() const override { return output_; }
  std::span<const CascadeSpec> views() const override { return views_; }

  /// Frames with even numbers draw to the first image of each history, those with odd numbers to the second.
  const std::vector<Step>& steps(FrameNumber frame = 0) const { return steps_[frame & alternates_]; }
  /// Clears each image that is read as that of the last frame, if the last frame did not draw it. The first commands of
  /// a frame.
  void clear_histories(const FrameContext& frame) const;
  /// By step, for NamedFrame.
  const std::vector<ConstantOffsets>& constants() const { return constants_; }

 private:
  std::array<std::vector<Step>, 2> steps_;  // the second only if there are histories
  std::size_t alternates_ = 0;              // 1: there are
  std::vector<History> histories_;
  std::vector<ConstantOffsets> constants_;
  std::vector<CascadeSpec> views_;
  FrameOutput output_;
  std::vector<std::shared_ptr<const void>> kept_;  // the owners of all handles

  friend class PlanMaker;
};

/// What the scene has, with every format; or with those of a device, which must outlive it.
RenderEnvironment scene_environment();
RenderEnvironment scene_environment(const vulkan::Device& device);

}  // namespace lab::render_config
