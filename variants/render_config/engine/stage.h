/// The scene on a device: renders the frames of any FrameRenderer, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "harness/base/error.h"
#include "harness/bench/exhibits.h"
#include "variants/render_config/engine/device_objects.h"
#include "variants/render_config/engine/frame_renderer.h"
#include "variants/vulkan/commands.h"
#include "variants/vulkan/staging.h"
#include "variants/vulkan/timestamps.h"

namespace lab::render_config {

/// Not thread-safe. A frame is prepare(), record(), execute().
class Stage {
 public:
  /// What the device must have, besides a queue that draws.
  static VkPhysicalDeviceFeatures features();
  /// Neither the device nor the scene may end before the stage.
  static Expected<std::unique_ptr<Stage>> create(vulkan::Device& device, Scene& scene);

  const std::shared_ptr<const Layouts>& layouts() const { return layouts_; }

  /// Moves the scene to this time, and writes what the frame's shaders read. Once for each frame: from where things
  /// were the last time, shaders know how they move.
  Expected<void> prepare(const FrameRenderer& renderer, double seconds);
  /// Begins the command buffer, untimed; record_ns() is what the renderer then took. `over`: commands after its own, in
  /// which shaders can read the output. The frame leaves its output in the layout TRANSFER_SRC_OPTIMAL.
  Expected<void> record(const FrameRenderer& renderer, const std::function<void(VkCommandBuffer)>& over = {});
  /// Submits the frame and waits for it.
  Expected<void> execute();

  double record_ns() const { return record_ns_; }
  /// Of the last frame, by the device's clock; nothing if it has none.
  std::optional<double> device_ns() const { return device_ns_; }
  std::uint64_t frames() const { return frames_; }
  /// The output of the last frame.
  Expected<bench::Picture> picture(const FrameOutput& output);

 private:
  Stage(vulkan::Device& device, Scene& scene) : device_(device), scene_(scene), resources_(device) {}
  Expected<void> create_objects();

  vulkan::Device& device_;
  Scene& scene_;
  vulkan::Resources resources_;  // what follows lies in it
  vulkan::PlacedBuffer vertices_, indices_, frame_data_, objects_;
  std::shared_ptr<const Layouts> layouts_;
  vulkan::Descriptors frame_set_;
  vulkan::Commands commands_;
  vulkan::Timestamps timestamps_;
  std::optional<vulkan::Staging> staging_;
  Matrix previous_{};  // the camera's, of the last frame
  std::uint64_t frames_ = 0;
  bool recorded_ = false;
  double record_ns_ = 0;
  std::optional<double> device_ns_;
};

}  // namespace lab::render_config
