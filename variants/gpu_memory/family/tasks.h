/// What the family's tasks have that no repetition times: plans, the first resources, the check of the last ones, and
/// figures. It is compiled once for the family, over AnyMemory. The class that a variant instantiates derives from it,
/// has the allocator, and its timed loop calls that one directly (workloads.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/bench/task.h"
#include "variants/gpu_memory/family/plans.h"
#include "variants/gpu_memory/family/subject.h"

namespace lab::gpu_memory {

/// Ends the process with status 2: there is no measurement.
[[noreturn]] void refused(const Resource& resource, designs::MemoryRefusal refusal);

/// Executes steps of a plan on a variant or on AnyMemory. `blocks` and `last_of_slots`: what each slot holds. It is
/// timed. Not inlined: then what the allocator does is inlined here.
template <typename A>
[[gnu::noinline]] void execute(const ResourcePlan& plan, const std::vector<Step>& steps, A& memory,
                               std::vector<MemoryBlock>& blocks, std::vector<Step>& last_of_slots) {
  const Resource* const resources = plan.resources.data();
  for (const Step& step : steps) {
    Step& last = last_of_slots[step.slot];
    if (last.resource != Step::kNothing) memory.free(blocks[step.slot]);
    last = step;
    if (step.resource == Step::kNothing) continue;
    const Resource& resource = resources[step.resource];
    const PlacedMemory made =
        resource.dedicated ? memory.allocate_dedicated(resource.request) : memory.allocate(resource.request);
    if (made.refusal != designs::MemoryRefusal::kNone) refused(resource, made.refusal);
    blocks[step.slot] = made.block;
  }
}

/// A plan and the device that it runs on. The allocator is the derived class's: it ends before the device does.
class PlanTask : public bench::Task {
 public:
  ~PlanTask() override;

 protected:
  PlanTask(ResourcePlan&& plan, Subject subject);

  /// For an allocator on a new device.
  Setup start();
  void fill(AnyMemory& memory);
  /// Of the resources that the slots hold. It differs if their places are unsound, which is also printed.
  std::uint64_t checksum() const;

  const ResourcePlan plan_;
  const Subject subject_;
  std::optional<SimulatedDevice> device_;
  std::vector<MemoryBlock> blocks_;
  std::vector<Step> last_;  // of each slot
};

class ReplaceTask : public PlanTask {
 public:
  ~ReplaceTask() override;
  std::map<std::string, double> counters() const override;
  std::map<std::string, double> costly_counters() const override;

 protected:
  ReplaceTask(ResourcePlan&& plan, Subject subject, bool searches_every_free_space);

 private:
  const bool searches_every_free_space_;
};

class DefragmentTask : public PlanTask {
 public:
  ~DefragmentTask() override;
  std::map<std::string, double> counters() const override;

 protected:
  using PlanTask::PlanTask;

  /// After the passes.
  std::uint64_t checksum(const AnyMemory& memory);
};

class FillHeapTask : public PlanTask {
 public:
  ~FillHeapTask() override;
  std::map<std::string, double> counters() const override;

 protected:
  /// `groups`: what is requested when the heap is full.
  FillHeapTask(ResourcePlan&& plan, Subject subject, std::vector<MemoryRequest>&& groups);

 private:
  const std::vector<MemoryRequest> groups_;
};

}  // namespace lab::gpu_memory
