/// A linear allocator that several threads share through one atomic addition.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "variants/designs/linear.h"
#include "variants/designs/thread_slot.h"

namespace lab::designs {

/// As Linear, from any number of threads: wait-free where the machine has an atomic addition. Neighbouring allocations
/// may belong to different threads; a `kGranule` of a cache line keeps them on lines of their own.
template <std::size_t kGranule>
class AtomicLinear {
 public:
  /// `memory` is aligned to kGranule and outlives the allocator. As many times `bytes` as there are threads, and once
  /// more, are below 2^64, as they are of any real buffer.
  AtomicLinear(void* memory, std::size_t bytes) : start_(static_cast<std::byte*>(memory)), bytes_(bytes) {}

  /// Null where fewer than `bytes` are left. A refused request that is no larger than the whole buffer takes what is
  /// left with it: all are refused from then on, until reset().
  void* allocate(std::size_t bytes) {
    bytes += bytes == 0;
    if (bytes > bytes_) [[unlikely]]
      return nullptr;
    // Relaxed: the threads hand each other places, not contents; whoever joins them orders those.
    const std::size_t at = used_.fetch_add(round_up(bytes, kGranule), std::memory_order_relaxed);
    if (at > bytes_ - bytes) [[unlikely]] {
      // Full means any value from bytes_ on, so to put bytes_ there takes nothing back, whatever others add meanwhile;
      // without it enough refusals would come around to zero. (Subtracting instead would hand out places twice: two
      // are refused, the first one subtracts, a third gets a place, the second one subtracts it again.)
      used_.store(bytes_, std::memory_order_relaxed);
      return nullptr;
    }
    return start_ + at;
  }

  /// Not beside allocate().
  void reset() { used_.store(0, std::memory_order_relaxed); }
  /// Bytes taken since construction or reset, rounding and what a refusal took included.
  std::size_t used() const { return std::min(used_.load(std::memory_order_relaxed), bytes_); }

 private:
  std::byte* start_;
  std::size_t bytes_;
  // On a line of its own: the two above are read by every thread and never change.
  alignas(kApart) std::atomic<std::size_t> used_ = 0;
};

}  // namespace lab::designs
