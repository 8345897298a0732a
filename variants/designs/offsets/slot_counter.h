/// Assigns slots of an array one by one, to one thread or to many. Who finds the array full gets no slot.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "variants/designs/threads/thread_slot.h"

namespace lab::designs {

/// In place of a slot: the array is full.
inline constexpr std::size_t kNoSlot = ~std::size_t{0};

/// For one thread.
class SlotCounter {
 public:
  static constexpr std::size_t kAtOnce = 1;  ///< slots that a thread claims at once

  explicit SlotCounter(std::size_t capacity, unsigned /*threads*/ = 1, std::size_t /*at_once*/ = kAtOnce)
      : capacity_(capacity) {}

  /// Slots an array needs for `claims` claims.
  static std::size_t capacity(std::size_t claims, unsigned /*threads*/, std::size_t /*at_once*/ = kAtOnce) {
    return claims;
  }

  std::size_t claim() { return next_ < capacity_ ? next_++ : kNoSlot; }
  void reset() { next_ = 0; }

  /// Fills holes with `move(from, to, count)`, so that the claims fill the front of the array, and returns their
  /// number. This counter leaves no holes.
  template <typename Move>
  std::size_t compact(Move&&) const {
    return next_;
  }

 private:
  std::size_t capacity_;
  std::size_t next_ = 0;
};

/// SlotCounter for any number of threads: one atomic addition per claim. Neighbouring slots belong to different
/// threads, so the array's cache lines move between cores (false sharing).
class AtomicSlotCounter {
 public:
  static constexpr std::size_t kAtOnce = 1;

  explicit AtomicSlotCounter(std::size_t capacity, unsigned /*threads*/ = 1, std::size_t /*at_once*/ = kAtOnce)
      : capacity_(capacity) {}

  static std::size_t capacity(std::size_t claims, unsigned /*threads*/, std::size_t /*at_once*/ = kAtOnce) {
    return claims;
  }

  // Relaxed: joining the threads orders the contents.
  std::size_t claim() {
    const std::size_t slot = next_.fetch_add(1, std::memory_order_relaxed);
    if (slot < capacity_) [[likely]]
      return slot;
    // Every value from capacity_ on means full. Without the store, enough refusals would overflow to zero.
    next_.store(capacity_, std::memory_order_relaxed);
    return kNoSlot;
  }

  /// reset() and compact() must not run concurrently with claim().
  void reset() { next_.store(0, std::memory_order_relaxed); }

  template <typename Move>
  std::size_t compact(Move&&) const {
    return std::min(next_.load(std::memory_order_relaxed), capacity_);
  }

 private:
  std::size_t capacity_;
  alignas(kApart) std::atomic<std::size_t> next_ = 0;  // all threads read the owner's other members
};

/// AtomicSlotCounter whose counter never passes the capacity: a claim is a loop of compare-and-exchange, as in bgfx.
class SaturatingSlotCounter {
 public:
  static constexpr std::size_t kAtOnce = 1;

  explicit SaturatingSlotCounter(std::size_t capacity, unsigned /*threads*/ = 1, std::size_t /*at_once*/ = kAtOnce)
      : capacity_(capacity) {}

  static std::size_t capacity(std::size_t claims, unsigned /*threads*/, std::size_t /*at_once*/ = kAtOnce) {
    return claims;
  }

  std::size_t claim() {
    std::size_t slot = next_.load(std::memory_order_relaxed);
    while (slot < capacity_ && !next_.compare_exchange_weak(slot, slot + 1, std::memory_order_relaxed)) {
    }
    return slot < capacity_ ? slot : kNoSlot;
  }

  /// reset() and compact() must not run concurrently with claim().
  void reset() { next_.store(0, std::memory_order_relaxed); }

  template <typename Move>
  std::size_t compact(Move&&) const {
    return next_.load(std::memory_order_relaxed);
  }

 private:
  std::size_t capacity_;
  alignas(kApart) std::atomic<std::size_t> next_ = 0;
};

}  // namespace lab::designs
