#include "variants/common/workers/pinned_workers.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

namespace lab {
namespace {

using designs::WorkerPool;

TEST(PinnedWorkers, have_a_core_each_and_the_callers_mask_is_restored) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const unsigned cores = static_cast<unsigned>(CPU_COUNT(&before));
  if (cores < 2) GTEST_SKIP() << "needs two cores";
  {
    WorkerPool pool(cores, pinned_workers(cores));
    ASSERT_TRUE(pool.pinned());
    std::mutex mutex;
    std::set<int> cpus;
    std::atomic<unsigned> arrived = 0;
    pool.run(cores, [&](std::size_t) {
      ++arrived;
      while (arrived < cores) std::this_thread::yield();
      cpu_set_t mine;
      ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
      EXPECT_EQ(CPU_COUNT(&mine), 1);
      const std::scoped_lock lock(mutex);
      cpus.insert(sched_getcpu());
    });
    EXPECT_EQ(cpus.size(), cores);
  }
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(PinnedWorkers, are_none_if_cores_are_fewer_than_workers_or_there_is_one_worker) {
  EXPECT_EQ(pinned_workers(std::thread::hardware_concurrency() + 1), nullptr);
  EXPECT_EQ(pinned_workers(1), nullptr);
}

}  // namespace
}  // namespace lab
