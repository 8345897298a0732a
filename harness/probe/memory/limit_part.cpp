#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/probe/memory/parts.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

constexpr std::uint64_t kMostTried = 65536;  // of maxMemoryAllocationCount; a larger one is not tried
constexpr std::uint64_t kBeyond = 16;        // tried above the limit, before it counts as not enforced
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 30;
constexpr std::chrono::seconds kMostTime{5};
constexpr std::uint64_t kEvent = 1024;  // allocations between two events, for the parent's limit of silence

}  // namespace

void run_limit_part(MemoryDevice& device) {
  const VkMemoryRequirements needs = needs_of(device, 1, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const std::optional<std::uint32_t> type = device.find_type(needs.memoryTypeBits, 0);
  if (!type) return device.events().note("no memory type for a buffer");
  results::AllocationCount found{.reported = device.limits().maxMemoryAllocationCount, .allocation_bytes = needs.size};
  found.tried = found.reported <= kMostTried;
  const std::uint64_t most = found.tried ? found.reported + kBeyond : results::kGuaranteedAllocations;
  const auto start = std::chrono::steady_clock::now();
  std::vector<VkDeviceMemory> memories;
  // Why no further one is tried.
  const auto enough = [&]() -> std::string {
    const std::uint64_t bytes = memories.size() * needs.size;
    if (memories.size() == most)
      return found.tried ? fmt::format("the limit is not enforced: {} more succeeded", kBeyond)
                         : fmt::format("a limit above {} is not tried", kMostTried);
    if (memories.size() < results::kGuaranteedAllocations) return "";
    if (bytes >= std::min(kMostCounted, device.heap_bytes(*type) / 2)) return fmt::format("{} bytes are enough", bytes);
    if (std::chrono::steady_clock::now() - start > kMostTime) return fmt::format("{} s are enough", kMostTime.count());
    return "";
  };
  while ((found.stopped = enough()).empty()) {
    if (memories.size() % kEvent == 0)
      device.events().doing(
          fmt::format("vkAllocateMemory of {} bytes, from allocation {} on", needs.size, memories.size() + 1));
    VkDeviceMemory memory = VK_NULL_HANDLE;
    if (const VkResult result = vulkan::allocate_memory(device, *type, needs.size, memory); result != VK_SUCCESS) {
      found.result = enum_name(vulkan::kVkResult, result);
      break;
    }
    memories.push_back(memory);
  }
  found.succeeded = memories.size();
  device.events().write({.event = "limit", .limit = found});
  device.events().doing(fmt::format("vkFreeMemory of {} allocations", memories.size()));
  for (const VkDeviceMemory memory : memories) device.vk().vkFreeMemory(device.handle(), memory, nullptr);
}

}  // namespace lab::probe
