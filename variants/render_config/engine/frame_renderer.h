/// What records a frame: a plan that was read from files, or passes that are written in C++.
#pragma once

#include <cstdint>
#include <span>

#include "harness/vulkan/functions.h"
#include "variants/render_config/engine/objects.h"
#include "variants/render_config/engine/scene.h"

namespace lab::render_config {

/// What a frame is recorded with.
struct FrameContext {
  const vulkan::DeviceFunctions& vk;
  VkCommandBuffer commands;
  Binding binding;
  const Scene& scene;        ///< after set_time()
  std::uint64_t number = 0;  ///< of the frame: one more than that of the last one
};

/// The image that a frame leaves, readable by shaders, of the format rgba8.
struct FrameOutput {
  VkImage image = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
  std::uint32_t width = 0, height = 0;
};

class FrameRenderer {
 public:
  virtual ~FrameRenderer() = default;
  /// The commands of a frame, from its first pass to its last. Allocates nothing.
  virtual void record(const FrameContext& frame) const = 0;
  virtual const FrameOutput& output() const = 0;
  /// After the camera, which is view 0.
  virtual std::span<const CascadeSpec> views() const = 0;
};

/// Binds what all passes of a frame share: vertices, indices, and set 0.
void bind_frame(const FrameContext& frame);

/// Draws the scene's objects in an order, with the pipeline of each one's material; null: not drawn.
void draw_objects(const FrameContext& frame, Order order, std::span<const VkPipeline> pipelines);

}  // namespace lab::render_config
