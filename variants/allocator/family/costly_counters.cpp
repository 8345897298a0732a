#include "variants/allocator/family/costly_counters.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "variants/allocator/family/minimum_heap.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/recorded_traces.h"

namespace lab::allocator {

namespace {

struct Requested {
  void* begin;
  std::size_t bytes;
};

/// An allocator in an arena of `bytes`.
class Arena {
 public:
  Arena(const Subject& subject, const Demand& demand, std::size_t bytes)
      : buffer_(bytes), allocator_(subject.make(within(demand, bytes))) {}

  /// Whether it serves the request.
  bool request(std::size_t bytes, std::vector<Requested>& live) {
    void* const block = allocator_->allocate(bytes);
    if (block != nullptr) live.push_back({block, bytes});
    return block != nullptr;
  }
  void release(const Requested& block) { allocator_->free(block.begin, block.bytes); }

  bool serves(std::size_t bytes) {
    void* const block = allocator_->allocate(bytes);
    allocator_->free(block, bytes);
    return block != nullptr;
  }
  /// By bisection.
  std::size_t largest_request() {
    std::size_t served = 0, refused = buffer_.bytes() + 1;
    while (refused - served > 1) {
      const std::size_t middle = served + (refused - served) / 2;
      (serves(middle) ? served : refused) = middle;
    }
    return served;
  }

 private:
  Demand within(Demand demand, std::size_t bytes) const {
    demand.heap = buffer_.begin();
    demand.heap_bytes = bytes;
    return demand;
  }

  Buffer buffer_;
  std::unique_ptr<AnyAllocator> allocator_;
};

std::size_t sum_of(const std::vector<Requested>& blocks) {
  std::size_t sum = 0;
  for (const Requested& block : blocks) sum += block.bytes;
  return sum;
}

}  // namespace

std::map<std::string, double> WorstCasePlan::arena_counters(const Subject& subject) const {
  Arena arena(subject, demand, kArenaBytes);
  std::vector<Requested> blocks, freed, twice;
  while (arena.request(kBytes, blocks)) {
  }
  std::ranges::sort(blocks, {}, &Requested::begin);
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    arena.release(blocks[i]);
    freed.push_back(blocks[i]);
  }
  while (arena.request(2 * kBytes, twice)) {
  }
  // More than the freed memory may serve them, where the arena was not full of these blocks alone.
  const std::size_t served = std::min(sum_of(twice), sum_of(freed));
  const auto lost = static_cast<double>(sum_of(freed) - served);
  std::map<std::string, double> counted{{kLostShare, lost / static_cast<double>(kArenaBytes)}};
  if (!freed.empty()) counted[kLostOfFreed] = lost / static_cast<double>(sum_of(freed));
  return counted;
}

std::map<std::string, double> LongAndShortPlan::arena_counters(const Subject& subject) const {
  Arena arena(subject, demand, kArenaBytes);
  std::vector<Requested> short_lived, long_lived;
  for (std::size_t i = 0;
       arena.request(large[i % kPairs], short_lived) && arena.request(small[i % kPairs], long_lived);)
    ++i;
  for (const Requested& block : short_lived) arena.release(block);
  if (short_lived.empty()) return {};
  const auto freed = static_cast<double>(sum_of(short_lived));
  const bool served = arena.serves(static_cast<std::size_t>(freed * kRequestedShare));
  return {{kRequestServed, served ? 1 : 0}, {kLargestShare, static_cast<double>(arena.largest_request()) / freed}};
}

std::map<std::string, double> LifetimesApartPlan::arena_counters(const Subject& subject) const {
  std::map<std::string, double> sums;
  for (const ReplacementPlan& part : {long_lived(), short_lived()}) {
    const std::map<std::string, double> found = minimum_heap_counters(subject, part.trace(), part.demand);
    if (found.empty()) return {};
    for (const auto& [name, bytes] : found) sums[name] += bytes;
  }
  return sums;
}

namespace {

template <typename Plan>
std::map<std::string, double> minimum_heap_of(std::uint64_t seed, const Subject& subject) {
  const Plan plan(seed);
  return minimum_heap_counters(subject, plan.trace(), plan.demand);
}

template <typename Plan>
std::map<std::string, double> in_arenas(std::uint64_t seed, const Subject& subject) {
  return Plan(seed).arena_counters(subject);
}

struct Costs {
  std::string_view workload;
  CostlyCounters count;
};
// Not random_replace_untouched: it makes the requests of random_replace.
constexpr Costs kCosts[] = {{"random_replace", minimum_heap_of<RandomReplacePlan>},
                            {"growing_buffers", minimum_heap_of<GrowingPlan>},
                            {"same_size_churn", minimum_heap_of<SameSizePlan>},
                            {"frame_scratch", minimum_heap_of<FramePlan>},
                            {"worst_case", in_arenas<WorstCasePlan>},
                            {"long_and_short", in_arenas<LongAndShortPlan>},
                            {"lifetimes_mixed", minimum_heap_of<LifetimesPlan>},
                            {"lifetimes_apart", in_arenas<LifetimesApartPlan>},
                            {"trace_compile", minimum_heap_of<RecordedPlan<Recorded::kCompile>>},
                            {"trace_python", minimum_heap_of<RecordedPlan<Recorded::kPython>>},
                            {"trace_harness", minimum_heap_of<RecordedPlan<Recorded::kHarness>>}};

}  // namespace

CostlyCounters costly_counters_of(std::string_view workload) {
  const auto found = std::ranges::find(kCosts, workload, &Costs::workload);
  return found == std::end(kCosts) ? nullptr : found->count;
}

}  // namespace lab::allocator
