#include "variants/common/workers/pinned_workers.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace lab {
namespace {

using designs::WorkerPool;

cpu_set_t usable() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

/// CPUs on which the workers of `pool` run, each pinned to one.
std::set<int> cpus_of(WorkerPool& pool) {
  std::mutex mutex;
  std::set<int> cpus;
  std::atomic<unsigned> arrived = 0;
  pool.run(pool.workers(), [&](std::size_t) {
    ++arrived;
    while (arrived < pool.workers()) std::this_thread::yield();
    const cpu_set_t mine = usable();
    EXPECT_EQ(CPU_COUNT(&mine), 1);
    const std::scoped_lock lock(mutex);
    cpus.insert(sched_getcpu());
  });
  return cpus;
}

class PinnedWorkers : public testing::Test {
 protected:
  void SetUp() override {
    if (cores_ < 2) GTEST_SKIP() << "needs two cores";
  }
  const cpu_set_t before_ = usable();
  const unsigned cores_ = static_cast<unsigned>(CPU_COUNT(&before_));
};

TEST_F(PinnedWorkers, have_a_core_each_and_the_callers_mask_is_restored) {
  {
    WorkerPool pool(cores_, pinned_workers(cores_));
    ASSERT_TRUE(pool.pinned());
    EXPECT_EQ(cpus_of(pool).size(), cores_);
  }
  const cpu_set_t after = usable();
  EXPECT_TRUE(CPU_EQUAL(&before_, &after));
}

// Benchmarks that compare two renderers in turns have two pools.
TEST_F(PinnedWorkers, of_a_second_pool_have_a_core_each_too) {
  auto first = std::make_unique<WorkerPool>(cores_, pinned_workers(cores_));
  auto second = std::make_unique<WorkerPool>(cores_, pinned_workers(cores_));
  ASSERT_TRUE(second->pinned());
  EXPECT_EQ(cpus_of(*second).size(), cores_);
  first.reset();
  EXPECT_EQ(cpus_of(*second).size(), cores_);
  second.reset();
  const cpu_set_t after = usable();
  EXPECT_TRUE(CPU_EQUAL(&before_, &after));
}

TEST(NoPinnedWorkers, are_there_if_cores_are_fewer_than_workers_or_there_is_one_worker) {
  EXPECT_EQ(pinned_workers(std::thread::hardware_concurrency() + 1), nullptr);
  EXPECT_EQ(pinned_workers(1), nullptr);
}

}  // namespace
}  // namespace lab
