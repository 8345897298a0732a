/// What every lock must do, for the tests of each.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace lab::designs {

/// Runs work(i) on thread i, for each i, at the same time.
template <typename Work>
void on_threads(unsigned threads, const Work& work) {
  std::atomic<unsigned> ready = 0;
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      ++ready;
      while (ready < threads) std::this_thread::yield();
      work(i);
    });
  for (std::thread& one : running) one.join();
}

template <typename Lock>
void expect_one_holder_at_a_time() {
  Lock lock;
  std::size_t count = 0;  // not atomic: tsan reports two holders
  on_threads(4, [&](unsigned) {
    for (int i = 0; i < 20'000; ++i) {
      const std::lock_guard held(lock);
      ++count;
    }
  });
  EXPECT_EQ(count, 80'000u);
}

template <typename Lock>
void expect_not_taken_from_its_holder() {
  Lock lock;
  ASSERT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
}

template <typename Lock>
void expect_waited_for_as_long_as_it_is_held() {
  Lock lock;
  lock.lock();
  std::atomic<bool> waits = false;
  bool held = true;
  std::thread other([&] {
    waits = true;
    const std::lock_guard mine(lock);
    EXPECT_FALSE(held);
  });
  while (!waits) std::this_thread::yield();
  // Long enough for all its ways to wait, on a machine that has a core for it. Elsewhere the test is only easier.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  held = false;
  lock.unlock();
  other.join();
}

}  // namespace lab::designs
