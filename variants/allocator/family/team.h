/// Threads that execute one role each, at the same time.
#pragma once

#include <barrier>
#include <functional>

#include "variants/designs/threads/worker_pool.h"

namespace lab::allocator {

class Team {
 public:
  /// The calling thread is thread 0. Each has a core of its own where there are enough.
  explicit Team(unsigned threads);
  ~Team();

  unsigned size() const { return pool_.workers(); }

  /// Wakes all threads, so that the next run() need not wait for them.
  void gather() { pool_.gather(); }

  /// Calls role(i) on thread i, for each i. No role begins before all threads are there.
  void run(const std::function<void(unsigned thread)>& role);

  /// Within run(): waits until all threads have called it.
  void meet() { together_.arrive_and_wait(); }

 private:
  designs::WorkerPool pool_;
  std::barrier<> together_;
};

/// The first of `count` things of thread `thread` of `threads`, when they are divided into runs.
inline std::size_t first_of(std::size_t thread, std::size_t threads, std::size_t count) {
  return count * thread / threads;
}

}  // namespace lab::allocator
