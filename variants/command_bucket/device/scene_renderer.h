/// A frame's commands, recorded into Vulkan's command buffers and rendered: three layers, each with an image that shows
/// the order of its draws.
///
/// Every draw has a pixel that no other draw of its layer covers. There it leaves its place in the sorted order, mixed
/// with its constants. So any command that is dropped, repeated or moved changes an image.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/base/error.h"
#include "harness/bench/exhibits.h"
#include "variants/command_bucket/device/drawable_scene.h"
#include "variants/command_bucket/family/commands.h"
#include "variants/command_bucket/family/scene.h"
#include "variants/designs/threads/thread_slot.h"
#include "variants/vulkan/commands.h"
#include "variants/vulkan/drawing.h"
#include "variants/vulkan/resources.h"
#include "variants/vulkan/staging.h"
#include "variants/vulkan/timestamps.h"

namespace lab::command_bucket {

/// What a light's draw reads: written by the host while it records, into the slot of MapConstants::buffer.
struct LightConstants {
  float red, green, blue;
  std::uint32_t word;  ///< of both fields of MapConstants
};

/// What was recorded in one frame.
struct Recorded {
  std::array<std::uint64_t, kLayers> draws{};
  std::uint64_t maps = 0;
  std::uint64_t binds = 0;  ///< of vertex and index buffers
};

/// Not thread-safe, except that several threads may record parts: each recorder is used by one thread at a time.
/// Between begin_frame() and end_frame() nothing is allocated here. recording.h has both ways to record:
///
///     begin_frame()
///       of each layer, in their order, into the primary buffer:
///         begin_layer(layer), Frame::submit() to its recorder, end_layer(layer)
///       or into secondary buffers, a part of the layer each:
///         begin_part(layer, i, first), Frame::submit() to its recorder, end_part(layer, i)    on any thread
///         execute_parts(layer)    when all its parts have ended
///     end_frame()
///     execute()
class SceneRenderer {
 public:
  /// What the device must have, besides a queue that draws.
  static VkPhysicalDeviceFeatures features();

  /// Of make_drawable_scene(); neither it nor the device may end before the renderer. At most `max_recorders` parts of
  /// a layer. The images have `edge` x `edge` pixels, at least 512.
  static Expected<std::unique_ptr<SceneRenderer>> create(vulkan::Device& device, const Scene& scene,
                                                         unsigned max_recorders, unsigned edge = 512);
  ~SceneRenderer();

  /// Drops the last frame's commands. That is no recording: time what comes after it, up to end_frame().
  Expected<void> begin_frame();
  /// The recorder is valid until end_layer() or end_part(). The first draw's place in the order is 0.
  Recorder& begin_layer(Layer layer);
  void end_layer(Layer layer);
  /// Parts are executed in the order of their recorders. `first`: the place of the part's first draw in the order.
  Recorder& begin_part(Layer layer, unsigned recorder, std::size_t first);
  void end_part(Layer layer, unsigned recorder);
  void execute_parts(Layer layer);
  /// The first error of all recording.
  Expected<void> end_frame();

  /// Submits the frame and waits for it. Once for each frame.
  Expected<void> execute();

  /// The rest is about the last frame that was executed.
  Recorded recorded() const { return recorded_; }
  /// By the device's clock; nothing if it has none.
  std::optional<double> device_ns() const { return device_ns_; }
  /// G-buffer's colour, the shadow map's depth, the lit image.
  Expected<std::vector<bench::Picture>> pictures() const;
  /// Of all images, and of what was recorded.
  Expected<std::uint64_t> digest() const;
  /// How many draws of a layer have left their place in a pixel.
  Expected<std::size_t> draws_seen(Layer layer) const;

 private:
  /// Aligned, so that two threads' recorders share no cache line.
  class alignas(designs::kApart) DrawRecorder final : public Recorder {
   public:
    void draw(const Draw& draw) override;
    void map(const MapConstants& map) override;

    const SceneRenderer* renderer = nullptr;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::uint32_t place = 0;        ///< of the next draw
    std::uint32_t first_place = 0;  ///< of the first
    std::uint64_t maps = 0, binds = 0;
    std::uint32_t vertex_buffer = 0, index_buffer = 0;  ///< last bound
  };
  struct Part {
    DrawRecorder recorder;
    vulkan::Commands commands;
    Expected<void> result;
    bool used = false;  ///< in this frame
  };
  struct LayerPass {
    vulkan::Owned<VkRenderPass> pass;
    vulkan::Owned<VkFramebuffer> framebuffer;
    vulkan::Owned<VkPipeline> pipeline;
    std::vector<VkClearValue> clears;
    VkCommandBufferInheritanceInfo inherited{};
    std::vector<std::unique_ptr<Part>> parts;
    std::vector<VkCommandBuffer> used_parts;  ///< for execute_parts(): reserved
  };
  enum Target : unsigned { kColour, kDepth, kOrder, kShadowDepth, kShadowOrder, kLit, kLitOrder, kTargets };

  SceneRenderer(vulkan::Device& device, unsigned edge)
      : device_(device), edge_(edge), resources_(std::make_unique<vulkan::Resources>(device)) {}
  Expected<void> create_buffers(const Scene& scene);
  Expected<void> create_targets();
  Expected<void> create_descriptors();
  Expected<void> create_passes();
  Expected<void> create_pass(LayerPass& made, std::span<const Target> targets,
                             std::span<const vulkan::Attachment> attachments, const VkSubpassDependency& after);
  Expected<void> create_pipelines(float top);
  Expected<void> create_commands(unsigned max_recorders);

  void begin_pass(const LayerPass& pass, VkSubpassContents contents);
  /// Before the first command of a layer.
  void begin_primary(Layer layer);
  void compose();
  void start(DrawRecorder& recorder, Layer layer, VkCommandBuffer commands, std::size_t first) const;
  void count(Layer layer, const DrawRecorder& recorder);
  Expected<std::span<const std::byte>> read(Target target) const;

  vulkan::Device& device_;
  unsigned edge_;
  std::unique_ptr<vulkan::Resources> resources_;  // what follows lies in it
  std::array<vulkan::PlacedBuffer, kVertexBuffers> vertices_;
  std::array<vulkan::PlacedBuffer, kIndexBuffers> indices_;
  vulkan::PlacedBuffer meshes_, lights_, light_constants_;
  std::uint32_t mesh_mask_ = 0, light_mask_ = 0;
  std::array<vulkan::PlacedImage, kTargets> targets_;
  vulkan::Owned<VkSampler> sampler_;
  vulkan::Descriptors descriptors_;
  vulkan::Owned<VkPipelineLayout> layout_;
  std::array<LayerPass, kLayers> layers_;
  LayerPass composing_;  // between shadow map and lighting: the light of sky and sun
  vulkan::Commands primary_;
  Expected<void> begun_;
  DrawRecorder in_primary_;
  vulkan::Timestamps timestamps_;
  vulkan::Staging staging_;
  Recorded recorded_;
  std::optional<double> device_ns_;
};

}  // namespace lab::command_bucket
