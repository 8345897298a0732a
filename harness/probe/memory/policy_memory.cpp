#include "harness/probe/memory/policy_memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace lab::probe {

namespace {

constexpr std::uint64_t kArticlesParts = 62;

designs::MemoryPolicy policy_of(const MemoryDevice& device, std::uint64_t largest_resource) {
  designs::MemoryPolicy policy;
  for (std::uint32_t i = 0; i < device.memory().memoryTypeCount; ++i) {
    policy.heap_bytes.push_back(device.heap_bytes(i));
    policy.heap_parts = std::max({policy.heap_parts, kArticlesParts, device.heap_bytes(i) / largest_resource});
  }
  policy.largest_resource = largest_resource;
  policy.max_allocations = device.limits().maxMemoryAllocationCount;
  policy.max_allocation_bytes = device.max_allocation_bytes();
  return policy;
}

}  // namespace

PolicyMemory::PolicyMemory(const MemoryDevice& device, std::uint64_t largest_resource)
    : device_(device),
      buckets_(policy_of(device, largest_resource),
               {.allocate = [this](unsigned type, std::uint64_t bytes) -> std::optional<std::uint64_t> {
                  device_.events().doing(fmt::format("vkAllocateMemory of {} bytes of memory type {}", bytes, type));
                  VkDeviceMemory memory = VK_NULL_HANDLE;
                  if (allocate_memory(device_, bytes, type, memory) != VK_SUCCESS) return std::nullopt;
                  memories_[++last_name_] = std::make_unique<DeviceMemory>(device_, memory, bytes, type);
                  return last_name_;
                },
                .free = [this](std::uint64_t name) { memories_.erase(name); }}) {}

PolicyMemory::Piece PolicyMemory::allocate(designs::ResourceKind kind, const VkMemoryRequirements& needs,
                                           std::uint32_t type) {
  const designs::PlacedMemory placed =
      buckets_.allocate({.bytes = needs.size, .alignment = needs.alignment, .memory_type = type, .kind = kind});
  if (placed.refusal != designs::MemoryRefusal::kNone)
    device_.events().problem(fmt::format("the policy refused {} bytes: {}", needs.size, sentence(placed.refusal)));
  return {placed.block, memories_.at(placed.block.place.allocation).get()};
}

}  // namespace lab::probe
