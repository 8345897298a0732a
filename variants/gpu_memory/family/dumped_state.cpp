#include "variants/gpu_memory/family/dumped_state.h"

#include <map>
#include <optional>
#include <vector>

#include "variants/gpu_memory/family/tasks.h"

namespace lab::gpu_memory {

namespace {

constexpr std::uint32_t kDeviceLocal = 0x1, kHostVisible = 0x2, kHostCoherent = 0x4;  // VkMemoryPropertyFlagBits

using Kinds = std::map<designs::MemoryPlace, ResourceKind>;

DumpedAllocation dumped(const SeenAllocation& seen, const Kinds& kinds) {
  DumpedAllocation allocation{.id = seen.allocation.name,
                              .bytes = seen.allocation.bytes,
                              .dedicated = !seen.allocation.group,
                              .alignment = seen.allocation.group ? seen.allocation.group->alignment : 1,
                              .ranges = {}};
  for (const designs::OffsetRange& range : seen.ranges) {
    const auto resource = kinds.find({seen.allocation.name, range.offset});
    const auto kind = resource == kinds.end() ? std::nullopt : std::optional(resource->second);
    allocation.ranges.push_back({range.offset, range.bytes, range.requested, range.used, kind, 0});
  }
  return allocation;
}

}  // namespace

DumpedMemory state_after(const Subject& subject, const ResourcePlan& plan, const std::string& device_name) {
  SimulatedDevice device(plan.heap_bytes);
  const Setup setup = plan.setup(device);
  const auto memory = subject(setup);
  std::vector<MemoryBlock> blocks(plan.slots);
  std::vector<Step> last(plan.slots);
  for (const auto* part : {&plan.fill, &plan.steps}) execute(plan, *part, *memory, blocks, last);
  Kinds kinds;
  for (std::size_t slot = 0; slot < plan.slots; ++slot)
    if (last[slot].resource != Step::kNothing)
      kinds[blocks[slot].place] = plan.resources[last[slot].resource].request.kind;
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
    dump.types[seen.allocation.memory_type].allocations.push_back(dumped(seen, kinds));
  return dump;
}

}  // namespace lab::gpu_memory
