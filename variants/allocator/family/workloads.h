/// The workloads of the allocator family. A plan holds every random choice and is made before the first repetition. A
/// task executes the plan with one allocator and checks the contents of the blocks.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/variant.h"
#include "variants/allocator/family/allocator.h"
#include "variants/allocator/family/minimum_heap.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/subject.h"

namespace lab::allocator {

/// A live block and its requested size.
struct Block {
  unsigned char* begin = nullptr;
  std::size_t bytes = 0;

  /// Writes the id's three bytes to the first, middle and last one.
  void mark(std::uint32_t id) const {
    begin[0] = static_cast<unsigned char>(id);
    begin[bytes / 2] = static_cast<unsigned char>(id >> 8);
    begin[bytes - 1] = static_cast<unsigned char>(id >> 16);
  }
  /// The id that mark() wrote.
  std::uint32_t id() const {
    return begin[0] | std::uint32_t{begin[bytes / 2]} << 8 | std::uint32_t{begin[bytes - 1]} << 16;
  }
};

template <Allocator A>
Block allocate_block(A& allocator, std::size_t bytes) {
  void* const begin = allocator.allocate(bytes);
  if (begin == nullptr) [[unlikely]]
    out_of_memory(bytes);
  return {static_cast<unsigned char*>(begin), bytes};
}

/// Adds the counters that every allocator has to its own.
std::map<std::string, double> with_common_counters(std::map<std::string, double> own, double requested, double occupied,
                                                   const Demand& demand);

/// Counters at one point of the first repetition, the same point in every process; so they are exact. Never inlined: it
/// would change the registers of the timed loops beside it.
template <Allocator A>
[[gnu::noinline]] std::map<std::string, double> first_repetition_counters(A& allocator, const std::vector<Block>& live,
                                                                          const Demand& demand) {
  double requested = 0, occupied = 0;
  for (const Block& block : live) {
    if (block.begin == nullptr) continue;
    requested += static_cast<double>(block.bytes);
    occupied += static_cast<double>(allocator.occupied(block.begin, block.bytes));
  }
  if constexpr (Counts<A>)
    return with_common_counters(allocator.counters(), requested, occupied, demand);
  else
    return with_common_counters({}, requested, occupied, demand);
}

/// Whether a task writes to its blocks and reads them back. In some tasks that is most of the time.
enum class Touch { kBlocks, kNothing };

/// Base of RandomReplace and SameSizeChurn: slots with live blocks.
template <Allocator A, Touch kTouch>
class SlotTask : public bench::Task {
 public:
  using Heap = A;
  static constexpr bool kHasMinimumHeap = true;

  explicit SlotTask(const ReplacementPlan& plan) : allocator_(plan.demand), slots_(plan.fill.size()) {
    for (const Replacement& fill : plan.fill) slots_[fill.slot] = make(fill.bytes, fill.id);
  }
  ~SlotTask() override {
    for (const Block& block : slots_) free_block(allocator_, block.begin, block.bytes);
  }
  std::map<std::string, double> counters() const override { return counters_; }

 protected:
  Block make(std::size_t bytes, std::uint32_t id) {
    const Block block = allocate_block(allocator_, bytes);
    if constexpr (kTouch == Touch::kBlocks) block.mark(id);
    return block;
  }
  void discard(const Block& block, bench::Checksum& sum) {
    if constexpr (kTouch == Touch::kBlocks) sum.word(block.id());
    free_block(allocator_, block.begin, block.bytes);
  }
  template <typename Iterator>
  void replace(Iterator first, Iterator last, bench::Checksum& sum) {
    for (Iterator at = first; at != last; ++at) {
      Block& slot = slots_[at->slot];
      discard(slot, sum);
      slot = make(at->bytes, at->id);
    }
  }
  void record_counters(const Demand& demand) {
    if (counters_.empty()) counters_ = first_repetition_counters(allocator_, slots_, demand);
  }

  A allocator_;
  std::vector<Block> slots_;

 private:
  std::map<std::string, double> counters_;
};

template <Allocator A, Touch kTouch = Touch::kBlocks>
class RandomReplace : public SlotTask<A, kTouch> {
 public:
  using Plan = RandomReplacePlan;
  explicit RandomReplace(Plan plan) : SlotTask<A, kTouch>(plan), plan_(std::move(plan)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] { this->replace(plan_.operations.begin(), plan_.operations.end(), sum); });
    this->record_counters(plan_.demand);
    return sum.value();
  }

 protected:
  const Plan plan_;
};

/// Touches its blocks only outside of the timed phase, to prove that they exist and do not overlap: it marks all live
/// blocks, then reads all back.
template <Allocator A>
class UntouchedReplace : public RandomReplace<A, Touch::kNothing> {
 public:
  using Plan = UntouchedReplacePlan;
  static constexpr bool kHasMinimumHeap = false;  // that of RandomReplace, which makes the same requests
  explicit UntouchedReplace(Plan plan) : RandomReplace<A, Touch::kNothing>(std::move(plan)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    RandomReplace<A, Touch::kNothing>::repeat(clock);
    bench::Checksum sum;
    for (const Replacement& fill : this->plan_.fill) this->slots_[fill.slot].mark(fill.id);
    for (const Block& block : this->slots_) sum.word(block.id());
    return sum.value();
  }
};

template <Allocator A>
class SameSizeChurn : public SlotTask<A, Touch::kBlocks> {
 public:
  using Plan = SameSizePlan;
  explicit SameSizeChurn(Plan plan) : SlotTask<A, Touch::kBlocks>(plan), plan_(std::move(plan)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    const auto random = plan_.operations.begin() + Plan::kPairs;
    clock.time(0, [&] { this->replace(plan_.operations.begin(), random, sum); });
    clock.time(1, [&] { burst(sum); });
    clock.time(2, [&] { this->replace(random, plan_.operations.end(), sum); });
    this->record_counters(plan_.demand);
    return sum.value();
  }

 private:
  void burst(bench::Checksum& sum) {
    std::uint32_t id = 0;
    std::array<Block, Plan::kMaxBurst> stack;
    for (const std::uint32_t depth : plan_.bursts) {
      for (std::uint32_t i = 0; i < depth; ++i) stack[i] = this->make(Plan::kBytes, id++);
      for (std::uint32_t i = depth; i-- > 0;) this->discard(stack[i], sum);
    }
  }

  const Plan plan_;
};

template <Allocator A>
class GrowingBuffers : public bench::Task {
 public:
  using Plan = GrowingPlan;
  using Heap = A;
  static constexpr bool kHasMinimumHeap = true;
  explicit GrowingBuffers(Plan plan) : plan_(std::move(plan)), allocator_(plan_.demand), buffers_(Plan::kLive) {
    bench::Checksum nothing;
    for (const Plan::Step& step : plan_.fill) apply(step, nothing);
  }
  ~GrowingBuffers() override {
    for (const Block& buffer : buffers_) free_block(allocator_, buffer.begin, buffer.bytes);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] {
      for (const Plan::Step& step : plan_.operations) apply(step, sum);
    });
    if (counters_.empty()) counters_ = first_repetition_counters(allocator_, buffers_, plan_.demand);
    // Read only: a free or an allocation here would change the cost of the next repetition.
    for (const Block& buffer : buffers_)
      for (std::size_t at = 0; at < buffer.bytes; at += kLine) sum.word(load(buffer.begin + at));
    return sum.value();
  }
  std::map<std::string, double> counters() const override { return counters_; }

 private:
  static constexpr std::size_t kLine = 64;

  static std::uint64_t load(const unsigned char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
  }

  void apply(const Plan::Step& step, bench::Checksum& sum) {
    Block& buffer = buffers_[step.buffer];
    if (step.bytes == Plan::kMinBytes) retire(buffer, sum);
    grow(buffer, step.bytes, step.id);
  }

  void grow(Block& buffer, std::size_t bytes, std::uint64_t stamp) {
    const Block grown = allocate_block(allocator_, bytes);
    if (buffer.bytes > 0) {
      std::memcpy(grown.begin, buffer.begin, buffer.bytes);
      free_block(allocator_, buffer.begin, buffer.bytes);
    }
    // One word per cache line stands for the appended data: it costs the memory traffic and little else.
    for (std::size_t at = buffer.bytes; at < bytes; at += kLine) {
      const std::uint64_t word = stamp << 32 | at;
      std::memcpy(grown.begin + at, &word, sizeof word);
    }
    buffer = grown;
  }

  // Reads the last word that each growth step appended: a copy that is too short loses it. The rest is read outside of
  // the timed phase.
  void retire(Block& buffer, bench::Checksum& sum) {
    for (std::size_t end = Plan::kMinBytes; end <= buffer.bytes; end *= 2) sum.word(load(buffer.begin + end - kLine));
    if (buffer.bytes > 0) free_block(allocator_, buffer.begin, buffer.bytes);
    buffer = {};
  }

  const Plan plan_;
  A allocator_;
  std::vector<Block> buffers_;
  std::map<std::string, double> counters_;
};

template <Allocator A>
class FrameScratch : public bench::Task {
 public:
  using Plan = FramePlan;
  using Heap = A;
  static constexpr bool kHasMinimumHeap = true;
  explicit FrameScratch(Plan plan) : plan_(std::move(plan)), allocator_(plan_.demand), blocks_(Plan::kBlocks) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    for (std::size_t frame = 0; frame < Plan::kFrames; ++frame) {
      const std::uint32_t* const bytes = plan_.bytes.data() + frame * Plan::kBlocks;
      const std::uint32_t first_id = static_cast<std::uint32_t>(frame * Plan::kBlocks);
      clock.time(0, [&] {
        for (std::uint32_t i = 0; i < Plan::kBlocks; ++i) {
          blocks_[i] = allocate_block(allocator_, bytes[i]);
          blocks_[i].mark(first_id + i);
        }
      });
      for (const Block& block : blocks_) sum.word(block.id());
      if (counters_.empty()) counters_ = first_repetition_counters(allocator_, blocks_, plan_.demand);
      clock.time(1, [&] { release(); });
    }
    return sum.value();
  }
  std::map<std::string, double> counters() const override { return counters_; }

 private:
  void release() {
    if constexpr (Resets<A>) {
      allocator_.reset();
    } else {
      for (const Block& block : blocks_) free_block(allocator_, block.begin, block.bytes);
    }
  }

  const Plan plan_;
  A allocator_;
  std::vector<Block> blocks_;
  std::map<std::string, double> counters_;
};

/// Task that also finds its minimum heap, if its allocator has a fixed capacity.
template <typename Task>
class Sized final : public Task {
 public:
  using Plan = typename Task::Plan;
  explicit Sized(std::uint64_t seed) : Task(Plan(seed)), seed_(seed) {}

  std::map<std::string, double> costly_counters() const override {
    if constexpr (FixedCapacity<typename Task::Heap> && Task::kHasMinimumHeap) {
      const Plan plan(seed_);
      return minimum_heap_counters(subject_of<typename Task::Heap>(), plan.trace(), plan.demand);
    }
    return {};
  }

 private:
  std::uint64_t seed_;
};

/// What counters() and costly_counters() of the family's tasks may hold. An allocator may lack some of them.
std::vector<bench::Metric> family_metrics();

/// How a variant executes one of the family's workloads.
struct Execution {
  bench::Workload (*describe)();
  std::unique_ptr<bench::Task> (*prepare)(std::uint64_t seed);  ///< nullptr: it cannot
};

template <typename Task>
Execution execution() {
  return {Task::Plan::describe,
          [](std::uint64_t seed) -> std::unique_ptr<bench::Task> { return std::make_unique<Sized<Task>>(seed); }};
}

/// `repeatable` as in bench::Workload.
std::vector<bench::Workload> offer(std::initializer_list<Execution> executions, bool repeatable);

/// All workloads of the family, in the order of `list`.
template <Allocator A>
std::vector<bench::Workload> workloads() {
  // jemalloc seeds its random choices from addresses, mimalloc reads the clock, and each machine has its own C library.
  constexpr bool kRepeatable = !ThirdParty<A>;
  if constexpr (FreesBlocks<A>) {
    return offer({execution<RandomReplace<A>>(), execution<UntouchedReplace<A>>(), execution<GrowingBuffers<A>>(),
                  execution<SameSizeChurn<A>>(), execution<FrameScratch<A>>()},
                 kRepeatable);
  } else {
    return offer({{RandomReplacePlan::describe, nullptr},
                  {UntouchedReplacePlan::describe, nullptr},
                  {GrowingPlan::describe, nullptr},
                  {SameSizePlan::describe, nullptr},
                  execution<FrameScratch<A>>()},
                 kRepeatable);
  }
}

}  // namespace lab::allocator
