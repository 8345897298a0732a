#include "variants/common/heaps/growth.h"

#include <fmt/format.h>

#include <fstream>

namespace lab {

std::size_t memory_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::size_t kibibytes = 0;
  for (std::string field; file >> field;) {
    std::size_t value = 0;
    if ((field == "Rss:" || field == "Swap:") && file >> value) kibibytes += value;
  }
  return kibibytes * 1024;
}

std::string unbounded_growth(std::size_t round_bytes, const std::function<std::string()>& round) {
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
