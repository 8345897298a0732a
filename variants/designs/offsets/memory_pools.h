/// Memory in several allocations of a GPU's driver, divided into groups: a request is served from its group alone.
///
/// Idea: a device allows few allocations, so each is large and is divided by a RangeAllocator. A Grouping says which
/// resources may share one: of one memory type always, and as it says, of one kind, alignment or size. A request goes
/// into the oldest allocation of its group that has room, or into a new one of max(M, H / K) bytes (MemoryPolicy). An
/// image above M is humongous and is refused: it gets an allocation of its own if the caller asks for one
/// (allocate_dedicated).
/// Cost: finding the group O(1); then what the range allocator costs, for each allocation of the group until one serves
/// the request.
/// Source: "Vulkan Memory Allocation (Part 1 of N)" (io7m, 2023). Additions: the limits of the device, smaller
/// allocations when memory runs out, and when empty allocations are returned.
/// Weakness: each group has a partly used allocation.
///
/// It never touches memory. It takes allocations from a device, and hands out offsets in them.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "variants/designs/offsets/best_fit.h"
#include "variants/designs/offsets/memory_request.h"
#include "variants/designs/offsets/range_allocator.h"

namespace lab::designs {

/// What resources in one allocation have in common, besides the memory type.
struct Grouping {
  bool by_kind = true;
  bool by_alignment = false;  ///< the allocation has blocks of it, so no alignment leaves a gap
  bool by_size = false;       ///< of images, rounded up to a power of two
};

/// A live resource. Its place is for the caller; the rest names it to the pools.
struct MemoryBlock {
  MemoryPlace place;
  std::uint32_t slot = 0;   ///< of its allocation
  std::uint64_t token = 0;  ///< of its range
  bool operator==(const MemoryBlock&) const = default;
};

/// A block, or why there is none.
struct PlacedMemory {
  MemoryBlock block;
  MemoryRefusal refusal = MemoryRefusal::kNone;
};

/// All in bytes, over one group, one allocation or everything.
struct MemoryUsage {
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

/// One allocation of the device, for whoever looks at all of them.
struct MemoryAllocation {
  std::uint64_t name = 0;
  unsigned memory_type = 0;
  std::uint64_t bytes = 0;
  std::optional<MemoryGroup> group;  ///< none: dedicated to one resource
  ResourceKind kind = ResourceKind::kOptimalImage;
};

/// Not thread-safe. Returns its memory to the device when it ends. One class, because its tables change together.
template <RangeAllocator R, Grouping kGrouping>
class MemoryPools {
 public:
  MemoryPools(MemoryPolicy policy, MemoryDevice device) : policy_(std::move(policy)), device_(std::move(device)) {
    assert(policy_.heap_parts > 0 && std::has_single_bit(policy_.granularity));
    const auto types = static_cast<unsigned>(policy_.heap_bytes.size());
    for (unsigned type = 0; type < types; ++type) allocation_bytes_.push_back(policy_.allocation_bytes(type));
    group_index_.assign(std::size_t{kKinds} * types * kAlignments, kNoGroup);
  }
  ~MemoryPools() {
    for (const auto& allocation : slots_)
      if (allocation) device_.free(allocation->name);
  }
  MemoryPools(const MemoryPools&) = delete;
  MemoryPools& operator=(const MemoryPools&) = delete;

  /// In the group's oldest allocation that has room, or in a new one. If the device has no memory for a whole
  /// allocation, it is asked for half, and so on, down to what the request needs.
  PlacedMemory allocate(const MemoryRequest& request) {
    if (!valid(request)) return {{}, MemoryRefusal::kInvalid};
    if (request.bytes > policy_.largest_resource && request.kind != ResourceKind::kBuffer)
      return {{}, MemoryRefusal::kHumongous};
    if (request.bytes > allocation_bytes_[request.memory_type]) return {{}, MemoryRefusal::kTooLarge};
    const std::uint32_t found = find_group(request);
    if (found != kNoGroup)
      for (Allocation* const allocation : groups_[found].allocations)
        if (const Suballocation part = allocation->ranges->allocate(request.bytes, request.alignment); part.served())
          return {block_of(*allocation, part)};
    return place_in_new(request, found);
  }

  /// An allocation for this resource alone, of exactly its size. M is no limit for it.
  PlacedMemory allocate_dedicated(const MemoryRequest& request) {
    if (!valid(request)) return {{}, MemoryRefusal::kInvalid};
    const std::uint64_t bytes = std::max<std::uint64_t>(request.bytes, 1);
    if (bytes > std::min(policy_.max_allocation_bytes, policy_.heap_bytes[request.memory_type]))
      return {{}, MemoryRefusal::kTooLarge};
    std::uint64_t size = bytes;
    const auto [name, refusal] = ask(request.memory_type, bytes, size);
    if (!name) return {{}, refusal};
    Allocation& added = add(*name, size, request.memory_type, request.kind, kNoGroup);
    ++dedicated_count_;
    return {block_of(added, {0, 0})};
  }

  /// Frees a block of either; anything else is undefined. A dedicated allocation is returned at once. Another that
  /// becomes empty is returned if its group has a second empty one: one stays, so that a resource that comes and goes
  /// does not cost an allocation each time. Empty ones are also returned before a request fails.
  void free(const MemoryBlock& block) {
    Allocation& allocation = *slots_[block.slot];
    assert(allocation.name == block.place.allocation);
    if (!allocation.ranges) return return_allocation(allocation);
    allocation.ranges->free({block.place.offset, block.token});
    if (allocation.ranges->used_count() == 0) return_if_second(allocation);
  }

  /// Returns every empty allocation to the device.
  void return_empty() {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      if (slots_[slot] && slots_[slot]->ranges && slots_[slot]->ranges->used_count() == 0)
        return_allocation(*slots_[slot]);
  }

  const MemoryPolicy& policy() const { return policy_; }
  std::size_t allocation_count() const { return allocation_count_; }  ///< including dedicated ones
  std::size_t dedicated_count() const { return dedicated_count_; }

  /// Of everything.
  MemoryUsage usage() const {
    MemoryUsage usage;
    for (const auto& allocation : slots_)
      if (allocation) add_to(usage, *allocation);
    return usage;
  }
  /// Of each group that has allocations. Dedicated ones are in no group.
  std::map<MemoryGroup, MemoryUsage> groups() const {
    std::map<MemoryGroup, MemoryUsage> usages;
    for (const Group& group : groups_)
      for (const Allocation* const allocation : group.allocations) add_to(usages[group.key], *allocation);
    return usages;
  }
  /// What the bookkeeping takes now, the ranges' included.
  std::size_t metadata_bytes() const {
    std::size_t bytes =
        sizeof *this + slots_.capacity() * sizeof(slots_[0]) + group_index_.size() * sizeof(std::uint32_t);
    for (const Group& group : groups_) bytes += sizeof group + group.allocations.capacity() * sizeof(void*);
    for (const auto& allocation : slots_)
      if (allocation) bytes += sizeof *allocation + (allocation->ranges ? allocation->ranges->metadata_bytes() : 0);
    return bytes;
  }

  /// Calls visit(MemoryAllocation, for_each_range) for each allocation. for_each_range(v) calls v(OffsetRange) for each
  /// used part and free space, by offset.
  template <typename Visit>
  void for_each_allocation(Visit visit) const {
    for (const auto& allocation : slots_) {
      if (!allocation) continue;
      const Allocation& a = *allocation;
      const MemoryAllocation seen{a.name, a.memory_type, a.bytes,
                                  a.ranges ? std::optional(groups_[a.group].key) : std::nullopt, a.kind};
      visit(seen, [&a](auto visit_range) {
        if (a.ranges)
          a.ranges->for_each(visit_range);
        else
          visit_range(OffsetRange{0, a.bytes, a.bytes, true});
      });
    }
  }

  /// The same with the allocations of each group, oldest first: visit(MemoryGroup, names, ranges), where `ranges` are
  /// const R*.
  template <typename Visit>
  void for_each_group(Visit visit) const {
    for (const Group& group : groups_) {
      std::vector<std::uint64_t> names;
      std::vector<const R*> ranges;
      for (const Allocation* const allocation : group.allocations) {
        names.push_back(allocation->name);
        ranges.push_back(allocation->ranges.get());
      }
      if (!names.empty()) visit(group.key, names, ranges);
    }
  }

  /// The resource at a place, or none. O(n).
  std::optional<MemoryBlock> find(MemoryPlace place) const requires requires(const R& ranges) { ranges.used_at(0); }
  {
    const Allocation* const allocation = named(place.allocation);
    if (allocation == nullptr) return std::nullopt;
    if (!allocation->ranges) return place.offset == 0 ? std::optional(block_of(*allocation, {0, 0})) : std::nullopt;
    const Suballocation part = allocation->ranges->used_at(place.offset);
    return part.served() ? std::optional(block_of(*allocation, part)) : std::nullopt;
  }

  /// Records that a resource has moved within its group. None, and no change, if `to` is not free. An allocation that
  /// becomes empty stays, because later moves may need it: call return_empty() after the last. O(n).
  std::optional<MemoryBlock> move(const MemoryBlock& from, MemoryPlace to) requires requires(R& ranges) {
    ranges.allocate_at(0, 0);
  }
  {
    Allocation& giver = *slots_[from.slot];
    Allocation* const taker = named(to.allocation);
    if (taker == nullptr || !giver.ranges || !taker->ranges || giver.group != taker->group) return std::nullopt;
    const std::uint64_t requested = giver.ranges->range_of(from.token).requested;
    const Suballocation part = taker->ranges->allocate_at(to.offset, requested);
    if (!part.served()) return std::nullopt;
    giver.ranges->free({from.place.offset, from.token});
    return block_of(*taker, part);
  }

  /// The parts of the allocation in the slot of a block, for whoever moves resources (movable_memory.h); nullptr if it
  /// is dedicated.
  const R* ranges_of(std::size_t slot) const { return slots_[slot]->ranges.get(); }
  /// A number of the group whose resources are in that allocation.
  std::uint32_t group_of(std::size_t slot) const { return slots_[slot]->group; }
  /// Takes the beginning of a free space, which holds `bytes`, for a resource of the same group. free() frees it.
  template <typename Token>
  MemoryBlock allocate_in(std::size_t slot, Token space, std::uint64_t bytes) requires requires(R& ranges) {
    ranges.allocate_in(space, bytes);
  }
  { return block_of(*slots_[slot], slots_[slot]->ranges->allocate_in(space, bytes)); }

 private:
  static constexpr unsigned kKinds = 3, kAlignments = 33;
  static constexpr std::uint64_t kMostAlignment = std::uint64_t{1} << (kAlignments - 1);
  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

  struct Allocation {
    std::uint64_t name, bytes;
    unsigned memory_type;
    ResourceKind kind;
    std::uint32_t slot, group;
    std::unique_ptr<R> ranges;  // none: dedicated
  };
  struct Group {
    MemoryGroup key;
    std::vector<Allocation*> allocations;  // oldest first
  };

  static MemoryBlock block_of(const Allocation& allocation, const Suballocation& part) {
    return {{allocation.name, part.offset}, allocation.slot, part.token};
  }

  bool valid(const MemoryRequest& request) const {
    return std::has_single_bit(request.alignment) && request.alignment <= kMostAlignment &&
           request.memory_type < allocation_bytes_.size();
  }

  // A cell of the table of groups. By size, the cell leads to another table.
  std::uint32_t& cell(const MemoryRequest& request) {
    const unsigned kind = kGrouping.by_kind ? static_cast<unsigned>(request.kind) : 0;
    const unsigned log2 = kGrouping.by_alignment ? static_cast<unsigned>(std::countr_zero(request.alignment)) : 0;
    return group_index_[(std::size_t{request.memory_type} * kKinds + kind) * kAlignments + log2];
  }
  std::uint32_t find_group(const MemoryRequest& request) {
    if constexpr (kGrouping.by_size) {
      const auto found = by_size_.find(key_of(request));
      return found == by_size_.end() ? kNoGroup : found->second;
    } else {
      return cell(request);
    }
  }
  MemoryGroup key_of(const MemoryRequest& request) const {
    MemoryGroup key{.memory_type = request.memory_type};
    if (kGrouping.by_kind) key.kind = request.kind;
    if (kGrouping.by_alignment) key.alignment = request.alignment;
    if (kGrouping.by_size && request.kind != ResourceKind::kBuffer)
      key.bytes = std::bit_ceil(std::max<std::uint64_t>(request.bytes, 1));
    return key;
  }
  struct HashGroup {
    std::size_t operator()(const MemoryGroup& key) const {
      std::uint64_t hash = key.bytes * 0x9e3779b97f4a7c15;
      hash ^= (key.alignment * 3 + static_cast<unsigned>(key.kind)) * 0xc2b2ae3d27d4eb4f + key.memory_type;
      return static_cast<std::size_t>(hash ^ (hash >> 29));
    }
  };

  PlacedMemory place_in_new(const MemoryRequest& request, std::uint32_t group) {
    const std::uint64_t bytes = std::max<std::uint64_t>(request.bytes, 1);
    std::uint64_t size = preferred_bytes(request, group);
    const auto [name, refusal] = ask(request.memory_type, bytes, size);
    if (!name) return {{}, refusal};
    if (group == kNoGroup) {
      group = static_cast<std::uint32_t>(groups_.size());
      groups_.push_back({key_of(request), {}});
      if constexpr (kGrouping.by_size)
        by_size_.emplace(key_of(request), group);
      else
        cell(request) = group;
    }
    Allocation& added = add(*name, size, request.memory_type, request.kind, group);
    const std::uint64_t alignment = kGrouping.by_alignment ? request.alignment : 1;
    added.ranges = std::make_unique<R>(size, kGrouping.by_kind ? alignment : std::max(alignment, policy_.granularity));
    groups_[group].allocations.push_back(&added);
    const Suballocation part = added.ranges->allocate(request.bytes, request.alignment);
    if (part.served()) return {block_of(added, part)};
    return_allocation(added);  // a range allocator that rounds may serve less than its range
    return {{}, MemoryRefusal::kTooLarge};
  }

  // With a hint, as few equal allocations as its bytes need, with an eighth to spare for fragmentation. Where that was
  // not enough, smaller ones follow.
  std::uint64_t preferred_bytes(const MemoryRequest& request, std::uint32_t group) const {
    const std::uint64_t largest = allocation_bytes_[request.memory_type];
    const MemoryGroup key = key_of(request);
    const auto hint = std::ranges::find(policy_.hints, key, &MemoryHint::group);
    if (hint == policy_.hints.end() || policy_.fixed_bytes > 0) return largest;
    const std::uint64_t expected = hint->bytes + hint->bytes / 8, parts = (expected + largest - 1) / largest;
    if (parts == 0) return largest;
    std::uint64_t size = (expected + parts - 1) / parts;
    if (group != kNoGroup && groups_[group].allocations.size() >= parts) size /= 8;
    const std::uint64_t whole = (std::max(size, request.bytes) + key.alignment - 1) / key.alignment * key.alignment;
    return std::min(whole, largest);
  }

  struct Answer {
    std::optional<std::uint64_t> name;
    MemoryRefusal refusal;
  };
  // `bytes`: the preferred size, then the size of the allocation.
  Answer ask(unsigned memory_type, std::uint64_t least, std::uint64_t& bytes) {
    if (allocation_count_ >= policy_.max_allocations) return_empty();
    if (allocation_count_ >= policy_.max_allocations) return {std::nullopt, MemoryRefusal::kTooManyAllocations};
    const std::uint64_t preferred = bytes;
    for (bool again = true; again;) {
      for (bytes = preferred;; bytes = std::max(bytes / 2, least)) {
        if (const std::optional<std::uint64_t> name = device_.allocate(memory_type, bytes))
          return {name, MemoryRefusal::kNone};
        if (bytes <= least) break;
      }
      const std::size_t before = allocation_count_;
      return_empty();
      again = allocation_count_ < before;
    }
    return {std::nullopt, MemoryRefusal::kOutOfMemory};
  }

  Allocation& add(std::uint64_t name, std::uint64_t bytes, unsigned type, ResourceKind kind, std::uint32_t group) {
    if (unused_slots_.empty()) {
      unused_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t slot = unused_slots_.back();
    slots_[slot].reset(new Allocation{name, bytes, type, kind, slot, group, nullptr});
    unused_slots_.pop_back();
    ++allocation_count_;
    return *slots_[slot];
  }

  void return_if_second(Allocation& allocation) {
    for (const Allocation* const other : groups_[allocation.group].allocations)
      if (other != &allocation && other->ranges->used_count() == 0) return return_allocation(allocation);
  }

  void return_allocation(Allocation& allocation) {
    if (allocation.ranges)
      std::erase(groups_[allocation.group].allocations, &allocation);
    else
      --dedicated_count_;
    const std::uint64_t name = allocation.name;
    unused_slots_.push_back(allocation.slot);
    slots_[allocation.slot].reset();
    --allocation_count_;
    device_.free(name);
  }

  static void add_to(MemoryUsage& usage, const Allocation& allocation) {
    ++usage.allocations;
    usage.allocated += allocation.bytes;
    if (!allocation.ranges) {
      ++usage.resources;
      usage.used += allocation.bytes;
      usage.requested += allocation.bytes;
      return;
    }
    const R& ranges = *allocation.ranges;
    usage.resources += ranges.used_count();
    usage.used += ranges.used_bytes();
    usage.requested += ranges.requested_bytes();
    usage.largest_free = std::max(usage.largest_free, ranges.largest_free());
    if constexpr (requires { ranges.free_tail_bytes(); }) usage.free_tails += ranges.free_tail_bytes();
  }

  const Allocation* named(std::uint64_t name) const {
    for (const auto& allocation : slots_)
      if (allocation && allocation->name == name) return allocation.get();
    return nullptr;
  }
  Allocation* named(std::uint64_t name) { return const_cast<Allocation*>(std::as_const(*this).named(name)); }

  MemoryPolicy policy_;
  MemoryDevice device_;
  std::vector<std::uint64_t> allocation_bytes_;  // of each memory type
  std::vector<std::unique_ptr<Allocation>> slots_;
  std::vector<std::uint32_t> unused_slots_;
  std::size_t allocation_count_ = 0, dedicated_count_ = 0;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_index_;
  std::unordered_map<MemoryGroup, std::uint32_t, HashGroup> by_size_;
};

}  // namespace lab::designs
