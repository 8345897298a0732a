/// Detects memory that grows without bound when the same requests repeat. Every family's conformance uses it.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <fstream>
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
inline std::size_t memory_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::size_t kibibytes = 0;
  for (std::string field; file >> field;) {
    std::size_t value = 0;
    if ((field == "Rss:" || field == "Swap:") && file >> value) kibibytes += value;
  }
  return kibibytes * 1024;
}

/// Calls `round`, which allocates `round_bytes` and frees them, many times. Returns the first failure that `round`
/// reports, or that memory grew without bound, or "". An allocator fills its caches in the first span of rounds. Growth
/// is unbounded only if each later span adds at least half of all bytes that it requested.
template <typename Round>
std::string unbounded_growth(std::size_t round_bytes, const Round& round) {
  constexpr std::size_t kRounds = 16, kLaterSpans = 3;
  std::size_t first = 0, before = 0;
  for (std::size_t span = 0; span <= kLaterSpans; ++span) {
    for (std::size_t i = 0; i < kRounds; ++i)
      if (std::string failure = round(); !failure.empty()) return failure;
    const std::size_t now = memory_bytes();
    if (span == 0) first = now;
    if (!kMemoryIsMeasurable || (span > 0 && now < before + kRounds * round_bytes / 2)) return "";
    before = now;
  }
  return fmt::format("{} rounds of the same requests grew memory by {} MiB", kLaterSpans * kRounds,
                     (before - first) >> 20);
}

}  // namespace lab
