#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <span>

#include "harness/probe/memory/parts.h"
#include "harness/probe/memory/policy_memory.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

constexpr VkDeviceSize kStagingBytes = 4 << 20;
constexpr VkDeviceSize kLargestResource = 16 << 20;
constexpr VkDeviceSize kRegionAlignment =
    16;                                    // of a copy's place in the staging buffer; a multiple of every texel size
constexpr std::uint32_t kShuffleSeed = 1;  // the same order everywhere

struct ImageKind {
  VkFormat format;
  std::uint32_t texel_bytes;
  std::uint32_t width, height;
  std::uint32_t mip_levels, layers;
  VkImageTiling tiling;
  VkImageUsageFlags usage;
};

constexpr VkImageTiling kOptimal = VK_IMAGE_TILING_OPTIMAL, kLinear = VK_IMAGE_TILING_LINEAR;

constexpr ImageKind kImages[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, 4, 1, 1, 1, 1, kOptimal, VK_IMAGE_USAGE_SAMPLED_BIT},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, 16, 16, 1, 1, kOptimal, VK_IMAGE_USAGE_SAMPLED_BIT},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, 128, 16, 1, 1, kOptimal, VK_IMAGE_USAGE_SAMPLED_BIT},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, 100, 37, 1, 1, kOptimal, VK_IMAGE_USAGE_SAMPLED_BIT},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, 128, 128, 1, 1, kOptimal, VK_IMAGE_USAGE_SAMPLED_BIT},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, 256, 64, 1, 6, kOptimal, VK_IMAGE_USAGE_SAMPLED_BIT},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, 512, 512, 10, 1, kOptimal, VK_IMAGE_USAGE_SAMPLED_BIT},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, 256, 256, 1, 1, kOptimal, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT},
    {VK_FORMAT_R8_UNORM, 1, 333, 77, 1, 1, kOptimal, VK_IMAGE_USAGE_SAMPLED_BIT},
    {VK_FORMAT_R16G16B16A16_UINT, 8, 64, 64, 1, 1, kOptimal, VK_IMAGE_USAGE_STORAGE_BIT},
    {VK_FORMAT_R32G32B32A32_UINT, 16, 200, 50, 1, 1, kOptimal, VK_IMAGE_USAGE_SAMPLED_BIT},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, 64, 48, 1, 1, kLinear, 0},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, 201, 100, 1, 1, kLinear, 0},
};

struct BufferKind {
  VkDeviceSize bytes;
  VkBufferUsageFlags usage;
  bool mapped;  // written by the host through its address, otherwise by a copy
};

constexpr BufferKind kBuffers[] = {
    {16, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, false},     {100, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true},
    {256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, true},     {4000, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, false},
    {4096, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, true},      {65536, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false},
    {200000, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, true}, {1 << 20, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false},
};

// Contents that differ between resources and between places in one.
void fill(std::span<std::byte> bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint32_t)) {
    const auto word = static_cast<std::uint32_t>(random());
    std::memcpy(&bytes[i], &word, std::min(sizeof word, bytes.size() - i));
  }
}

// A resource in memory of the policy.
struct Live {
  std::string name = {};
  std::uint32_t seed = 0;
  VkDeviceSize bytes = 0;  // of its contents, as they lie in the staging buffer
  PolicyMemory::Piece piece = {};
  VkDeviceSize needed_bytes = 0;
  vulkan::Buffer buffer = {};
  vulkan::Image image = {};
  const ImageKind* kind = nullptr;  // null: a buffer
  bool mapped = false;
};

VkImageCreateInfo info_of(const ImageKind& kind) {
  VkImageCreateInfo info =
      vulkan::image_info(kind.format, kind.width, kind.height, kind.tiling,
                         kind.usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  info.mipLevels = kind.mip_levels;
  info.arrayLayers = kind.layers;
  return info;
}

std::string name_of(const ImageKind& kind) {
  return fmt::format("image {}x{}, {} mip levels, {} layers, {}, {}", kind.width, kind.height, kind.mip_levels,
                     kind.layers, enum_word(vulkan::kVkFormat, kind.format),
                     enum_word(vulkan::kVkImageTiling, kind.tiling));
}

// One region for each mip level, behind one another in the staging buffer.
std::vector<VkBufferImageCopy> regions(const ImageKind& kind, VkDeviceSize& bytes) {
  std::vector<VkBufferImageCopy> all;
  bytes = 0;
  for (std::uint32_t level = 0; level < kind.mip_levels; ++level) {
    const std::uint32_t width = std::max(kind.width >> level, 1u), height = std::max(kind.height >> level, 1u);
    VkBufferImageCopy& copy = all.emplace_back();
    copy = {};
    copy.bufferOffset = bytes;
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, kind.layers};
    copy.imageExtent = {width, height, 1};
    bytes += VkDeviceSize{width} * height * kind.layers * kind.texel_bytes;
    bytes = (bytes + kRegionAlignment - 1) / kRegionAlignment * kRegionAlignment;
  }
  return all;
}

/// One class, because all its steps are about the same objects of one device.
class PolicyPart {
 public:
  PolicyPart(const MemoryDevice& device, std::uint32_t staging_type)
      : device_(device),
        staging_(device, kStagingBytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                 staging_type),
        memory_(device, kLargestResource) {}

  void run() {
    found_.layers = device_.validation().active();
    if (found_.layers) plant();
    const int copies = device_.request().quick ? 1 : 3;
    for (int i = 0; i < copies; ++i) create_all();
    compare_all();
    shuffle();
    for (std::size_t left = live_.size() / 2; live_.size() > left;) free_last();
    create_all();  // into what was freed, next to what stayed
    compare_all();
    shuffle();
    while (!live_.empty()) free_last();
    memory_.return_empty();
    found_.left_allocations = memory_.buckets().allocation_count();
    device_.events().write({.event = "policy", .policy = found_});
  }

 private:
  // A bind that every version of the layers knows to be wrong. The layers keep it from the driver.
  void plant() {
    device_.events().doing("a planted violation");
    const auto planted = vulkan::plant_violation(device_);
    if (!planted) return device_.events().note(fmt::format("{}: no violation is planted", planted.error().what));
    found_.planted.what = planted->what;
    found_.planted.message = planted->caught;
  }

  void create_all() {
    for (const ImageKind& kind : kImages) create(kind);
    for (const BufferKind& kind : kBuffers) create(kind);
  }

  void create(const ImageKind& kind) {
    const VkImageCreateInfo info = info_of(kind);
    if (const std::optional<std::string> refused = device_.refusal(info)) {
      note_once(fmt::format("{}: {}", name_of(kind), *refused));
      return;
    }
    Live live{.name = name_of(kind), .image = device_.required(vulkan::create_image(device_, info)), .kind = &kind};
    regions(kind, live.bytes);
    const bool linear = kind.tiling == kLinear;
    const VkMemoryRequirements& needs = live.image.needs;
    const auto type = device_.find_type(needs.memoryTypeBits, linear ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT : 0,
                                        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (!type) return note_once(fmt::format("{}: no suitable memory type", live.name));
    place(live, linear ? designs::ResourceKind::kLinearImage : designs::ResourceKind::kOptimalImage, needs, *type);
    device_.required(vulkan::bind(device_, live.image, *live.piece.memory, live.piece.offset()));
    ++found_.images;
    write(live);
    live_.push_back(std::move(live));
  }

  void create(const BufferKind& kind) {
    Live live{.name = fmt::format("buffer of {} bytes, {}", kind.bytes, kind.mapped ? "mapped" : "staged"),
              .bytes = kind.bytes,
              .mapped = kind.mapped};
    live.buffer = device_.required(vulkan::create_buffer(
        device_, kind.bytes, kind.usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT));
    const VkMemoryRequirements& needs = live.buffer.needs;
    const auto type = device_.find_type(needs.memoryTypeBits, kind.mapped ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT : 0,
                                        kind.mapped ? 0 : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (!type) return note_once(fmt::format("{}: no suitable memory type", live.name));
    place(live, designs::ResourceKind::kBuffer, needs, *type);
    device_.required(vulkan::bind(device_, live.buffer, *live.piece.memory, live.piece.offset()));
    ++found_.buffers;
    write(live);
    live_.push_back(std::move(live));
  }

  void place(Live& live, designs::ResourceKind kind, const VkMemoryRequirements& needs, std::uint32_t type) {
    live.seed = ++last_seed_;
    live.piece = memory_.allocate(kind, needs, type);
    live.needed_bytes = needs.size;
    needed_bytes_ += needs.size;
    const designs::MemoryUsage usage = memory_.buckets().usage();
    const auto raise = [](std::uint64_t& most, std::uint64_t now) { most = std::max(most, now); };
    raise(found_.device_allocations, usage.allocations);
    raise(found_.most_resources, usage.resources);
    raise(found_.most_resource_bytes, needed_bytes_);
    raise(found_.most_allocation_bytes, usage.allocated);
  }

  std::span<std::byte> staged(const Live& live) const { return {staging_.memory.mapped(), live.bytes}; }

  void write(const Live& live) {
    device_.events().doing(fmt::format("writing {}", live.name));
    if (live.mapped) {
      fill({live.piece.mapped(), live.bytes}, live.seed);
      return device_.required(live.piece.memory->flush());
    }
    fill(staged(live), live.seed);
    device_.required(staging_.memory.flush());
    if (live.kind && live.kind->tiling == kLinear) return write_linear(live);
    device_.run([&](VkCommandBuffer commands) {
      if (live.kind) {
        VkDeviceSize bytes = 0;
        const std::vector<VkBufferImageCopy> copies = regions(*live.kind, bytes);
        vulkan::image_barrier(device_.vk(), commands, live.image.handle(), vulkan::kFreshImage, vulkan::kCopiedTo);
        device_.vk().vkCmdCopyBufferToImage(commands, staging_.buffer.handle(), live.image.handle(),
                                            vulkan::kCopiedTo.layout, static_cast<std::uint32_t>(copies.size()),
                                            copies.data());
        vulkan::image_barrier(device_.vk(), commands, live.image.handle(), vulkan::kCopiedTo, vulkan::kCopiedFrom);
      } else {
        const VkBufferCopy copy{0, 0, live.bytes};
        device_.vk().vkCmdCopyBuffer(commands, staging_.buffer.handle(), live.buffer.handle(), 1, &copy);
        vulkan::memory_barrier(device_.vk(), commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                               VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
      }
    });
  }

  // By the host, row by row.
  void write_linear(const Live& live) {
    const VkImageSubresource subresource{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
    VkSubresourceLayout layout{};
    device_.vk().vkGetImageSubresourceLayout(device_.handle(), live.image.handle(), &subresource, &layout);
    const std::size_t row = std::size_t{live.kind->width} * live.kind->texel_bytes;
    for (std::uint32_t y = 0; y < live.kind->height; ++y)
      std::memcpy(live.piece.mapped() + layout.offset + y * layout.rowPitch, staging_.memory.mapped() + y * row, row);
    device_.required(live.piece.memory->flush());
    device_.run([&](VkCommandBuffer commands) {
      vulkan::image_barrier(device_.vk(), commands, live.image.handle(), kHostWritesFirst, kHostAndCopied);
    });
  }

  void compare_all() {
    for (const Live& live : live_) compare(live);
  }

  // The device copies the contents back, so it sees what the host wrote, too.
  void compare(const Live& live) {
    device_.events().doing(fmt::format("reading {} back", live.name));
    const std::span<std::byte> bytes = staged(live);
    // Gaps between regions stay as they are, so the expected contents are there before the copy, inverted.
    std::vector<std::byte> expected(bytes.size());
    fill(expected, live.seed);
    std::ranges::transform(expected, bytes.begin(), [](std::byte b) { return ~b; });
    device_.required(staging_.memory.flush());
    VkDeviceSize end = 0;
    const std::vector<VkBufferImageCopy> copies =
        live.kind ? regions(*live.kind, end) : std::vector<VkBufferImageCopy>();
    device_.run([&](VkCommandBuffer commands) {
      if (live.kind) {
        const vulkan::ImageUse& use = live.kind->tiling == kLinear ? kHostAndCopied : vulkan::kCopiedFrom;
        device_.vk().vkCmdCopyImageToBuffer(commands, live.image.handle(), use.layout, staging_.buffer.handle(),
                                            static_cast<std::uint32_t>(copies.size()), copies.data());
      } else {
        const VkBufferCopy copy{0, 0, live.bytes};
        device_.vk().vkCmdCopyBuffer(commands, live.buffer.handle(), staging_.buffer.handle(), 1, &copy);
      }
      vulkan::memory_barrier(device_.vk(), commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                             VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    });
    device_.required(staging_.memory.invalidate());
    if (!live.kind) return compare_range(live, bytes, expected, 0, live.bytes);
    for (const VkBufferImageCopy& copy : copies)
      compare_range(
          live, bytes, expected, copy.bufferOffset,
          VkDeviceSize{copy.imageExtent.width} * copy.imageExtent.height * live.kind->layers * live.kind->texel_bytes);
  }

  void compare_range(const Live& live, std::span<const std::byte> found, std::span<const std::byte> expected,
                     VkDeviceSize from, VkDeviceSize bytes) {
    found_.compared_bytes += bytes;
    const auto range = expected.subspan(from, bytes);
    const auto differs = std::ranges::mismatch(range, found.subspan(from, bytes));
    if (differs.in1 == range.end()) return;
    found_.wrong.push_back(fmt::format("{}: byte {}: expected {}, found {}", live.name,
                                       from + static_cast<VkDeviceSize>(differs.in1 - range.begin()),
                                       std::to_integer<int>(*differs.in1), std::to_integer<int>(*differs.in2)));
  }

  void shuffle() { std::shuffle(live_.begin(), live_.end(), random_); }

  void free_last() {
    const PolicyMemory::Piece piece = live_.back().piece;
    needed_bytes_ -= live_.back().needed_bytes;
    live_.pop_back();  // the resource goes before its memory
    memory_.free(piece);
  }

  void note_once(std::string note) {
    if (std::ranges::find(notes_, note) != notes_.end()) return;
    device_.events().note(note);
    notes_.push_back(std::move(note));
  }

  const MemoryDevice& device_;
  BoundBuffer staging_;
  PolicyMemory memory_;
  std::deque<Live> live_;
  results::PolicyCheck found_;
  std::vector<std::string> notes_;
  std::mt19937 random_{kShuffleSeed};
  std::uint32_t last_seed_ = 0;
  std::uint64_t needed_bytes_ = 0;
};

}  // namespace

void run_policy_part(MemoryDevice& device) {
  const std::optional<std::uint32_t> staging = staging_type(device);
  if (!staging) return device.events().note("no host-visible memory type: nothing can be written");
  PolicyPart(device, *staging).run();
}

}  // namespace lab::probe
