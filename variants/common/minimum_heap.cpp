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

std::optional<std::size_t> least_units(std::size_t least, std::size_t most, const Fits& fits) {
  // Doubling and bisection find a number that fits above one that does not. The scan starts there.
  std::size_t too_few = least - 1, enough = least;
  while (!fits(enough)) {
    if (enough >= most) return std::nullopt;
    too_few = std::exchange(enough, std::min(2 * enough, most));
  }
  while (enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (fits(middle) ? enough : too_few) = middle;
  }
  for (std::size_t tried = enough + 1; tried <= std::min(most, 2 * enough);) {
    if (!fits(tried)) {
      do
        if (++tried > most) return std::nullopt;
      while (!fits(tried));
      enough = tried;
    }
    tried += tried < enough + kScanned ? 1 : std::max<std::size_t>(1, enough / 16);
  }
  return enough;
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
