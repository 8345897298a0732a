#include "variants/allocator/family/minimum_heap.h"

namespace lab::allocator {

std::optional<HeapBytes> fits(const Subject& subject, const Trace& trace, const Demand& demand, const Buffer& buffer,
                              std::size_t bytes) {
  Demand bounded = demand;
  bounded.heap = buffer.begin();
  bounded.heap_bytes = bytes;
  const auto allocator = subject.make(bounded);
  if (!replay(trace, *allocator)) return std::nullopt;
  return HeapBytes{bytes, allocator->outside().most};
}

std::size_t heap_step(const Subject& subject) {
  return subject.make({.bytes = kPageBytes, .blocks = 1})->leaf_bytes();
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
  return {{"minimum_heap_bytes", static_cast<double>(heap->bytes())},
          {"outside_bytes", static_cast<double>(heap->outside_bytes)}};
}

}  // namespace lab::allocator
