#include "variants/render_config/engine/overlay.h"

#include <stb/stb_easy_font.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "overlay.frag.h"
#include "overlay.vert.h"

namespace lab::render_config {

namespace {

constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
// Lengths of the font are in its own units.
constexpr float kLineUnits = 12, kMarginUnits = 4;
constexpr std::size_t kMostStrokes = 32;  // of a letter

// As the font's functions write it.
struct FontVertex {
  float x, y, z;
  unsigned char colour[4];
};

// Pixels of a unit: letters are as large as those of a terminal.
std::uint32_t scale_of(std::uint32_t height) {
  return 1 + height / 540;
}

float units_of(std::string_view text) {
  std::string copy(text);  // the font takes no constant text
  return static_cast<float>(stb_easy_font_width(copy.data()));
}

std::string ascii(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

// The first part of `text` that is not wider than `units`, at least a character: up to a space if there is one.
std::string_view fitting(std::string_view text, float units) {
  std::size_t length = 1;
  float width = units_of(text.substr(0, 1));
  while (length < text.size()) {
    width += units_of(text.substr(length, 1));
    if (width > units) break;
    ++length;
  }
  if (length == text.size()) return text;
  const std::size_t space = text.rfind(' ', length);
  return text.substr(0, space == std::string_view::npos || space == 0 ? length : space);
}

std::vector<std::string> wrapped(std::span<const std::string> lines, float units) {
  std::vector<std::string> found;
  for (const std::string& line : lines) {
    const std::string clean = ascii(line);
    std::string_view rest = clean;
    do {
      const std::string_view part = rest.empty() ? rest : fitting(rest, units);
      found.emplace_back(part);
      rest.remove_prefix(part.size());
      if (rest.starts_with(' ')) rest.remove_prefix(1);  // in place of which the line ends
    } while (!rest.empty());
  }
  return found;
}

}  // namespace

std::vector<Rectangle> text_rectangles(std::span<const std::string> lines, std::uint32_t width, std::uint32_t height) {
  const auto scale = static_cast<float>(scale_of(height));
  const float wide = static_cast<float>(width) / scale, high = static_cast<float>(height) / scale;
  std::vector<std::string> shown = wrapped(lines, wide - 2 * kMarginUnits);
  const float most = std::max(0.0f, (high - 2 * kMarginUnits) / kLineUnits);
  shown.resize(std::min(shown.size(), static_cast<std::size_t>(most)));
  if (shown.empty()) return {};

  float longest = 0;
  for (const std::string& line : shown) longest = std::max(longest, units_of(line));
  std::vector<Rectangle> found{{0, 0, (longest + 2 * kMarginUnits) * scale,
                                (static_cast<float>(shown.size()) * kLineUnits + 2 * kMarginUnits) * scale}};
  std::vector<FontVertex> corners;
  float top = kMarginUnits;
  for (std::string& line : shown) {
    corners.resize(line.size() * kMostStrokes * 4);
    const int strokes = stb_easy_font_print(kMarginUnits, top, line.data(), nullptr, corners.data(),
                                            static_cast<int>(corners.size() * sizeof(FontVertex)));
    // Upper left, upper right, lower right, lower left.
    for (std::size_t i = 0; i < static_cast<std::size_t>(strokes); ++i) {
      const FontVertex &from = corners[4 * i], &to = corners[4 * i + 2];
      found.push_back({from.x * scale, from.y * scale, to.x * scale, to.y * scale});
    }
    top += kLineUnits;
  }
  found.resize(std::min(found.size(), Overlay::kMostRectangles));
  return found;
}

Expected<std::unique_ptr<Overlay>> Overlay::create(vulkan::Device& device, vulkan::Resources& resources,
                                                   VkImageLayout before, VkImageLayout after) {
  std::unique_ptr<Overlay> overlay(new Overlay(device));
  auto buffer = resources.host_buffer(kMostRectangles * sizeof(Rectangle), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  if (!buffer) return buffer.error();
  overlay->rectangles_ = std::move(*buffer);
  constexpr VkDescriptorType kTypes[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  auto descriptors = vulkan::create_descriptors(device, kTypes, VK_SHADER_STAGE_VERTEX_BIT);
  if (!descriptors) return descriptors.error();
  overlay->descriptors_ = std::move(*descriptors);
  overlay->descriptors_.write(device, 0, kTypes[0], overlay->rectangles_.handle());
  auto layout = vulkan::create_pipeline_layout(device, std::array{overlay->descriptors_.layout.handle()},
                                               VK_SHADER_STAGE_VERTEX_BIT, 2 * sizeof(float));
  if (!layout) return layout.error();
  overlay->layout_ = std::move(*layout);
  if (const auto made = overlay->create_pass(before, after); !made) return made.error();
  return overlay;
}

Expected<void> Overlay::create_pass(VkImageLayout before, VkImageLayout after) {
  const vulkan::Attachment attachments[] = {{kFormat, VK_ATTACHMENT_LOAD_OP_LOAD, before, after}};
  VkSubpassDependency in{}, out{};
  in.srcSubpass = out.dstSubpass = VK_SUBPASS_EXTERNAL;
  in.srcStageMask = out.dstStageMask = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  in.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  in.dstStageMask = out.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  in.dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  out.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  out.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  const VkSubpassDependency dependencies[] = {in, out};
  auto pass = vulkan::create_pass(device_, attachments, dependencies);
  if (!pass) return pass.error();
  pass_ = std::move(*pass);
  return {};
}

Expected<void> Overlay::set_target(VkImageView image, std::uint32_t width, std::uint32_t height) {
  const VkImageView views[] = {image};
  auto framebuffer = vulkan::create_framebuffer(device_, pass_.handle(), views, width, height);
  if (!framebuffer) return framebuffer.error();
  framebuffer_ = std::move(*framebuffer);
  if (pipeline_.handle() != VK_NULL_HANDLE && width == width_ && height == height_) return {};
  auto pipeline = vulkan::create_pipeline(device_, {.layout = layout_.handle(),
                                                    .pass = pass_.handle(),
                                                    .vertex = kOverlayVert,
                                                    .fragment = kOverlayFrag,
                                                    .width = width,
                                                    .height = height,
                                                    .attributes = {},
                                                    .blends = {vulkan::kOver}});
  if (!pipeline) return pipeline.error();
  pipeline_ = std::move(*pipeline);
  width_ = width;
  height_ = height;
  return lay_out();
}

Expected<void> Overlay::set_text(std::span<const std::string> lines) {
  if (std::ranges::equal(lines, lines_)) return {};
  lines_.assign(lines.begin(), lines.end());
  return lay_out();
}

Expected<void> Overlay::lay_out() {
  const std::vector<Rectangle> found = text_rectangles(lines_, width_, height_);
  count_ = static_cast<std::uint32_t>(found.size());
  if (found.empty()) return {};
  std::memcpy(rectangles_.mapped, found.data(), found.size() * sizeof(Rectangle));
  return rectangles_.memory->flush();
}

void Overlay::draw(VkCommandBuffer commands) const {
  const vulkan::DeviceFunctions& vk = device_.vk();
  VkRenderPassBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
  begin.renderPass = pass_.handle();
  begin.framebuffer = framebuffer_.handle();
  begin.renderArea.extent = {width_, height_};
  vk.vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  if (count_ > 0) {
    const float clip_per_pixel[] = {2 / static_cast<float>(width_), 2 / static_cast<float>(height_)};
    vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_.handle());
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.handle(), 0, 1, &descriptors_.set, 0,
                               nullptr);
    vk.vkCmdPushConstants(commands, layout_.handle(), VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof clip_per_pixel,
                          clip_per_pixel);
    vk.vkCmdDraw(commands, 6 * count_, 1, 0, 0);
  }
  vk.vkCmdEndRenderPass(commands);
}

}  // namespace lab::render_config
