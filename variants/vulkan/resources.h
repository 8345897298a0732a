/// Buffers and images whose memory an allocation policy of this laboratory places (designs::AlignmentBuckets).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "harness/base/error_fwd.h"
#include "harness/vulkan/memory.h"
#include "harness/vulkan/objects.h"
#include "variants/designs/offsets/alignment_buckets.h"

namespace lab::vulkan {

/// A block of a policy, which is freed with this object.
class OwnedBlock {
 public:
  OwnedBlock() = default;
  OwnedBlock(designs::AlignmentBuckets& buckets, const designs::MemoryBlock& block)
      : buckets_(&buckets), block_(block) {}
  OwnedBlock(OwnedBlock&& other) noexcept : buckets_(std::exchange(other.buckets_, nullptr)), block_(other.block_) {}
  OwnedBlock& operator=(OwnedBlock&& other) noexcept {
    std::swap(buckets_, other.buckets_);
    std::swap(block_, other.block_);
    return *this;
  }
  ~OwnedBlock() {
    if (buckets_ != nullptr) buckets_->free(block_);
  }

 private:
  designs::AlignmentBuckets* buckets_ = nullptr;
  designs::MemoryBlock block_;
};

/// The members end in reverse: the object goes before its memory.
struct PlacedBuffer {
  OwnedBlock block;
  Buffer buffer;
  std::byte* mapped = nullptr;     ///< null unless the host may write it
  const Memory* memory = nullptr;  ///< in which it lies, to flush what the host has written
  VkBuffer handle() const { return buffer.handle(); }
};
struct PlacedImage {
  OwnedBlock block;
  Image image;
  Owned<VkImageView> view;
  VkImage handle() const { return image.handle(); }
};

/// Must outlive what it has placed.
class Resources {
 public:
  /// Each allocation of the device has `allocation_bytes`; what does not fit gets its own.
  explicit Resources(Device& device, std::uint64_t allocation_bytes = 32'000'000);

  /// On the device if it has such memory.
  Expected<PlacedBuffer> buffer(VkDeviceSize length, VkBufferUsageFlags usage);
  /// The same with contents.
  Expected<PlacedBuffer> buffer(std::span<const std::byte> contents, VkBufferUsageFlags usage);
  /// Mapped as long as it lives.
  Expected<PlacedBuffer> host_buffer(VkDeviceSize length, VkBufferUsageFlags usage);
  Expected<PlacedImage> image(std::uint32_t width, std::uint32_t height, VkImageUsageFlags usage, VkFormat format);

  const AllocatedMemory& allocated() const { return allocated_; }

 private:
  struct Placed {
    designs::MemoryBlock block;
    const Memory* memory;
  };
  Expected<Placed> place(const VkMemoryRequirements& needs, designs::ResourceKind kind, VkMemoryPropertyFlags needed,
                         VkMemoryPropertyFlags wanted);
  Expected<PlacedBuffer> place(VkDeviceSize length, VkBufferUsageFlags usage, VkMemoryPropertyFlags needed,
                               VkMemoryPropertyFlags wanted);

  Device& device_;
  AllocatedMemory allocated_;
  designs::AlignmentBuckets buckets_;
};

}  // namespace lab::vulkan
