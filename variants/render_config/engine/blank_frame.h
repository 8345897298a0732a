/// A dark frame, to show text on while no configuration has been loaded yet.
#pragma once

#include <memory>

#include "variants/render_config/engine/frame_renderer.h"
#include "variants/render_config/engine/objects.h"

namespace lab::render_config {

class BlankFrame final : public FrameRenderer {
 public:
  static Expected<std::unique_ptr<BlankFrame>> make(Objects& objects, std::uint32_t width, std::uint32_t height);

  void record(const FrameContext& frame) const override;
  const FrameOutput& output() const override { return output_; }
  std::span<const CascadeSpec> views() const override { return {}; }

 private:
  FrameOutput output_;
  Kept<VkRenderPass> pass_;
  Kept<VkFramebuffer> framebuffer_;
};

}  // namespace lab::render_config
