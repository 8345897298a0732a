#include "variants/gpu_memory/family/exhibits.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "harness/bench/exhibits.h"
#include "variants/gpu_memory/family/plans.h"
#include "variants/gpu_memory/family/tasks.h"

namespace lab::gpu_memory {

namespace {

constexpr const char* kCall = "call";
constexpr const char* kMemory = "memory";
constexpr const char* kFragmentation = "fragmentation";
constexpr std::size_t kPoints = 200;

class Slots {
 public:
  Slots(const Subject& subject, const ResourcePlan& plan)
      : plan_(plan), device_(plan.heap_bytes), memory_(subject(plan.setup(device_))), blocks_(plan.slots) {}

  /// The time of the free and the allocation.
  std::chrono::nanoseconds execute(const Step& step) {
    using Clock = std::chrono::steady_clock;
    std::optional<MemoryBlock>& block = blocks_[step.slot];
    const Resource& resource = plan_.resources[step.resource];
    const Clock::time_point begin = Clock::now();
    if (block) memory_->free(*block);
    const PlacedMemory placed =
        resource.dedicated ? memory_->allocate_dedicated(resource.request) : memory_->allocate(resource.request);
    const std::chrono::nanoseconds took = Clock::now() - begin;
    if (placed.refusal != designs::MemoryRefusal::kNone) refused(resource, placed.refusal);
    block = placed.block;
    return took;
  }
  const SimulatedDevice& device() const { return device_; }
  const AnyMemory& memory() const { return *memory_; }

 private:
  const ResourcePlan& plan_;
  SimulatedDevice device_;
  std::unique_ptr<AnyMemory> memory_;
  std::vector<std::optional<MemoryBlock>> blocks_;
};

std::vector<std::uint32_t> call_times(const Subject& subject, const ResourcePlan& plan) {
  Slots slots(subject, plan);
  for (const std::vector<Step>* const part : {&plan.fill, &plan.steps})
    for (const Step& step : *part) slots.execute(step);
  std::vector<std::uint32_t> times;
  for (const Step& step : plan.steps)
    times.push_back(
        static_cast<std::uint32_t>(std::min<std::chrono::nanoseconds::rep>(slots.execute(step).count(), UINT32_MAX)));
  return times;
}

void show(const Subject& subject, const ResourcePlan& plan, bench::ExhibitFiles& files) {
  files.latency(kCall, call_times(subject, plan));
  constexpr const char* kCreated = "resources created since the heap was empty";
  bench::Series memory{kCreated, "bytes taken from the device per byte requested", {}, {{"device", {}}}};
  bench::Series fragmentation{
      kCreated, "share of free memory outside the largest free space", {}, {{"free memory", {}}}};
  Slots slots(subject, plan);
  const std::size_t interval = (plan.fill.size() + plan.steps.size() + kPoints - 1) / kPoints;
  std::size_t created = 0;
  for (const std::vector<Step>* const part : {&plan.fill, &plan.steps})
    for (const Step& step : *part) {
      slots.execute(step);
      if (++created % interval != 0) continue;
      const designs::MemoryUsage usage = slots.memory().usage();
      memory.x.push_back(static_cast<double>(created));
      memory.lines[0].y.push_back(static_cast<double>(usage.allocated) / static_cast<double>(usage.requested));
      fragmentation.lines[0].y.push_back(usage.fragmentation());
    }
  fragmentation.x = memory.x;
  files.series(kMemory, memory);
  files.series(kFragmentation, fragmentation);
}

}  // namespace

void add_exhibits(const Subject& subject, std::vector<bench::Workload>& workloads) {
  using enum bench::ExhibitKind;
  for (const DeviceTable& table : device_tables()) {
    const auto workload = std::ranges::find(workloads, fmt::format("streaming_{}", table.name), &bench::Workload::name);
    if (workload == workloads.end()) continue;
    workload->exhibits = {{kCall, "Time of a free and the allocation that follows", kLatency},
                          {kMemory, "Bytes taken from the device per byte requested", kSeries},
                          {kFragmentation, "Free memory outside the largest free space", kSeries}};
    workload->exhibit = [subject, &table](const bench::Case& inputs, bench::ExhibitFiles& files) {
      show(subject, streaming(inputs.seed, table), files);
    };
  }
}

}  // namespace lab::gpu_memory
