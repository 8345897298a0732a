/// Slots of an array handed out one by one: to one thread, or to many.
#pragma once

#include <atomic>
#include <cstddef>

#include "variants/designs/thread_slot.h"

namespace lab::designs {

/// For one thread.
class SlotCounter {
 public:
  explicit SlotCounter(unsigned /*threads*/) {}

  /// Slots an array needs for `claims` claims.
  static std::size_t capacity(std::size_t claims, unsigned /*threads*/) { return claims; }

  std::size_t claim() { return next_++; }
  void reset() { next_ = 0; }

  /// Moves what lies behind holes into them with `move(from, to, count)`; returns the number of claims, which now fill
  /// the front of the array. There are no holes here.
  template <typename Move>
  std::size_t compact(Move&&) const {
    return next_;
  }

 private:
  std::size_t next_ = 0;
};

/// As SlotCounter, from any number of threads: one atomic addition a claim. Slots that lie side by side go to different
/// threads, so the lines of the array travel between them.
class AtomicSlotCounter {
 public:
  explicit AtomicSlotCounter(unsigned /*threads*/) {}

  static std::size_t capacity(std::size_t claims, unsigned /*threads*/) { return claims; }

  // Relaxed: whoever joins the threads orders the contents.
  std::size_t claim() { return next_.fetch_add(1, std::memory_order_relaxed); }

  /// Not beside claim(), neither is compact().
  void reset() { next_.store(0, std::memory_order_relaxed); }

  template <typename Move>
  std::size_t compact(Move&&) const {
    return next_.load(std::memory_order_relaxed);
  }

 private:
  alignas(kApart) std::atomic<std::size_t> next_ = 0;  // what stands beside it in the owner is read by every thread
};

}  // namespace lab::designs
