#include "variants/gpu_memory/family/tasks.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "harness/bench/checksum.h"
#include "variants/gpu_memory/family/figures.h"
#include "variants/gpu_memory/family/soundness.h"

namespace lab::gpu_memory {

void refused(const Resource& resource, designs::MemoryRefusal refusal) {
  fmt::print(stderr, "variant: error: it refused {} bytes: {}\n", resource.request.bytes, designs::sentence(refusal));
  std::exit(2);
}

PlanTask::PlanTask(ResourcePlan&& plan, Subject subject) : plan_(std::move(plan)), subject_(subject) {}
PlanTask::~PlanTask() = default;

Setup PlanTask::start() {
  device_.emplace(plan_.heap_bytes);
  return plan_.setup(*device_);
}

void PlanTask::fill(AnyMemory& memory) {
  blocks_.assign(plan_.slots, {});
  last_.assign(plan_.slots, {});
  execute(plan_, plan_.fill, memory, blocks_, last_);
}

std::uint64_t PlanTask::checksum() const {
  bench::Checksum sum;
  std::vector<LiveResource> live;
  for (std::size_t slot = 0; slot < last_.size(); ++slot) {
    if (last_[slot].resource == Step::kNothing) continue;
    const Resource& resource = plan_.resources[last_[slot].resource];
    live.push_back({resource.request, blocks_[slot], resource.dedicated});
    sum.word(last_[slot].resource);
  }
  const std::string problem = unsound(live, *device_, plan_.granularity);
  if (!problem.empty()) {
    fmt::print(stderr, "variant: error: {}\n", problem);
    sum.word(1);
  }
  return sum.value();
}

ReplaceTask::ReplaceTask(ResourcePlan&& plan, Subject subject, bool searches_every_free_space)
    : PlanTask(std::move(plan), subject), searches_every_free_space_(searches_every_free_space) {}
ReplaceTask::~ReplaceTask() = default;

std::map<std::string, double> ReplaceTask::counters() const {
  return counted(subject_, plan_);
}

std::map<std::string, double> ReplaceTask::costly_counters() const {
  if (searches_every_free_space_ && plan_.allocation_bytes > 0) return {};
  return minimum_heap(subject_, plan_);
}

DefragmentTask::~DefragmentTask() = default;

std::map<std::string, double> DefragmentTask::counters() const {
  return defragmented(subject_, plan_);
}

std::uint64_t DefragmentTask::checksum(const AnyMemory& memory) {
  for (std::size_t slot = 0; slot < last_.size(); ++slot)
    if (last_[slot].resource != Step::kNothing) blocks_[slot].place = memory.place(blocks_[slot]);
  return PlanTask::checksum();
}

FillHeapTask::FillHeapTask(ResourcePlan&& plan, Subject subject, std::vector<MemoryRequest>&& groups)
    : PlanTask(std::move(plan), subject), groups_(std::move(groups)) {}
FillHeapTask::~FillHeapTask() = default;

std::map<std::string, double> FillHeapTask::counters() const {
  return filled(subject_, plan_, groups_);
}

}  // namespace lab::gpu_memory
