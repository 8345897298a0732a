/// The minimum heap of an allocator with a fixed capacity.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "variants/allocator/family/subject.h"
#include "variants/common/minimum_heap.h"
#include "variants/common/trace.h"

namespace lab::allocator {

/// Whether all requests of `trace` succeed in the first `bytes` of `buffer`.
bool fits(const Subject& subject, const Trace& trace, const Demand& demand, const Buffer& buffer, std::size_t bytes);

/// The smallest heap, in whole pages, in which all requests of `trace` succeed: see common/minimum_heap.h.
std::optional<std::size_t> minimum_heap(const Subject& subject, const Trace& trace, const Demand& demand,
                                        double cpu_seconds = 8);

/// The same as a metric; none for an allocator that grows.
std::map<std::string, double> minimum_heap_counters(const Subject& subject, const Trace& trace, const Demand& demand);

}  // namespace lab::allocator
