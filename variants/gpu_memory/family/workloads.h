/// The workloads of the family. Only the timed loop is compiled for each variant.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/variant.h"
#include "variants/gpu_memory/family/plans.h"
#include "variants/gpu_memory/family/soundness.h"
#include "variants/gpu_memory/family/subject.h"

namespace lab::gpu_memory {

/// A plan, and the device that it runs on.
struct Stage {
  explicit Stage(ResourcePlan chosen) : plan(std::move(chosen)), device(plan.heap_bytes) {}
  Setup setup() { return plan.setup(device); }

  const ResourcePlan plan;
  SimulatedDevice device;
};

/// Of the resources that the slots hold. It differs if their places are unsound, which is also printed. Not timed.
std::uint64_t checksum_of(const ResourcePlan& plan, const std::vector<Step>& last,
                          const std::vector<MemoryBlock>& blocks, const SimulatedDevice& device);

/// Ends the process with status 2: there is no measurement.
[[noreturn]] void refused(const Resource& resource, designs::MemoryRefusal refusal);

/// Figures that are counted in a pass of their own, which does what the first repetition does.
std::map<std::string, double> counted(const Subject& subject, const ResourcePlan& plan);
/// The smallest heap in which the fill and one repetition succeed.
std::map<std::string, double> minimum_heap(const Subject& subject, const ResourcePlan& plan);

/// Executes steps of a plan on a variant or on AnyMemory. `blocks` and `last_of_slots`: what each slot holds.
template <typename A>
void execute(const ResourcePlan& plan, const std::vector<Step>& steps, A& memory, std::vector<MemoryBlock>& blocks,
             std::vector<Step>& last_of_slots) {
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

/// Executes the steps of a plan.
template <GpuMemory A>
class ReplaceResources : public bench::Task {
 public:
  ReplaceResources(ResourcePlan plan, Subject subject)
      : stage_(std::move(plan)),
        subject_(std::move(subject)),
        memory_(stage_.setup()),
        blocks_(stage_.plan.slots),
        last_(stage_.plan.slots) {
    execute(stage_.plan, stage_.plan.fill, memory_, blocks_, last_);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    clock.time(0, [&] { execute(stage_.plan, stage_.plan.steps, memory_, blocks_, last_); });
    return checksum_of(stage_.plan, last_, blocks_, stage_.device);
  }
  std::map<std::string, double> counters() const override { return counted(subject_, stage_.plan); }
  std::map<std::string, double> costly_counters() const override {
    if (SearchesEveryFreeSpace<A> && stage_.plan.allocation_bytes > 0) return {};
    return minimum_heap(subject_, stage_.plan);
  }

 private:
  Stage stage_;
  const Subject subject_;
  A memory_;
  std::vector<MemoryBlock> blocks_;
  std::vector<Step> last_;  // of each slot
};

/// What may be copied in a pass of Defragment: any texture of the plans.
inline constexpr std::uint64_t kPassBytes = 32'000'000;

/// Passes until no moves are left, each time from the same state. Nothing is copied.
template <Defragments A>
class Defragment : public bench::Task {
 public:
  Defragment(ResourcePlan plan, Subject subject) : plan_(std::move(plan)), subject_(std::move(subject)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    SimulatedDevice device(plan_.heap_bytes);
    A memory(plan_.setup(device));
    std::vector<MemoryBlock> blocks(plan_.slots);
    std::vector<Step> last(plan_.slots);
    execute(plan_, plan_.fill, memory, blocks, last);
    clock.time(0, [&] {
      while (!memory.begin_pass(kPassBytes, ~std::size_t{0}).empty()) memory.end_pass();
    });
    for (std::size_t slot = 0; slot < last.size(); ++slot)
      if (last[slot].resource != Step::kNothing) blocks[slot].place = memory.place(blocks[slot]);
    return checksum_of(plan_, last, blocks, device);
  }
  std::map<std::string, double> counters() const override;

 private:
  const ResourcePlan plan_;
  const Subject subject_;
};

/// What Defragment counts.
std::map<std::string, double> defragmented(const Subject& subject, const ResourcePlan& plan);

template <Defragments A>
std::map<std::string, double> Defragment<A>::counters() const {
  return defragmented(subject_, plan_);
}

/// Fills the heap until a request is refused, with a new allocator in each repetition. The first requests are timed,
/// which every variant serves: how many more there are is what the variants differ in.
inline constexpr std::size_t kTimedRequests = 1000;
template <GpuMemory A>
class FillHeap : public bench::Task {
 public:
  FillHeap(ResourcePlan plan, Subject subject, std::vector<MemoryRequest> groups)
      : plan_(std::move(plan)), subject_(std::move(subject)), groups_(std::move(groups)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    SimulatedDevice device(plan_.heap_bytes);
    A memory(plan_.setup(device));
    std::uint64_t served = 0;
    clock.time(0, [&] {
      for (std::size_t i = 0; i < kTimedRequests; ++i)
        served +=
            memory.allocate(plan_.resources[plan_.steps[i].resource].request).refusal == designs::MemoryRefusal::kNone;
    });
    return served;
  }
  std::map<std::string, double> counters() const override;

 private:
  const ResourcePlan plan_;
  const Subject subject_;
  const std::vector<MemoryRequest> groups_;
};

/// What FillHeap counts.
std::map<std::string, double> filled(const Subject& subject, const ResourcePlan& plan,
                                     const std::vector<MemoryRequest>& groups);

template <GpuMemory A>
std::map<std::string, double> FillHeap<A>::counters() const {
  return filled(subject_, plan_, groups_);
}

bench::Workload describe_one_alignment(bool rounded);
bench::Workload describe_streaming(const DeviceTable& table);
bench::Workload describe_level_loading(const DeviceTable& table);
bench::Workload describe_fill_heap(const DeviceTable& table);
bench::Workload describe_defragment(const DeviceTable& table);
inline constexpr const char* kNeverMoves = "it does not move resources";

template <GpuMemory A>
std::vector<bench::Workload> workloads() {
  const Subject subject = subject_of<A>();
  std::vector<bench::Workload> offered;
  const auto offer = [&](bench::Workload workload, auto plan) {
    workload.prepare = [subject, plan](const bench::Case& inputs) -> std::unique_ptr<bench::Task> {
      return std::make_unique<ReplaceResources<A>>(plan(inputs), subject);
    };
    offered.push_back(std::move(workload));
  };
  for (const bool rounded : {false, true})
    if constexpr (A::kShares && A::kShares->by_size) {
      offered.push_back(describe_one_alignment(rounded));
      offered.back().unsupported = "it takes an allocation for each size, and the workload has one allocation";
    } else {
      offer(describe_one_alignment(rounded), [rounded](const bench::Case& inputs) {
        return one_alignment(inputs.seed, static_cast<std::uint64_t>(inputs.point), rounded);
      });
    }
  for (const DeviceTable& table : device_tables()) {
    offer(describe_streaming(table), [&table](const bench::Case& inputs) { return streaming(inputs.seed, table); });
    offer(describe_level_loading(table),
          [&table](const bench::Case& inputs) { return level_loading(inputs.seed, table); });
    bench::Workload fill = describe_fill_heap(table);
    fill.prepare = [subject, &table](const bench::Case& inputs) -> std::unique_ptr<bench::Task> {
      return std::make_unique<FillHeap<A>>(fill_heap(inputs.seed, table), subject, smallest_of_each_group(table));
    };
    offered.push_back(std::move(fill));
    bench::Workload defragment = describe_defragment(table);
    if constexpr (Defragments<A>)
      defragment.prepare = [subject, &table](const bench::Case& inputs) -> std::unique_ptr<bench::Task> {
        return std::make_unique<Defragment<A>>(fragmented(inputs.seed, table), subject);
      };
    else
      defragment.unsupported = kNeverMoves;
    offered.push_back(std::move(defragment));
  }
  return offered;
}

}  // namespace lab::gpu_memory
