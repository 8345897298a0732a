/// Whether the same requests, made again and again, need ever more memory; for the checks of every family.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <string>

namespace lab {

/// A sanitizer keeps freed memory back for a while, and has its own tables.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsOwn = false;
#else
inline constexpr bool kMemoryIsOwn = true;
#endif

/// Bytes of this process in memory or in swap; 0 where the kernel does not say. /proc/self/statm is not exact: the
/// kernel counts pages for each CPU and adds them up late.
inline std::size_t memory_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::size_t kibibytes = 0;
  for (std::string word; file >> word;) {
    std::size_t value = 0;
    if ((word == "Rss:" || word == "Swap:") && file >> value) kibibytes += value;
  }
  return kibibytes * 1024;
}

/// Plays rounds, each of which takes `round_bytes` and gives them back, and returns what a round says is wrong, or that
/// memory grows without end. What an allocator caches, it takes in the first rounds: only growth by at least half of
/// all that was requested, in each of the spans after the first, is without end.
template <typename Round>
std::string grows_without_end(std::size_t round_bytes, const Round& round) {
  constexpr std::size_t kRounds = 16, kLaterSpans = 3;
  std::size_t first = 0, before = 0;
  for (std::size_t span = 0; span <= kLaterSpans; ++span) {
    for (std::size_t i = 0; i < kRounds; ++i)
      if (std::string failure = round(); !failure.empty()) return failure;
    const std::size_t now = memory_bytes();
    if (span == 0) first = now;
    if (!kMemoryIsOwn || (span > 0 && now < before + kRounds * round_bytes / 2)) return "";
    before = now;
  }
  return fmt::format("{} rounds of the same requests took {} MiB more", kLaterSpans * kRounds, (before - first) >> 20);
}

}  // namespace lab
