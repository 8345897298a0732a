#include "variants/common/minimum_heap.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace lab {

namespace {

/// A lower bound of what is needed.
std::size_t requested_units(std::size_t requested_bytes, std::size_t unit_bytes) {
  return (requested_bytes + unit_bytes - 1) / unit_bytes;
}

}  // namespace

std::vector<std::size_t> scanned_units(std::size_t n, std::size_t most) {
  const std::size_t end = std::min(most, 2 * n), sixteenth = std::max(n / 16, kScanned);
  std::vector<std::size_t> scanned;
  for (std::size_t above = 1; n + above <= end; above += above < kScanned                    ? 1
                                                         : above < kScanned * (kScanned + 1) ? kScanned
                                                                                             : sixteenth)
    scanned.push_back(n + above);
  return scanned;
}

std::optional<std::size_t> least_units(std::size_t least, std::size_t most, const Fits& fits) {
  // Doubling and bisection find a number that fits above one that does not. The scan starts there. Above a number that
  // does not fit, they find the next one. Where numbers that fit and numbers that do not alternate for long, they begin
  // further above it each time: thousands of single steps would take minutes.
  std::size_t too_few = least - 1, enough = least, leap = kScanned;
  while (true) {
    for (std::size_t step = 1; !fits(enough); step *= 2) {
      if (enough >= most) return std::nullopt;
      too_few = std::exchange(enough, std::min(enough + step, most));
    }
    while (enough - too_few > 1) {
      const std::size_t middle = too_few + (enough - too_few) / 2;
      (fits(middle) ? enough : too_few) = middle;
    }
    const std::vector<std::size_t> scanned = scanned_units(enough, most);
    const auto misfit = std::ranges::find_if_not(scanned, fits);
    if (misfit == scanned.end()) return enough;
    if (*misfit == most) return std::nullopt;
    too_few = *misfit;
    enough = std::min(too_few + leap, most);
    leap *= 2;
  }
}

std::size_t most_heap_bytes(std::size_t requested_bytes, std::size_t unit_bytes) {
  return 4 * requested_units(requested_bytes, unit_bytes) * unit_bytes;
}

std::optional<std::size_t> minimum_heap_bytes(std::size_t requested_bytes, std::size_t unit_bytes, const Fits& fits,
                                              double cpu_seconds) {
  struct TooSlow {};
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(cpu_seconds * CLOCKS_PER_SEC);
  const auto in_time = [&](std::size_t units) {
    if (std::clock() >= end) throw TooSlow();
    return fits(units);
  };
  try {
    const std::optional<std::size_t> units =
        least_units(requested_units(requested_bytes, unit_bytes),
                    most_heap_bytes(requested_bytes, unit_bytes) / unit_bytes, in_time);
    return units ? std::optional(*units * unit_bytes) : std::nullopt;
  } catch (const TooSlow&) {
    return std::nullopt;
  }
}

}  // namespace lab
