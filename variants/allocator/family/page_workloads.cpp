#include "variants/allocator/family/page_workloads.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "harness/base/random.h"
#include "harness/bench/checksum.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/offer.h"
#include "variants/common/plans/plans.h"
#include "variants/common/workloads/workload.h"

namespace lab::allocator {

namespace {

std::uint64_t load(const Block& block, std::size_t offset) {
  std::uint64_t word;
  std::memcpy(&word, block.begin + offset, sizeof word);
  return word;
}

void store(const Block& block, std::size_t offset, std::uint64_t word) {
  std::memcpy(block.begin + offset, &word, sizeof word);
}

/// Blocks behind virtual calls.
class PageTask : public bench::Task {
 public:
  PageTask(const Subject& subject, const Demand& demand, std::size_t blocks)
      : demand_(demand), allocator_(subject.make(demand)), blocks_(blocks) {}
  ~PageTask() override {
    for (const Block& block : blocks_) discard(block);
  }
  std::map<std::string, double> counters() const override { return counters_; }

 protected:
  Block allocate(std::size_t bytes) {
    auto* const begin = static_cast<unsigned char*>(allocator_->allocate(bytes));
    if (begin == nullptr) out_of_memory(bytes);
    return {begin, bytes};
  }
  void discard(const Block& block) {
    if (block.begin != nullptr) allocator_->free(block.begin, block.bytes);
  }
  void record_counters() {
    if (!counters_.empty()) return;
    double requested = 0, occupied = 0;
    for (const Block& block : blocks_) {
      requested += static_cast<double>(block.bytes);
      occupied += static_cast<double>(allocator_->occupied(block.begin, block.bytes));
    }
    counters_ = allocator_->counters();
    if (occupied > 0) counters_["internal_fragmentation"] = occupied / requested;
    counters_["peak_requested_bytes"] = static_cast<double>(demand_.bytes);
  }

  Demand demand_;
  std::unique_ptr<AnyAllocator> allocator_;
  std::vector<Block> blocks_;

 private:
  std::map<std::string, double> counters_;
};

// --- large_replace ---------------------------------------------------------------------------------------------------

constexpr std::size_t kReplaced = 24, kReplacements = 48, kSmallest = std::size_t{64} << 10,
                      kLargest = std::size_t{8} << 20;

/// Sizes with evenly distributed logarithms: as many from 64 to 128 KiB as from 4 to 8 MiB.
ReplacementPlan large_replacements(std::uint64_t seed) {
  ReplacementPlan plan = random_replacements(seed, kReplaced, kReplacements, {0, 1 << 20});
  const auto scale = [](Replacement& replacement) {
    const double share = static_cast<double>(replacement.bytes) / (1 << 20);
    replacement.bytes = static_cast<std::uint32_t>(kSmallest * std::pow(double{kLargest} / kSmallest, share));
  };
  for (Replacement& fill : plan.fill) scale(fill);
  for (Replacement& operation : plan.operations) scale(operation);
  // The fill holds what the operations leave, so its sizes have changed with theirs.
  plan.demand = {.bytes = 0, .blocks = kReplaced};
  std::size_t live = 0;
  std::vector<std::size_t> bytes;
  for (const Replacement& fill : plan.fill) live += bytes.emplace_back(fill.bytes);
  plan.demand.bytes = live;
  for (const Replacement& operation : plan.operations) {
    live = live - std::exchange(bytes[operation.slot], operation.bytes) + operation.bytes;
    plan.demand.bytes = std::max(plan.demand.bytes, live);
  }
  return plan;
}

class LargeReplace final : public PageTask {
 public:
  LargeReplace(const Subject& subject, ReplacementPlan plan)
      : PageTask(subject, plan.demand, plan.fill.size()), plan_(std::move(plan)) {
    for (const Replacement& fill : plan_.fill) blocks_[fill.slot] = make(fill);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] {
      for (const Replacement& operation : plan_.operations) {
        Block& block = blocks_[operation.slot];
        for (std::size_t at = 0; at + sizeof(std::uint64_t) <= block.bytes; at += kPageBytes) sum.word(load(block, at));
        discard(block);
        block = make(operation);
      }
    });
    record_counters();
    return sum.value();
  }

 private:
  Block make(const Replacement& replacement) {
    const Block block = allocate(replacement.bytes);
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= block.bytes; at += kPageBytes)
      store(block, at, std::uint64_t{replacement.id} << 32 | at);
    return block;
  }

  const ReplacementPlan plan_;
};

bench::Workload describe_large_replace() {
  return make_workload(
      "large_replace",
      "Free a random one of 24 blocks of 64 KiB to 8 MiB, allocate another; read and write a word in each 4 KiB",
      {"total"}, kReplacements, "pair");
}

// --- large_reads, large_scan -----------------------------------------------------------------------------------------

constexpr std::size_t kReadBlock = std::size_t{2} << 20, kLine = 64, kReads = 20'000;

/// Blocks with random words, one in each line. `bytes` is a power of two.
class ReadTask : public PageTask {
 public:
  ReadTask(const Subject& subject, std::uint64_t seed, std::size_t bytes)
      : PageTask(subject, {.bytes = bytes, .blocks = bytes / kReadBlock}, bytes / kReadBlock), lines_(bytes / kLine) {
    Random random(seed);
    for (Block& block : blocks_) {
      block = allocate(kReadBlock);
      for (std::size_t at = 0; at < kReadBlock; at += kLine) store(block, at, random.next());
    }
  }

 protected:
  std::uint64_t lines() const { return lines_; }
  std::uint64_t word(std::uint64_t line) const {
    return load(blocks_[line / kLinesOfBlock], line % kLinesOfBlock * kLine);
  }

 private:
  static constexpr std::size_t kLinesOfBlock = kReadBlock / kLine;
  std::uint64_t lines_;
};

class LargeReads final : public ReadTask {
 public:
  using ReadTask::ReadTask;

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    std::uint64_t state = 1;
    clock.time(0, [&] {
      for (std::size_t i = 0; i < kReads; ++i) {
        // The next address depends on what was read, so every read waits for the one before.
        state = (state ^ word((state >> 32) & (lines() - 1))) * 0x9e3779b97f4a7c15u + i;
      }
    });
    record_counters();
    return state;
  }
};

/// Line by line: the locality that the random reads lack.
class LargeScan final : public ReadTask {
 public:
  using ReadTask::ReadTask;

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    std::uint64_t state = 1;
    clock.time(0, [&] {
      for (std::uint64_t line = 0; line < lines(); ++line) state = (state ^ word(line)) * 0x9e3779b97f4a7c15u + line;
    });
    record_counters();
    return state;
  }
};

/// `all`: each line once.
bench::Workload describe_reads(const char* name, const char* title, bool all) {
  bench::Workload workload = make_workload(name, title, {"total"}, 0, "read");
  workload.axis = bench::Axis{"in_all", "bytes", {}};
  for (std::size_t bytes = std::size_t{4} << 20; bytes <= std::size_t{256} << 20; bytes *= 4)
    workload.axis->points.push_back({static_cast<double>(bytes), all ? bytes / kLine : kReads});
  workload.operations = workload.axis->points.front().operations;
  return workload;
}

}  // namespace

void add_page_workloads(const Subject& subject, bool repeatable, std::vector<bench::Workload>& workloads) {
  const auto add = [&](bench::Workload workload) -> bench::Workload& {
    workload.metrics = family_metrics();
    workload.repeatable = repeatable;
    return workloads.emplace_back(std::move(workload));
  };
  const auto offer_task = [&](bench::Workload& workload, bool frees_blocks, auto prepare) {
    if (subject.can.relocates)
      workload.unsupported = kKeepsAddresses;
    else if (frees_blocks && !subject.can.frees_blocks)
      workload.unsupported = kFreesNoBlocks;
    else
      workload.prepare = prepare;
  };
  offer_task(add(describe_large_replace()), true, [subject](const bench::Case& inputs) -> std::unique_ptr<bench::Task> {
    return std::make_unique<LargeReplace>(subject, large_replacements(inputs.seed));
  });
  offer_task(add(describe_reads("large_reads",
                                "Read words at random from blocks of 2 MiB, each read after the one before", false)),
             false, [subject](const bench::Case& inputs) -> std::unique_ptr<bench::Task> {
               return std::make_unique<LargeReads>(subject, inputs.seed, static_cast<std::size_t>(inputs.point));
             });
  offer_task(add(describe_reads("large_scan", "Read a word of each 64 bytes of blocks of 2 MiB, in order", true)),
             false, [subject](const bench::Case& inputs) -> std::unique_ptr<bench::Task> {
               return std::make_unique<LargeScan>(subject, inputs.seed, static_cast<std::size_t>(inputs.point));
             });
}

}  // namespace lab::allocator
