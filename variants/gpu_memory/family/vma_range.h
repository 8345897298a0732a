/// The virtual block of VulkanMemoryAllocator (VMA) as an allocator of one range of offsets: the rival of our designs.
///
/// A virtual block is VMA's allocator of offsets without Vulkan: what places VMA's suballocations in device memory,
/// too. It is TLSF: free spaces are in lists by their size, and a bitmap names the lists that are not empty. A request
/// keeps its size. What an alignment leaves in front of it is a free space. vmaGetVirtualBlockStatistics counts for us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "variants/designs/offsets/range_allocator.h"

struct VmaVirtualBlock_T;  // of vk_mem_alloc.h, which only vma_range.cpp includes

namespace lab::gpu_memory {

/// VMA_VIRTUAL_ALLOCATION_CREATE_STRATEGY_*_BIT. VMA's other algorithm, linear, is not here: it reuses no single space.
enum class VmaStrategy : std::uint8_t { kDefault, kMinMemory, kMinTime, kMinOffset };

/// A RangeAllocator but for its strategy. Not thread-safe.
class VmaRange {
 public:
  /// `capacity` at least 1.
  VmaRange(std::uint64_t capacity, std::uint64_t block_bytes, VmaStrategy strategy);
  ~VmaRange();
  VmaRange(VmaRange&& other) noexcept { swap(other); }
  VmaRange& operator=(VmaRange&& other) noexcept {
    swap(other);
    return *this;
  }

  designs::Suballocation allocate(std::uint64_t bytes, std::uint64_t alignment);
  void free(designs::Suballocation taken);

  std::uint64_t capacity() const { return capacity_; }
  std::size_t used_count() const { return used_count_; }
  std::uint64_t used_bytes() const;
  std::uint64_t requested_bytes() const { return used_bytes(); }
  /// O(n log n) for n used parts.
  std::uint64_t largest_free() const;
  /// What VMA allocated for the block is in it, and the table of its handles.
  std::size_t metadata_bytes() const;

  /// O(n log n) for n used parts.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const designs::OffsetRange& range : ranges()) visit(range);
  }

  /// VMA's own list of used parts and free spaces, JSON (vmaBuildVirtualBlockStatsString).
  std::string own_map() const;

  /// "VulkanMemoryAllocator 1.2.3".
  static std::string version();
  /// Why this is not VMA, or "".
  static std::string identity_failure();

 private:
  void swap(VmaRange& other) noexcept;
  std::vector<designs::OffsetRange> ranges() const;

  VmaVirtualBlock_T* block_ = nullptr;
  std::uint64_t capacity_ = 0, block_bytes_ = 1;
  std::uint32_t flags_ = 0;
  std::size_t used_count_ = 0;
  std::unique_ptr<std::size_t> heap_bytes_;  // what VMA allocated; apart, so that it stays where it is in a move
};

template <VmaStrategy kStrategy>
class VmaRangeOf : public VmaRange {
 public:
  VmaRangeOf(std::uint64_t capacity, std::uint64_t block_bytes) : VmaRange(capacity, block_bytes, kStrategy) {}
};

static_assert(designs::RangeAllocator<VmaRangeOf<VmaStrategy::kDefault>>);

}  // namespace lab::gpu_memory
