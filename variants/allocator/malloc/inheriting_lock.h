/// A lock for work of some nanoseconds between threads of any priority: two atomic instructions and no call while
/// nobody waits.
///
/// Who finds it held spins and offers the core to others, kRounds times, then sleeps in the kernel, which lends the
/// holder the priority of who waits (futex(2), FUTEX_LOCK_PI; Sha, Rajkumar, Lehoczky, Priority Inheritance Protocols,
/// 1990). With a lock that only spins (designs/threads/spin_lock.h), a thread of a real-time policy keeps an ordinary
/// holder off their common core; with one that only sleeps, it waits until other ordinary threads have let the holder
/// run.
///
/// Weakness: it is handed to who waits longest, so that each turn among several threads that always want it may cost
/// two system calls.
#pragma once

#include <atomic>
#include <cstdint>

namespace lab::allocator {

/// A Lockable of the standard library. Not recursive. Usable before any code has run, where it is zeros.
class InheritingLock {
 public:
  static constexpr int kSpins = 100, kRounds = 4;

  void lock() {
    if (!try_lock()) [[unlikely]]
      wait();
  }
  bool try_lock() {
    std::uint32_t expected = kFree;
    return holder_.compare_exchange_strong(expected, self(), std::memory_order_acquire, std::memory_order_relaxed);
  }
  void unlock() {
    std::uint32_t expected = self();
    if (!holder_.compare_exchange_strong(expected, kFree, std::memory_order_release, std::memory_order_relaxed))
        [[unlikely]]
      hand_over();
  }
  /// In the child of a fork, for a lock that the forking thread held: it is free, and the thread has another number.
  /// A child that does not call it for one of its locks must not wait for any.
  void begin_in_child();

 private:
  static constexpr std::uint32_t kFree = 0;

  static std::uint32_t self() {
    if (number_ == 0) [[unlikely]]
      number_ = number_of_thread();
    return number_;
  }
  static std::uint32_t number_of_thread();
  void wait();
  void hand_over();

  std::atomic<std::uint32_t> holder_ =
      kFree;  ///< number of its thread, with a bit that the kernel sets when one sleeps
  /// Initial-exec: reading it allocates nothing, also in a library that is the process's malloc.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local std::uint32_t number_ = 0;
};

}  // namespace lab::allocator
