/// The state of allocators of GPU memory as VulkanMemoryAllocator (VMA) writes its own with vmaBuildStatsString: for
/// VMA's tool that draws it (tools/GpuMemDumpVis), and for every other reader of this format.
///
/// Our figures are members "Losses", where VMA's schema (GpuMemDump.schema.json) allows others than its own: in a
/// block, in a memory type of "DefaultPools", and for heaps and the whole in "General". The tool does not read them:
///   ExternalFragmentation  1 - largest free space / all free bytes
///   AlignmentGapBytes      free, but before the first place in its free space where a part may begin
///   RoundingBytes          used, but not requested
/// The requested size of a part that was rounded up is its "CustomData", as if the program had set it as pUserData.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "variants/designs/offsets/memory_request.h"

namespace lab::gpu_memory {

/// A used part or a free space of an allocation.
struct DumpedRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;      ///< with rounding
  std::uint64_t requested = 0;  ///< 0 for a free space
  bool used = false;
  std::optional<designs::ResourceKind> kind;  ///< nothing: unknown
  std::uint64_t usage = 0;                    ///< VkBufferUsageFlags or VkImageUsageFlags
};

/// A VkDeviceMemory; VMA calls one with suballocations a block.
struct DumpedAllocation {
  std::uint64_t id = 0;  ///< no other of its memory type has it
  std::uint64_t bytes = 0;
  bool dedicated = false;       ///< for one resource: `ranges` is one used part
  std::uint64_t alignment = 1;  ///< every part begins at a multiple of this power of two
  /// By offset, without overlaps. What lies between them is free, whether or not a range says so.
  std::vector<DumpedRange> ranges;
};

struct DumpedMemoryType {
  unsigned heap = 0;
  std::uint32_t flags = 0;                    ///< VkMemoryPropertyFlags
  std::uint64_t allocation_bytes = 0;         ///< of an allocation that is not dedicated, as a rule
  std::vector<DumpedAllocation> allocations;  ///< in the order of the document
};

struct DumpedHeap {
  std::uint64_t bytes = 0;
  std::uint32_t flags = 0;  ///< VkMemoryHeapFlags
};

struct DumpedMemory {
  std::string device;
  std::string api_version = "1.0.0";
  unsigned device_type = 0;  ///< VkPhysicalDeviceType
  std::uint64_t max_allocations = designs::MemoryPolicy::kUnlimited;
  std::uint64_t granularity = 1;
  std::uint64_t non_coherent_atom = 1;
  std::vector<DumpedHeap> heaps;
  std::vector<DumpedMemoryType> types;
};

/// VMA's document with the detailed map. Its members are in VMA's order; those of ours follow VMA's. A flag without a
/// name is a string, as the schema demands; VMA writes a number.
boost::json::object dump(const DumpedMemory& memory);

}  // namespace lab::gpu_memory
