/// Worker threads that share the tasks of one loop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include "variants/designs/thread_slot.h"

namespace lab::designs {

/// `workers` threads, of which the one that made the pool is the first: while it waits for its tasks it works on them.
/// The others are parked in the kernel between runs. Worker i has thread_slot i; where the process may use at least as
/// many CPUs as there are workers, each is pinned to one of its own, and the calling thread gets its mask back at the
/// end. run() and gather() belong to the thread that made the pool.
class WorkerPool {
 public:
  explicit WorkerPool(unsigned workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned workers() const { return workers_; }
  bool pinned() const { return !cpus_.empty(); }

  /// Calls task(i) once for every i below `tasks`, handed out in rising order to whoever is free. Returns when all have
  /// returned; what they wrote is then visible here. A task must not throw. A worker that wakes up late finds fewer
  /// tasks left but is not waited for.
  template <typename Task>
  void run(std::size_t tasks, const Task& task) {
    run_erased(tasks, {[](const void* object, std::size_t i) { (*static_cast<const Task*>(object))(i); }, &task});
  }

  /// Wakes every worker and returns when all are up; they stay so for a millisecond at most. What is run next is then
  /// not measured with the kernel's time to wake a thread on an idle core.
  void gather();

 private:
  struct Job {
    void (*call)(const void* object, std::size_t task) = nullptr;
    const void* object = nullptr;
  };

  void run_erased(std::size_t tasks, Job job);
  void serve(unsigned slot);
  void work();
  void linger(std::uint32_t& answered);
  void signal();
  template <typename Condition>
  bool watch(Condition condition, std::chrono::nanoseconds patience) const;

  unsigned workers_;
  std::vector<int> cpus_;         // worker i's CPU; empty: nobody is pinned
  std::vector<int> caller_cpus_;  // what the calling thread could use before
  Job job_;                       // of the current run; read only by who holds one of its tasks
  std::size_t tasks_ = 0;         // likewise
  // Tasks that nobody has taken. Below zero by those who came too late: they touch nothing else, so a new run may begin
  // while they look.
  alignas(kApart) std::atomic<std::ptrdiff_t> untaken_ = 0;
  alignas(kApart) std::atomic<std::size_t> unfinished_ = 0;
  alignas(kApart) std::atomic<std::uint32_t> signals_ = 0;  // changes after whatever a parked worker should look at
  std::atomic<std::uint32_t> gathering_ = 0;                // which gather() wants them up; 0: none
  std::uint32_t gathers_ = 0;
  std::atomic<unsigned> present_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace lab::designs
