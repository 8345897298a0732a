#include "variants/common/heaps/minimum_heap.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

namespace lab {

namespace {

/// A lower bound of what is needed.
std::size_t requested_units(std::size_t requested_bytes, std::size_t unit_bytes) {
  return (requested_bytes + unit_bytes - 1) / unit_bytes;
}

}  // namespace

std::vector<std::size_t> scanned_units(std::size_t n, std::size_t most) {
  const std::size_t end = std::min(most, 2 * n), sixteenth = std::max(std::bit_floor(n / 16), kScanned);
  std::vector<std::size_t> scanned;
  for (std::size_t at = n + 1; at <= end;) {
    scanned.push_back(at);
    const std::size_t above = at - n;
    const std::size_t step = above < kScanned ? 1 : above < kScanned * kScanned ? kScanned : sixteenth;
    at = (at / step + 1) * step;
  }
  return scanned;
}

std::optional<std::size_t> least_units(std::size_t least, std::size_t most, const Fits& fits) {
  std::unordered_map<std::size_t, bool> tried;
  const auto fit = [&](std::size_t units) {
    const auto found = tried.find(units);
    return found != tried.end() ? found->second : tried.emplace(units, fits(units)).first->second;
  };
  // Doubling and bisection find a number that fits above one that does not. The scan starts there, with the most
  // distant number. So it finds the last one that does not fit, as far as the numbers that are tried tell, and the next
  // scan is above that, of numbers most of which are known to fit. Where numbers that fit and numbers that do not
  // alternate for long, it begins further above it each time: thousands of single steps would take minutes.
  std::size_t too_few = least - 1, enough = least, leap = kScanned;
  while (true) {
    for (std::size_t step = 1; !fit(enough); step *= 2) {
      if (enough >= most) return std::nullopt;
      too_few = std::exchange(enough, std::min(enough + step, most));
    }
    while (enough - too_few > 1) {
      const std::size_t middle = too_few + (enough - too_few) / 2;
      (fit(middle) ? enough : too_few) = middle;
    }
    const std::vector<std::size_t> scanned = scanned_units(enough, most);
    const auto misfit = std::find_if_not(scanned.rbegin(), scanned.rend(), fit);
    if (misfit == scanned.rend()) return enough;
    if (*misfit == most) return std::nullopt;
    too_few = *misfit;
    enough = std::min(too_few + leap, most);
    leap *= 2;
  }
}

std::size_t most_heap_bytes(std::size_t requested_bytes, std::size_t unit_bytes) {
  return 4 * requested_units(requested_bytes, unit_bytes) * unit_bytes;
}

std::optional<std::size_t> minimum_heap_bytes(std::size_t requested_bytes, std::size_t unit_bytes,
                                              const TriedUnits& trial, std::uint64_t most_steps) {
  struct TooManySteps {};
  std::uint64_t steps = 0;
  const auto fits = [&](std::size_t units) {
    if (steps >= most_steps) throw TooManySteps();
    const Trial found = trial(units);
    steps += found.steps;
    return found.fits;
  };
  try {
    const std::optional<std::size_t> units = least_units(
        requested_units(requested_bytes, unit_bytes), most_heap_bytes(requested_bytes, unit_bytes) / unit_bytes, fits);
    return units ? std::optional(*units * unit_bytes) : std::nullopt;
  } catch (const TooManySteps&) {
    return std::nullopt;
  }
}

}  // namespace lab
