#include "variants/allocator/malloc/inheriting_lock.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "variants/designs/threads/spin_lock.h"

namespace lab::allocator {

namespace {

constexpr timespec kWithoutFutex{0, 50'000};

/// 0 or the error. The caller may be malloc, which keeps errno.
int futex(std::atomic<std::uint32_t>& word, int operation) {
  const int before = errno;
  const long result = syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, 0, nullptr, nullptr, 0);
  const int error = result == 0 ? 0 : errno;
  errno = before;
  return error;
}

}  // namespace

std::uint32_t InheritingLock::number_of_thread() {
  return static_cast<std::uint32_t>(syscall(SYS_gettid));
}

void InheritingLock::wait() {
  for (int round = 0; round < kRounds; ++round) {
    for (int spin = 0; spin < kSpins; ++spin) {
      // Reading leaves the cache line with the others that wait, and with the holder.
      if (holder_.load(std::memory_order_relaxed) == kFree && try_lock()) return;
      designs::pause();
    }
    // The holder may wait for this core. Does nothing for it if this thread has a higher priority.
    sched_yield();
  }
  for (;;) {
    const int error = futex(holder_, FUTEX_LOCK_PI);
    if (error == 0) {
      (void)holder_.load(std::memory_order_acquire);  // the kernel wrote it; see hand_over
      return;
    }
    if (try_lock()) return;
    // Some sandboxes know no such call.
    if (error != EINTR && error != EAGAIN) nanosleep(&kWithoutFutex, nullptr);
  }
}

void InheritingLock::hand_over() {
  // What this thread has written is there for the next one, in the terms of the language as well.
  holder_.fetch_or(0, std::memory_order_release);
  if (futex(holder_, FUTEX_UNLOCK_PI) != 0) holder_.store(kFree, std::memory_order_release);
}

void InheritingLock::begin_in_child() {
  number_ = 0;
  holder_.store(kFree, std::memory_order_release);
}

}  // namespace lab::allocator
