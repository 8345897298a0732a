/// The allocation policy of the io7m article for a GPU's memory: few large allocations, one set of them for each
/// alignment S and memory type T, cut into blocks of size S.
///
/// Idea: a device allows few allocations, and each resource has an alignment and a memory type. A resource goes into an
/// allocation of its bucket: its kind, S and T. There, best fit in blocks of S gives it an aligned place without gaps
/// between alignments (best_fit.h). A bucket without room gets a new allocation of max(M, H / K) bytes, for the largest
/// resource M and K parts of a heap of H bytes. An image above M is humongous and is refused: it gets an allocation of
/// its own if the caller asks for one (allocate_dedicated).
/// Cost: allocate is O(a + log n) for a allocations in the bucket and n ranges in one; free is O(a + log n).
/// Source: "Vulkan Memory Allocation (Part 1 of N)" (io7m, 2023). Additions: the limits of the device, the kinds, the
/// smaller allocations when memory runs out, and when empty allocations are returned.
/// Weakness: each bucket has a partly used allocation, so a program with many pairs (S, T) and small resources holds
/// far more memory than it uses.
///
/// It never touches memory. It takes allocations from a device, and hands out offsets in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "variants/designs/offsets/best_fit.h"

namespace lab::designs {

/// Resources of different kinds never share an allocation, so that no device-dependent distance between linear and
/// optimal resources (Vulkan's bufferImageGranularity) is needed.
enum class ResourceKind { kBuffer, kLinearImage, kOptimalImage };

struct MemoryRequest {
  std::uint64_t bytes = 0;  ///< 0 counts as 1
  std::uint64_t alignment = 1;
  unsigned memory_type = 0;
  ResourceKind kind = ResourceKind::kOptimalImage;
};

/// Identifies a resource until it is freed or moved.
struct MemoryPlace {
  std::uint64_t allocation = 0;  ///< as the device named it
  std::uint64_t offset = 0;
  auto operator<=>(const MemoryPlace&) const = default;
};

enum class MemoryRefusal {
  kNone,
  kHumongous,           ///< an image above M
  kTooLarge,            ///< larger than an allocation of this memory type can be
  kTooManyAllocations,  ///< the limit on their number is reached
  kOutOfMemory,         ///< the device refused another allocation
  kInvalid              ///< alignment 0, or a memory type that the policy was not told of
};

/// One sentence: why, and what to do instead. "" for kNone.
std::string_view sentence(MemoryRefusal refusal);

/// A place, or why there is none.
struct PlacedMemory {
  MemoryPlace place;
  MemoryRefusal refusal = MemoryRefusal::kNone;
};

/// What gives allocations: a GPU's driver, or a simulation.
struct MemoryDevice {
  /// A new allocation of this size, named by a number of the device's choice, or nothing if it has no memory for it.
  std::function<std::optional<std::uint64_t>(unsigned memory_type, std::uint64_t bytes)> allocate;
  std::function<void(std::uint64_t allocation)> free;
};

struct MemoryPolicy {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  std::vector<std::uint64_t> heap_bytes;            ///< H of each memory type's heap
  std::uint64_t heap_parts = 62;                    ///< K, at least 1
  std::uint64_t largest_resource = 64'000'000;      ///< M, bytes
  std::uint64_t max_allocations = kUnlimited;       ///< Vulkan's maxMemoryAllocationCount
  std::uint64_t max_allocation_bytes = kUnlimited;  ///< Vulkan's maxMemoryAllocationSize

  /// max(M, H / K), but no more than the heap and than the device allows for one allocation.
  std::uint64_t allocation_bytes(unsigned memory_type) const;
};

/// Not thread-safe. Returns all its allocations to the device when it ends.
class AlignmentBuckets {
 public:
  /// What resources in one allocation have in common. Dedicated allocations are in no bucket.
  struct Key {
    ResourceKind kind = ResourceKind::kOptimalImage;
    std::uint64_t alignment = 1;
    unsigned memory_type = 0;
    auto operator<=>(const Key&) const = default;
  };

  /// All in bytes, over one bucket, one allocation or everything.
  struct Usage {
    std::size_t allocations = 0, resources = 0;
    std::uint64_t allocated = 0;  ///< taken from the device
    std::uint64_t used = 0;       ///< by resources, rounding included
    std::uint64_t requested = 0;
    std::uint64_t largest_free = 0;  ///< the largest resource that fits without a new allocation
    std::uint64_t free_tails = 0;    ///< part of the free bytes: last blocks that are shorter than a block
    std::uint64_t free() const { return allocated - used; }
    std::uint64_t rounding() const { return used - requested; }
    double fragmentation() const { return designs::fragmentation(largest_free, free()); }
  };

  struct Move {
    MemoryPlace from, to;
    std::uint64_t bytes = 0;  ///< as requested
    bool operator==(const Move&) const = default;
  };

  AlignmentBuckets(MemoryPolicy policy, MemoryDevice device);
  ~AlignmentBuckets();
  AlignmentBuckets(const AlignmentBuckets&) = delete;
  AlignmentBuckets& operator=(const AlignmentBuckets&) = delete;

  /// A place in the bucket's oldest allocation that has room, or in a new one. If the device has no memory for a whole
  /// allocation, it is asked for half, and so on, down to what the request needs.
  PlacedMemory allocate(const MemoryRequest& request);

  /// An allocation for this resource alone, of exactly its size. M is no limit for it.
  PlacedMemory allocate_dedicated(const MemoryRequest& request);

  /// Frees a place of either; false, and no change, if nothing begins there. A dedicated allocation is returned at
  /// once. Another that becomes empty is returned if its bucket has a second empty one: one stays, so that a resource
  /// that comes and goes does not cost an allocation each time. Empty ones are also returned before a request fails.
  bool free(MemoryPlace place);

  /// Returns every empty allocation to the device.
  void return_empty();

  /// The moves that compact each bucket, in the order of their execution (compaction.h). Whoever executes one copies
  /// the bytes and then calls move(). The buckets must not change otherwise until the last of them.
  std::vector<Move> plan_compaction() const;
  /// Records that a resource has moved. False, and no change, if nothing is at `from` or `to` is not free. An
  /// allocation that becomes empty stays, because later moves may need it: call return_empty() after the last.
  bool move(MemoryPlace from, MemoryPlace to);

  const MemoryPolicy& policy() const { return policy_; }
  /// Including dedicated ones.
  std::size_t allocation_count() const { return allocations_.size(); }
  std::size_t dedicated_count() const { return dedicated_count_; }
  Usage usage() const;  ///< of everything
  std::map<Key, Usage> buckets() const;

  /// Calls visit(allocation, key, ranges) for each allocation, by its number: a const Key*, null for a dedicated one,
  /// and a const BestFit&.
  template <typename Visit>
  void for_each_allocation(Visit visit) const {
    for (const auto& [name, allocation] : allocations_)
      visit(name, allocation->dedicated ? nullptr : &allocation->key, std::as_const(allocation->ranges));
  }

 private:
  struct Allocation {
    std::uint64_t name;
    Key key;
    bool dedicated;
    BestFit ranges;
  };
  using Bucket = std::vector<Allocation*>;  // oldest first

  bool valid(const MemoryRequest& request) const;
  PlacedMemory place_in_new(const Key& key, std::uint64_t bytes, std::uint64_t preferred, bool dedicated);
  std::optional<std::uint64_t> ask(unsigned memory_type, std::uint64_t least, std::uint64_t& bytes);
  void return_allocation(Allocation& allocation);

  MemoryPolicy policy_;
  MemoryDevice device_;
  std::map<std::uint64_t, std::unique_ptr<Allocation>> allocations_;  // by name
  std::map<Key, Bucket> buckets_;
  std::size_t dedicated_count_ = 0;
};

}  // namespace lab::designs
