/// The workloads of the allocator family. Every random choice is in a plan, made before the first repetition; a task
/// carries the plan out on one allocator and checks what it reads back.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/variant.h"
#include "variants/allocator/allocator.h"
#include "variants/allocator/minimum_heap.h"

namespace lab::allocator {

/// Frees what is in `slot` and allocates `bytes` for it, marked `id`.
struct Replacement {
  std::uint32_t slot;
  std::uint32_t bytes;
  std::uint32_t id;  ///< of the operation, below 2^24, unlike any other's of the plan
};

/// A repetition must start from the state in which it ends, to do the same work every time. So the slots are filled
/// beforehand with what the last operation on each will leave there.
struct ReplacementPlan {
  std::vector<Replacement> fill;  ///< one a slot, in random order of ids
  std::vector<Replacement> operations;
  Demand demand;
};

/// Random sizes in random slots.
struct RandomReplacePlan : ReplacementPlan {
  static constexpr std::size_t kLive = 10'000, kOperations = 100'000, kMinBytes = 16, kMaxBytes = 4096;
  explicit RandomReplacePlan(std::uint64_t seed);
  static bench::Workload describe();
};

/// The same requests, whose blocks are left alone: what the allocator itself costs, without the memory traffic of
/// those that use it.
struct UntouchedReplacePlan : RandomReplacePlan {
  using RandomReplacePlan::RandomReplacePlan;
  static bench::Workload describe();
};

/// One size; the operations are first in, first out, and then in random order. In between, bursts of allocations are
/// freed last in, first out, on top of what is live.
struct SameSizePlan : ReplacementPlan {
  static constexpr std::size_t kLive = 10'000, kPairs = 30'000, kBytes = 64, kMaxBurst = 64;
  explicit SameSizePlan(std::uint64_t seed);
  static bench::Workload describe();
  std::vector<std::uint32_t> bursts;  ///< their sum is kPairs
};

/// Buffers that double as a vector does when it is appended to: allocate the next size, copy, free the old one. Each
/// step takes a random buffer further; one that has its final size is freed and begins anew. The steps of one buffer
/// are a closed circle: after its last one it stands where its first one goes on, so nothing is freed or allocated
/// between repetitions. What page faults there are, an allocator causes by what it gives back in a timed free.
struct GrowingPlan {
  static constexpr std::size_t kLive = 256, kOperations = 20'000, kMinBytes = 64, kMaxBytes = 64 * 1024;
  struct Step {
    std::uint32_t buffer;
    std::uint32_t bytes;  ///< new size; kMinBytes frees the buffer and begins a new one
    std::uint32_t id;     ///< of the operation, from 1: what is appended is stamped with it
  };
  explicit GrowingPlan(std::uint64_t seed);
  static bench::Workload describe();
  std::vector<Step> fill;  ///< brings new buffers to where the last operations leave them
  std::vector<Step> operations;
  Demand demand;
};

/// What a frame of a game does with memory: many blocks of many sizes, all of them free at its end.
struct FramePlan {
  static constexpr std::size_t kFrames = 20, kBlocks = 2'000, kMinBytes = 16, kMaxBytes = 512;
  explicit FramePlan(std::uint64_t seed);
  static bench::Workload describe();
  std::vector<std::uint32_t> bytes;  ///< kBlocks a frame, one frame after the other
  Demand demand;
};

/// A live block and what was asked for.
struct Block {
  unsigned char* begin = nullptr;
  std::size_t bytes = 0;

  /// Writes the id's three bytes to the first, middle and last one.
  void mark(std::uint32_t id) const {
    begin[0] = static_cast<unsigned char>(id);
    begin[bytes / 2] = static_cast<unsigned char>(id >> 8);
    begin[bytes - 1] = static_cast<unsigned char>(id >> 16);
  }
  /// What mark() left there.
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

/// Facts of one moment: exact, because it is the same moment of the first repetition every time.
template <Allocator A>
std::map<std::string, double> facts(A& allocator, const std::vector<Block>& live, const Demand& demand) {
  std::map<std::string, double> facts;
  if constexpr (Counts<A>) facts = allocator.counters();
  double requested = 0, occupied = 0;
  for (const Block& block : live) {
    if (block.begin == nullptr) continue;
    requested += static_cast<double>(block.bytes);
    occupied += static_cast<double>(allocator.occupied(block.begin, block.bytes));
  }
  facts["internal_fragmentation"] = occupied / requested;
  facts["peak_requested_bytes"] = static_cast<double>(demand.bytes);
  return facts;
}

/// Whether a task writes to its blocks and reads them back, which is most of what some of them cost.
enum class Touch { kBlocks, kNothing };

/// What random replace and same-size churn have in common: slots with live blocks.
template <Allocator A, Touch kTouch>
class SlotTask : public bench::Task {
 public:
  using Heap = A;

  explicit SlotTask(const ReplacementPlan& plan) : allocator_(plan.demand), slots_(plan.fill.size()) {
    for (const Replacement& fill : plan.fill) slots_[fill.slot] = make(fill.bytes, fill.id);
  }
  ~SlotTask() override {
    for (const Block& block : slots_) free_block(allocator_, block.begin, block.bytes);
  }
  std::map<std::string, double> counters() const override { return facts_; }

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
  void take_facts(const Demand& demand) {
    if (facts_.empty()) facts_ = facts(allocator_, slots_, demand);
  }

  A allocator_;
  std::vector<Block> slots_;

 private:
  std::map<std::string, double> facts_;
};

template <Allocator A, Touch kTouch = Touch::kBlocks>
class RandomReplace : public SlotTask<A, kTouch> {
 public:
  using Plan = RandomReplacePlan;
  template <Allocator Other>  ///< makes the same requests and nothing else
  using Untouched = RandomReplace<Other, Touch::kNothing>;
  explicit RandomReplace(Plan plan) : SlotTask<A, kTouch>(plan), plan_(std::move(plan)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] { this->replace(plan_.operations.begin(), plan_.operations.end(), sum); });
    this->take_facts(plan_.demand);
    return sum.value();
  }

 protected:
  const Plan plan_;
};

/// Touches its blocks only where it is not timed, to prove that they are there and that no two overlap: all live ones
/// are marked, then all are read back.
template <Allocator A>
class UntouchedReplace : public RandomReplace<A, Touch::kNothing> {
 public:
  using Plan = UntouchedReplacePlan;
  template <typename>
  using Untouched = void;  // RandomReplace finds the minimum of these requests
  explicit UntouchedReplace(Plan plan) : RandomReplace<A, Touch::kNothing>(std::move(plan)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    RandomReplace<A, Touch::kNothing>::repeat(clock);
    bench::Checksum sum;
    for (const Replacement& left : this->plan_.fill) this->slots_[left.slot].mark(left.id);
    for (const Block& block : this->slots_) sum.word(block.id());
    return sum.value();
  }
};

template <Allocator A, Touch kTouch = Touch::kBlocks>
class SameSizeChurn : public SlotTask<A, kTouch> {
 public:
  using Plan = SameSizePlan;
  template <Allocator Other>
  using Untouched = SameSizeChurn<Other, Touch::kNothing>;
  explicit SameSizeChurn(Plan plan) : SlotTask<A, kTouch>(plan), plan_(std::move(plan)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    const auto random = plan_.operations.begin() + Plan::kPairs;
    clock.time(0, [&] { this->replace(plan_.operations.begin(), random, sum); });
    clock.time(1, [&] { burst(sum); });
    clock.time(2, [&] { this->replace(random, plan_.operations.end(), sum); });
    this->take_facts(plan_.demand);
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

template <Allocator A, Touch kTouch = Touch::kBlocks>
class GrowingBuffers : public bench::Task {
 public:
  using Plan = GrowingPlan;
  using Heap = A;
  template <Allocator Other>
  using Untouched = GrowingBuffers<Other, Touch::kNothing>;
  explicit GrowingBuffers(Plan plan) : plan_(std::move(plan)), allocator_(plan_.demand), buffers_(Plan::kLive) {
    bench::Checksum nothing;
    for (const Plan::Step& step : plan_.fill) take(step, nothing);
  }
  ~GrowingBuffers() override {
    for (const Block& buffer : buffers_) free_block(allocator_, buffer.begin, buffer.bytes);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] {
      for (const Plan::Step& step : plan_.operations) take(step, sum);
    });
    if (facts_.empty()) facts_ = facts(allocator_, buffers_, plan_.demand);
    // Read only: whatever were freed or allocated here, the next repetition would pay for.
    if constexpr (kTouch == Touch::kBlocks)
      for (const Block& buffer : buffers_)
        for (std::size_t at = 0; at < buffer.bytes; at += kLine) sum.word(load(buffer.begin + at));
    return sum.value();
  }
  std::map<std::string, double> counters() const override { return facts_; }

 private:
  static constexpr std::size_t kLine = 64;

  static std::uint64_t load(const unsigned char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
  }

  void take(const Plan::Step& step, bench::Checksum& sum) {
    Block& buffer = buffers_[step.buffer];
    if (step.bytes == Plan::kMinBytes) retire(buffer, sum);
    grow(buffer, step.bytes, step.id);
  }

  void grow(Block& buffer, std::size_t bytes, std::uint64_t stamp) {
    const Block grown = allocate_block(allocator_, bytes);
    if (buffer.bytes > 0) {
      if constexpr (kTouch == Touch::kBlocks) std::memcpy(grown.begin, buffer.begin, buffer.bytes);
      free_block(allocator_, buffer.begin, buffer.bytes);
    }
    // A word a cache line stands for what is appended: it costs the memory traffic and little else.
    if constexpr (kTouch == Touch::kBlocks)
      for (std::size_t at = buffer.bytes; at < bytes; at += kLine) {
        const std::uint64_t word = stamp << 32 | at;
        std::memcpy(grown.begin + at, &word, sizeof word);
      }
    buffer = grown;
  }

  // One word of each step that the buffer grew by, the last one of it: a copy that is cut short loses them. All the
  // rest is read where it is not timed.
  void retire(Block& buffer, bench::Checksum& sum) {
    if constexpr (kTouch == Touch::kBlocks)
      for (std::size_t end = Plan::kMinBytes; end <= buffer.bytes; end *= 2) sum.word(load(buffer.begin + end - kLine));
    if (buffer.bytes > 0) free_block(allocator_, buffer.begin, buffer.bytes);
    buffer = {};
  }

  const Plan plan_;
  A allocator_;
  std::vector<Block> buffers_;
  std::map<std::string, double> facts_;
};

template <Allocator A, Touch kTouch = Touch::kBlocks>
class FrameScratch : public bench::Task {
 public:
  using Plan = FramePlan;
  using Heap = A;
  template <Allocator Other>
  using Untouched = FrameScratch<Other, Touch::kNothing>;
  explicit FrameScratch(Plan plan) : plan_(std::move(plan)), allocator_(plan_.demand), blocks_(Plan::kBlocks) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    for (std::size_t frame = 0; frame < Plan::kFrames; ++frame) {
      const std::uint32_t* const bytes = plan_.bytes.data() + frame * Plan::kBlocks;
      const std::uint32_t first_id = static_cast<std::uint32_t>(frame * Plan::kBlocks);
      clock.time(0, [&] {
        for (std::uint32_t i = 0; i < Plan::kBlocks; ++i) {
          blocks_[i] = allocate_block(allocator_, bytes[i]);
          if constexpr (kTouch == Touch::kBlocks) blocks_[i].mark(first_id + i);
        }
      });
      if constexpr (kTouch == Touch::kBlocks)
        for (const Block& block : blocks_) sum.word(block.id());
      if (facts_.empty()) facts_ = facts(allocator_, blocks_, plan_.demand);
      clock.time(1, [&] { release(); });
    }
    return sum.value();
  }
  std::map<std::string, double> counters() const override { return facts_; }

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
  std::map<std::string, double> facts_;
};

/// Task, which finds its minimum heap where its allocator has one.
template <typename Task>
class Sized final : public Task {
 public:
  using Plan = typename Task::Plan;
  explicit Sized(std::uint64_t seed) : Task(Plan(seed)), seed_(seed) {}

  std::map<std::string, double> costly_counters() const override {
    if constexpr (FixedCapacity<typename Task::Heap> && !std::is_void_v<Trial<typename Task::Heap>>) {
      if (const auto bytes = minimum_heap_bytes<Trial<Bounded<typename Task::Heap>>>(Plan(seed_)))
        return {{"minimum_heap_bytes", static_cast<double>(*bytes)}};
    }
    return {};
  }

 private:
  template <typename Heap>
  using Trial = typename Task::template Untouched<Heap>;

  std::uint64_t seed_;
};

/// The workload that `Task` carries out.
template <typename Task>
bench::Workload workload() {
  bench::Workload workload = Task::Plan::describe();
  // jemalloc draws from its addresses and mimalloc reads the clock; the C library is another one on each machine.
  workload.repeatable = !Rival<typename Task::Heap>;
  workload.prepare = [](const bench::Parameters& parameters) { return std::make_unique<Sized<Task>>(parameters.seed); };
  return workload;
}

/// The workload of a plan that A cannot carry out.
inline bench::Workload unsupported(bench::Workload workload, std::string reason) {
  workload.unsupported = std::move(reason);
  return workload;
}

/// All workloads of the family, in the order in which they are listed.
template <Allocator A>
std::vector<bench::Workload> workloads() {
  if constexpr (FreesBlocks<A>) {
    return {workload<RandomReplace<A>>(), workload<UntouchedReplace<A>>(), workload<GrowingBuffers<A>>(),
            workload<SameSizeChurn<A>>(), workload<FrameScratch<A>>()};
  } else {
    const std::string reason = "frees single blocks, and this allocator frees only all of them at once";
    return {unsupported(RandomReplacePlan::describe(), reason), unsupported(UntouchedReplacePlan::describe(), reason),
            unsupported(GrowingPlan::describe(), reason), unsupported(SameSizePlan::describe(), reason),
            workload<FrameScratch<A>>()};
  }
}

}  // namespace lab::allocator
