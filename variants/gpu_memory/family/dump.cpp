#include "variants/gpu_memory/family/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "variants/designs/offsets/best_fit.h"

namespace lab::gpu_memory {

namespace {

namespace json = boost::json;

struct Flag {
  std::uint32_t bit;
  std::string_view name;
};

constexpr Flag kHeapFlags[] = {{0x1, "DEVICE_LOCAL"}, {0x2, "MULTI_INSTANCE"}};
constexpr Flag kTypeFlags[] = {{0x1, "DEVICE_LOCAL"},         {0x2, "HOST_VISIBLE"},        {0x4, "HOST_COHERENT"},
                               {0x8, "HOST_CACHED"},          {0x10, "LAZILY_ALLOCATED"},   {0x20, "PROTECTED"},
                               {0x40, "DEVICE_COHERENT_AMD"}, {0x80, "DEVICE_UNCACHED_AMD"}};

// The names of bits, and bits without a name as one number in hexadecimal.
json::array flags_of(std::uint32_t flags, std::span<const Flag> known) {
  json::array names;
  for (const Flag& flag : known)
    if ((flags & flag.bit) != 0) {
      names.emplace_back(flag.name);
      flags &= ~flag.bit;
    }
  if (flags != 0) names.emplace_back(fmt::format("{:#x}", flags));
  return names;
}

std::string_view type_of(const DumpedRange& range) {
  if (!range.used) return "FREE";
  if (!range.kind) return "UNKNOWN";
  switch (*range.kind) {
    case designs::ResourceKind::kBuffer:
      return "BUFFER";
    case designs::ResourceKind::kLinearImage:
      return "IMAGE_LINEAR";
    case designs::ResourceKind::kOptimalImage:
      break;
  }
  return "IMAGE_OPTIMAL";
}

struct Sizes {
  std::uint64_t count = 0, sum = 0, max = 0;
  std::uint64_t min = std::numeric_limits<std::uint64_t>::max();

  void add(std::uint64_t bytes) {
    ++count;
    sum += bytes;
    min = std::min(min, bytes);
    max = std::max(max, bytes);
  }
  void add(const Sizes& other) {
    count += other.count;
    sum += other.sum;
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
};

// VMA's VmaDetailedStatistics, and our losses.
struct Figures {
  std::uint64_t allocations = 0, allocated = 0;
  Sizes used, unused;
  std::uint64_t alignment_gaps = 0, rounding = 0;

  void add(const DumpedRange& range, std::uint64_t alignment) {
    if (range.used) {
      used.add(range.bytes);
      rounding += range.bytes - range.requested;
    } else {
      unused.add(range.bytes);
      const std::uint64_t before = (alignment - range.offset % alignment) % alignment;
      alignment_gaps += std::min(before, range.bytes);
    }
  }
  void add(const Figures& other) {
    allocations += other.allocations;
    allocated += other.allocated;
    used.add(other.used);
    unused.add(other.unused);
    alignment_gaps += other.alignment_gaps;
    rounding += other.rounding;
  }

  // VMA writes the least and the largest of two or more.
  json::object statistics() const {
    json::object object{{"BlockCount", allocations},
                        {"BlockBytes", allocated},
                        {"AllocationCount", used.count},
                        {"AllocationBytes", used.sum},
                        {"UnusedRangeCount", unused.count}};
    if (used.count > 1) {
      object["AllocationSizeMin"] = used.min;
      object["AllocationSizeMax"] = used.max;
    }
    if (unused.count > 1) {
      object["UnusedRangeSizeMin"] = unused.min;
      object["UnusedRangeSizeMax"] = unused.max;
    }
    return object;
  }
  json::object losses() const {
    return {{"ExternalFragmentation", designs::fragmentation(unused.max, unused.sum)},
            {"AlignmentGapBytes", alignment_gaps},
            {"RoundingBytes", rounding}};
  }
};

// The resource that a dedicated allocation is for has all of it.
DumpedRange dedicated_range(const DumpedAllocation& allocation) {
  DumpedRange range = allocation.ranges.at(0);
  range.bytes = allocation.bytes;
  return range;
}

// With the free spaces that no range names.
std::vector<DumpedRange> all_ranges(const DumpedAllocation& allocation) {
  if (allocation.dedicated) return {dedicated_range(allocation)};
  std::vector<DumpedRange> all;
  std::uint64_t end = 0;
  const auto free_until = [&](std::uint64_t offset) {
    if (end < offset) all.push_back({.offset = end, .bytes = offset - end, .kind = {}});
  };
  for (const DumpedRange& range : allocation.ranges) {
    free_until(range.offset);
    all.push_back(range);
    end = range.offset + range.bytes;
  }
  free_until(allocation.bytes);
  return all;
}

Figures figures_of(const DumpedAllocation& allocation) {
  Figures figures{.allocations = 1, .allocated = allocation.bytes, .used = {}, .unused = {}};
  for (const DumpedRange& range : all_ranges(allocation)) figures.add(range, allocation.alignment);
  return figures;
}

Figures figures_of(const DumpedMemoryType& type) {
  Figures figures;
  for (const DumpedAllocation& allocation : type.allocations) figures.add(figures_of(allocation));
  return figures;
}

// What VMA writes of a range, wherever it lies.
void add_parameters(json::object& object, const DumpedRange& range) {
  object["Type"] = type_of(range);
  object["Size"] = range.bytes;
  if (!range.used) return;
  object["Usage"] = range.usage;
  if (range.requested != range.bytes) object["CustomData"] = fmt::format("{:#x}", range.requested);
}

json::object block_of(const DumpedAllocation& allocation) {
  const Figures figures = figures_of(allocation);
  json::array suballocations;
  for (const DumpedRange& range : all_ranges(allocation)) {
    json::object object{{"Offset", range.offset}};
    add_parameters(object, range);
    suballocations.push_back(std::move(object));
  }
  return {{"MapRefCount", 0},
          {"TotalBytes", allocation.bytes},
          {"UnusedBytes", figures.unused.sum},
          {"Allocations", figures.used.count},
          {"UnusedRanges", figures.unused.count},
          {"Suballocations", std::move(suballocations)},
          {"Losses", figures.losses()}};
}

json::object map_of(const DumpedMemoryType& type) {
  const Figures figures = figures_of(type);
  json::object blocks;
  json::array dedicated;
  for (const DumpedAllocation& allocation : type.allocations) {
    if (!allocation.dedicated) {
      blocks[fmt::format("{}", allocation.id)] = block_of(allocation);
    } else {
      json::object object;
      add_parameters(object, dedicated_range(allocation));
      dedicated.push_back(std::move(object));
    }
  }
  return {{"PreferredBlockSize", type.allocation_bytes},
          {"Blocks", std::move(blocks)},
          {"DedicatedAllocations", std::move(dedicated)},
          {"Losses", figures.losses()}};
}

json::object heap_of(const DumpedMemory& memory, unsigned heap, const Figures& figures) {
  const DumpedHeap& about = memory.heaps[heap];
  json::object pools;
  for (std::size_t i = 0; i < memory.types.size(); ++i) {
    const DumpedMemoryType& type = memory.types[i];
    if (type.heap != heap) continue;
    pools[fmt::format("Type {}", i)] =
        json::object{{"Flags", flags_of(type.flags, kTypeFlags)}, {"Stats", figures_of(type).statistics()}};
  }
  // The budget is what VMA assumes of a heap where the driver reports none.
  return {{"Flags", flags_of(about.flags, kHeapFlags)},
          {"Size", about.bytes},
          {"Budget", {{"BudgetBytes", about.bytes * 8 / 10}, {"UsageBytes", figures.allocated}}},
          {"Stats", figures.statistics()},
          {"MemoryPools", std::move(pools)}};
}

Figures figures_of(const DumpedMemory& memory, unsigned heap) {
  Figures figures;
  for (const DumpedMemoryType& type : memory.types)
    if (type.heap == heap) figures.add(figures_of(type));
  return figures;
}

}  // namespace

json::object dump(const DumpedMemory& memory) {
  Figures total;
  json::object maps, heaps, losses;
  for (unsigned i = 0; i < memory.heaps.size(); ++i) {
    const std::string name = fmt::format("Heap {}", i);
    const Figures figures = figures_of(memory, i);
    heaps[name] = heap_of(memory, i, figures);
    losses[name] = figures.losses();
    total.add(figures);
  }
  losses["Total"] = total.losses();
  for (std::size_t i = 0; i < memory.types.size(); ++i) maps[fmt::format("Type {}", i)] = map_of(memory.types[i]);
  return {{"General",
           {{"API", "Vulkan"},
            {"apiVersion", memory.api_version},
            {"GPU", memory.device},
            {"deviceType", memory.device_type},
            {"maxMemoryAllocationCount", memory.max_allocations},
            {"bufferImageGranularity", memory.granularity},
            {"nonCoherentAtomSize", memory.non_coherent_atom},
            {"memoryHeapCount", memory.heaps.size()},
            {"memoryTypeCount", memory.types.size()},
            {"Losses", std::move(losses)}}},
          {"Total", total.statistics()},
          {"MemoryInfo", std::move(heaps)},
          {"DefaultPools", std::move(maps)},
          {"CustomPools", json::object{}}};
}

}  // namespace lab::gpu_memory
