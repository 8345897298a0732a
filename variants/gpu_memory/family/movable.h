/// The article's policy with resources that move, in two ways.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "variants/designs/offsets/alignment_buckets.h"
#include "variants/designs/offsets/movable_memory.h"
#include "variants/gpu_memory/family/gpu_memory.h"

namespace lab::gpu_memory {

/// In bounded passes.
class BoundedPasses {
 public:
  static constexpr std::optional<designs::Grouping> kShares = kByAlignment;
  static constexpr bool kBoundsPasses = true;

  explicit BoundedPasses(const Setup& setup) : memory_(setup.policy, setup.device) {}
  PlacedMemory allocate(const MemoryRequest& request) { return placed(memory_.allocate(request)); }
  PlacedMemory allocate_dedicated(const MemoryRequest& request) { return placed(memory_.allocate_dedicated(request)); }
  void free(const MemoryBlock& block) {
    [[maybe_unused]] const bool freed = memory_.free(handle_of(block));
    assert(freed);
  }
  designs::MemoryUsage usage() const { return memory_.usage(); }
  std::size_t metadata_bytes() const { return memory_.metadata_bytes(); }
  template <typename Visit>
  void for_each_allocation(Visit visit) const {
    memory_.for_each_allocation(visit);
  }

  std::span<const HandledMove> begin_pass(std::uint64_t most_bytes, std::size_t most_moves) {
    return memory_.begin_pass(most_bytes, most_moves);
  }
  void drop(const MemoryBlock& block) { memory_.drop(handle_of(block)); }
  void end_pass() { memory_.end_pass(); }
  designs::MemoryPlace place(const MemoryBlock& block) const { return memory_.place(handle_of(block)).value(); }

 private:
  designs::MovableMemory<designs::AlignmentBuckets> memory_;
};

/// All at once, as plan_compaction() says: one pass, whatever its bound. A move may need a place that an earlier one
/// left, so the copies run in this order.
class WholeCompaction {
 public:
  static constexpr std::optional<designs::Grouping> kShares = kByAlignment;
  static constexpr bool kBoundsPasses = false;

  explicit WholeCompaction(const Setup& setup) : buckets_(setup.policy, setup.device) {}
  PlacedMemory allocate(const MemoryRequest& request) { return named(buckets_.allocate(request)); }
  PlacedMemory allocate_dedicated(const MemoryRequest& request) { return named(buckets_.allocate_dedicated(request)); }
  void free(const MemoryBlock& block) {
    const designs::MemoryHandles::Entry* const entry = handles_.find(handle_of(block));
    assert(entry != nullptr);
    buckets_.free(entry->block);
    handles_.remove(handle_of(block));
    compact_ = false;
  }
  designs::MemoryUsage usage() const { return buckets_.usage(); }
  std::size_t metadata_bytes() const {
    return buckets_.metadata_bytes() + handles_.metadata_bytes() + moves_.capacity() * sizeof(HandledMove);
  }
  template <typename Visit>
  void for_each_allocation(Visit visit) const {
    buckets_.for_each_allocation(visit);
  }

  std::span<const HandledMove> begin_pass(std::uint64_t, std::size_t) {
    if (std::exchange(compact_, true)) return {};
    std::map<designs::MemoryPlace, designs::MemoryHandle> by_place;
    for (std::size_t i = 0; i < handles_.entries().size(); ++i)
      if (const auto& entry = handles_.entries()[i]; entry.live()) by_place[entry.block.place] = handles_.handle_of(i);
    for (const designs::MemoryMove& move : plan_compaction(buckets_)) {
      auto resource = by_place.extract(move.from);
      MemoryBlock& block = handles_.find(resource.mapped())->block;
      block = *buckets_.move(block, move.to);
      moves_.push_back({resource.mapped(), move.from, move.to, move.bytes});
      resource.key() = move.to;
      by_place.insert(std::move(resource));
    }
    return moves_;
  }
  void drop(const MemoryBlock&) {}
  void end_pass() {
    moves_.clear();
    buckets_.return_empty();
  }
  designs::MemoryPlace place(const MemoryBlock& block) const { return handles_.find(handle_of(block))->block.place; }

 private:
  PlacedMemory named(const PlacedMemory& made) {
    if (made.refusal != designs::MemoryRefusal::kNone) return made;
    compact_ = false;
    return placed({handles_.add(made.block), made.block.place});
  }

  designs::AlignmentBuckets buckets_;
  designs::MemoryHandles handles_;
  std::vector<HandledMove> moves_;
  bool compact_ = false;  // nothing changed since the last pass
};

}  // namespace lab::gpu_memory
