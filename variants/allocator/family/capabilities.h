/// The members of allocator.h as concepts, which workloads and checks ask for, and what follows from them. A variant
/// needs none of this.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <string>

#include "variants/allocator/family/allocator.h"

namespace lab::allocator {

/// An allocator, or AnyAllocator (subject.h).
template <typename A>
concept Heap = requires(A& allocator, void* block, std::size_t bytes) {
  { allocator.allocate(bytes) } -> std::same_as<void*>;
  { allocator.alignment(bytes) } -> std::same_as<std::size_t>;
  { allocator.occupied(block, bytes) } -> std::same_as<std::size_t>;
};

template <typename A>
concept Allocator = std::constructible_from<A, const Demand&> && Heap<A>;

template <typename A>
concept FreesByPointer = requires(A& allocator, void* block) {
  allocator.free(block);
};

template <typename A>
concept FreesBySize = requires(A& allocator, void* block, std::size_t bytes) {
  allocator.free(block, bytes);
};

template <typename A>
concept FreesBlocks = FreesByPointer<A> || FreesBySize<A>;

template <typename A>
concept Resets = requires(A& allocator) {
  allocator.reset();
};

template <typename A>
concept FixedCapacity = requires(const A& allocator, std::size_t bytes) {
  { allocator.largest_request() } -> std::same_as<std::size_t>;
  { allocator.capacity(bytes) } -> std::same_as<std::size_t>;
};

template <typename A>
concept HasLeaf = requires(const A& allocator) {
  { allocator.leaf_bytes() } -> std::same_as<std::size_t>;
};

template <typename A>
concept ThreadSafe = requires {
  requires A::kThreadSafe;
};

template <typename A>
concept NumbersThreads = requires {
  requires A::kNumbersThreads;
};

template <typename A>
concept ThirdParty = requires {
  { A::version() } -> std::same_as<std::string>;
  { A::identity_failure() } -> std::same_as<std::string>;
};

template <typename A>
concept MayNotTellOccupied = requires {
  { A::can_tell_occupied() } -> std::same_as<bool>;
};

template <typename A>
concept Counts = requires(const A& allocator) {
  { allocator.counters() } -> std::same_as<std::map<std::string, double>>;
};

template <typename A>
concept ReportsFragmentation = requires(const A& allocator) {
  { allocator.external_fragmentation() } -> std::same_as<double>;
};

template <typename A>
concept AllocatesTables = requires(const A& allocator) {
  { allocator.allocated_bytes() } -> std::same_as<std::size_t>;
};

template <typename A>
concept TellsMostAllocated = requires(const A& allocator) {
  { allocator.most_allocated_bytes() } -> std::same_as<std::size_t>;
};

template <typename A>
concept SearchesEveryFreeBlock = requires {
  requires A::kSearchesEveryFreeBlock;
};

template <typename A>
concept Relocates = requires(const A& allocator, void* block) {
  { allocator.address(block) } -> std::same_as<void*>;
};

/// Where a block is now.
template <Heap A>
void* address_of(const A& allocator, void* block) {
  if constexpr (Relocates<A>)
    return allocator.address(block);
  else
    return block;
}

template <Heap A>
requires FreesBlocks<A>
void free_block(A& allocator, void* block, std::size_t bytes) {
  if constexpr (FreesByPointer<A>) {
    allocator.free(block);
  } else {
    allocator.free(block, bytes);
  }
}

/// What an allocator in one buffer keeps outside of that buffer: all of its object (heads of lists, masks, the place of
/// the buffer), and what it allocated. The only rule for this; metadata and minimum heaps follow it.
struct OutsideBytes {
  std::size_t now = 0;
  std::size_t most = 0;  ///< at once, so far
};

template <Allocator A>
OutsideBytes outside_bytes(const A& allocator) {
  OutsideBytes bytes{sizeof(A), sizeof(A)};
  if constexpr (AllocatesTables<A>) {
    bytes.now += allocator.allocated_bytes();
    if constexpr (TellsMostAllocated<A>)
      bytes.most += allocator.most_allocated_bytes();
    else
      bytes.most = bytes.now;
  }
  return bytes;
}

/// The allocator's own counters; none if it has none. To the metadata in its buffer, what is outside is added.
template <Allocator A>
std::map<std::string, double> own_counters(const A& allocator) {
  if constexpr (Counts<A>) {
    std::map<std::string, double> counters = allocator.counters();
    if constexpr (FixedCapacity<A>)
      if (const auto metadata = counters.find("metadata_bytes"); metadata != counters.end())
        metadata->second += static_cast<double>(outside_bytes(allocator).now);
    return counters;
  } else {
    return {};
  }
}

}  // namespace lab::allocator
