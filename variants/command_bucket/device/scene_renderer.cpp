#include "variants/command_bucket/device/scene_renderer.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "compose.frag.h"
#include "compose.vert.h"
#include "gbuffer.frag.h"
#include "harness/bench/checksum.h"
#include "light.frag.h"
#include "light.vert.h"
#include "mesh.vert.h"
#include "shadow.frag.h"

namespace lab::command_bucket {

namespace {

using vulkan::Attachment;

constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
constexpr VkFormat kColourFormat = VK_FORMAT_R8G8B8A8_UNORM, kOrderFormat = VK_FORMAT_R32_UINT,
                   kDepthFormat = VK_FORMAT_D16_UNORM;  // every device draws into these

// As in shaders/draw.glsl.
struct Push {
  std::uint32_t constants, command, mask;
};
struct ShaderConstants {
  float edge, top, shear;
};
constexpr VkSpecializationMapEntry kShaderConstants[] = {{0, offsetof(ShaderConstants, edge), sizeof(float)},
                                                         {1, offsetof(ShaderConstants, top), sizeof(float)},
                                                         {2, offsetof(ShaderConstants, shear), sizeof(float)}};

// Not a buffer's number.
constexpr std::uint32_t kUnbound = ~std::uint32_t{0};

// Number of the command that draws in a layer, as in artificial_work().
constexpr std::uint32_t command_of(Layer layer) {
  return layer == kLighting ? kLighting + 1 : layer;
}

std::uint32_t mask_for(std::size_t components) {
  return static_cast<std::uint32_t>(std::bit_ceil(std::max<std::size_t>(components, 4)) - 1);
}

// A few colours of lamps.
constexpr std::array<std::array<float, 3>, 8> kTints{{{1.0f, 0.74f, 0.40f},
                                                      {1.0f, 0.82f, 0.52f},
                                                      {1.0f, 0.66f, 0.30f},
                                                      {0.95f, 0.90f, 0.78f},
                                                      {1.0f, 0.70f, 0.36f},
                                                      {1.0f, 0.78f, 0.46f},
                                                      {0.80f, 0.90f, 1.0f},
                                                      {1.0f, 0.60f, 0.34f}}};

LightConstants constants_of(const MapConstants& map) {
  const std::uint32_t word = (std::uint32_t{map.value} << 16 | map.buffer) * 0x9e3779b1u + 1;
  const auto& tint = kTints[word >> 29];
  return {tint[0], tint[1], tint[2], word};
}

template <typename T>
Expected<vulkan::PlacedBuffer> filled(vulkan::Resources& resources, const std::vector<T>& contents,
                                      VkBufferUsageFlags usage) {
  return resources.buffer(std::as_bytes(std::span(contents)), usage);
}

// One that is as long as the mask of its index.
Expected<vulkan::PlacedBuffer> padded(vulkan::Resources& resources, Instances instances, std::uint32_t mask) {
  instances.of.resize(std::size_t{mask} + 1);
  return filled(resources, instances.of, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
}

// What a pass has written is read by shaders and by copies, or is drawn over.
VkSubpassDependency after_pass() {
  return {.srcSubpass = 0,
          .dstSubpass = VK_SUBPASS_EXTERNAL,
          .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
          .dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                          VK_PIPELINE_STAGE_TRANSFER_BIT,
          .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
          .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT |
                           VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT,
          .dependencyFlags = 0};
}

}  // namespace

VkPhysicalDeviceFeatures SceneRenderer::features() {
  VkPhysicalDeviceFeatures features{};
  features.independentBlend = VK_TRUE;  // lights are added, their order is not
  return features;
}

SceneRenderer::~SceneRenderer() = default;

Expected<std::unique_ptr<SceneRenderer>> SceneRenderer::create(vulkan::Device& device, const Scene& scene,
                                                               unsigned max_recorders, unsigned edge) {
  std::unique_ptr<SceneRenderer> made(new SceneRenderer(device, edge));
  if (const auto done = made->create_buffers(scene); !done) return in_context("creating buffers", done.error());
  if (const auto done = made->create_targets(); !done) return in_context("creating images", done.error());
  if (const auto done = made->create_descriptors(); !done) return in_context("creating descriptors", done.error());
  if (const auto done = made->create_passes(); !done) return in_context("creating render passes", done.error());
  if (const auto done = made->create_pipelines(std::max(mesh_instances(scene, edge).top, 1.0f)); !done)
    return in_context("creating pipelines", done.error());
  if (const auto done = made->create_commands(max_recorders); !done)
    return in_context("creating command buffers", done.error());
  return made;
}

Expected<void> SceneRenderer::create_buffers(const Scene& scene) {
  const Geometry geometry = make_geometry();
  for (std::size_t i = 0; i < kVertexBuffers; ++i) {
    auto buffer = filled(*resources_, geometry.vertices[i], VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    if (!buffer) return buffer.error();
    vertices_[i] = std::move(*buffer);
  }
  for (std::size_t i = 0; i < kIndexBuffers; ++i) {
    auto buffer = filled(*resources_, geometry.indices[i], VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
    if (!buffer) return buffer.error();
    indices_[i] = std::move(*buffer);
  }
  mesh_mask_ = mask_for(scene.meshes.size());
  light_mask_ = mask_for(scene.lights.size());
  auto meshes = padded(*resources_, mesh_instances(scene, edge_), mesh_mask_);
  if (!meshes) return meshes.error();
  auto lights = padded(*resources_, light_instances(scene, edge_), light_mask_);
  if (!lights) return lights.error();
  auto constants = resources_->host_buffer((std::size_t{light_mask_} + 1) * sizeof(LightConstants),
                                           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  if (!constants) return constants.error();
  meshes_ = std::move(*meshes);
  lights_ = std::move(*lights);
  light_constants_ = std::move(*constants);
  std::memset(light_constants_.mapped, 0, light_constants_.buffer.length);
  return {};
}

Expected<void> SceneRenderer::create_targets() {
  constexpr VkImageUsageFlags kCopied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  constexpr VkImageUsageFlags kColoured = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | kCopied;
  constexpr VkImageUsageFlags kDeep = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | kCopied;
  constexpr VkImageUsageFlags kSampled = VK_IMAGE_USAGE_SAMPLED_BIT;
  const std::array<std::pair<VkFormat, VkImageUsageFlags>, kTargets> kinds{{{kColourFormat, kColoured | kSampled},
                                                                            {kDepthFormat, kDeep | kSampled},
                                                                            {kOrderFormat, kColoured},
                                                                            {kDepthFormat, kDeep | kSampled},
                                                                            {kOrderFormat, kColoured},
                                                                            {kColourFormat, kColoured},
                                                                            {kOrderFormat, kColoured}}};
  for (unsigned target = 0; target < kTargets; ++target) {
    auto image = resources_->image(edge_, edge_, kinds[target].second, kinds[target].first);
    if (!image) return image.error();
    targets_[target] = std::move(*image);
  }
  auto staging = vulkan::Staging::create(device_, VkDeviceSize{edge_} * edge_ * 4);
  if (!staging) return staging.error();
  staging_ = std::move(*staging);
  return {};
}

Expected<void> SceneRenderer::create_descriptors() {
  constexpr VkDescriptorType kBuffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  constexpr VkDescriptorType kTexture = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  constexpr VkDescriptorType kTypes[] = {kBuffer, kBuffer, kBuffer, kTexture, kTexture, kTexture};
  auto sampler = vulkan::create_sampler(device_);
  if (!sampler) return sampler.error();
  auto descriptors = vulkan::create_descriptors(device_, kTypes, kStages);
  if (!descriptors) return descriptors.error();
  const std::array sets{descriptors->layout.handle()};
  auto layout = vulkan::create_pipeline_layout(device_, sets, kStages, sizeof(Push));
  if (!layout) return layout.error();
  sampler_ = std::move(*sampler);
  descriptors_ = std::move(*descriptors);
  layout_ = std::move(*layout);
  std::uint32_t binding = 0;
  for (const vulkan::PlacedBuffer* const buffer : {&meshes_, &lights_, &light_constants_})
    descriptors_.write(device_, binding++, kBuffer, buffer->handle());
  for (const Target target : {kColour, kDepth, kShadowDepth})
    descriptors_.write(device_, binding++, sampler_.handle(), targets_[target].view.handle(),
                       VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  return {};
}

Expected<void> SceneRenderer::create_pass(LayerPass& made, std::span<const Target> targets,
                                          std::span<const Attachment> attachments, const VkSubpassDependency& after) {
  auto pass = vulkan::create_pass(device_, attachments, {&after, 1});
  if (!pass) return pass.error();
  std::vector<VkImageView> views;
  for (const Target target : targets) {
    views.push_back(targets_[target].view.handle());
    VkClearValue& clear = made.clears.emplace_back();
    if (targets_[target].image.format == kDepthFormat) clear.depthStencil.depth = 1;
  }
  auto framebuffer = vulkan::create_framebuffer(device_, pass->handle(), views, edge_, edge_);
  if (!framebuffer) return framebuffer.error();
  made.pass = std::move(*pass);
  made.framebuffer = std::move(*framebuffer);
  made.inherited.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
  made.inherited.renderPass = made.pass.handle();
  made.inherited.framebuffer = made.framebuffer.handle();
  return {};
}

Expected<void> SceneRenderer::create_passes() {
  constexpr VkImageLayout kNothing = VK_IMAGE_LAYOUT_UNDEFINED, kSampled = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                          kCopied = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                          kDrawn = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  constexpr VkAttachmentLoadOp kClear = VK_ATTACHMENT_LOAD_OP_CLEAR;
  constexpr Attachment kOrderOf{kOrderFormat, kClear, kNothing, kCopied};
  constexpr Attachment kDepthOf{kDepthFormat, kClear, kNothing, kSampled};
  const VkSubpassDependency after = after_pass();
  if (const auto made =
          create_pass(layers_[kGBuffer], std::array{kColour, kOrder, kDepth},
                      std::array{Attachment{kColourFormat, kClear, kNothing, kSampled}, kOrderOf, kDepthOf}, after);
      !made)
    return made.error();
  if (const auto made = create_pass(layers_[kShadowMap], std::array{kShadowOrder, kShadowDepth},
                                    std::array{kOrderOf, kDepthOf}, after);
      !made)
    return made.error();
  if (const auto made =
          create_pass(composing_, std::array{kLit},
                      std::array{Attachment{kColourFormat, VK_ATTACHMENT_LOAD_OP_DONT_CARE, kNothing, kDrawn}}, after);
      !made)
    return made.error();
  return create_pass(layers_[kLighting], std::array{kLit, kLitOrder},
                     std::array{Attachment{kColourFormat, VK_ATTACHMENT_LOAD_OP_LOAD, kDrawn, kCopied}, kOrderOf},
                     after);
}

Expected<void> SceneRenderer::create_pipelines(float top) {
  const auto edge = static_cast<float>(edge_);
  const ShaderConstants from_above{edge, top, 0}, from_sun{edge, top, 1};
  const VkSpecializationInfo above{std::size(kShaderConstants), kShaderConstants, sizeof from_above, &from_above};
  const VkSpecializationInfo sun{std::size(kShaderConstants), kShaderConstants, sizeof from_sun, &from_sun};
  vulkan::GraphicsSpec draws{.layout = layout_.handle(),
                             .pass = VK_NULL_HANDLE,
                             .vertex = kMeshVert,
                             .fragment = kGbufferFrag,
                             .width = edge_,
                             .height = edge_,
                             .stride = sizeof(Vertex),
                             .attributes = {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, 0}},
                             .blends = {vulkan::kOverwrite, vulkan::kOverwrite},
                             .depth = true,
                             .constants = &above};
  vulkan::GraphicsSpec shadows = draws;
  shadows.fragment = kShadowFrag;
  shadows.blends = {vulkan::kOverwrite};
  shadows.constants = &sun;
  vulkan::GraphicsSpec lights = draws;
  lights.vertex = kLightVert;
  lights.fragment = kLightFrag;
  lights.blends = {vulkan::kAdd, vulkan::kOverwrite};
  lights.depth = false;
  vulkan::GraphicsSpec composes = lights;
  composes.vertex = kComposeVert;
  composes.fragment = kComposeFrag;
  composes.stride = 0;
  composes.attributes.clear();
  composes.blends = {vulkan::kOverwrite};
  for (const auto& [pass, spec] : {std::pair(&layers_[kGBuffer], &draws), std::pair(&layers_[kShadowMap], &shadows),
                                   std::pair(&layers_[kLighting], &lights), std::pair(&composing_, &composes)}) {
    spec->pass = pass->pass.handle();
    auto pipeline = vulkan::create_pipeline(device_, *spec);
    if (!pipeline) return pipeline.error();
    pass->pipeline = std::move(*pipeline);
  }
  return {};
}

Expected<void> SceneRenderer::create_commands(unsigned max_recorders) {
  auto primary = vulkan::Commands::create(device_, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  if (!primary) return primary.error();
  primary_ = std::move(*primary);
  for (LayerPass& layer : layers_) {
    layer.used_parts.reserve(max_recorders);
    for (unsigned i = 0; i < max_recorders; ++i) {
      auto secondary = vulkan::Commands::create(device_, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
      if (!secondary) return secondary.error();
      layer.parts.push_back(std::make_unique<Part>());
      layer.parts.back()->commands = std::move(*secondary);
    }
  }
  auto timestamps = vulkan::Timestamps::create(device_);
  if (!timestamps) return timestamps.error();
  timestamps_ = std::move(*timestamps);
  return {};
}

void SceneRenderer::DrawRecorder::draw(const Draw& draw) {
  const vulkan::DeviceFunctions& vk = renderer->device_.vk();
  if (draw.vertex_buffer != vertex_buffer) {
    vertex_buffer = draw.vertex_buffer;
    assert(vertex_buffer < kVertexBuffers);
    const VkBuffer buffer = renderer->vertices_[vertex_buffer].handle();
    const VkDeviceSize offset = 0;
    vk.vkCmdBindVertexBuffers(commands, 0, 1, &buffer, &offset);
    ++binds;
  }
  if (draw.index_buffer != index_buffer) {
    index_buffer = draw.index_buffer;
    assert(index_buffer < kIndexBuffers);
    vk.vkCmdBindIndexBuffer(commands, renderer->indices_[index_buffer].handle(), 0, VK_INDEX_TYPE_UINT16);
    ++binds;
  }
  vk.vkCmdPushConstants(commands, renderer->layout_.handle(), kStages, offsetof(Push, constants), sizeof draw.constants,
                        &draw.constants);
  vk.vkCmdDrawIndexed(commands, draw.index_count, 1, draw.first_index, static_cast<std::int32_t>(draw.base_vertex),
                      place++);
}

void SceneRenderer::DrawRecorder::map(const MapConstants& map) {
  const LightConstants constants = constants_of(map);
  std::memcpy(renderer->light_constants_.mapped + (map.buffer & renderer->light_mask_) * sizeof constants, &constants,
              sizeof constants);
  ++maps;
}

void SceneRenderer::start(DrawRecorder& recorder, Layer layer, VkCommandBuffer commands, std::size_t first) const {
  recorder.renderer = this;
  recorder.commands = commands;
  recorder.place = recorder.first_place = static_cast<std::uint32_t>(first);
  recorder.maps = recorder.binds = 0;
  recorder.vertex_buffer = recorder.index_buffer = kUnbound;
  const vulkan::DeviceFunctions& vk = device_.vk();
  const Push push{0, command_of(layer), layer == kLighting ? light_mask_ : mesh_mask_};
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layers_[layer].pipeline.handle());
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.handle(), 0, 1, &descriptors_.set, 0,
                             nullptr);
  vk.vkCmdPushConstants(commands, layout_.handle(), kStages, 0, sizeof push, &push);
}

void SceneRenderer::count(Layer layer, const DrawRecorder& recorder) {
  recorded_.draws[layer] += recorder.place - recorder.first_place;
  recorded_.maps += recorder.maps;
  recorded_.binds += recorder.binds;
}

Expected<void> SceneRenderer::begin_frame() {
  recorded_ = {};
  for (LayerPass& layer : layers_)
    for (const auto& part : layer.parts)
      if (std::exchange(part->used, false))
        if (const auto reset = part->commands.reset(); !reset) return reset.error();
  return primary_.reset();
}

void SceneRenderer::begin_primary(Layer layer) {
  if (layer == kGBuffer) {
    begun_ = primary_.begin();
    timestamps_.begin(primary_.handle());
  }
  if (layer == kLighting) compose();
}

void SceneRenderer::begin_pass(const LayerPass& pass, VkSubpassContents contents) {
  VkRenderPassBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
  info.renderPass = pass.pass.handle();
  info.framebuffer = pass.framebuffer.handle();
  info.renderArea.extent = {edge_, edge_};
  info.clearValueCount = static_cast<std::uint32_t>(pass.clears.size());
  info.pClearValues = pass.clears.data();
  device_.vk().vkCmdBeginRenderPass(primary_.handle(), &info, contents);
}

void SceneRenderer::compose() {
  const vulkan::DeviceFunctions& vk = device_.vk();
  begin_pass(composing_, VK_SUBPASS_CONTENTS_INLINE);
  vk.vkCmdBindPipeline(primary_.handle(), VK_PIPELINE_BIND_POINT_GRAPHICS, composing_.pipeline.handle());
  vk.vkCmdBindDescriptorSets(primary_.handle(), VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.handle(), 0, 1,
                             &descriptors_.set, 0, nullptr);
  vk.vkCmdDraw(primary_.handle(), 3, 1, 0, 0);
  vk.vkCmdEndRenderPass(primary_.handle());
}

Recorder& SceneRenderer::begin_layer(Layer layer) {
  begin_primary(layer);
  begin_pass(layers_[layer], VK_SUBPASS_CONTENTS_INLINE);
  start(in_primary_, layer, primary_.handle(), 0);
  return in_primary_;
}

void SceneRenderer::end_layer(Layer layer) {
  count(layer, in_primary_);
  device_.vk().vkCmdEndRenderPass(primary_.handle());
}

Recorder& SceneRenderer::begin_part(Layer layer, unsigned recorder, std::size_t first) {
  Part& part = *layers_[layer].parts[recorder];
  part.used = true;
  part.result = part.commands.begin(&layers_[layer].inherited);
  start(part.recorder, layer, part.commands.handle(), first);
  return part.recorder;
}

void SceneRenderer::end_part(Layer layer, unsigned recorder) {
  Part& part = *layers_[layer].parts[recorder];
  if (const auto ended = part.commands.end(); !ended && part.result) part.result = ended.error();
}

void SceneRenderer::execute_parts(Layer layer) {
  begin_primary(layer);
  LayerPass& pass = layers_[layer];
  begin_pass(pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
  pass.used_parts.clear();
  for (const auto& part : pass.parts)
    if (part->used) {
      pass.used_parts.push_back(part->commands.handle());
      count(layer, part->recorder);
    }
  if (!pass.used_parts.empty())
    device_.vk().vkCmdExecuteCommands(primary_.handle(), static_cast<std::uint32_t>(pass.used_parts.size()),
                                      pass.used_parts.data());
  device_.vk().vkCmdEndRenderPass(primary_.handle());
}

Expected<void> SceneRenderer::end_frame() {
  // What lighting has sampled is copied later.
  std::array<VkImageMemoryBarrier, 3> barriers{};
  std::size_t count = 0;
  for (const Target target : {kColour, kDepth, kShadowDepth}) {
    VkImageMemoryBarrier& barrier = barriers[count++];
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = targets_[target].handle();
    barrier.subresourceRange = {vulkan::aspect_of(targets_[target].image.format), 0, 1, 0, 1};
  }
  timestamps_.end(primary_.handle());
  device_.vk().vkCmdPipelineBarrier(primary_.handle(), VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                    VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, barriers.size(),
                                    barriers.data());
  const auto ended = primary_.end();
  if (!begun_) return begun_.error();
  for (const LayerPass& layer : layers_)
    for (const auto& part : layer.parts)
      if (part->used && !part->result) return part->result.error();
  return ended;
}

Expected<void> SceneRenderer::execute() {
  if (const auto flushed = light_constants_.memory->flush(); !flushed) return flushed.error();
  if (const auto done = device_.submit(primary_.handle()); !done) return done.error();
  const auto ns = timestamps_.ns();
  if (!ns) return ns.error();
  device_ns_ = *ns;
  // A later frame must not find what this one has mapped.
  std::memset(light_constants_.mapped, 0, light_constants_.buffer.length);
  return {};
}

Expected<std::span<const std::byte>> SceneRenderer::read(Target target) const {
  const vulkan::Image& image = targets_[target].image;
  if (const auto copied = staging_.from(image); !copied) return in_context("reading an image back", copied.error());
  return std::span<const std::byte>(
      staging_.bytes().first(std::size_t{edge_} * edge_ * vulkan::texel_bytes(image.format)));
}

Expected<std::vector<bench::Picture>> SceneRenderer::pictures() const {
  std::vector<bench::Picture> pictures;
  for (const Target target : {kColour, kShadowDepth, kLit}) {
    const auto bytes = read(target);
    if (!bytes) return bytes.error();
    bench::Picture& picture = pictures.emplace_back(bench::Picture{edge_, edge_, target == kShadowDepth ? 1u : 3u, {}});
    if (target == kShadowDepth) {
      for (std::size_t at = 0; at < bytes->size(); at += 2)
        picture.pixels.push_back(static_cast<std::uint8_t>(0xff - std::to_integer<unsigned>((*bytes)[at + 1])));
    } else {
      for (std::size_t at = 0; at < bytes->size(); at += 4)
        for (std::size_t channel = 0; channel < 3; ++channel)
          picture.pixels.push_back(std::to_integer<std::uint8_t>((*bytes)[at + channel]));
    }
  }
  return pictures;
}

Expected<std::uint64_t> SceneRenderer::digest() const {
  bench::Checksum checksum;
  for (unsigned target = 0; target < kTargets; ++target) {
    const auto bytes = read(static_cast<Target>(target));
    if (!bytes) return bytes.error();
    checksum.bytes(bytes->data(), bytes->size());
  }
  for (const std::uint64_t draws : recorded_.draws) checksum.word(draws);
  checksum.word(recorded_.maps);
  return checksum.value();
}

Expected<std::size_t> SceneRenderer::draws_seen(Layer layer) const {
  constexpr std::array<Target, kLayers> kOrders{kOrder, kShadowOrder, kLitOrder};
  const auto bytes = read(kOrders[layer]);
  if (!bytes) return bytes.error();
  std::unordered_set<std::uint32_t> seen;
  for (std::size_t at = 0; at < bytes->size(); at += sizeof(std::uint32_t)) {
    std::uint32_t order;
    std::memcpy(&order, &(*bytes)[at], sizeof order);
    if (order != 0) seen.insert(order);
  }
  return seen.size();
}

}  // namespace lab::command_bucket
