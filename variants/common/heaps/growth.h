/// Detects memory that grows without bound when the same requests repeat. Every family's conformance uses it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace lab {

/// Whether memory_bytes() reflects the allocator. A sanitizer delays the reuse of freed memory and adds its own tables.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsMeasurable = false;
#else
inline constexpr bool kMemoryIsMeasurable = true;
#endif

/// Bytes of this process in memory or in swap; 0 if the kernel does not report them. Not from /proc/self/statm, which
/// is inexact: the kernel counts pages for each CPU and adds them up late.
std::size_t memory_bytes();

/// Calls `round`, which allocates `round_bytes` and frees them, many times. Returns the first failure that `round`
/// reports, or that memory grew without bound, or "". An allocator fills its caches in the first span of rounds. Growth
/// is unbounded only if each later span adds at least half of all bytes that it requested.
std::string unbounded_growth(std::size_t round_bytes, const std::function<std::string()>& round);

}  // namespace lab
