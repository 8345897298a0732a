#include "variants/designs/threads/worker_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace lab::designs {
namespace {

TEST(WorkerPool, runs_every_task_exactly_once) {
  for (const unsigned workers : {1u, 2u, 3u, 8u, 33u}) {
    WorkerPool pool(workers);
    for (const std::size_t tasks : {0u, 1u, 2u, 7u, 400u, 5000u}) {
      std::vector<int> runs(tasks, 0);  // not atomic: tsan reports a task that runs twice or is read too early
      pool.run(tasks, [&](std::size_t task) { ++runs[task]; });
      EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), static_cast<std::ptrdiff_t>(tasks)) << workers << " workers";
    }
  }
}

TEST(WorkerPool, separates_runs_that_follow_immediately) {
  WorkerPool pool(4);
  for (std::size_t round = 0; round < 20'000; ++round) {
    // A task reads this round's stack, so a late worker of an older run would read wrong values.
    const std::size_t mark = round;
    std::vector<std::size_t> seen(round % 3 + 1, ~std::size_t{0});
    pool.run(seen.size(), [&](std::size_t task) { seen[task] = mark; });
    for (std::size_t value : seen) ASSERT_EQ(value, round);
  }
}

TEST(WorkerPool, gathers_and_runs_in_any_order) {
  WorkerPool pool(5);
  std::atomic<std::size_t> runs = 0;
  const auto run = [&](std::size_t) { ++runs; };
  for (int round = 0; round < 300; ++round) {
    pool.gather();
    if (round % 3 == 0) pool.gather();
    if (round % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));  // they sleep again
    pool.run(10, run);
    pool.run(10, run);
  }
  EXPECT_EQ(runs, 6000u);
}

TEST(WorkerPool, gives_every_worker_its_own_slot) {
  constexpr unsigned kWorkers = 4;
  WorkerPool pool(kWorkers);
  std::mutex mutex;
  std::set<unsigned> slots;
  std::atomic<unsigned> arrived = 0;
  // Each task waits for all others, so each worker gets exactly one.
  pool.run(kWorkers, [&](std::size_t) {
    ++arrived;
    while (arrived < kWorkers) std::this_thread::yield();
    const std::scoped_lock lock(mutex);
    slots.insert(thread_slot);
  });
  EXPECT_EQ(slots, (std::set<unsigned>{0, 1, 2, 3}));
}

/// Writes down which thread each worker is, and which one ends the placement.
class Recorded : public Placement {
 public:
  struct Threads {
    std::mutex mutex;
    std::map<unsigned, std::thread::id> of_worker;
    std::thread::id at_end;
  };
  explicit Recorded(Threads& threads) : threads_(threads) {}
  ~Recorded() override { threads_.at_end = std::this_thread::get_id(); }
  void place(unsigned worker) override {
    const std::scoped_lock lock(threads_.mutex);
    EXPECT_TRUE(threads_.of_worker.emplace(worker, std::this_thread::get_id()).second);
  }

 private:
  Threads& threads_;
};

TEST(WorkerPool, places_each_worker_once_on_its_own_thread) {
  Recorded::Threads threads;
  {
    WorkerPool pool(4, std::make_unique<Recorded>(threads));
    EXPECT_TRUE(pool.pinned());
    pool.gather();
    EXPECT_EQ(threads.at_end, std::thread::id{});
  }
  std::set<std::thread::id> distinct;
  for (const auto& [worker, thread] : threads.of_worker) distinct.insert(thread);
  EXPECT_EQ(threads.of_worker.size(), 4u);
  EXPECT_EQ(distinct.size(), 4u);
  EXPECT_EQ(threads.of_worker[0], std::this_thread::get_id());
  EXPECT_EQ(threads.at_end, std::this_thread::get_id());
  EXPECT_FALSE(WorkerPool(4).pinned());
}

TEST(WorkerPool, can_be_destroyed_without_a_run) {
  for (int i = 0; i < 200; ++i) WorkerPool pool(3);
}

}  // namespace
}  // namespace lab::designs
