#include "variants/object_pool/family/tasks.h"

#include <algorithm>
#include <chrono>

namespace lab::object_pool {

MemoryTask::~MemoryTask() = default;

std::map<std::string, double> MemoryTask::counters() const {
  return {{"memory_bytes", static_cast<double>(memory_bytes())}, {"live_bytes", static_cast<double>(live_bytes())}};
}

ChurnTask::ChurnTask(const ChurnPlan& plan) : plan_(plan) {}
ChurnTask::~ChurnTask() = default;

std::vector<std::uint32_t> ChurnTask::pair_times() {
  using Clock = std::chrono::steady_clock;
  plan_.draw();
  std::vector<std::uint32_t> times;
  times.reserve(plan_.victims().size());
  for (const std::uint32_t victim : plan_.victims()) {
    const Clock::time_point begin = Clock::now();
    replace_one(victim);
    const std::chrono::nanoseconds took = Clock::now() - begin;
    times.push_back(static_cast<std::uint32_t>(std::min<std::chrono::nanoseconds::rep>(took.count(), UINT32_MAX)));
  }
  return times;
}

AnyInit::AnyInit(const ChurnPlan& plan) : plan_(plan) {}
AnyInit::~AnyInit() = default;

AnyFrame::AnyFrame(const FramePlan& plan, bool by_phase) : plan_(plan), by_phase_(by_phase) {}
AnyFrame::~AnyFrame() = default;

AnyOverload::AnyOverload(const SoundPlan& plan) : plan_(plan) {}
AnyOverload::~AnyOverload() = default;

std::map<std::string, double> AnyOverload::counters() const {
  return {{"created", static_cast<double>(counted_.created)},
          {"dropped", static_cast<double>(counted_.dropped)},
          {"replaced", static_cast<double>(counted_.replaced)},
          {"grown", static_cast<double>(counted_.grown)},
          {"given_back", static_cast<double>(counted_.given_back)},
          {"peak_bytes", static_cast<double>(counted_.peak_bytes)},
          {"bytes_after", static_cast<double>(counted_.bytes_after)},
          {"unheard_share", 1 - counted_.heard / plan_.loudness_ticks}};
}

AnyReferences::AnyReferences() : targets_(kObjects * kRounds) {}
AnyReferences::~AnyReferences() = default;

std::uint64_t AnyReferences::kept() const {
  return static_cast<std::uint64_t>(
      std::count_if(targets_.begin(), targets_.end(), [](std::uint32_t count) { return count != 0; }));
}

std::map<std::string, double> AnyReferences::counters() const {
  return {{"kept_targets", static_cast<double>(kept_)}, {"kept_targets_cleared", static_cast<double>(kept_cleared_)}};
}

AnyHolders::AnyHolders(std::uint64_t seed, std::size_t accesses)
    : accesses_(accesses), table_(kObjects), holders_(kObjects * kHeldBy) {
  Random random(seed_of("holders") ^ seed);
  for (std::size_t i = 0; i < kCreations; ++i) victims_.push_back(static_cast<std::uint32_t>(random.below(kObjects)));
  for (std::size_t i = 0; i < kCreations * accesses; ++i)
    accessed_.push_back(static_cast<std::uint32_t>(random.below(kObjects * kHeldBy)));
}
AnyHolders::~AnyHolders() = default;

void AnyHolders::let_go() {
  holders_.clear();
}

AnySoak::AnySoak() : types_(kSoakLive) {}
AnySoak::~AnySoak() = default;

}  // namespace lab::object_pool
