#include "variants/render_config/engine/device_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "variants/render_config/engine/scene.h"
#include "variants/vulkan/drawing.h"

namespace lab::render_config {

namespace {

constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

constexpr VkImageLayout readable(Format format) {
  return is_depth(format) ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
}

vulkan::Attachment attachment(const TargetSpec& target) {
  constexpr std::array kLoads{VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_LOAD_OP_DONT_CARE};
  return {.format = vulkan_format(target.format),
          .load = kLoads[static_cast<std::size_t>(target.begin)],
          .before = target.begin == Begin::kKeep ? readable(target.format) : VK_IMAGE_LAYOUT_UNDEFINED,
          .after = readable(target.format)};
}

// All that a pass does comes after all that was done before, and before all that comes after it: passes of a
// configuration may write and read any image.
std::array<VkSubpassDependency, 2> dependencies() {
  constexpr VkPipelineStageFlags kDrawn = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                          VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                          VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
                                 kSampled = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                 kCopied = VK_PIPELINE_STAGE_TRANSFER_BIT;
  constexpr VkAccessFlags kWrites = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  constexpr VkAccessFlags kReads =
      VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_SHADER_READ_BIT;
  return {{{VK_SUBPASS_EXTERNAL, 0, kDrawn | kSampled | kCopied, kDrawn | kSampled, kWrites, kWrites | kReads, 0},
           {0, VK_SUBPASS_EXTERNAL, kDrawn, kDrawn | kSampled | kCopied, kWrites,
            kWrites | kReads | VK_ACCESS_TRANSFER_READ_BIT, 0}}};
}

}  // namespace

Expected<vulkan::Descriptors> Layouts::frame_set(vulkan::Device& device) {
  return vulkan::create_descriptors(
      device, std::array{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}, kStages);
}

Expected<vulkan::Descriptors> Layouts::input_set(vulkan::Device& device) {
  std::array<VkDescriptorType, kMostInputs> images{};
  images.fill(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
  return vulkan::create_descriptors(device, images, VK_SHADER_STAGE_FRAGMENT_BIT);
}

Expected<std::shared_ptr<const Layouts>> Layouts::create(vulkan::Device& device) {
  const auto layouts = std::make_shared<Layouts>();
  auto frame = frame_set(device);
  if (!frame) return frame.error();
  auto inputs = input_set(device);
  if (!inputs) return inputs.error();
  auto pipeline = vulkan::create_pipeline_layout(device, std::array{frame->layout.handle(), inputs->layout.handle()},
                                                 kPushStages, kPushBytes);
  if (!pipeline) return pipeline.error();
  auto nearest = vulkan::create_sampler(device, VK_FILTER_NEAREST);
  if (!nearest) return nearest.error();
  auto linear = vulkan::create_sampler(device, VK_FILTER_LINEAR);
  if (!linear) return linear.error();
  layouts->frame_ = std::move(*frame);
  layouts->inputs_ = std::move(*inputs);
  layouts->pipeline_ = std::move(*pipeline);
  layouts->nearest_ = std::move(*nearest);
  layouts->linear_ = std::move(*linear);
  return std::shared_ptr<const Layouts>(layouts);
}

/// The members end in reverse: the image goes before the memory that it lies in.
struct DeviceObjects::PlacedTarget {
  std::shared_ptr<vulkan::Resources> resources;
  vulkan::PlacedImage placed;
  FrameNumber drawn_in = kNoFrame;
};

DeviceObjects::DeviceObjects(vulkan::Device& device, std::shared_ptr<const Layouts> layouts)
    : device_(device), layouts_(std::move(layouts)), resources_(std::make_shared<vulkan::Resources>(device)) {}

template <typename Object, typename Make>
Expected<std::shared_ptr<Object>> DeviceObjects::found_or_made(std::map<std::string, std::weak_ptr<Object>>& known,
                                                               const std::string& key, const Make& make) {
  if (auto found = known[key].lock()) return found;
  auto object = make();
  if (!object) {
    known.erase(key);
    return object.error();
  }
  const auto kept = std::make_shared<Object>(std::move(*object));
  known[key] = kept;
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  return kept;
}

Expected<TargetImage> DeviceObjects::image(const ImageSpec& spec) {
  const auto made = found_or_made(images_, key_of(spec), [&]() -> Expected<PlacedTarget> {
    const VkPhysicalDeviceLimits& limits = device_.limits();
    const std::uint32_t most =
        std::min({limits.maxImageDimension2D, limits.maxFramebufferWidth, limits.maxFramebufferHeight});
    if (spec.width > most || spec.height > most)
      return Error{fmt::format("the device draws at most {} pixels wide and high", most), ""};
    const VkImageUsageFlags drawn =
        is_depth(spec.format) ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    auto placed =
        resources_->image(spec.width, spec.height, drawn | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                          vulkan_format(spec.format));
    if (!placed) return placed.error();
    return PlacedTarget{resources_, std::move(*placed)};
  });
  if (!made) return made.error();
  return TargetImage{
      {(*made)->placed.handle(), *made}, {(*made)->placed.view.handle(), *made}, {*made, &(*made)->drawn_in}};
}

Expected<Kept<VkRenderPass>> DeviceObjects::pass(const PassSpec& spec) {
  const auto made = found_or_made(passes_, key_of(spec), [&] {
    std::vector<vulkan::Attachment> attachments;
    for (const TargetSpec& target : spec) attachments.push_back(attachment(target));
    return vulkan::create_pass(device_, attachments, dependencies());
  });
  if (!made) return made.error();
  return Kept<VkRenderPass>{(*made)->handle(), *made};
}

Expected<Kept<VkFramebuffer>> DeviceObjects::framebuffer(const PassSpec& pass_spec,
                                                         std::span<const Kept<VkImageView>> views, std::uint32_t width,
                                                         std::uint32_t height) {
  struct Framebuffer {
    std::vector<std::shared_ptr<const void>> images;
    Kept<VkRenderPass> pass;
    vulkan::Owned<VkFramebuffer> framebuffer;
  };
  const auto pass_of = pass(pass_spec);
  if (!pass_of) return pass_of.error();
  const auto kept = std::make_shared<Framebuffer>();
  kept->pass = *pass_of;
  std::vector<VkImageView> handles;
  for (const Kept<VkImageView>& view : views) {
    handles.push_back(view.handle);
    kept->images.push_back(view.owner);
  }
  auto framebuffer = vulkan::create_framebuffer(device_, pass_of->handle, handles, width, height);
  if (!framebuffer) return framebuffer.error();
  kept->framebuffer = std::move(*framebuffer);
  return Kept<VkFramebuffer>{kept->framebuffer.handle(), kept};
}

Expected<Kept<VkPipeline>> DeviceObjects::pipeline(const PipelineSpec& spec) {
  const auto made = found_or_made(pipelines_, key_of(spec), [&]() -> Expected<vulkan::Owned<VkPipeline>> {
    const auto in = pass(spec.pass);
    if (!in) return in.error();
    constexpr std::array<VkCullModeFlags, 3> kCull{VK_CULL_MODE_NONE, VK_CULL_MODE_BACK_BIT, VK_CULL_MODE_FRONT_BIT};
    constexpr std::array kCompare{VK_COMPARE_OP_ALWAYS, VK_COMPARE_OP_LESS, VK_COMPARE_OP_LESS_OR_EQUAL,
                                  VK_COMPARE_OP_EQUAL};
    constexpr std::array kBlend{vulkan::kOverwrite, vulkan::kOver, vulkan::kAdd};
    vulkan::GraphicsSpec graphics{.layout = layouts_->pipeline(),
                                  .pass = in->handle,
                                  .vertex = spec.vertex->words,
                                  .fragment = {},
                                  .width = 0,
                                  .height = 0,
                                  .attributes = {},
                                  .blends = {}};
    if (spec.fragment) graphics.fragment = spec.fragment->words;
    if (spec.reads_vertices) {
      graphics.stride = sizeof(Vertex);
      graphics.attributes = {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Vertex, position)},
                             {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Vertex, normal)}};
    }
    for (const TargetSpec& target : spec.pass)
      if (!is_depth(target.format)) graphics.blends.push_back(kBlend[static_cast<std::size_t>(spec.blend)]);
    graphics.depth = spec.depth != DepthTest::kOff;
    graphics.depth_compare = kCompare[static_cast<std::size_t>(spec.depth)];
    graphics.depth_write = spec.depth_write;
    graphics.cull = kCull[static_cast<std::size_t>(spec.cull)];
    return vulkan::create_pipeline(device_, graphics);
  });
  if (!made) return made.error();
  return Kept<VkPipeline>{(*made)->handle(), *made};
}

Expected<Kept<VkDescriptorSet>> DeviceObjects::inputs(std::span<const InputSpec> inputs) {
  struct Set {
    std::vector<std::shared_ptr<const void>> images;
    std::shared_ptr<const Layouts> layouts;  // for the samplers
    vulkan::Descriptors descriptors;
  };
  auto descriptors = Layouts::input_set(device_);
  if (!descriptors) return descriptors.error();
  const auto kept = std::make_shared<Set>();
  kept->layouts = layouts_;
  kept->descriptors = std::move(*descriptors);
  const auto write = [&](std::uint32_t binding, const InputSpec& input) {
    kept->descriptors.write(
        device_, binding, layouts_->sampler(input.linear), input.view.handle,
        input.depth ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  };
  // lavapipe reads also those that no shader uses.
  for (std::uint32_t binding = 0; binding < kMostInputs; ++binding) write(binding, inputs.front());
  for (const InputSpec& input : inputs) {
    write(input.binding, input);
    kept->images.push_back(input.view.owner);
  }
  return Kept<VkDescriptorSet>{kept->descriptors.set, kept};
}

}  // namespace lab::render_config
