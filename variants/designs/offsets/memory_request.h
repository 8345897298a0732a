/// What a program asks of a GPU's memory, and what it is told: shared by all allocators of memory in several
/// allocations (memory_pools.h), and by the policy of the Vulkan article.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace lab::designs {

/// Vulkan keeps linear and optimal resources apart by a distance that depends on the device (bufferImageGranularity).
enum class ResourceKind : std::uint8_t { kBuffer, kLinearImage, kOptimalImage };

struct MemoryRequest {
  std::uint64_t bytes = 0;      ///< 0 counts as 1
  std::uint64_t alignment = 1;  ///< a power of two
  unsigned memory_type = 0;
  ResourceKind kind = ResourceKind::kOptimalImage;
};

/// Where a resource lies.
struct MemoryPlace {
  std::uint64_t allocation = 0;  ///< as the device named it
  std::uint64_t offset = 0;
  auto operator<=>(const MemoryPlace&) const = default;
};

enum class MemoryRefusal : std::uint8_t {
  kNone,
  kHumongous,           ///< an image above M
  kTooLarge,            ///< larger than an allocation of this memory type can be
  kTooManyAllocations,  ///< the limit on their number is reached
  kOutOfMemory,         ///< the device refused another allocation
  kInvalid              ///< the alignment is no power of two, or the policy was not told of the memory type
};

/// One sentence: why, and what to do instead. "" for kNone.
std::string_view sentence(MemoryRefusal refusal);

/// What gives allocations: a GPU's driver, or a simulation.
struct MemoryDevice {
  /// A new allocation of this size, named by a number of the device's choice, or nothing if it has no memory for it.
  std::function<std::optional<std::uint64_t>(unsigned memory_type, std::uint64_t bytes)> allocate;
  std::function<void(std::uint64_t allocation)> free;
};

/// What the resources of one allocation have in common; of what they need not have in common, the default.
struct MemoryGroup {
  ResourceKind kind = ResourceKind::kOptimalImage;
  std::uint64_t alignment = 1;
  unsigned memory_type = 0;
  std::uint64_t bytes = 0;  ///< 0: any
  auto operator<=>(const MemoryGroup&) const = default;
};

/// What a program will hold of one group at most. It may say so before it starts.
struct MemoryHint {
  MemoryGroup group;
  std::uint64_t bytes = 0;  ///< of all its resources together, each rounded up to its alignment
};

/// How large allocations are, and how many there may be.
struct MemoryPolicy {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  std::vector<std::uint64_t> heap_bytes;            ///< H of each memory type's heap
  std::uint64_t heap_parts = 62;                    ///< K, at least 1
  std::uint64_t largest_resource = 64'000'000;      ///< M, bytes
  std::uint64_t max_allocations = kUnlimited;       ///< Vulkan's maxMemoryAllocationCount
  std::uint64_t max_allocation_bytes = kUnlimited;  ///< Vulkan's maxMemoryAllocationSize
  std::uint64_t fixed_bytes = 0;                    ///< of an allocation, instead of max(M, H / K); 0: none
  std::uint64_t granularity = 1;                    ///< Vulkan's bufferImageGranularity, a power of two

  std::vector<MemoryHint> hints;  ///< of groups without one, nothing is known

  /// max(M, H / K) or the fixed size, but no more than the heap and than the device allows for one allocation.
  std::uint64_t allocation_bytes(unsigned memory_type) const;
};

}  // namespace lab::designs
