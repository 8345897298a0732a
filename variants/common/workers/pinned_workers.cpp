#include "variants/common/workers/pinned_workers.h"

#include <pthread.h>
#include <sched.h>

#include <utility>
#include <vector>

namespace lab {

namespace {

void allow_only(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/// What the pools of this thread have made of it. A second pool must not take its one CPU for all that there are: its
/// workers would share it, and a run of two renderers in turns would compare threads with none.
struct PinnedThread {
  unsigned pools = 0;
  std::vector<int> before;
};
thread_local PinnedThread this_thread;

/// CPUs that this thread may use. Of a thread that pools pinned: what it might use before the first of them.
std::vector<int> usable_cpus() {
  if (this_thread.pools != 0) return this_thread.before;
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

/// Constructed and destroyed on the thread of worker 0, whose CPUs the last pool gives back.
class Pinned : public designs::Placement {
 public:
  explicit Pinned(std::vector<int> cpus) : cpus_(std::move(cpus)) {
    if (this_thread.pools++ == 0) this_thread.before = cpus_;
  }
  ~Pinned() override {
    if (--this_thread.pools == 0) allow_only(this_thread.before);
  }
  void place(unsigned worker) override { allow_only({cpus_[worker]}); }

 private:
  std::vector<int> cpus_;
};

}  // namespace

std::unique_ptr<designs::Placement> pinned_workers(unsigned workers) {
  std::vector<int> cpus = usable_cpus();
  if (workers < 2 || cpus.size() < workers) return nullptr;
  return std::make_unique<Pinned>(std::move(cpus));
}

}  // namespace lab
