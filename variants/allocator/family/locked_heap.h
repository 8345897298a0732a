/// An allocator of the family behind one lock, for any number of threads: what a program that has threads must compare
/// with allocators that serve threads by themselves.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "variants/allocator/family/capabilities.h"
#include "variants/designs/threads/locked.h"

namespace lab::allocator {

/// Has the members that A has, those below.
template <Allocator A>
class LockedHeap : public designs::Locked<A> {
  using Base = designs::Locked<A>;
  static_assert(!Relocates<A>, "another thread may move a block between address() and its use");
  static_assert(!ThreadSafe<A>, "it needs no lock");

 public:
  static constexpr bool kThreadSafe = true;
  static constexpr bool kSearchesEveryFreeBlock = SearchesEveryFreeBlock<A>;

  explicit LockedHeap(const Demand& demand) : Base(demand) {}

  std::size_t alignment(std::size_t bytes) {
    return this->alone([=](A& heap) { return heap.alignment(bytes); });
  }
  std::size_t occupied(void* block, std::size_t bytes) {
    return this->alone([=](A& heap) { return heap.occupied(block, bytes); });
  }
  void reset() requires Resets<A> {
    this->alone([](A& heap) { heap.reset(); });
  }
  std::size_t largest_request() const requires FixedCapacity<A> {
    return this->alone([](const A& heap) { return heap.largest_request(); });
  }
  std::size_t capacity(std::size_t bytes) const requires FixedCapacity<A> {
    return this->alone([=](const A& heap) { return heap.capacity(bytes); });
  }
  double external_fragmentation() const requires ReportsFragmentation<A> {
    return this->alone([](const A& heap) { return heap.external_fragmentation(); });
  }
  std::size_t leaf_bytes() const requires HasLeaf<A> {
    return this->alone([](const A& heap) { return heap.leaf_bytes(); });
  }
  std::size_t allocated_bytes() const requires AllocatesTables<A> {
    return this->alone([](const A& heap) { return heap.allocated_bytes(); });
  }
  std::size_t most_allocated_bytes() const requires TellsMostAllocated<A> {
    return this->alone([](const A& heap) { return heap.most_allocated_bytes(); });
  }
  std::map<std::string, double> counters() const requires Counts<A> {
    return this->alone([](const A& heap) { return heap.counters(); });
  }
};

}  // namespace lab::allocator
