/// Assigns slots of an array one by one, to one thread or to many.
#pragma once

#include <atomic>
#include <cstddef>

#include "variants/designs/threads/thread_slot.h"

namespace lab::designs {

/// For one thread.
class SlotCounter {
 public:
  explicit SlotCounter(unsigned /*threads*/) {}

  /// Slots an array needs for `claims` claims.
  static std::size_t capacity(std::size_t claims, unsigned /*threads*/) { return claims; }

  std::size_t claim() { return next_++; }
  void reset() { next_ = 0; }

  /// Fills holes with `move(from, to, count)`, so that the claims fill the front of the array, and returns their
  /// number. This counter leaves no holes.
  template <typename Move>
  std::size_t compact(Move&&) const {
    return next_;
  }

 private:
  std::size_t next_ = 0;
};

/// SlotCounter for any number of threads: one atomic addition per claim. Neighbouring slots belong to different
/// threads, so the array's cache lines move between cores (false sharing).
class AtomicSlotCounter {
 public:
  explicit AtomicSlotCounter(unsigned /*threads*/) {}

  static std::size_t capacity(std::size_t claims, unsigned /*threads*/) { return claims; }

  // Relaxed: joining the threads orders the contents.
  std::size_t claim() { return next_.fetch_add(1, std::memory_order_relaxed); }

  /// reset() and compact() must not run concurrently with claim().
  void reset() { next_.store(0, std::memory_order_relaxed); }

  template <typename Move>
  std::size_t compact(Move&&) const {
    return next_.load(std::memory_order_relaxed);
  }

 private:
  alignas(kApart) std::atomic<std::size_t> next_ = 0;  // all threads read the owner's other members
};

}  // namespace lab::designs
