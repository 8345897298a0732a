#include "variants/designs/threads/locked.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "variants/designs/threads/lock_model_test.h"

namespace lab::designs {
namespace {

TEST(SpinLock, is_held_by_one_at_a_time) {
  expect_one_holder_at_a_time<SpinLock>();
}

TEST(SpinLock, is_not_taken_from_its_holder) {
  expect_not_taken_from_its_holder<SpinLock>();
}

TEST(SpinLock, is_waited_for_as_long_as_it_is_held) {
  expect_waited_for_as_long_as_it_is_held<SpinLock>();
}

/// Remembers whether it is held, and how often it was taken.
class Witness {
 public:
  void lock() {
    EXPECT_FALSE(held);
    held = true;
    ++taken;
  }
  void unlock() { held = false; }

  static inline bool held;
  static inline int taken;
};

/// Can tell whether its caller holds the lock.
class Fragile {
 public:
  explicit Fragile(int first) : next_(first) {}
  void* allocate(std::size_t) {
    EXPECT_TRUE(Witness::held);
    return blocks_ + next_++;
  }
  void free(void*) { EXPECT_TRUE(Witness::held); }
  void free(void*, std::size_t) { EXPECT_TRUE(Witness::held); }
  int next() const {
    EXPECT_TRUE(Witness::held);
    return next_;
  }

 private:
  std::byte blocks_[16];
  int next_;
};

TEST(Locked, takes_the_lock_for_each_call_also_on_one_thread) {
  Witness::held = false;
  Witness::taken = 0;
  Locked<Fragile, Witness> locked(3);
  void* const block = locked.allocate(1);
  locked.free(block);
  locked.free(block, 1);
  EXPECT_EQ(locked.alone([](Fragile& fragile) { return fragile.next(); }), 4);
  const auto& constant = locked;
  EXPECT_EQ(constant.alone([](const Fragile& fragile) { return fragile.next(); }), 4);
  EXPECT_EQ(Witness::taken, 5);
  EXPECT_FALSE(Witness::held);
}

/// A stack of numbered blocks, in a state between two calls that a third must not see.
class Stack {
 public:
  void* allocate(std::size_t) {
    EXPECT_FALSE(std::exchange(busy_, true));
    void* const block = free_.back();
    free_.pop_back();
    busy_ = false;
    return block;
  }
  void free(void* block) {
    EXPECT_FALSE(std::exchange(busy_, true));
    free_.push_back(block);
    busy_ = false;
  }
  Stack() {
    for (std::byte& block : blocks_) free_.push_back(&block);
  }
  std::size_t free_blocks() const { return free_.size(); }

 private:
  bool busy_ = false;
  std::byte blocks_[64];
  std::vector<void*> free_;
};

TEST(Locked, serves_threads_that_free_each_others_blocks) {
  Locked<Stack> locked;
  std::atomic<std::byte*> handed[4] = {};
  on_threads(4, [&](unsigned thread) {
    for (int i = 0; i < 20'000; ++i) {
      auto* const block = static_cast<std::byte*>(locked.allocate(1));
      *block = static_cast<std::byte>(thread);  // two owners would race
      if (std::byte* const other = handed[(thread + 1) % 4].exchange(block)) locked.free(other);
    }
  });
  for (std::atomic<std::byte*>& one : handed) locked.free(one);
  EXPECT_EQ(locked.alone([](const Stack& stack) { return stack.free_blocks(); }), 64u);
}

template <typename One>
concept FreesByPointer = requires(One& one, void* block) {
  one.free(block);
};
template <typename One>
concept FreesBySize = requires(One& one, void* block) {
  one.free(block, 1);
};

static_assert(FreesByPointer<Locked<Stack>> && !FreesBySize<Locked<Stack>>);
static_assert(FreesByPointer<Locked<Fragile>> && FreesBySize<Locked<Fragile>>);

}  // namespace
}  // namespace lab::designs
