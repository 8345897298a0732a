/// A linear allocator that several threads share through one atomic addition.
#pragma once

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
  /// `memory` is aligned to kGranule and outlives the allocator.
  AtomicLinear(void* memory, std::size_t bytes) : start_(static_cast<std::byte*>(memory)), bytes_(bytes) {}

  /// Null where fewer than `bytes` are left; such a request stays counted, and later ones may fail because of it.
  void* allocate(std::size_t bytes) {
    bytes += bytes == 0;
    if (bytes > bytes_) [[unlikely]]
      return nullptr;  // before the addition, which a huge size could wrap
    // Relaxed: the threads hand each other places, not contents; whoever joins them orders those.
    const std::size_t at = used_.fetch_add(round_up(bytes, kGranule), std::memory_order_relaxed);
    if (at > bytes_ - bytes) [[unlikely]]
      return nullptr;
    return start_ + at;
  }

  /// Not beside allocate().
  void reset() { used_.store(0, std::memory_order_relaxed); }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  std::byte* start_;
  std::size_t bytes_;
  // On a line of its own: the two above are read by every thread and never change.
  alignas(kApart) std::atomic<std::size_t> used_ = 0;
};

}  // namespace lab::designs
