/// The smallest buffer, in bytes, in which all allocations of a workload succeed. It shows the cost of rounding and
/// fragmentation.
#pragma once

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include "harness/bench/variant.h"
#include "variants/allocator/family/allocator.h"

namespace lab::allocator {

/// A that throws Full when no block is free, instead of ending the process. After Full, free() does nothing.
template <FixedCapacity A>
class Bounded : public A {
 public:
  struct Full {};

  using A::A;

  void* allocate(std::size_t bytes) {
    void* const block = A::allocate(bytes);
    if (block != nullptr) return block;
    full_ = true;
    throw Full();
  }
  void free(void* block) requires FreesByPointer<A> {
    if (!full_) A::free(block);
  }
  void free(void* block, std::size_t bytes) requires FreesBySize<A> {
    if (!full_) A::free(block, bytes);
  }

 private:
  bool full_ = false;
};

/// Whether a Task with a Bounded allocator can be constructed and repeated once in the first `bytes` of a buffer.
template <typename Task>
bool fits(typename Task::Plan plan, const Buffer& buffer, std::size_t bytes) {
  plan.demand.heap = buffer.begin();
  plan.demand.heap_bytes = bytes;
  try {
    bench::PhaseClock clock(Task::Plan::describe().phases.size());
    Task(std::move(plan)).repeat(clock);
  } catch (const typename Task::Heap::Full&) {
    return false;
  }
  return true;
}

/// The smallest number n of pages in `least`..`most` that fits, such that every larger number tried fits too: n - 1
/// does not fit (unless n is `least`), the next kScanned numbers fit, and then every number in steps of n / 16 up to 2
/// n. None if there is no such n.
///
/// Bisection alone is not enough, because fitting is not monotonic: a buddy allocator of another size is another tree
/// with its blocks in another order. Over 60 seeds, growing_buffers had up to 12 sizes that fit below one that does
/// not, and up to 50 pages between the first that fits and the last that does not.
inline constexpr std::size_t kScanned = 64;

template <typename Fits>
std::optional<std::size_t> least_pages(std::size_t least, std::size_t most, const Fits& fits) {
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

/// The smallest heap, in whole pages, in which the task can be constructed and repeated once; see least_pages(). None
/// if four times the requested bytes are too few, or if the search takes more CPU time than `cpu_seconds`: the process
/// must end before its parent's timeout.
template <typename Task>
std::optional<std::size_t> minimum_heap_bytes(const typename Task::Plan& plan, double cpu_seconds = 8) {
  struct TooSlow {};
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(cpu_seconds * CLOCKS_PER_SEC);
  const std::size_t requested = (plan.demand.bytes + kPageBytes - 1) / kPageBytes;  // pages, a lower bound
  const std::size_t most = 4 * requested;
  const Buffer buffer(most * kPageBytes);  // one buffer for all trials: its page faults occur once
  const auto enough = [&](std::size_t pages) {
    if (std::clock() >= end) throw TooSlow();
    return fits<Task>(plan, buffer, pages * kPageBytes);
  };
  try {
    const std::optional<std::size_t> pages = least_pages(requested, most, enough);
    return pages ? std::optional(*pages * kPageBytes) : std::nullopt;
  } catch (const TooSlow&) {
    return std::nullopt;
  }
}

}  // namespace lab::allocator
