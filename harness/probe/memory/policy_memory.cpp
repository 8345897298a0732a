#include "harness/probe/memory/policy_memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace lab::probe {

namespace {

constexpr std::uint64_t kArticlesParts = 62;

designs::MemoryPolicy policy_of(const MemoryDevice& device, std::uint64_t largest_resource) {
  designs::MemoryPolicy policy = vulkan::policy_of(device, 0);
  for (const std::uint64_t bytes : policy.heap_bytes)
    policy.heap_parts = std::max({policy.heap_parts, kArticlesParts, bytes / largest_resource});
  policy.largest_resource = largest_resource;
  return policy;
}

}  // namespace

PolicyMemory::PolicyMemory(const MemoryDevice& device, std::uint64_t largest_resource)
    : device_(device), allocated_(device), buckets_(policy_of(device, largest_resource), allocated_.device()) {}

PolicyMemory::Piece PolicyMemory::allocate(designs::ResourceKind kind, const VkMemoryRequirements& needs,
                                           std::uint32_t type) {
  const designs::PlacedMemory placed =
      buckets_.allocate({.bytes = needs.size, .alignment = needs.alignment, .memory_type = type, .kind = kind});
  if (placed.refusal != designs::MemoryRefusal::kNone)
    device_.events().problem(fmt::format("the policy refused {} bytes: {}", needs.size, sentence(placed.refusal)));
  return {placed.block, &allocated_.of(placed.block.place.allocation)};
}

}  // namespace lab::probe
