/// Serves one allocator to any number of threads, one call at a time, behind one lock: what a program adds around an
/// allocator that is not thread-safe.
///
/// Cost: the lock, also on one thread. Weakness: threads wait for each other, whatever their sizes.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

#include "variants/designs/threads/spin_lock.h"
#include "variants/designs/threads/thread_slot.h"

namespace lab::designs {

/// `Allocator` has allocate(bytes) and free(block), free(block, bytes) or both.
template <typename Allocator, typename Lock = SpinLock>
class Locked {
 public:
  template <typename... Arguments>
  explicit Locked(Arguments&&... arguments) : allocator_(std::forward<Arguments>(arguments)...) {}
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

  void* allocate(std::size_t bytes) {
    const std::lock_guard held(lock_);
    return allocator_.allocate(bytes);
  }

  void free(void* block) requires requires(Allocator& one) { one.free(block); }
  {
    const std::lock_guard held(lock_);
    allocator_.free(block);
  }
  void free(void* block, std::size_t bytes) requires requires(Allocator& one) { one.free(block, bytes); }
  {
    const std::lock_guard held(lock_);
    allocator_.free(block, bytes);
  }

  /// Returns use(allocator), called with the lock held.
  template <typename Use>
  auto alone(const Use& use) {
    const std::lock_guard held(lock_);
    return use(allocator_);
  }
  template <typename Use>
  auto alone(const Use& use) const {
    const std::lock_guard held(lock_);
    return use(allocator_);
  }

 private:
  // Threads that wait read the lock's cache line, which would slow down the holder's work on the same one.
  alignas(kApart) mutable Lock lock_;
  alignas(kApart) Allocator allocator_;
};

}  // namespace lab::designs
