/// The workloads of the family. A variant compiles their timed loops; the rest is compiled once (tasks.h).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "harness/bench/task.h"
#include "variants/gpu_memory/family/plans.h"
#include "variants/gpu_memory/family/subject.h"
#include "variants/gpu_memory/family/tasks.h"

namespace lab::gpu_memory {

/// Executes the steps of a plan.
template <GpuMemory A>
class ReplaceResources final : public ReplaceTask {
 public:
  explicit ReplaceResources(ResourcePlan&& plan)
      : ReplaceTask(std::move(plan), subject_of<A>(), SearchesEveryFreeSpace<A>), memory_(start()) {
    fill(memory_);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    clock.time(0, [&] { execute(plan_, plan_.steps, memory_.memory(), blocks_, last_); });
    return checksum();
  }

 private:
  Erased<A> memory_;
};

/// Passes until no moves are left, each time from the same state. Nothing is copied.
template <Defragments A>
class Defragment final : public DefragmentTask {
 public:
  explicit Defragment(ResourcePlan&& plan) : DefragmentTask(std::move(plan), subject_of<A>()) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    Erased<A> erased(start());
    fill(erased);
    A& memory = erased.memory();
    clock.time(0, [&] {
      while (!memory.begin_pass(kPassBytes, ~std::size_t{0}).empty()) memory.end_pass();
    });
    return checksum(erased);
  }
};

/// Fills the heap until a request is refused, with a new allocator in each repetition. The first requests are timed,
/// which every variant serves: how many more there are is what the variants differ in.
template <GpuMemory A>
class FillHeap final : public FillHeapTask {
 public:
  FillHeap(ResourcePlan&& plan, std::vector<MemoryRequest>&& groups)
      : FillHeapTask(std::move(plan), subject_of<A>(), std::move(groups)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    Erased<A> erased(start());
    A& memory = erased.memory();
    std::uint64_t served = 0;
    clock.time(0, [&] {
      for (std::size_t i = 0; i < kTimedRequests; ++i)
        served +=
            memory.allocate(plan_.resources[plan_.steps[i].resource].request).refusal == designs::MemoryRefusal::kNone;
    });
    return served;
  }
};

/// How a variant executes the family's workloads.
struct Tasks {
  std::unique_ptr<bench::Task> (*replace)(ResourcePlan&& plan);
  std::unique_ptr<bench::Task> (*fill_heap)(ResourcePlan&& plan, std::vector<MemoryRequest>&& groups);
  std::unique_ptr<bench::Task> (*defragment)(ResourcePlan&& plan) = nullptr;  ///< null if resources never move
  bool groups_by_size = false;
};

/// Makes a task, for Tasks.
template <typename Task, typename... Inputs>
std::unique_ptr<bench::Task> prepare(Inputs&&... inputs) {
  return std::unique_ptr<bench::Task>(new Task(std::move(inputs)...));
}

template <GpuMemory A>
constexpr Tasks tasks_of() {
  Tasks tasks{prepare<ReplaceResources<A>>, prepare<FillHeap<A>>, nullptr, A::kShares && A::kShares->by_size};
  if constexpr (Defragments<A>) tasks.defragment = prepare<Defragment<A>>;
  return tasks;
}

inline constexpr const char* kNeverMoves = "it does not move resources";

/// All workloads of the family.
std::vector<bench::Workload> offer(const Tasks& tasks);

}  // namespace lab::gpu_memory
