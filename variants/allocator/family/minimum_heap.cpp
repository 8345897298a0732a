#include "variants/allocator/family/minimum_heap.h"

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

}  // namespace

std::optional<HeapBytes> fits(const Subject& subject, const Trace& trace, const Demand& demand, const Buffer& buffer,
                              std::size_t bytes, std::uint64_t& steps) {
  Demand bounded = demand;
  bounded.heap = buffer.begin();
  bounded.heap_bytes = bytes;
  const auto allocator = subject.make(bounded);
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
  return found;
}

std::map<std::string, double> minimum_heap_counters(const Subject& subject, const Trace& trace, const Demand& demand) {
  if (!subject.can.fixed_capacity) return {};
  const std::optional<HeapBytes> heap = minimum_heap(subject, trace, demand);
  if (!heap) return {};
  return {{"minimum_heap_bytes", static_cast<double>(heap->bytes())},
          {"outside_bytes", static_cast<double>(heap->outside_bytes)}};
}

}  // namespace lab::allocator
