#include "variants/allocator/family/minimum_heap.h"

#include <algorithm>

namespace lab::allocator {

namespace {

/// Passes requests on and remembers the most bytes outside of the buffer.
class WatchedOutside {
 public:
  explicit WatchedOutside(AnyAllocator& allocator) : allocator_(allocator) { watch(); }

  void* allocate(std::size_t bytes) {
    void* const block = allocator_.allocate(bytes);
    watch();
    return block;
  }
  void free(void* block, std::size_t bytes) {
    allocator_.free(block, bytes);
    watch();
  }
  bool resets() const { return allocator_.resets(); }
  void reset() { allocator_.reset(); }
  std::size_t most() const { return most_; }

 private:
  void watch() { most_ = std::max(most_, allocator_.outside_bytes()); }

  AnyAllocator& allocator_;
  std::size_t most_ = 0;
};

}  // namespace

std::optional<HeapBytes> fits(const Subject& subject, const Trace& trace, const Demand& demand, const Buffer& buffer,
                              std::size_t bytes) {
  Demand bounded = demand;
  bounded.heap = buffer.begin();
  bounded.heap_bytes = bytes;
  const auto allocator = subject.make(bounded);
  if (!subject.can.keeps_outside) return replay(trace, *allocator) ? std::optional(HeapBytes{bytes, 0}) : std::nullopt;
  WatchedOutside watched(*allocator);
  return replay(trace, watched) ? std::optional(HeapBytes{bytes, watched.most()}) : std::nullopt;
}

std::size_t heap_step(const Subject& subject) {
  return std::max(alignof(std::max_align_t), subject.make({.bytes = kPageBytes, .blocks = 1})->alignment(1));
}

std::optional<HeapBytes> minimum_heap(const Subject& subject, const Trace& trace, const Demand& demand,
                                      double cpu_seconds) {
  const std::size_t step = heap_step(subject);
  const Buffer buffer(most_heap_bytes(demand.bytes, step));  // for all trials: its page faults occur once
  const auto tried = [&](std::size_t bytes) { return fits(subject, trace, demand, buffer, bytes); };
  const std::optional<std::size_t> bytes = minimum_heap_bytes(
      demand.bytes, step, [&](std::size_t steps) { return tried(steps * step).has_value(); }, cpu_seconds);
  return bytes ? tried(*bytes) : std::nullopt;
}

std::map<std::string, double> minimum_heap_counters(const Subject& subject, const Trace& trace, const Demand& demand) {
  if (!subject.can.fixed_capacity) return {};
  const std::optional<HeapBytes> heap = minimum_heap(subject, trace, demand);
  if (!heap) return {};
  std::map<std::string, double> counters{{"minimum_heap_bytes", static_cast<double>(heap->bytes())}};
  if (subject.can.keeps_outside) counters["outside_bytes"] = static_cast<double>(heap->outside_bytes);
  return counters;
}

}  // namespace lab::allocator
