#include "variants/allocator/family/minimum_heap.h"

namespace lab::allocator {

bool fits(const Subject& subject, const Trace& trace, const Demand& demand, const Buffer& buffer, std::size_t bytes) {
  Demand bounded = demand;
  bounded.heap = buffer.begin();
  bounded.heap_bytes = bytes;
  const auto allocator = subject.make(bounded);
  return replay(trace, *allocator);
}

std::optional<std::size_t> minimum_heap(const Subject& subject, const Trace& trace, const Demand& demand,
                                        double cpu_seconds) {
  const Buffer buffer(most_heap_bytes(demand.bytes, kPageBytes));  // for all trials: its page faults occur once
  const auto enough = [&](std::size_t pages) { return fits(subject, trace, demand, buffer, pages * kPageBytes); };
  return minimum_heap_bytes(demand.bytes, kPageBytes, enough, cpu_seconds);
}

std::map<std::string, double> minimum_heap_counters(const Subject& subject, const Trace& trace, const Demand& demand) {
  if (!subject.can.fixed_capacity) return {};
  const std::optional<std::size_t> bytes = minimum_heap(subject, trace, demand);
  if (!bytes) return {};
  return {{"minimum_heap_bytes", static_cast<double>(*bytes)}};
}

}  // namespace lab::allocator
