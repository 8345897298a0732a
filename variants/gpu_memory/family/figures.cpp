#include "variants/gpu_memory/family/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "variants/common/heaps/minimum_heap.h"
#include "variants/gpu_memory/family/soundness.h"

namespace lab::gpu_memory {

namespace {

/// The live resources while a plan is executed on a variant.
class Execution {
 public:
  Execution(const Subject& subject, const ResourcePlan& plan)
      : plan_(plan), device_(plan.heap_bytes), memory_(subject(plan.setup(device_))), live_(plan.slots) {}

  /// Whether all requests were served. Stops at the first that was refused.
  bool execute(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      std::optional<LiveResource>& live = live_[step.slot];
      if (live) memory_->free(live->block);
      live.reset();
      if (step.resource == Step::kNothing) continue;
      const Resource& resource = plan_.resources[step.resource];
      const PlacedMemory placed =
          resource.dedicated ? memory_->allocate_dedicated(resource.request) : memory_->allocate(resource.request);
      if (placed.refusal != designs::MemoryRefusal::kNone) return false;
      live = LiveResource{resource.request, placed.block, resource.dedicated};
      if (at_most_) observe_maximum();
    }
    return true;
  }
  /// Calls the function wherever the device has given more than ever before.
  void at_maximum(std::function<void()> observe) { at_most_ = std::move(observe); }

  std::vector<LiveResource> live() const {
    std::vector<LiveResource> all;
    for (const auto& resource : live_)
      if (resource) all.push_back(*resource);
    return all;
  }
  const SimulatedDevice& device() const { return device_; }
  AnyMemory& memory() { return *memory_; }

 private:
  void observe_maximum() {
    if (device_.most_given_bytes() == seen_most_) return;
    seen_most_ = device_.most_given_bytes();
    at_most_();
  }

  const ResourcePlan& plan_;
  SimulatedDevice device_;
  std::unique_ptr<AnyMemory> memory_;
  std::vector<std::optional<LiveResource>> live_;
  std::function<void()> at_most_;
  std::uint64_t seen_most_ = 0;
};

/// Free bytes in front of a resource that are fewer than its alignment: without it, there would be no such gap.
std::uint64_t alignment_gaps(const std::vector<SeenAllocation>& seen, const std::vector<LiveResource>& live) {
  std::map<designs::MemoryPlace, std::uint64_t> alignments;
  for (const LiveResource& resource : live) alignments[resource.block.place] = resource.request.alignment;
  std::uint64_t gaps = 0;
  for (const auto& [allocation, ranges] : seen)
    for (std::size_t i = 1; i < ranges.size(); ++i)
      if (!ranges[i - 1].used && ranges[i].used &&
          ranges[i - 1].bytes < alignments[{allocation.name, ranges[i].offset}])
        gaps += ranges[i - 1].bytes;
  return gaps;
}

std::size_t free_spaces(const std::vector<SeenAllocation>& seen) {
  std::size_t count = 0;
  for (const auto& [allocation, ranges] : seen)
    count += static_cast<std::size_t>(std::ranges::count(ranges, false, &designs::OffsetRange::used));
  return count;
}

}  // namespace

std::map<std::string, double> counted(const Subject& subject, const ResourcePlan& plan) {
  Execution execution(subject, plan);
  if (!execution.execute(plan.fill)) return {};
  std::map<std::string, double> counters;
  // At the end of a repetition of a plan that frees everything, nothing is left to look at.
  const auto look = [&] {
    const designs::MemoryUsage usage = execution.memory().usage();
    counters["rounding_bytes"] = static_cast<double>(usage.rounding());
    const std::vector<SeenAllocation> seen = execution.memory().allocations();
    counters["gap_bytes"] = static_cast<double>(alignment_gaps(seen, execution.live()));
    counters["wasted_bytes"] = counters["rounding_bytes"] + counters["gap_bytes"];
    counters["free_spaces"] = static_cast<double>(free_spaces(seen));
    counters["external_fragmentation"] = usage.fragmentation();
    counters["metadata_bytes"] = static_cast<double>(execution.memory().metadata_bytes());
  };
  if (plan.fill.empty()) execution.at_maximum(look);
  if (!execution.execute(plan.steps)) return {};
  if (!plan.fill.empty()) look();
  counters["peak_requested_bytes"] = static_cast<double>(plan.most_requested());
  counters["device_bytes"] = static_cast<double>(execution.device().most_given_bytes());
  counters["device_allocations"] = static_cast<double>(execution.device().calls());
  counters["most_allocations"] = static_cast<double>(execution.device().most_allocations());
  return counters;
}

std::map<std::string, double> minimum_heap(const Subject& subject, const ResourcePlan& plan) {
  ResourcePlan bounded = plan;
  const auto fits = [&](std::size_t units) {
    bounded.heap_bytes = units * plan.least_heap_step;
    if (plan.allocation_bytes > 0) bounded.allocation_bytes = bounded.heap_bytes;
    Execution execution(subject, bounded);
    return Trial{execution.execute(bounded.fill) && execution.execute(bounded.steps),
                 kStepsOfRequest * (plan.fill.size() + plan.steps.size())};
  };
  const std::optional<std::size_t> bytes = minimum_heap_bytes(plan.most_requested(), plan.least_heap_step, fits);
  if (!bytes) return {};
  return {{"minimum_heap_bytes", static_cast<double>(*bytes)}};
}

std::string starved_metric(const MemoryRequest& request) {
  return fmt::format("starved_{}_{}_type{}", request.kind == ResourceKind::kBuffer ? "buffers" : "images",
                     request.alignment, request.memory_type);
}

std::map<std::string, double> filled(const Subject& subject, const ResourcePlan& plan,
                                     const std::vector<MemoryRequest>& groups) {
  SimulatedDevice device(plan.heap_bytes);
  const std::unique_ptr<AnyMemory> memory = subject(plan.setup(device));
  const std::uint64_t least = std::ranges::min(groups, {}, &MemoryRequest::bytes).bytes;
  std::uint64_t requested = 0;
  std::optional<std::uint64_t> when_given;  // requested when the device had no room for an allocation any more
  for (const Step& step : plan.steps) {
    const MemoryRequest& request = plan.resources[step.resource].request;
    if (memory->allocate(request).refusal != designs::MemoryRefusal::kNone) break;
    requested += request.bytes;
    if (!when_given && device.given_bytes() + least > plan.heap_bytes) when_given = requested;
  }
  const auto share = [&](std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(plan.heap_bytes);
  };
  std::map<std::string, double> counters{{"filled_share", share(requested)},
                                         {"given_share", share(when_given.value_or(requested))},
                                         {"device_allocations", static_cast<double>(device.calls())},
                                         {"starved_pairs", 0}};
  for (const MemoryRequest& request : groups) {
    const bool starved = memory->allocate(request).refusal != designs::MemoryRefusal::kNone;
    counters[starved_metric(request)] = starved;
    counters["starved_pairs"] += starved;
  }
  return counters;
}

std::map<std::string, double> defragmented(const Subject& subject, const ResourcePlan& plan) {
  Execution execution(subject, plan);
  if (!execution.execute(plan.fill)) return {};
  AnyMemory& memory = execution.memory();
  const std::uint64_t before = execution.device().given_bytes();
  std::uint64_t moved = 0, most = 0;
  std::size_t passes = 0;
  for (std::span<const HandledMove> moves; !(moves = memory.begin_pass(kPassBytes, ~std::size_t{0})).empty();
       ++passes) {
    std::uint64_t bytes = 0;
    for (const HandledMove& move : moves) bytes += move.bytes;
    moved += bytes;
    most = std::max(most, bytes);
    memory.end_pass();
  }
  const designs::MemoryUsage usage = memory.usage();
  return {{"moved_bytes", static_cast<double>(moved)},
          {"passes", static_cast<double>(passes)},
          {"most_pass_bytes", static_cast<double>(most)},
          {"returned_bytes", static_cast<double>(before - execution.device().given_bytes())},
          {"left_bytes", static_cast<double>(usage.allocated) / static_cast<double>(usage.requested)},
          {"largest_free_share", 1 - usage.fragmentation()}};
}

}  // namespace lab::gpu_memory
