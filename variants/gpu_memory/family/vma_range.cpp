#include "variants/gpu_memory/family/vma_range.h"

#include <malloc.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cassert>
#include <cstdlib>
#include <new>

namespace lab::gpu_memory {

namespace {

// Where VMA's memory is counted: at the range that called it last. VMA 3.2.1 hands the callbacks that a virtual block
// is created with to none of the block's records, but all its memory comes through the macros below.
thread_local std::size_t* counted_at = nullptr;

void* counted_allocate(std::size_t bytes, std::size_t alignment) {
  void* const memory = std::aligned_alloc(alignment, bytes);  // as VMA's own
  if (memory) *counted_at += malloc_usable_size(memory);
  return memory;
}

void counted_free(void* memory) {
  if (memory) *counted_at -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

}  // namespace lab::gpu_memory

// VMA with its implementation, in this file alone and as it comes: its checks are assert(), which a release leaves out.
// No function of Vulkan is called or linked.
#define VMA_SYSTEM_ALIGNED_MALLOC(size, alignment) lab::gpu_memory::counted_allocate(size, alignment)
#define VMA_SYSTEM_ALIGNED_FREE(memory) lab::gpu_memory::counted_free(memory)
#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 0
#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>

namespace lab::gpu_memory {

namespace {

std::uint32_t flags_of(VmaStrategy strategy) {
  switch (strategy) {
    case VmaStrategy::kMinMemory:
      return VMA_VIRTUAL_ALLOCATION_CREATE_STRATEGY_MIN_MEMORY_BIT;
    case VmaStrategy::kMinTime:
      return VMA_VIRTUAL_ALLOCATION_CREATE_STRATEGY_MIN_TIME_BIT;
    case VmaStrategy::kMinOffset:
      return VMA_VIRTUAL_ALLOCATION_CREATE_STRATEGY_MIN_OFFSET_BIT;
    case VmaStrategy::kDefault:
      break;
  }
  return 0;
}

VmaVirtualAllocation handle_of(std::uint64_t token) {
  return reinterpret_cast<VmaVirtualAllocation>(token);
}

VmaStatistics statistics_of(VmaVirtualBlock block) {
  VmaStatistics statistics{};
  vmaGetVirtualBlockStatistics(block, &statistics);
  return statistics;
}

}  // namespace

VmaRange::VmaRange(std::uint64_t capacity, std::uint64_t block_bytes, VmaStrategy strategy)
    : capacity_(capacity),
      block_bytes_(block_bytes),
      flags_(flags_of(strategy)),
      heap_bytes_(std::make_unique<std::size_t>(0)) {
  const VmaVirtualBlockCreateInfo wanted{.size = capacity, .flags = 0, .pAllocationCallbacks = nullptr};
  counted_at = heap_bytes_.get();
  if (vmaCreateVirtualBlock(&wanted, &block_) != VK_SUCCESS) throw std::bad_alloc();
}

VmaRange::~VmaRange() {
  if (!block_) return;
  counted_at = heap_bytes_.get();
  vmaClearVirtualBlock(block_);
  vmaDestroyVirtualBlock(block_);
}

void VmaRange::swap(VmaRange& other) noexcept {
  std::swap(block_, other.block_);
  std::swap(capacity_, other.capacity_);
  std::swap(block_bytes_, other.block_bytes_);
  std::swap(flags_, other.flags_);
  std::swap(used_count_, other.used_count_);
  heap_bytes_.swap(other.heap_bytes_);
}

designs::Suballocation VmaRange::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  const VmaVirtualAllocationCreateInfo wanted{.size = std::max<std::uint64_t>(bytes, 1),
                                              .alignment = std::max(alignment, block_bytes_),
                                              .flags = flags_,
                                              .pUserData = nullptr};
  VmaVirtualAllocation taken = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  counted_at = heap_bytes_.get();
  if (vmaVirtualAllocate(block_, &wanted, &taken, &offset) != VK_SUCCESS) return {};
  ++used_count_;
  return {offset, reinterpret_cast<std::uint64_t>(taken)};
}

void VmaRange::free(designs::Suballocation taken) {
  vmaVirtualFree(block_, handle_of(taken.token));
  --used_count_;
}

std::uint64_t VmaRange::used_bytes() const {
  return statistics_of(block_).allocationBytes;
}

std::size_t VmaRange::metadata_bytes() const {
  return sizeof *this + sizeof *heap_bytes_ + *heap_bytes_;
}

// Not VMA's unusedRangeSizeMax: a free space may begin where no part may.
std::uint64_t VmaRange::largest_free() const {
  std::uint64_t largest = 0;
  for (const designs::OffsetRange& range : ranges()) {
    if (range.used) continue;
    const std::uint64_t lost = (block_bytes_ - range.offset % block_bytes_) % block_bytes_;
    if (lost < range.bytes) largest = std::max(largest, range.bytes - lost);
  }
  return largest;
}

// VMA lists the parts of a block only in this text.
std::vector<designs::OffsetRange> VmaRange::ranges() const {
  std::vector<designs::OffsetRange> all;
  const boost::json::value map = boost::json::parse(own_map());
  for (const boost::json::value& part : map.at("Details").at("Suballocations").as_array()) {
    const auto bytes = part.at("Size").to_number<std::uint64_t>();
    const bool used = !part.as_object().contains("Type");  // only free spaces have one: "FREE"
    all.push_back({part.at("Offset").to_number<std::uint64_t>(), bytes, used ? bytes : 0, used});
  }
  return all;
}

std::string VmaRange::own_map() const {
  counted_at = heap_bytes_.get();
  char* text = nullptr;
  vmaBuildVirtualBlockStatsString(block_, &text, VK_TRUE);
  std::string map = text;
  vmaFreeVirtualBlockStatsString(block_, text);
  return map;
}

std::string VmaRange::version() {
  return "VulkanMemoryAllocator " LAB_VMA_VERSION;
}

// No other allocator of ours writes this text, and VMA writes it from the records that it serves requests with.
std::string VmaRange::identity_failure() {
  VmaRange range(1000, 1, VmaStrategy::kDefault);
  range.free(range.allocate(300, 1));
  range.allocate(200, 1);
  const std::string map = range.own_map();
  return map.find("\"AllocationBytes\": 200") != std::string::npos ? "" : "VMA does not list what it served: " + map;
}

}  // namespace lab::gpu_memory
