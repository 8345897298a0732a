#include "variants/render_config/engine/blank_frame.h"

#include <array>

namespace lab::render_config {

Expected<std::unique_ptr<BlankFrame>> BlankFrame::make(Objects& objects, std::uint32_t width, std::uint32_t height) {
  auto frame = std::make_unique<BlankFrame>();
  const auto image = objects.image({"blank", Format::kRgba8, width, height});
  if (!image) return image.error();
  const PassSpec spec{{Format::kRgba8, Begin::kClear}};
  auto pass = objects.pass(spec);
  if (!pass) return pass.error();
  auto framebuffer = objects.framebuffer(spec, std::array{image->view}, width, height);
  if (!framebuffer) return framebuffer.error();
  frame->output_ = {image->image.handle, image->view.handle, width, height};
  frame->pass_ = std::move(*pass);
  frame->framebuffer_ = std::move(*framebuffer);
  return frame;
}

void BlankFrame::record(const FrameContext& frame) const {
  VkClearValue dark{};
  dark.color = {{0.05f, 0.05f, 0.08f, 1}};
  VkRenderPassBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
  info.renderPass = pass_.handle;
  info.framebuffer = framebuffer_.handle;
  info.renderArea.extent = {output_.width, output_.height};
  info.clearValueCount = 1;
  info.pClearValues = &dark;
  frame.vk.vkCmdBeginRenderPass(frame.commands, &info, VK_SUBPASS_CONTENTS_INLINE);
  frame.vk.vkCmdEndRenderPass(frame.commands);
}

}  // namespace lab::render_config
