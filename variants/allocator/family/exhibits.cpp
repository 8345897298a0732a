#include "variants/allocator/family/exhibits.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

#include "harness/bench/exhibits.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/workloads.h"
#include "variants/common/heaps/growth.h"

namespace lab::allocator {

namespace {

constexpr const char* kPair = "pair";
constexpr const char* kRounding = "rounding";
constexpr const char* kFreeMemory = "free_memory";
constexpr const char* kResident = "resident";

constexpr std::size_t kPoints = 200;         ///< of a series
constexpr std::size_t kResidentPoints = 40;  ///< each asks the kernel, which takes about a millisecond

/// The live blocks of a plan and what they take.
class Slots {
 public:
  Slots(const Subject& subject, const ReplacementPlan& plan)
      : allocator_(subject.make(plan.demand)), blocks_(plan.fill.size()) {}
  ~Slots() {
    for (const Block& block : blocks_) allocator_->free(block.begin, block.bytes);
  }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  /// The time of the free and the allocation. As in the workload, the user has read the old block before and writes to
  /// the new one, but that is not part of the time.
  std::chrono::nanoseconds replace(const Replacement& next) {
    using Clock = std::chrono::steady_clock;
    Block& block = blocks_[next.slot];
    if (block.begin != nullptr) id_ = contents(block).id();
    occupied_ -= occupied(block);
    requested_ -= block.bytes;
    const Clock::time_point begin = Clock::now();
    allocator_->free(block.begin, block.bytes);
    void* const made = allocator_->allocate(next.bytes);
    const std::chrono::nanoseconds took = Clock::now() - begin;
    if (made == nullptr) out_of_memory(next.bytes);
    block = {static_cast<unsigned char*>(made), next.bytes};
    contents(block).mark(next.id);
    occupied_ += occupied(block);
    requested_ += block.bytes;
    return took;
  }

  std::size_t requested() const { return requested_; }
  double rounding() const { return static_cast<double>(occupied_) / static_cast<double>(requested_); }
  const AnyAllocator& allocator() const { return *allocator_; }

 private:
  std::size_t occupied(const Block& block) const {
    return block.begin == nullptr ? 0 : allocator_->occupied(block.begin, block.bytes);
  }

  Block contents(const Block& block) const {
    return {static_cast<unsigned char*>(allocator_->address(block.begin)), block.bytes};
  }

  std::unique_ptr<AnyAllocator> allocator_;
  std::vector<Block> blocks_;
  std::size_t requested_ = 0, occupied_ = 0;
  volatile std::uint32_t id_ = 0;  // volatile: so that the blocks are read
};

/// Of each operation of a repetition, after one that is not kept: as in the workload, the heap is no new one.
std::vector<std::uint32_t> pair_times(const Subject& subject, const ReplacementPlan& plan) {
  Slots slots(subject, plan);
  for (const Replacement& fill : plan.fill) slots.replace(fill);
  for (const Replacement& operation : plan.operations) slots.replace(operation);
  std::vector<std::uint32_t> times;
  times.reserve(plan.operations.size());
  for (const Replacement& operation : plan.operations)
    times.push_back(static_cast<std::uint32_t>(
        std::min<std::chrono::nanoseconds::rep>(slots.replace(operation).count(), UINT32_MAX)));
  return times;
}

constexpr const char* kAllocations = "allocations since the heap was empty";

struct Fragmentation {
  bench::Series rounding{kAllocations, "bytes in blocks per byte requested", {}, {{"blocks", {}}}};
  bench::Series free_memory{
      kAllocations, "share of free memory outside the largest free block", {}, {{"free memory", {}}}};
};

/// Executes the plan from the empty heap on. Calls `at_point` with the number of allocations so far at each of `points`
/// equally spaced ones.
template <typename AtPoint>
void from_empty(Slots& slots, const ReplacementPlan& plan, std::size_t points, const AtPoint& at_point) {
  const std::size_t step = (plan.fill.size() + plan.operations.size() + points - 1) / points;
  std::size_t allocated = 0;
  for (const std::vector<Replacement>* const part : {&plan.fill, &plan.operations})
    for (const Replacement& next : *part) {
      slots.replace(next);
      if (++allocated % step == 0) at_point(allocated);
    }
}

Fragmentation fragmentation(const Subject& subject, const ReplacementPlan& plan) {
  Slots slots(subject, plan);
  Fragmentation found;
  from_empty(slots, plan, kPoints, [&](std::size_t allocated) {
    found.rounding.x.push_back(static_cast<double>(allocated));
    found.rounding.lines[0].y.push_back(slots.rounding());
    found.free_memory.lines[0].y.push_back(slots.allocator().external_fragmentation());
  });
  found.free_memory.x = found.rounding.x;
  return found;
}

/// Before the other exhibits: what they leave in an allocator's caches would be used again.
bench::Series resident(const Subject& subject, const ReplacementPlan& plan) {
  bench::Series found{kAllocations, "growth of the resident memory per byte requested", {}, {{"resident", {}}}};
  found.x.reserve(kResidentPoints);
  found.lines[0].y.reserve(kResidentPoints);
  const std::size_t before = memory_bytes();
  Slots slots(subject, plan);
  from_empty(slots, plan, kResidentPoints, [&](std::size_t allocated) {
    const std::size_t grown = std::max(memory_bytes(), before) - before;
    found.x.push_back(static_cast<double>(allocated));
    found.lines[0].y.push_back(static_cast<double>(grown) / static_cast<double>(slots.requested()));
  });
  return found;
}

void show(const Subject& subject, std::uint64_t seed, bench::ExhibitFiles& files) {
  const RandomReplacePlan plan(seed);
  files.series(kResident, resident(subject, plan));
  files.latency(kPair, pair_times(subject, plan));
  const Fragmentation found = fragmentation(subject, plan);
  if (subject.can.tells_occupied) files.series(kRounding, found.rounding);
  if (subject.can.reports_fragmentation) files.series(kFreeMemory, found.free_memory);
}

}  // namespace

void add_exhibits(const Subject& subject, std::vector<bench::Workload>& workloads) {
  const auto workload = std::ranges::find(workloads, RandomReplacePlan::describe().name, &bench::Workload::name);
  if (workload == workloads.end() || !workload->unsupported.empty()) return;
  using enum bench::ExhibitKind;
  workload->exhibits = {{kPair, "Time of a free and an allocation, with a read of the clock (about 20 ns)", kLatency}};
  if (subject.can.tells_occupied)
    workload->exhibits.push_back({kRounding, "Bytes in blocks per byte requested, from the empty heap on", kSeries});
  workload->exhibits.push_back({kResident, "Resident memory per byte requested, from the empty heap on", kSeries});
  if (subject.can.reports_fragmentation)
    workload->exhibits.push_back(
        {kFreeMemory, "Free memory outside the largest free block, from the empty heap on", kSeries});
  workload->exhibit = [subject](const bench::Case& inputs, bench::ExhibitFiles& files) {
    show(subject, inputs.seed, files);
  };
}

}  // namespace lab::allocator
