/// Text over a rendered image.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "variants/vulkan/drawing.h"
#include "variants/vulkan/resources.h"

namespace lab::render_config {

/// Left, top, right and bottom, in pixels from the upper left corner.
using Rectangle = std::array<float, 4>;

/// Lines of text in the upper left corner of an image of this size: a box behind them, then the strokes of their
/// letters. Lines are wrapped at the image's width, between words if possible. What does not fit below is left out, and
/// so are strokes beyond Overlay::kMostRectangles. A character that is not ASCII becomes '?'. Empty without lines.
std::vector<Rectangle> text_rectangles(std::span<const std::string> lines, std::uint32_t width, std::uint32_t height);

/// Draws white text on a dark translucent box over a colour image of the format R8G8B8A8_UNORM. Not thread-safe.
class Overlay {
 public:
  static constexpr std::size_t kMostRectangles = 16'384;

  /// The image is in the layout `before` when it is drawn on, and in `after` later. `resources` must outlive the
  /// overlay.
  static Expected<std::unique_ptr<Overlay>> create(vulkan::Device& device, vulkan::Resources& resources,
                                                   VkImageLayout before, VkImageLayout after);

  /// The image to draw on from now on, made for use as a colour attachment. The device must not be drawing, here and in
  /// set_text().
  Expected<void> set_target(VkImageView image, std::uint32_t width, std::uint32_t height);
  /// Costs nothing if the text is the same; otherwise it is laid out and copied into mapped memory.
  Expected<void> set_text(std::span<const std::string> lines);

  /// After set_target(). Waits for what has written the image before in this queue; what follows waits for it.
  void draw(VkCommandBuffer commands) const;

 private:
  explicit Overlay(vulkan::Device& device) : device_(device) {}
  Expected<void> create_pass(VkImageLayout before, VkImageLayout after);
  Expected<void> lay_out();

  vulkan::Device& device_;
  vulkan::PlacedBuffer rectangles_;
  vulkan::Descriptors descriptors_;
  vulkan::Owned<VkPipelineLayout> layout_;
  vulkan::Owned<VkRenderPass> pass_;
  vulkan::Owned<VkFramebuffer> framebuffer_;  // of the target
  vulkan::Owned<VkPipeline> pipeline_;        // for the target's size
  std::uint32_t width_ = 0, height_ = 0;
  std::vector<std::string> lines_;
  std::uint32_t count_ = 0;  // of rectangles
};

}  // namespace lab::render_config
