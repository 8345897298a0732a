/// The minimum heap of an allocator with a fixed capacity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "variants/allocator/family/subject.h"
#include "variants/common/heaps/minimum_heap.h"
#include "variants/common/plans/trace.h"

namespace lab::allocator {

/// A heap in which a trace succeeds.
struct HeapBytes {
  std::size_t buffer_bytes = 0;
  std::size_t outside_bytes = 0;     ///< the most outside of the buffer during the trace (capabilities.h)
  std::size_t peak_block_bytes = 0;  ///< the most in blocks, as they are rounded, at any time of the trace

  std::size_t bytes() const { return buffer_bytes + outside_bytes; }
};

/// The heap of the first `bytes` of `buffer`, if all requests of `trace` succeed in it. Adds what they took to `steps`.
std::optional<HeapBytes> fits(const Subject& subject, const Trace& trace, const Demand& demand, const Buffer& buffer,
                              std::size_t bytes, std::uint64_t& steps);

/// Buffers are tried in steps of this: leaf_bytes() in allocator.h.
std::size_t heap_step(const Subject& subject);

/// The smallest buffer, in whole steps, from which on all requests of `trace` succeed in every larger one tried, up to
/// twice as large (common/heaps/minimum_heap.h says which are tried), and what the allocator keeps outside of it.
std::optional<HeapBytes> minimum_heap(const Subject& subject, const Trace& trace, const Demand& demand,
                                      std::uint64_t most_steps = kMostSteps);

/// The same as metrics: what the heap has beyond `peak_block_bytes` are holes between blocks, and metadata; none for an
/// allocator that grows, or if the search took too many steps.
std::map<std::string, double> minimum_heap_counters(const Subject& subject, const Trace& trace, const Demand& demand);

}  // namespace lab::allocator
