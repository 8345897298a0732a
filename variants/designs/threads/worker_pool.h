/// Worker threads that share the tasks of one loop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "variants/designs/threads/thread_slot.h"

namespace lab::designs {

/// Gives each worker a CPU of its own. The standard library cannot do this, so who uses the pool supplies it.
class Placement {
 public:
  /// Runs on worker 0's thread when the pool ends.
  virtual ~Placement() = default;
  /// Runs first on each worker's own thread.
  virtual void place(unsigned worker) = 0;
};

/// A pool of `workers` workers. Worker 0 is the thread that constructs the pool: it executes tasks too while it waits
/// for them. The others sleep in the kernel between runs. Worker i has thread_slot i. With a `placement` each worker
/// is pinned to its own CPU; without one the kernel places them. Only the constructing thread may call run() and
/// gather().
class WorkerPool {
 public:
  explicit WorkerPool(unsigned workers, std::unique_ptr<Placement> placement = nullptr);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned workers() const { return workers_; }
  bool pinned() const { return placement_ != nullptr; }

  /// Calls task(i) once for every i below `tasks`; free workers take tasks in ascending order. Returns when all calls
  /// have returned; their writes are then visible to the caller. A task must not throw. run() does not wait for a
  /// worker that wakes up late; that worker executes fewer tasks.
  template <typename Task>
  void run(std::size_t tasks, const Task& task) {
    run_erased(tasks, {[](const void* object, std::size_t i) { (*static_cast<const Task*>(object))(i); }, &task});
  }

  /// Wakes every worker and returns when all are awake. They stay awake for at most a millisecond. So the time of the
  /// next run does not include the time in which the kernel wakes threads on idle cores.
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
  std::unique_ptr<Placement> placement_;
  Job job_;                // of the current run; read only by workers that hold one of its tasks
  std::size_t tasks_ = 0;  // likewise
  // Tasks that no worker has taken. Late workers decrement it below zero and touch nothing else, so a new run may begin
  // meanwhile.
  alignas(kApart) std::atomic<std::ptrdiff_t> untaken_ = 0;
  alignas(kApart) std::atomic<std::size_t> unfinished_ = 0;
  alignas(kApart) std::atomic<std::uint32_t> signals_ = 0;  // changes after each change that a sleeping worker must see
  std::atomic<std::uint32_t> gathering_ = 0;                // number of the gather() in progress; 0: none
  std::uint32_t gathers_ = 0;
  std::atomic<unsigned> present_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace lab::designs
