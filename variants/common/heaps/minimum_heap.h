/// The smallest heap in which a workload succeeds. It shows the cost of rounding and fragmentation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace lab {

/// Whether the workload succeeds with so many units (pages, leaves) of heap.
using Fits = std::function<bool(std::size_t units)>;

/// The smallest number n in `least`..`most` that fits, such that every larger number tried fits too. This is what is
/// claimed and no more: n - 1 does not fit (unless n is `least`); n and every number of scanned_units(n, most) fit. A
/// smaller number may fit, and so may a number between those that were tried not fit. None if there is no such n.
///
/// Bisection alone is not enough, because fitting is not monotonic: a buddy allocator of another size is another tree
/// with its blocks in another order. From sizes that hardly ever fit to sizes that hardly ever do not, it takes a few
/// percent of the heap. Over 60 seeds, buffers that grow had up to 12 sizes that fit below one that does not, and up to
/// 50 pages between the first that fits and the last that does not.
///
/// No number is tried twice. Where few do not fit, that takes 150 to 260 trials.
std::optional<std::size_t> least_units(std::size_t least, std::size_t most, const Fits& fits);

/// Each distance is scanned in kScanned steps: one unit each, then kScanned units each, then about a sixteenth of n.
inline constexpr std::size_t kScanned = 64;

/// The numbers above n that are tried, in ascending order, up to 2 n and `most`: the next kScanned numbers; then, up to
/// kScanned^2 above n, the multiples of kScanned; then those of the largest power of two that is at most n / 16. So two
/// numbers n have most of the distant ones in common.
std::vector<std::size_t> scanned_units(std::size_t n, std::size_t most);

/// A trial: whether the workload succeeds, and how many steps that took.
struct Trial {
  bool fits;
  std::uint64_t steps;
};
using TriedUnits = std::function<Trial(std::size_t units)>;

/// A search ends without a result before a trial if all trials before it took so many steps. Steps are counted, as
/// requests are, and not timed: so a search has the same result on every machine.
inline constexpr std::uint64_t kMostSteps = 3'000'000'000;
/// Of a request or a free, beside what it passes one by one.
inline constexpr std::uint64_t kStepsOfRequest = 16;

/// The smallest heap in bytes, in whole units of `unit_bytes` (a leaf, a page); see least_units(). None if four times
/// `requested_bytes` are too few, or if the search takes too many steps.
std::optional<std::size_t> minimum_heap_bytes(std::size_t requested_bytes, std::size_t unit_bytes,
                                              const TriedUnits& trial, std::uint64_t most_steps = kMostSteps);

/// The largest heap that minimum_heap_bytes() tries, in bytes.
std::size_t most_heap_bytes(std::size_t requested_bytes, std::size_t unit_bytes);

}  // namespace lab
