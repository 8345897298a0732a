#include "variants/object_pool/family/tasks.h"

#include <chrono>

namespace lab::object_pool {

std::map<std::string, double> MemoryTask::counters() const {
  return {{"memory_bytes", static_cast<double>(memory_bytes())}, {"live_bytes", static_cast<double>(live_bytes())}};
}

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

std::map<std::string, double> AnyReferences::counters() const {
  return {{"kept_targets", static_cast<double>(kept_)}, {"kept_targets_cleared", static_cast<double>(kept_cleared_)}};
}

AnyHolders::AnyHolders(std::uint64_t seed, std::size_t accesses) : accesses_(accesses) {
  Random random(seed_of("holders") ^ seed);
  for (std::size_t i = 0; i < kCreations; ++i) victims_.push_back(static_cast<std::uint32_t>(random.below(kObjects)));
  for (std::size_t i = 0; i < kCreations * accesses; ++i)
    accessed_.push_back(static_cast<std::uint32_t>(random.below(kObjects * kHeldBy)));
}

}  // namespace lab::object_pool
