/// The workloads of the allocator family. Every random choice is in a plan, made before the first repetition; a task
/// carries the plan out on one allocator and checks what it reads back.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
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

/// One size; the operations are first in, first out, and then in random order. In between, bursts of allocations are
/// freed last in, first out, on top of what is live.
struct SameSizePlan : ReplacementPlan {
  static constexpr std::size_t kLive = 10'000, kPairs = 30'000, kBytes = 64, kMaxBurst = 64;
  explicit SameSizePlan(std::uint64_t seed);
  static bench::Workload describe();
  std::vector<std::uint32_t> bursts;  ///< their sum is kPairs
};

/// Buffers that double as a vector does when it is appended to: allocate the next size, copy, free the old one. Each
/// operation takes a random buffer a step further; one that has its final size is freed and begins anew.
struct GrowingPlan {
  static constexpr std::size_t kLive = 256, kOperations = 20'000, kMinBytes = 64, kMaxBytes = 64 * 1024;
  struct Step {
    std::uint32_t buffer;
    std::uint32_t bytes;  ///< new size; kMinBytes frees the buffer and begins a new one
  };
  explicit GrowingPlan(std::uint64_t seed);
  static bench::Workload describe();
  std::vector<Step> steps;
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

/// What random replace and same-size churn have in common: slots with live blocks.
template <Allocator A>
class SlotTask : public bench::Task {
 public:
  explicit SlotTask(const ReplacementPlan& plan) : allocator_(plan.demand), slots_(plan.fill.size()) {
    for (const Replacement& fill : plan.fill) {
      slots_[fill.slot] = allocate_block(allocator_, fill.bytes);
      slots_[fill.slot].mark(fill.id);
    }
  }
  ~SlotTask() override {
    for (const Block& block : slots_) free_block(allocator_, block.begin, block.bytes);
  }
  std::map<std::string, double> counters() const override { return facts_; }

 protected:
  template <typename Iterator>
  void replace(Iterator first, Iterator last, bench::Checksum& sum) {
    for (Iterator at = first; at != last; ++at) {
      Block& slot = slots_[at->slot];
      sum.word(slot.id());
      free_block(allocator_, slot.begin, slot.bytes);
      slot = allocate_block(allocator_, at->bytes);
      slot.mark(at->id);
    }
  }
  void take_facts(const Demand& demand) {
    if (facts_.empty()) facts_ = facts(allocator_, slots_, demand);
  }

  A allocator_;

 private:
  std::vector<Block> slots_;
  std::map<std::string, double> facts_;
};

template <Allocator A>
class RandomReplace : public SlotTask<A> {
 public:
  using Plan = RandomReplacePlan;
  using Heap = A;
  template <Allocator Other>
  using On = RandomReplace<Other>;
  explicit RandomReplace(Plan plan) : SlotTask<A>(plan), plan_(std::move(plan)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] { this->replace(plan_.operations.begin(), plan_.operations.end(), sum); });
    this->take_facts(plan_.demand);
    return sum.value();
  }

 private:
  const Plan plan_;
};

template <Allocator A>
class SameSizeChurn : public SlotTask<A> {
 public:
  using Plan = SameSizePlan;
  using Heap = A;
  template <Allocator Other>
  using On = SameSizeChurn<Other>;
  explicit SameSizeChurn(Plan plan) : SlotTask<A>(plan), plan_(std::move(plan)) {}

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
      for (std::uint32_t i = 0; i < depth; ++i) {
        stack[i] = allocate_block(this->allocator_, Plan::kBytes);
        stack[i].mark(id++);
      }
      for (std::uint32_t i = depth; i-- > 0;) {
        sum.word(stack[i].id());
        free_block(this->allocator_, stack[i].begin, stack[i].bytes);
      }
    }
  }

  const Plan plan_;
};

template <Allocator A>
class GrowingBuffers : public bench::Task {
 public:
  using Plan = GrowingPlan;
  using Heap = A;
  template <Allocator Other>
  using On = GrowingBuffers<Other>;
  explicit GrowingBuffers(Plan plan) : plan_(std::move(plan)), allocator_(plan_.demand), buffers_(Plan::kLive) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] {
      std::uint64_t stamp = 0;
      for (const Plan::Step& step : plan_.steps) {
        Block& buffer = buffers_[step.buffer];
        if (step.bytes == Plan::kMinBytes) {
          retire(buffer, sum);
          buffer = {};
        }
        grow(buffer, step.bytes, ++stamp);
      }
    });
    if (facts_.empty()) facts_ = facts(allocator_, buffers_, plan_.demand);
    for (Block& buffer : buffers_) {
      for (std::size_t at = 0; at < buffer.bytes; at += kLine) sum.word(load(buffer.begin + at));
      free_block(allocator_, buffer.begin, buffer.bytes);
      buffer = {};
    }
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

  void grow(Block& buffer, std::size_t bytes, std::uint64_t stamp) {
    const Block grown = allocate_block(allocator_, bytes);
    if (buffer.bytes > 0) {
      std::memcpy(grown.begin, buffer.begin, buffer.bytes);
      free_block(allocator_, buffer.begin, buffer.bytes);
    }
    // A word a cache line stands for what is appended: it costs the memory traffic and little else.
    for (std::size_t at = buffer.bytes; at < bytes; at += kLine) {
      const std::uint64_t word = stamp << 32 | at;
      std::memcpy(grown.begin + at, &word, sizeof word);
    }
    buffer = grown;
  }

  // One word of each step that the buffer grew by, the last one of it: a copy that is cut short loses them. All the
  // rest is read where it is not timed.
  void retire(const Block& buffer, bench::Checksum& sum) {
    if (buffer.bytes == 0) return;
    for (std::size_t end = Plan::kMinBytes; end <= buffer.bytes; end *= 2) sum.word(load(buffer.begin + end - kLine));
    free_block(allocator_, buffer.begin, buffer.bytes);
  }

  const Plan plan_;
  A allocator_;
  std::vector<Block> buffers_;
  std::map<std::string, double> facts_;
};

template <Allocator A>
class FrameScratch : public bench::Task {
 public:
  using Plan = FramePlan;
  using Heap = A;
  template <Allocator Other>
  using On = FrameScratch<Other>;
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
    if constexpr (FixedCapacity<typename Task::Heap>) {
      using Trial = typename Task::template On<Bounded<typename Task::Heap>>;
      if (const auto bytes = minimum_heap_bytes<Trial>(Plan(seed_)))
        return {{"minimum_heap_bytes", static_cast<double>(*bytes)}};
    }
    return {};
  }

 private:
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
    return {workload<RandomReplace<A>>(), workload<GrowingBuffers<A>>(), workload<SameSizeChurn<A>>(),
            workload<FrameScratch<A>>()};
  } else {
    const std::string reason = "frees single blocks, and this allocator frees only all of them at once";
    return {unsupported(RandomReplacePlan::describe(), reason), unsupported(GrowingPlan::describe(), reason),
            unsupported(SameSizePlan::describe(), reason), workload<FrameScratch<A>>()};
  }
}

}  // namespace lab::allocator
