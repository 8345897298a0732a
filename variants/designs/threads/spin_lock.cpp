#include "variants/designs/threads/spin_lock.h"

#include <chrono>

namespace lab::designs {

namespace {

// Some microseconds, which is longer than any work that the lock is for. Then several time slices of other threads.
constexpr int kSpins = 100, kYields = 50;
constexpr auto kSleep = std::chrono::microseconds(50);

}  // namespace

void SpinLock::wait() {
  for (int round = 0;; ++round) {
    // Reading leaves the cache line with the others that wait, and with the holder.
    for (int spin = 0; spin < kSpins; ++spin) {
      if (!held_.load(std::memory_order_relaxed) && try_lock()) return;
      pause();
    }
    if (round < kYields)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(kSleep);
  }
}

}  // namespace lab::designs
