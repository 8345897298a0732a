#include "variants/gpu_memory/family/dumped_state.h"

#include <optional>
#include <utility>
#include <vector>

#include "variants/gpu_memory/family/workloads.h"

namespace lab::gpu_memory {

namespace {

constexpr std::uint32_t kDeviceLocal = 0x1, kHostVisible = 0x2, kHostCoherent = 0x4;  // VkMemoryPropertyFlagBits

DumpedAllocation dumped(const SeenAllocation& seen) {
  DumpedAllocation allocation{.id = seen.allocation.name,
                              .bytes = seen.allocation.bytes,
                              .dedicated = !seen.allocation.group,
                              .alignment = seen.allocation.group ? seen.allocation.group->alignment : 1,
                              .ranges = {}};
  for (const designs::OffsetRange& range : seen.ranges) {
    const auto kind = range.used ? std::optional(seen.allocation.kind) : std::nullopt;
    allocation.ranges.push_back({range.offset, range.bytes, range.requested, range.used, kind, 0});
  }
  return allocation;
}

}  // namespace

DumpedMemory state_after(const Subject& subject, const ResourcePlan& plan, const std::string& device_name) {
  SimulatedDevice device(plan.heap_bytes);
  const Setup setup = plan.setup(device);
  const auto memory = subject(setup);
  std::vector<std::optional<MemoryBlock>> blocks(plan.slots);
  for (const auto* part : {&plan.fill, &plan.steps})
    for (const Step& step : *part) {
      if (const auto old = std::exchange(blocks[step.slot], std::nullopt)) memory->free(*old);
      if (step.resource == Step::kNothing) continue;
      const Resource& resource = plan.resources[step.resource];
      const PlacedMemory placed =
          resource.dedicated ? memory->allocate_dedicated(resource.request) : memory->allocate(resource.request);
      if (placed.refusal != designs::MemoryRefusal::kNone) refused(resource, placed.refusal);
      blocks[step.slot] = placed.block;
    }
  DumpedMemory dump;
  dump.device = device_name;
  dump.max_allocations = plan.allocation_limit;
  dump.granularity = plan.granularity;
  dump.heaps = {{plan.heap_bytes, kDeviceLocal}};
  for (const std::uint32_t flags : {kDeviceLocal, kHostVisible | kHostCoherent}) {
    const auto type = static_cast<unsigned>(dump.types.size());
    dump.types.push_back({0, flags, setup.policy.allocation_bytes(type), {}});
  }
  for (const SeenAllocation& seen : memory->allocations())
    dump.types[seen.allocation.memory_type].allocations.push_back(dumped(seen));
  return dump;
}

}  // namespace lab::gpu_memory
