#include "variants/allocator/family/minimum_heap.h"

#include <algorithm>

namespace lab::allocator {

namespace {

/// Passes requests on and counts their steps.
class CountedSteps {
 public:
  CountedSteps(AnyAllocator& allocator, std::uint64_t& steps) : allocator_(allocator), steps_(steps) {}

  void* allocate(std::size_t bytes) {
    steps_ += kStepsOfRequest;
    return allocator_.allocate(bytes, steps_);
  }
  void free(void* block, std::size_t bytes) {
    steps_ += kStepsOfRequest;
    allocator_.free(block, bytes, steps_);
  }
  bool resets() const { return allocator_.resets(); }
  void reset() { allocator_.reset(); }

 private:
  AnyAllocator& allocator_;
  std::uint64_t& steps_;
};

/// Passes requests on and adds up the blocks.
class CountedBlocks {
 public:
  explicit CountedBlocks(AnyAllocator& allocator) : allocator_(allocator) {}

  void* allocate(std::size_t bytes) {
    void* const block = allocator_.allocate(bytes);
    if (block != nullptr) most_ = std::max(most_, live_ += allocator_.occupied(block, bytes));
    return block;
  }
  void free(void* block, std::size_t bytes) {
    live_ -= allocator_.occupied(block, bytes);
    allocator_.free(block, bytes);
  }
  bool resets() const { return allocator_.resets(); }
  void reset() {
    live_ = 0;
    allocator_.reset();
  }
  std::size_t most() const { return most_; }

 private:
  AnyAllocator& allocator_;
  std::size_t live_ = 0, most_ = 0;
};

Demand within(const Demand& demand, const Buffer& buffer, std::size_t bytes) {
  Demand bounded = demand;
  bounded.heap = buffer.begin();
  bounded.heap_bytes = bytes;
  return bounded;
}

}  // namespace

std::optional<HeapBytes> fits(const Subject& subject, const Trace& trace, const Demand& demand, const Buffer& buffer,
                              std::size_t bytes, std::uint64_t& steps) {
  const auto allocator = subject.make(within(demand, buffer, bytes));
  CountedSteps counted(*allocator, steps);
  if (!replay(trace, counted)) return std::nullopt;
  return HeapBytes{bytes, allocator->outside().most};
}

std::size_t heap_step(const Subject& subject) {
  return subject.make({.bytes = kPageBytes, .blocks = 1})->leaf_bytes();
}

std::optional<HeapBytes> minimum_heap(const Subject& subject, const Trace& trace, const Demand& demand,
                                      std::uint64_t most_steps) {
  const std::size_t leaf = heap_step(subject);
  const Buffer buffer(most_heap_bytes(demand.bytes, leaf));  // for all trials: its page faults occur once
  buffer.prefer_huge_pages();                                // searches of lists take half as long
  std::optional<HeapBytes> found;
  const auto tried = [&](std::size_t leaves) {
    std::uint64_t steps = 0;
    found = fits(subject, trace, demand, buffer, leaves * leaf, steps);
    return Trial{found.has_value(), steps};
  };
  const std::optional<std::size_t> bytes = minimum_heap_bytes(demand.bytes, leaf, tried, most_steps);
  if (!bytes) return std::nullopt;
  tried(*bytes / leaf);
  if (!found) return std::nullopt;
  const auto allocator = subject.make(within(demand, buffer, *bytes));
  CountedBlocks counted(*allocator);
  replay(trace, counted);
  found->peak_block_bytes = counted.most();
  return found;
}

std::map<std::string, double> minimum_heap_counters(const Subject& subject, const Trace& trace, const Demand& demand) {
  if (!subject.can.fixed_capacity) return {};
  const std::optional<HeapBytes> heap = minimum_heap(subject, trace, demand);
  if (!heap) return {};
  return {{"minimum_heap_bytes", static_cast<double>(heap->bytes())},
          {"outside_bytes", static_cast<double>(heap->outside_bytes)},
          {"peak_block_bytes", static_cast<double>(heap->peak_block_bytes)}};
}

}  // namespace lab::allocator
