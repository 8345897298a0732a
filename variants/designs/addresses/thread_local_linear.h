/// One linear allocator per thread, each over its own slice of the buffer: no atomics, no shared cache lines.
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

#include "variants/designs/addresses/linear.h"
#include "variants/designs/threads/thread_slot.h"

namespace lab::designs {

/// Linear for threads numbered 0 to `threads` - 1 (thread_slot). A request fails if the thread's own slice is full,
/// even if others have room. So the buffer must have `threads` times the size that one thread may need.
template <std::size_t kGranule>
class ThreadLocalLinear {
 public:
  /// `memory` must be aligned to kApart and outlive the allocator. A slice is bytes / threads, rounded down to kApart.
  ThreadLocalLinear(void* memory, std::size_t bytes, unsigned threads) {
    const std::size_t slice = bytes / threads / kApart * kApart;
    slices_.reserve(threads);
    for (unsigned thread = 0; thread < threads; ++thread)
      slices_.push_back({Linear<kGranule>(static_cast<std::byte*>(memory) + thread * slice, slice)});
  }

  /// Null if the calling thread's slice has fewer than `bytes` left.
  void* allocate(std::size_t bytes) {
    assert(thread_slot < slices_.size());
    return slices_[thread_slot].linear.allocate(bytes);
  }

  /// The largest request that one thread is served when all is empty.
  std::size_t capacity() const { return slices_.front().linear.capacity(); }
  /// How many requests of `bytes` one thread is served when all is empty.
  std::size_t capacity(std::size_t bytes) const { return slices_.front().linear.capacity(bytes); }

  /// Must not run concurrently with allocate().
  void reset() {
    for (Slice& slice : slices_) slice.linear.reset();
  }

  /// Slices are larger only in a buffer that is larger by this.
  std::size_t leaf_bytes() const { return slices_.size() * kApart; }
  /// Bytes that it allocated: an allocator for each thread.
  std::size_t allocated_bytes() const { return slices_.capacity() * sizeof(Slice); }
  /// Sum over all threads.
  std::size_t used() const {
    std::size_t sum = 0;
    for (const Slice& slice : slices_) sum += slice.linear.used();
    return sum;
  }

 private:
  struct alignas(kApart) Slice {
    Linear<kGranule> linear;
  };
  std::vector<Slice> slices_;
};

}  // namespace lab::designs
