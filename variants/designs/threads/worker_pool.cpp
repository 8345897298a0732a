#include "variants/designs/threads/worker_pool.h"

#include <chrono>
#include <utility>

#include "variants/designs/threads/spin_lock.h"

namespace lab::designs {

namespace {

constexpr auto kLinger = std::chrono::milliseconds(1);
constexpr auto kPatience = std::chrono::milliseconds(2);

}  // namespace

WorkerPool::WorkerPool(unsigned workers, std::unique_ptr<Placement> placement)
    : workers_(workers), placement_(std::move(placement)) {
  if (pinned()) placement_->place(0);
  thread_slot = 0;
  for (unsigned slot = 1; slot < workers; ++slot) threads_.emplace_back([this, slot] { serve(slot); });
}

WorkerPool::~WorkerPool() {
  stop_ = true;
  signal();
  for (std::thread& thread : threads_) thread.join();
}

/// Spins until `condition` holds or `patience` has passed; returns whether it holds.
template <typename Condition>
bool WorkerPool::watch(Condition condition, std::chrono::nanoseconds patience) const {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    // A pinned thread keeps its core: after a yield to another process it would lose a whole time slice. On a shared
    // core it must yield, because the thread that fulfils the condition may be waiting for that core.
    if (pinned())
      pause();
    else
      std::this_thread::yield();
  }
  return true;
}

void WorkerPool::signal() {
  ++signals_;
  signals_.notify_all();
}

void WorkerPool::run_erased(std::size_t tasks, Job job) {
  if (tasks == 0) return;
  job_ = job;
  tasks_ = tasks;
  unfinished_.store(tasks, std::memory_order_relaxed);
  untaken_.store(static_cast<std::ptrdiff_t>(tasks), std::memory_order_release);
  gathering_ = 0;
  signal();
  work();
  // The remaining tasks end soon, unless the kernel has preempted their thread.
  if (watch([this] { return unfinished_.load(std::memory_order_acquire) == 0; }, kPatience)) return;
  while (const std::size_t left = unfinished_.load(std::memory_order_acquire))
    unfinished_.wait(left, std::memory_order_acquire);
}

void WorkerPool::work() {
  std::size_t done = 0;
  for (;;) {
    // Reading first keeps idle workers from writing to the cache line repeatedly.
    if (untaken_.load(std::memory_order_relaxed) <= 0) break;
    const std::ptrdiff_t untaken = untaken_.fetch_sub(1, std::memory_order_acq_rel);
    if (untaken <= 0) break;
    // The run cannot end before this task, so job_ and tasks_ belong to this run.
    job_.call(job_.object, tasks_ - static_cast<std::size_t>(untaken));
    ++done;
  }
  if (done != 0 && unfinished_.fetch_sub(done, std::memory_order_acq_rel) == done) unfinished_.notify_all();
}

void WorkerPool::serve(unsigned slot) {
  if (pinned()) placement_->place(slot);
  thread_slot = slot;
  std::uint32_t answered = 0;
  for (;;) {
    // Read before the state that it signals. A later change also changes signals_, and wait() returns at once.
    const std::uint32_t seen = signals_.load();
    if (stop_) return;
    linger(answered);
    work();
    signals_.wait(seen);
  }
}

void WorkerPool::gather() {
  present_ = 1;
  gathering_ = ++gathers_;
  signal();
  const auto all_up = [this] { return present_ == workers_; };
  while (!watch(all_up, kPatience)) std::this_thread::yield();
}

void WorkerPool::linger(std::uint32_t& answered) {
  const std::uint32_t asked = gathering_;
  if (asked == 0) return;
  if (asked != answered) ++present_;
  answered = asked;
  watch([&] { return gathering_ != asked; }, kLinger);
}

}  // namespace lab::designs
