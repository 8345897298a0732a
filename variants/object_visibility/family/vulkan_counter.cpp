#include "variants/object_visibility/family/vulkan_counter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "count_ids.comp.h"
#include "harness/vulkan/barriers.h"
#include "harness/vulkan/objects.h"
#include "variants/vulkan/commands.h"
#include "variants/vulkan/measured_device.h"
#include "variants/vulkan/resources.h"
#include "variants/vulkan/staging.h"
#include "variants/vulkan/timestamps.h"

namespace lab::object_visibility {

namespace {

using vulkan::required;

constexpr VkDescriptorType kBuffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr std::uint32_t kGroup = 256, kMostGroups = 256;  // as in the shader
struct Push {
  std::uint32_t pixels, largest;
};

class VulkanCounter final : public Counter {
 public:
  explicit VulkanCounter(vulkan::Device& device)
      : device_(device),
        resources_(device),
        descriptors_(
            required(vulkan::create_descriptors(device, std::array{kBuffer, kBuffer}, VK_SHADER_STAGE_COMPUTE_BIT),
                     "creating descriptors")),
        layout_(required(vulkan::create_pipeline_layout(device, std::array{descriptors_.layout.handle()},
                                                        VK_SHADER_STAGE_COMPUTE_BIT, sizeof(Push)),
                         "creating a layout")),
        pipeline_(required(vulkan::create_pipeline(device, layout_.handle(), kCountIdsComp), "creating a pipeline")),
        commands_(required(vulkan::Commands::create(device, VK_COMMAND_BUFFER_LEVEL_PRIMARY), "creating commands")),
        timestamps_(required(vulkan::Timestamps::create(device), "creating timestamps")) {}

  void load(const IdImage& image) override {
    Counter::load(image);
    const VkDeviceSize bytes = (image.ids.size_bytes() + 15) / 16 * 16;  // the shader reads four at a time
    if (!ids_ || ids_->buffer.length < bytes) {
      ids_.emplace(
          required(resources_.buffer(bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT),
                   "creating a buffer"));
      staging_.emplace(required(vulkan::Staging::create(device_, bytes), "creating a buffer"));
      descriptors_.write(device_, 0, kBuffer, ids_->handle());
    }
    std::memcpy(staging_->bytes().data(), image.ids.data(), image.ids.size_bytes());
    required(staging_->to(ids_->buffer), "copying the image");
  }

  bool count(std::span<std::uint32_t> counts) override {
    const auto largest = static_cast<std::uint32_t>(counts.size() - 1);
    const VkDeviceSize bytes = counts.size_bytes() + sizeof(std::uint32_t);
    make_room(bytes);
    record(static_cast<std::uint32_t>(image().ids.size()), largest, bytes);
    required(device_.submit(commands_.handle()), "counting");
    device_ns_ = required(timestamps_.ns(), "reading timestamps").value_or(-1);
    required(host_->memory->invalidate(), "reading the counters");
    std::memcpy(counts.data(), host_->mapped, counts.size_bytes());
    std::uint32_t beyond = 0;
    std::memcpy(&beyond, host_->mapped + counts.size_bytes(), sizeof beyond);
    return beyond == 0;
  }
  double device_ns() const override { return device_ns_; }
  bool device_is_cpu() const override { return device_.is_cpu(); }

 private:
  void make_room(VkDeviceSize bytes) {
    if (counters_ && counters_->buffer.length >= bytes) return;
    counters_.emplace(
        required(resources_.buffer(bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT),
                 "creating a buffer"));
    host_.emplace(required(resources_.host_buffer(bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT), "creating a buffer"));
    descriptors_.write(device_, 1, kBuffer, counters_->handle());
  }

  void record(std::uint32_t pixels, std::uint32_t largest, VkDeviceSize bytes) {
    const vulkan::DeviceFunctions& vk = device_.vk();
    VkCommandBuffer commands = commands_.handle();
    if (std::exchange(recorded_, true)) required(commands_.reset(), "recording");
    required(commands_.begin(), "recording");
    timestamps_.begin(commands);
    vk.vkCmdFillBuffer(commands, counters_->handle(), 0, bytes, 0);
    vulkan::memory_barrier(vk, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                           VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                           VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.handle());
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.handle(), 0, 1, &descriptors_.set, 0,
                               nullptr);
    const Push push{pixels, largest};
    vk.vkCmdPushConstants(commands, layout_.handle(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vk.vkCmdDispatch(commands, std::clamp((pixels / 4 + kGroup - 1) / kGroup, 1u, kMostGroups), 1, 1);
    vulkan::memory_barrier(vk, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                           VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferCopy whole{0, 0, bytes};
    vk.vkCmdCopyBuffer(commands, counters_->handle(), host_->handle(), 1, &whole);
    vulkan::memory_barrier(vk, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                           VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    timestamps_.end(commands);
    required(commands_.end(), "recording");
  }

  vulkan::Device& device_;
  vulkan::Resources resources_;
  vulkan::Descriptors descriptors_;
  vulkan::Owned<VkPipelineLayout> layout_;
  vulkan::Owned<VkPipeline> pipeline_;
  vulkan::Commands commands_;
  vulkan::Timestamps timestamps_;
  std::optional<vulkan::PlacedBuffer> ids_, counters_, host_;
  std::optional<vulkan::Staging> staging_;
  bool recorded_ = false;
  double device_ns_ = -1;
};

/// The members end in reverse.
class MeasuredVulkanCounter final : public Counter {
 public:
  explicit MeasuredVulkanCounter(const std::string& driver)
      : device_(vulkan::measured_device(driver, {})), counter_(*device_) {}
  void load(const IdImage& image) override { counter_.load(image); }
  bool count(std::span<std::uint32_t> counts) override { return counter_.count(counts); }
  double device_ns() const override { return counter_.device_ns(); }
  bool device_is_cpu() const override { return counter_.device_is_cpu(); }

 private:
  std::unique_ptr<vulkan::Device> device_;
  VulkanCounter counter_;
};

}  // namespace

std::unique_ptr<Counter> make_vulkan_counter(vulkan::Device& device) {
  return std::make_unique<VulkanCounter>(device);
}

std::unique_ptr<Counter> make_measured_vulkan_counter(const std::string& driver) {
  return std::make_unique<MeasuredVulkanCounter>(driver);
}

}  // namespace lab::object_visibility
