/// A lock for work of some nanoseconds: one atomic exchange takes it and one plain store gives it back.
///
/// std::mutex is not that: GNU's takes its lock without an atomic instruction as long as the process has one thread
/// (SINGLE_THREAD_P in its pthread_mutex_lock), so what one thread measures is not what a program with threads pays.
/// And with threads it costs more: two calls and two atomic instructions instead of one.
///
/// Who finds it held spins, then lets other threads have the core, because the holder may be waiting for it, and at
/// last sleeps for moments, because the holder may have a lower priority. Weakness: it is not fair, and who sleeps is
/// not woken when the lock is free.
#pragma once

#include <atomic>
#include <thread>

namespace lab::designs {

/// A moment of a loop that waits.
inline void pause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// A Lockable of the standard library: std::lock_guard and std::unique_lock take it. Not recursive.
class SpinLock {
 public:
  void lock() {
    if (!try_lock()) [[unlikely]]
      wait();
  }
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  void wait();

  std::atomic<bool> held_ = false;
};

}  // namespace lab::designs
