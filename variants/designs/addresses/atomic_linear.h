/// A linear allocator that several threads share: one atomic addition per allocation.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "variants/designs/addresses/linear.h"
#include "variants/designs/threads/thread_slot.h"

namespace lab::designs {

/// Linear for any number of threads; wait-free if the machine has an atomic addition. Neighbouring allocations may
/// belong to different threads; with a `kGranule` of a cache line they do not share lines.
template <std::size_t kGranule>
class AtomicLinear {
 public:
  static constexpr bool kThreadSafe = true;

  /// `memory` must be aligned to kGranule and outlive the allocator. (threads + 1) * bytes must be below 2^64, as it is
  /// for any real buffer.
  AtomicLinear(void* memory, std::size_t bytes) : start_(static_cast<std::byte*>(memory)), bytes_(bytes) {}

  /// Null if fewer than `bytes` are left. A refused request that is not larger than the whole buffer also consumes the
  /// rest: all requests are refused from then on, until reset().
  void* allocate(std::size_t bytes) {
    bytes += bytes == 0;
    if (bytes > bytes_) [[unlikely]]
      return nullptr;
    // Relaxed: threads exchange addresses, not contents. Joining the threads orders the contents.
    const std::size_t at = used_.fetch_add(round_up(bytes, kGranule), std::memory_order_relaxed);
    if (at > bytes_ - bytes) [[unlikely]] {
      // Every value from bytes_ on means full, so storing bytes_ frees nothing, whatever other threads add meanwhile.
      // Without the store, enough refusals would overflow to zero. (A subtraction would allocate bytes twice: two
      // requests are refused, the first subtracts, a third gets a block, the second subtracts that block.)
      used_.store(bytes_, std::memory_order_relaxed);
      return nullptr;
    }
    return start_ + at;
  }

  /// The largest request that it serves when empty.
  std::size_t capacity() const { return bytes_; }
  /// How many requests of `bytes` it serves when empty.
  std::size_t capacity(std::size_t bytes) const {
    if (bytes > bytes_) return 0;
    // The last one may end with the buffer, within a granule.
    bytes += bytes == 0;
    const std::size_t taken = round_up(bytes, kGranule);
    return bytes_ < bytes ? 0 : (bytes_ - bytes) / taken + 1;
  }

  /// Must not run concurrently with allocate().
  void reset() { used_.store(0, std::memory_order_relaxed); }
  /// Bytes taken since construction or reset, with rounding and the rest that a refusal consumed.
  std::size_t used() const { return std::min(used_.load(std::memory_order_relaxed), bytes_); }

 private:
  std::byte* start_;
  std::size_t bytes_;
  // On its own cache line: all threads read the two members above, which never change.
  alignas(kApart) std::atomic<std::size_t> used_ = 0;
};

}  // namespace lab::designs
