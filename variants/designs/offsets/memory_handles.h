/// Names for resources that may move: an index and a generation, so that the name of a freed resource is known as such.
///
/// Idea: a table has the place of each resource. An entry counts how often it was taken and given back, and a handle
/// has the count of its own time. An entry that was given back last is taken first. Cost: O(1). 40 bytes for each
/// resource that was ever live at once. Source: folklore; for example "Managing Decoupling Part 4: The ID Lookup Table"
/// (Bitsquid blog, 2011). Weakness: one more load for each use. After 2^31 resources in one entry, the oldest handle
/// would be valid again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/designs/offsets/memory_pools.h"

namespace lab::designs {

struct MemoryHandle {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< odd; 0: no resource
  bool operator==(const MemoryHandle&) const = default;
};

/// A new resource, or why there is none.
struct HandledMemory {
  MemoryHandle handle;
  MemoryPlace place;
  MemoryRefusal refusal = MemoryRefusal::kNone;
};

/// A copy that the caller must make.
struct HandledMove {
  MemoryHandle handle;
  MemoryPlace from, to;
  std::uint64_t bytes = 0;  ///< as requested
  bool operator==(const HandledMove&) const = default;
};

class MemoryHandles {
 public:
  struct Entry {
    MemoryBlock block;             ///< where the resource is now
    std::uint32_t tag = 0;         ///< for whoever moves it; 0 at first
    std::uint32_t generation = 0;  ///< odd while there is a resource
    bool live() const { return generation % 2 == 1; }
  };

  MemoryHandle add(const MemoryBlock& block) {
    if (unused_ == kNoEntry) {
      unused_ = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({{{}, kNoEntry, 0}, 0, 0});
    }
    const std::uint32_t index = unused_;
    Entry& entry = entries_[index];
    unused_ = entry.block.slot;
    entry = {block, 0, entry.generation + 1};
    ++count_;
    return {index, entry.generation};
  }

  /// nullptr if the resource was freed. Valid until add().
  Entry* find(MemoryHandle handle) {
    if (handle.index >= entries_.size()) return nullptr;
    Entry& entry = entries_[handle.index];
    return entry.generation == handle.generation && entry.live() ? &entry : nullptr;
  }
  const Entry* find(MemoryHandle handle) const { return const_cast<MemoryHandles*>(this)->find(handle); }

  /// Of a live resource.
  void remove(MemoryHandle handle) {
    Entry& entry = entries_[handle.index];
    ++entry.generation;
    entry.block.slot = unused_;  // the next entry without a resource
    unused_ = handle.index;
    --count_;
  }

  /// By index, the entries of freed resources included.
  std::vector<Entry>& entries() { return entries_; }
  const std::vector<Entry>& entries() const { return entries_; }
  MemoryHandle handle_of(std::size_t index) const {
    return {static_cast<std::uint32_t>(index), entries_[index].generation};
  }
  std::size_t count() const { return count_; }  ///< of live resources
  std::size_t metadata_bytes() const { return sizeof *this + entries_.capacity() * sizeof(Entry); }

 private:
  static constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};

  std::vector<Entry> entries_;
  std::uint32_t unused_ = kNoEntry;
  std::size_t count_ = 0;
};

}  // namespace lab::designs
