#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <random>

#include "harness/probe/memory/parts.h"
#include "harness/probe/memory/sampler.h"
#include "harness/probe/memory/samples.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

constexpr std::uint32_t kEdge = 1024, kQuickEdge = 256;
// One submission makes enough passes to outweigh its own cost.
constexpr double kSubmissionNs = 4e6;
constexpr double kMostPasses = 256;

// A texture in memory of its own, which the sampler knows.
struct Texture {
  Texture(const MemoryDevice& device, const VkImageCreateInfo& info, std::uint32_t type)
      : tiling(info.tiling),
        image(device.required(vulkan::create_image(device, info))),
        memory(bound_memory(device, image, type)) {}
  std::string tiling_word() const { return enum_word(vulkan::kVkImageTiling, tiling); }

  VkImageTiling tiling;
  vulkan::Image image;
  vulkan::Memory memory;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

/// One class, because all its steps are about the same objects of one device.
class TexturesPart {
 public:
  TexturesPart(const MemoryDevice& device, std::uint32_t staging_type)
      : device_(device),
        edge_(device.request().quick ? kQuickEdge : kEdge),
        staging_(device, bytes(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, staging_type),
        sampler_(device, edge_) {
    std::mt19937 random(1);
    for (std::vector<std::uint32_t>& frame : frames_)
      for (std::uint32_t i = 0; i < edge_ * edge_; ++i) frame.push_back(static_cast<std::uint32_t>(random()));
  }

  void run() {
    sample();
    rewrite();
  }

 private:
  std::uint64_t bytes() const { return std::uint64_t{edge_} * edge_ * TextureSampler::kTexelBytes; }

  // None, with a finding, if this tiling cannot be sampled.
  std::optional<VkImageCreateInfo> samplable(VkImageTiling tiling, VkImageUsageFlags usage) {
    const VkImageCreateInfo info = vulkan::image_info(TextureSampler::kFormat, edge_, edge_, tiling, usage);
    std::optional<std::string> refused;
    if ((device_.features_of(info.format, tiling) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) == 0)
      refused = "the format's features lack VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT";
    if (!refused) refused = device_.refusal(info);
    if (!refused) return info;
    report({.tiling = enum_word(vulkan::kVkImageTiling, tiling), .width = edge_, .height = edge_, .refused = *refused});
    return std::nullopt;
  }

  // The same contents in each tiling, and in each memory type that an image of this tiling can have.
  void sample() {
    std::vector<TimedRow> rows;
    for (const VkImageTiling tiling : {VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_TILING_LINEAR}) {
      const auto info = samplable(tiling, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
      if (!info) continue;
      for (const std::uint32_t type : types_of(*info)) {
        const Texture& texture = add(*info, type, kSampled.layout);
        stage(frames_[0]);
        device_.run([&](VkCommandBuffer commands) { copy_to(commands, texture); });
        if (rows.empty()) passes_ = enough_passes(texture);
        for (const SampleOrder order : {SampleOrder::kTiles, SampleOrder::kColumns})
          rows.push_back(sampling(texture, order));
      }
    }
    time_in_turns(device_, std::move(rows));
    textures_.clear();
  }

  // The same number for each texture.
  int enough_passes(const Texture& texture) const {
    const VkCommandBuffer commands =
        device_.record([&](VkCommandBuffer buffer) { sampler_.record(buffer, texture.set, SampleOrder::kTiles); });
    device_.submit(commands);
    const double ns = timed_ns([&] { device_.submit(commands); });
    device_.free_commands(commands);
    return static_cast<int>(std::clamp(kSubmissionNs / ns, 1.0, kMostPasses));
  }

  TimedRow sampling(const Texture& texture, SampleOrder order) {
    const VkCommandBuffer commands = device_.record([&](VkCommandBuffer buffer) {
      for (int i = 0; i < passes_; ++i) sampler_.record(buffer, texture.set, order);
    });
    return {{.part = "textures",
             .what = fmt::format("sample {} tiling by {}", texture.tiling_word(),
                                 order == SampleOrder::kTiles ? "tiles" : "columns"),
             .memory_type = texture.memory.type(),
             .bytes = bytes()},
            [this, &texture, commands] {
              const double ns = timed_ns([&] { device_.submit(commands); }) / passes_;
              check(texture, frames_[0]);
              return ns;
            }};
  }

  std::vector<std::uint32_t> types_of(const VkImageCreateInfo& info) const {
    return device_.usable_types(needs_of(device_, info).memoryTypeBits);
  }

  const Texture& add(const VkImageCreateInfo& info, std::uint32_t type, VkImageLayout layout) {
    device_.events().doing(
        fmt::format("a texture in {} tiling and memory type {}", enum_word(vulkan::kVkImageTiling, info.tiling), type));
    Texture& texture = textures_.emplace_back(device_, info, type);
    texture.set = sampler_.add(texture.image, layout);
    return texture;
  }

  void check(const Texture& texture, const std::vector<std::uint32_t>& texels) {
    report({.tiling = texture.tiling_word(),
            .memory_type = texture.memory.type(),
            .width = edge_,
            .height = edge_,
            .checksum = sampler_.checksum(),
            .expected = expected_checksum(texels)});
  }

  // Once for each different one.
  void report(results::SampledTexture found) {
    if (std::ranges::find(reported_, found) != reported_.end()) return;
    device_.events().write({.event = "texture", .texture = found});
    reported_.push_back(std::move(found));
  }

  void stage(const std::vector<std::uint32_t>& texels) const {
    std::memcpy(staging_.memory.mapped(), texels.data(), bytes());
    device_.required(staging_.memory.flush());
  }

  // From the staging buffer; the texture can be sampled after it. Its earlier contents are discarded.
  void copy_to(VkCommandBuffer commands, const Texture& texture) const {
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {edge_, edge_, 1};
    // The last frame's samples come before this frame's copy.
    vulkan::image_barrier(device_.vk(), commands, texture.image.handle(),
                          {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, VK_IMAGE_LAYOUT_UNDEFINED}, vulkan::kCopiedTo);
    device_.vk().vkCmdCopyBufferToImage(commands, staging_.buffer.handle(), texture.image.handle(),
                                        vulkan::kCopiedTo.layout, 1, &copy);
    vulkan::image_barrier(device_.vk(), commands, texture.image.handle(), vulkan::kCopiedTo, kSampled);
  }

  // A frame: the host writes the whole texture, the device samples it once, and the host waits for that.
  void rewrite() {
    std::vector<TimedRow> rows;
    add_staged(rows);
    add_linear(rows);
    time_in_turns(device_, std::move(rows));
    textures_.clear();
  }

  TimedRow frame(std::string_view what, const Texture& texture, const vulkan::Memory& written, VkCommandBuffer commands,
                 std::function<void(const std::vector<std::uint32_t>&)> write) {
    return {{.part = "textures",
             .what = std::string(what),
             .memory_type = texture.memory.type(),
             .bytes = bytes(),
             .includes = written.coherent() ? "" : "vkFlushMappedMemoryRanges"},
            [this, &texture, commands, write = std::move(write), count = std::size_t{0}]() mutable {
              const std::vector<std::uint32_t>& texels = frames_[count++ % frames_.size()];
              const double ns = timed_ns([&] {
                write(texels);
                device_.submit(commands);
              });
              check(texture, texels);
              return ns;
            }};
  }

  void add_staged(std::vector<TimedRow>& rows) {
    const auto info = samplable(VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    if (!info) return;
    const auto type =
        device_.find_type(needs_of(device_, *info).memoryTypeBits, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (!type) return device_.events().note("no memory type for a texture in optimal tiling");
    const Texture& texture = add(*info, *type, kSampled.layout);
    const VkCommandBuffer commands = device_.record([&](VkCommandBuffer buffer) {
      copy_to(buffer, texture);
      sampler_.record(buffer, texture.set, SampleOrder::kTiles);
    });
    rows.push_back(frame("frame, staged to optimal tiling", texture, staging_.memory, commands,
                         [this](const std::vector<std::uint32_t>& texels) { stage(texels); }));
  }

  void add_linear(std::vector<TimedRow>& rows) {
    const auto info = samplable(VK_IMAGE_TILING_LINEAR, VK_IMAGE_USAGE_SAMPLED_BIT);
    if (!info) return;
    const std::size_t before = rows.size();
    for (const std::uint32_t type : types_of(*info))
      if (device_.flags_of(type) & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) rows.push_back(linear(*info, type));
    if (rows.size() == before) device_.events().note("no host-visible memory type for a texture in linear tiling");
  }

  TimedRow linear(const VkImageCreateInfo& info, std::uint32_t type) {
    const Texture& texture = add(info, type, kHostAndSampled.layout);
    const VkImageSubresource subresource{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
    VkSubresourceLayout layout{};
    device_.vk().vkGetImageSubresourceLayout(device_.handle(), texture.image.handle(), &subresource, &layout);
    device_.run([&](VkCommandBuffer commands) {
      vulkan::image_barrier(device_.vk(), commands, texture.image.handle(), kHostWritesFirst, kHostAndSampled);
    });
    const VkCommandBuffer commands =
        device_.record([&](VkCommandBuffer buffer) { sampler_.record(buffer, texture.set, SampleOrder::kTiles); });
    return frame("frame, host-visible linear tiling", texture, texture.memory, commands,
                 [this, &texture, layout](const std::vector<std::uint32_t>& texels) {
                   const std::size_t row = std::size_t{edge_} * TextureSampler::kTexelBytes;
                   for (std::uint32_t y = 0; y < edge_; ++y)
                     std::memcpy(texture.memory.mapped() + layout.offset + y * layout.rowPitch, &texels[y * edge_],
                                 row);
                   device_.required(texture.memory.flush());
                 });
  }

  const MemoryDevice& device_;
  std::uint32_t edge_;
  BoundBuffer staging_;
  std::deque<Texture> textures_;
  TextureSampler sampler_;
  std::array<std::vector<std::uint32_t>, 2> frames_;  // contents, in turns
  std::vector<results::SampledTexture> reported_;
  int passes_ = 1;
};

}  // namespace

void run_textures_part(MemoryDevice& device) {
  if (!device.can_compute()) return device.events().note("no queue that can compute: nothing is sampled");
  const std::optional<std::uint32_t> staging = staging_type(device);
  if (!staging) return device.events().note("no host-visible memory type: nothing can be written");
  TexturesPart(device, *staging).run();
}

}  // namespace lab::probe
