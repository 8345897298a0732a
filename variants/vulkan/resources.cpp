#include "variants/vulkan/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/base/error.h"
#include "variants/vulkan/staging.h"

namespace lab::vulkan {

namespace {

// Staging and other allocations without the policy.
constexpr std::uint64_t kOthers = 16;

designs::MemoryPolicy policy_with(const Device& device, std::uint64_t allocation_bytes) {
  designs::MemoryPolicy policy = policy_of(device, kOthers);
  policy.fixed_bytes = allocation_bytes;
  return policy;
}

}  // namespace

Resources::Resources(Device& device, std::uint64_t allocation_bytes)
    : device_(device), allocated_(device), buckets_(policy_with(device, allocation_bytes), allocated_.device()) {}

Expected<Resources::Placed> Resources::place(const VkMemoryRequirements& needs, designs::ResourceKind kind,
                                             VkMemoryPropertyFlags needed, VkMemoryPropertyFlags wanted) {
  const std::optional<std::uint32_t> type = device_.find_type(needs.memoryTypeBits, needed, wanted);
  if (!type) return Error{fmt::format("no memory type with the flags {:#x}", needed), ""};
  const designs::MemoryRequest request{
      .bytes = needs.size, .alignment = needs.alignment, .memory_type = *type, .kind = kind};
  designs::PlacedMemory placed = buckets_.allocate(request);
  if (placed.refusal == designs::MemoryRefusal::kTooLarge || placed.refusal == designs::MemoryRefusal::kHumongous)
    placed = buckets_.allocate_dedicated(request);
  if (placed.refusal != designs::MemoryRefusal::kNone)
    return Error{fmt::format("placing {} bytes: {}", needs.size, designs::sentence(placed.refusal)), ""};
  return Placed{placed.block, &allocated_.of(placed.block.place.allocation)};
}

Expected<PlacedBuffer> Resources::place(VkDeviceSize length, VkBufferUsageFlags usage, VkMemoryPropertyFlags needed,
                                        VkMemoryPropertyFlags wanted) {
  Expected<Buffer> created = create_buffer(device_, length, usage);
  if (!created) return created.error();
  const auto placed = place(created->needs, designs::ResourceKind::kBuffer, needed, wanted);
  if (!placed) return placed.error();
  PlacedBuffer buffer{{buckets_, placed->block}, std::move(*created), nullptr, placed->memory};
  if ((needed & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0)
    buffer.mapped = placed->memory->mapped() + placed->block.place.offset;
  if (const auto bound = bind(device_, buffer.buffer, *placed->memory, placed->block.place.offset); !bound)
    return bound.error();
  return buffer;
}

Expected<PlacedBuffer> Resources::buffer(VkDeviceSize length, VkBufferUsageFlags usage) {
  return place(length, usage, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

Expected<PlacedBuffer> Resources::buffer(std::span<const std::byte> contents, VkBufferUsageFlags usage) {
  Expected<PlacedBuffer> made = buffer(contents.size(), usage | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  if (!made) return made.error();
  const Expected<Staging> staging = Staging::create(device_, contents.size());
  if (!staging) return staging.error();
  std::ranges::copy(contents, staging->bytes().begin());
  if (const auto copied = staging->to(made->buffer); !copied) return copied.error();
  return made;
}

Expected<PlacedBuffer> Resources::host_buffer(VkDeviceSize length, VkBufferUsageFlags usage) {
  return place(length, usage, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

Expected<PlacedImage> Resources::image(std::uint32_t width, std::uint32_t height, VkImageUsageFlags usage,
                                       VkFormat format) {
  Expected<Image> created = create_image(device_, width, height, usage, format);
  if (!created) return created.error();
  const auto placed =
      place(created->needs, designs::ResourceKind::kOptimalImage, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (!placed) return placed.error();
  PlacedImage image{{buckets_, placed->block}, std::move(*created), {}};
  if (const auto bound = bind(device_, image.image, *placed->memory, placed->block.place.offset); !bound)
    return bound.error();
  Expected<Owned<VkImageView>> view = create_view(device_, image.image);
  if (!view) return view.error();
  image.view = std::move(*view);
  return image;
}

}  // namespace lab::vulkan
