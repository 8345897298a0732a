#include "variants/render_config/engine/stage.h"

#include <chrono>
#include <cstring>
#include <span>
#include <utility>

namespace lab::render_config {

namespace {

// The output after its passes, for a copy.
void make_copyable(const vulkan::DeviceFunctions& vk, VkCommandBuffer commands, VkImage image) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                          nullptr, 0, nullptr, 1, &barrier);
}

Expected<void> write(const vulkan::PlacedBuffer& buffer, std::span<const std::byte> bytes) {
  std::memcpy(buffer.mapped, bytes.data(), bytes.size());
  return buffer.memory->flush();
}

}  // namespace

VkPhysicalDeviceFeatures Stage::features() {
  VkPhysicalDeviceFeatures features{};
  // A shader that somebody edits may read beyond the end of a buffer.
  features.robustBufferAccess = VK_TRUE;
  return features;
}

Expected<std::unique_ptr<Stage>> Stage::create(vulkan::Device& device, Scene& scene) {
  std::unique_ptr<Stage> stage(new Stage(device, scene));
  if (const Expected<void> created = stage->create_objects(); !created) return created.error();
  return stage;
}

Expected<void> Stage::create_objects() {
  const auto made = [](auto& member, auto created) -> Expected<void> {
    if (!created) return created.error();
    member = std::move(*created);
    return {};
  };
  const auto bytes = [](auto values) { return std::as_bytes(values); };
  if (auto done = made(vertices_, resources_.buffer(bytes(scene_.vertices()), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT));
      !done)
    return done;
  if (auto done = made(indices_, resources_.buffer(bytes(scene_.indices()), VK_BUFFER_USAGE_INDEX_BUFFER_BIT)); !done)
    return done;
  if (auto done = made(frame_data_, resources_.host_buffer(sizeof(FrameData), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT));
      !done)
    return done;
  if (auto done = made(objects_, resources_.host_buffer(scene_.drawables().size() * sizeof(ObjectData),
                                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT));
      !done)
    return done;
  if (auto done = made(layouts_, Layouts::create(device_)); !done) return done;
  if (auto done = made(frame_set_, Layouts::frame_set(device_)); !done) return done;
  if (auto done = made(commands_, vulkan::Commands::create(device_, VK_COMMAND_BUFFER_LEVEL_PRIMARY)); !done)
    return done;
  if (auto done = made(timestamps_, vulkan::Timestamps::create(device_)); !done) return done;
  frame_set_.write(device_, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, frame_data_.handle());
  frame_set_.write(device_, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, objects_.handle());
  return {};
}

Expected<void> Stage::prepare(const FrameRenderer& renderer, double seconds) {
  const FrameOutput& output = renderer.output();
  const double aspect = static_cast<double>(output.width) / output.height;
  if (frames_ == 0) {  // the last frame was like the first
    scene_.set_time(seconds, aspect);
    previous_ = camera_view(scene_.camera()).view_projection;
  }
  scene_.set_time(seconds, aspect);
  const FrameData data = frame_data(scene_.camera(), scene_.sun(), renderer.views(), output.width, output.height,
                                    seconds, frames_, previous_);
  previous_ = data.views[0].view_projection;
  if (const auto written = write(frame_data_, std::as_bytes(std::span(&data, 1))); !written) return written.error();
  return write(objects_, std::as_bytes(scene_.objects()));
}

Expected<void> Stage::record(const FrameRenderer& renderer, const std::function<void(VkCommandBuffer)>& over) {
  if (std::exchange(recorded_, true))
    if (const Expected<void> reset = commands_.reset(); !reset) return reset;
  if (const Expected<void> begun = commands_.begin(); !begun) return begun;
  const VkCommandBuffer commands = commands_.handle();
  timestamps_.begin(commands);
  const FrameContext frame{device_.vk(),
                           commands,
                           {layouts_->pipeline(), frame_set_.set, vertices_.handle(), indices_.handle()},
                           scene_,
                           frames_};
  const auto start = std::chrono::steady_clock::now();
  renderer.record(frame);
  record_ns_ = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  timestamps_.end(commands);
  if (over) over(commands);
  make_copyable(device_.vk(), commands, renderer.output().image);
  return commands_.end();
}

Expected<void> Stage::execute() {
  if (const Expected<void> done = device_.submit(commands_.handle()); !done) return done;
  ++frames_;
  const auto ns = timestamps_.ns();
  if (!ns) return ns.error();
  device_ns_ = *ns;
  return {};
}

Expected<bench::Picture> Stage::picture(const FrameOutput& output) {
  const VkDeviceSize bytes = VkDeviceSize{output.width} * output.height * 4;
  if (!staging_ || staging_->bytes().size() < bytes) {
    auto created = vulkan::Staging::create(device_, bytes);
    if (!created) return created.error();
    staging_ = std::move(*created);
  }
  vulkan::Image image;  // which this only borrows
  image.owned = {output.image, [](VkImage) {}};
  image.width = output.width;
  image.height = output.height;
  if (const auto copied = staging_->from(image); !copied) return copied.error();
  bench::Picture picture{.width = output.width, .height = output.height, .pixels = {}};
  const std::span<const std::byte> pixels = staging_->bytes().first(bytes);
  picture.pixels.reserve(bytes / 4 * 3);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    if (i % 4 != 3) picture.pixels.push_back(static_cast<std::uint8_t>(pixels[i]));
  return picture;
}

}  // namespace lab::render_config
