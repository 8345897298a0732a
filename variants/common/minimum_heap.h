/// The smallest heap in which a workload succeeds. It shows the cost of rounding and fragmentation.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace lab {

/// Whether the workload succeeds with so many units (pages, leaves) of heap.
using Fits = std::function<bool(std::size_t units)>;

/// The smallest number n in `least`..`most` that fits, such that every larger number tried fits too: n - 1 does not fit
/// (unless n is `least`), the next kScanned numbers fit, and then every number in steps of n / 16 up to 2 n. None if
/// there is no such n.
///
/// Bisection alone is not enough, because fitting is not monotonic: a buddy allocator of another size is another tree
/// with its blocks in another order. Over 60 seeds, buffers that grow had up to 12 sizes that fit below one that does
/// not, and up to 50 pages between the first that fits and the last that does not.
inline constexpr std::size_t kScanned = 64;

std::optional<std::size_t> least_units(std::size_t least, std::size_t most, const Fits& fits);

/// The smallest heap in bytes, in whole units of `unit_bytes`; see least_units(). None if four times `requested_bytes`
/// are too few, or if the search takes more CPU time than `cpu_seconds`: the process must end before its parent's
/// timeout.
std::optional<std::size_t> minimum_heap_bytes(std::size_t requested_bytes, std::size_t unit_bytes, const Fits& fits,
                                              double cpu_seconds = 8);

/// The largest heap that minimum_heap_bytes() tries, in bytes.
std::size_t most_heap_bytes(std::size_t requested_bytes, std::size_t unit_bytes);

}  // namespace lab
