#include "variants/common/workers/pinned_workers.h"

#include <pthread.h>
#include <sched.h>

#include <utility>
#include <vector>

namespace lab {

namespace {

std::vector<int> usable_cpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

void allow_only(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

class Pinned : public designs::Placement {
 public:
  explicit Pinned(std::vector<int> cpus) : cpus_(std::move(cpus)) {}
  ~Pinned() override { allow_only(cpus_); }
  void place(unsigned worker) override { allow_only({cpus_[worker]}); }

 private:
  std::vector<int> cpus_;  // of the thread that constructs the pool, before it was pinned
};

}  // namespace

std::unique_ptr<designs::Placement> pinned_workers(unsigned workers) {
  std::vector<int> cpus = usable_cpus();
  if (workers < 2 || cpus.size() < workers) return nullptr;
  return std::make_unique<Pinned>(std::move(cpus));
}

}  // namespace lab
