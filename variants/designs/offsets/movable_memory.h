/// Resources of a GPU behind handles, and defragmentation in passes of at most so many bytes.
///
/// Idea: begin_pass() proposes moves and reserves their destinations, the caller copies, and end_pass() frees the
/// sources. Until then a source stays as it was, and no destination overlaps any source, so the copies may run in any
/// order and beside the program's own work. Resources may be allocated and freed between passes and during one.
///   1. Within each group, the least used allocation is emptied into the others if they hold all of its resources: each
///      resource, the largest first, into the most used allocation that has room, by best fit. Then the second least.
///      An allocation with a resource that may not move is not emptied, and is filled before all others.
///   2. A group in which nothing is emptied closes holes: in each allocation the resources, the last first, move to the
///      smallest free space before them that holds them.
/// What a pass may not copy any more is for the next one. It ends: with F the requested bytes in allocations that can
/// be emptied, a move of step 1 lowers F, or keeps it and raises the sum of their squares, because it goes to an
/// allocation with at least as many. A move of step 2 keeps both and lowers the sum of all offsets. So, without other
/// changes and with one bound, no state returns. A resource whose move was dropped stays where it is until a pass finds
/// no moves, and only adds to the allocations that cannot be emptied.
/// Cost: a pass takes O(n log n) for n resources, with steps of best fit (best_fit.h). Else that of the pools, and a
/// handle's load.
/// Source: ours. The passes with a bound, and moves that the caller may refuse: VulkanMemoryAllocator's
/// defragmentation. Emptying and closing: "Vulkan Memory Allocation (Part 1 of N)" (io7m, 2023), which asks for free
/// ends and a safe interface. Weakness: a space that is too small for every resource behind it stays (compaction.h
/// makes detours), and so does a resource above the bound of every pass.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "variants/designs/offsets/alignment_buckets.h"
#include "variants/designs/offsets/maximum_tree.h"
#include "variants/designs/offsets/memory_handles.h"
#include "variants/designs/offsets/memory_pools.h"

namespace lab::designs {

/// `Pools`: MemoryPools with BestFit's functions on tokens. Not thread-safe. One class, because a move changes it all.
template <typename Pools>
class MovableMemory {
 public:
  static constexpr std::size_t kAnyNumber = ~std::size_t{0};

  MovableMemory(MemoryPolicy policy, MemoryDevice device) : pools_(std::move(policy), std::move(device)) {}

  HandledMemory allocate(const MemoryRequest& request) { return named(pools_.allocate(request)); }
  /// Such a resource never moves.
  HandledMemory allocate_dedicated(const MemoryRequest& request) { return named(pools_.allocate_dedicated(request)); }

  /// False, and no change, if the resource was freed before. During a pass, its move is void: both places are free.
  bool free(MemoryHandle handle) {
    const MemoryHandles::Entry* const entry = handles_.find(handle);
    if (entry == nullptr) return false;
    if (moves(*entry)) pools_.free(targets_[entry->tag - 1]);
    const MemoryBlock block = entry->block;
    handles_.remove(handle);
    pools_.free(block);
    return true;
  }

  /// Where the resource is; none if it was freed. Changes in end_pass() alone.
  std::optional<MemoryPlace> place(MemoryHandle handle) const {
    const MemoryHandles::Entry* const entry = handles_.find(handle);
    return entry == nullptr ? std::nullopt : std::optional(entry->block.place);
  }

  /// Moves of at most `most_bytes` in all, at most `most_moves` of them, valid until end_pass(). Without moves there is
  /// nothing to end. No allocation is taken from the device.
  std::span<const HandledMove> begin_pass(std::uint64_t most_bytes, std::size_t most_moves = kAnyNumber) {
    assert(!in_pass());
    Planner(*this, most_bytes, most_moves).plan();
    if (moves_.empty())
      for (MemoryHandles::Entry& entry : handles_.entries())
        if (entry.live()) entry.tag = kStays;
    return moves_;
  }
  /// During a pass: the resource stays where it is, and its destination is free. False if it has no move.
  bool drop(MemoryHandle handle) {
    MemoryHandles::Entry* const entry = handles_.find(handle);
    if (entry == nullptr || !moves(*entry)) return false;
    pools_.free(targets_[entry->tag - 1]);
    entry->tag = kDropped;
    return true;
  }
  /// The copies are made: each resource is at its destination, the sources are free, and empty allocations are returned
  /// to the device.
  void end_pass() {
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      MemoryHandles::Entry* const entry = handles_.find(moves_[i].handle);
      if (entry == nullptr || entry->tag != i + 1) continue;  // freed or dropped
      pools_.free(std::exchange(entry->block, targets_[i]));
      entry->tag = kStays;
    }
    moves_.clear();
    targets_.clear();
    pools_.return_empty();
  }
  bool in_pass() const { return !moves_.empty(); }

  /// What is reserved for moves counts as a resource until end_pass().
  MemoryUsage usage() const { return pools_.usage(); }
  std::size_t metadata_bytes() const {
    return pools_.metadata_bytes() + handles_.metadata_bytes() + moves_.capacity() * sizeof(HandledMove) +
           targets_.capacity() * sizeof(MemoryBlock);
  }
  template <typename Visit>
  void for_each_allocation(Visit visit) const {
    pools_.for_each_allocation(visit);
  }
  const Pools& pools() const { return pools_; }

 private:
  // Tags of resources. The others are 1 + the index of a move.
  static constexpr std::uint32_t kStays = 0, kDropped = ~std::uint32_t{0};

  class Planner {
   public:
    Planner(MovableMemory& memory, std::uint64_t most_bytes, std::size_t most_moves)
        : memory_(memory), pools_(memory.pools_), left_bytes_(most_bytes), left_moves_(most_moves) {}

    void plan() {
      if (left_bytes_ == 0 || left_moves_ == 0) return;
      list_resources();
      list_allocations();
      std::vector<std::span<Allocation>> idle;
      for (std::size_t begin = 0, end = 0; begin < allocations_.size(); begin = end) {
        while (end < allocations_.size() && allocations_[end].group == allocations_[begin].group) ++end;
        const std::span<Allocation> group = std::span(allocations_).subspan(begin, end - begin);
        if (!empty_allocations(group)) idle.push_back(group);
      }
      for (const std::span<Allocation> group : idle)
        for (const Allocation& allocation : group) close_holes(allocation);
    }

   private:
    struct Resource {
      std::uint32_t index;  // of its handle
      std::uint32_t slot;
      std::uint64_t offset, bytes;  // as requested
      bool movable;
    };
    struct Allocation {
      std::uint32_t group, slot;
      bool fixed;  // it has a resource that may not move
      std::uint64_t requested;
      std::span<Resource> resources;
      bool receives = false;
    };
    enum class Emptying { kImpossible, kBegun, kDone };  // begun: a later pass must go on

    void list_resources() {
      const std::vector<MemoryHandles::Entry>& entries = memory_.handles_.entries();
      for (std::uint32_t i = 0; i < entries.size(); ++i) {
        if (!entries[i].live()) continue;
        const MemoryBlock& block = entries[i].block;
        const auto* const ranges = pools_.ranges_of(block.slot);
        if (ranges == nullptr) continue;
        const std::uint64_t bytes = ranges->range_of(block.token).requested;
        resources_.push_back(
            {i, block.slot, block.place.offset, bytes, bytes <= left_bytes_ && entries[i].tag != kDropped});
      }
      std::ranges::sort(resources_, {}, [](const Resource& r) { return std::tuple(r.slot, ~r.bytes, r.offset); });
    }
    // Those that are not empty, by group, in the order in which they are filled.
    void list_allocations() {
      for (std::size_t begin = 0, end = 0; begin < resources_.size(); begin = end) {
        const std::uint32_t slot = resources_[begin].slot;
        Allocation allocation{pools_.group_of(slot), slot, false, 0, {}};
        for (; end < resources_.size() && resources_[end].slot == slot; ++end) {
          allocation.fixed |= !resources_[end].movable;
          allocation.requested += resources_[end].bytes;
        }
        allocation.resources = std::span(resources_).subspan(begin, end - begin);
        allocations_.push_back(allocation);
      }
      std::ranges::sort(allocations_, {},
                        [](const Allocation& a) { return std::tuple(a.group, !a.fixed, ~a.requested, a.slot); });
    }

    // Step 1; false if it has nothing to do. An allocation that receives resources gives none in this pass, nor the
    // other way round.
    bool empty_allocations(std::span<Allocation> group) {
      std::vector<std::uint64_t> room;
      for (const Allocation& allocation : group) room.push_back(pools_.ranges_of(allocation.slot)->largest_free());
      MaximumTree rooms(room);
      bool gives = false;
      for (std::size_t giver = group.size(); --giver > 0 && !group[giver].fixed;) {
        if (group[giver].receives) continue;
        const Emptying emptying = empty(group, giver, rooms);
        gives |= emptying != Emptying::kImpossible;
        if (emptying == Emptying::kBegun) break;
      }
      return gives;
    }
    Emptying empty(std::span<Allocation> group, std::size_t giver, MaximumTree& rooms) {
      const auto update = [&](std::size_t i) { rooms.set(i, pools_.ranges_of(group[i].slot)->largest_free()); };
      std::vector<std::pair<std::size_t, MemoryBlock>> taken;  // taker, place; as group[giver].resources
      const auto give_back = [&](std::size_t i) {
        pools_.free(taken[i].second);
        update(taken[i].first);
      };
      for (const Resource& resource : group[giver].resources) {
        const std::size_t taker = rooms.first_from(resource.bytes);
        if (taker >= giver) {
          while (!taken.empty()) {
            give_back(taken.size() - 1);
            taken.pop_back();
          }
          return Emptying::kImpossible;
        }
        taken.emplace_back(taker, reserve(group[taker].slot, resource.bytes));
        update(taker);
      }
      Emptying emptying = Emptying::kDone;
      for (std::size_t i = 0; i < taken.size(); ++i) {
        const Resource& resource = group[giver].resources[i];
        if (affordable(resource)) {
          add_move(resource, taken[i].second);
          group[taken[i].first].receives = true;
        } else {
          give_back(i);
          emptying = Emptying::kBegun;
        }
      }
      return emptying;
    }

    // Step 2. Free spaces behind the resource, which are behind all that follow, too, are taken out of the search.
    void close_holes(const Allocation& allocation) {
      const auto* const ranges = pools_.ranges_of(allocation.slot);
      std::ranges::sort(allocation.resources, std::greater{}, &Resource::offset);
      std::vector<MemoryBlock> hidden;
      for (const Resource& resource : allocation.resources) {
        if (!resource.movable || !affordable(resource)) continue;
        for (auto space = ranges->smallest_fit(resource.bytes); space != ranges->kNoToken;
             space = ranges->smallest_fit(resource.bytes)) {
          const OffsetRange found = ranges->range_of(space);
          const bool before = found.offset < resource.offset;
          const MemoryBlock block = pools_.allocate_in(allocation.slot, space, before ? resource.bytes : found.bytes);
          if (before) {
            add_move(resource, block);
            break;
          }
          hidden.push_back(block);
        }
      }
      for (const MemoryBlock& block : hidden) pools_.free(block);
    }

    bool affordable(const Resource& resource) const { return left_moves_ > 0 && resource.bytes <= left_bytes_; }
    MemoryBlock reserve(std::uint32_t slot, std::uint64_t bytes) {
      return pools_.allocate_in(slot, pools_.ranges_of(slot)->smallest_fit(bytes), bytes);
    }
    void add_move(const Resource& resource, const MemoryBlock& to) {
      MemoryHandles::Entry& entry = memory_.handles_.entries()[resource.index];
      memory_.moves_.push_back(
          {memory_.handles_.handle_of(resource.index), entry.block.place, to.place, resource.bytes});
      memory_.targets_.push_back(to);
      entry.tag = static_cast<std::uint32_t>(memory_.moves_.size());
      left_bytes_ -= resource.bytes;
      --left_moves_;
    }

    MovableMemory& memory_;
    Pools& pools_;
    std::uint64_t left_bytes_;
    std::size_t left_moves_;
    std::vector<Resource> resources_;
    std::vector<Allocation> allocations_;
  };

  HandledMemory named(const PlacedMemory& placed) {
    if (placed.refusal != MemoryRefusal::kNone) return {{}, {}, placed.refusal};
    return {handles_.add(placed.block), placed.block.place};
  }
  bool moves(const MemoryHandles::Entry& entry) const { return entry.tag != kStays && entry.tag != kDropped; }

  Pools pools_;
  MemoryHandles handles_;
  std::vector<HandledMove> moves_;
  std::vector<MemoryBlock> targets_;  // of moves_
};

extern template class MovableMemory<AlignmentBuckets>;

}  // namespace lab::designs
