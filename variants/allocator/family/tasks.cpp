#include "variants/allocator/family/tasks.h"

#include <algorithm>
#include <concepts>
#include <utility>

namespace lab::allocator {

namespace {

/// What live blocks were requested as, and what they take: 0 if the allocator cannot tell.
struct LiveBytes {
  double requested = 0, occupied = 0;

  void add(AnyAllocator& allocator, const Block& block) {
    if (block.begin == nullptr) return;
    requested += static_cast<double>(block.bytes);
    if (allocator.can().tells_occupied) occupied += static_cast<double>(allocator.occupied(block.begin, block.bytes));
  }
};

/// Adds the counters that every allocator has to its own.
std::map<std::string, double> with_common_counters(std::map<std::string, double> own, const LiveBytes& live,
                                                   const Demand& demand) {
  if (live.occupied > 0) own["internal_fragmentation"] = live.occupied / live.requested;
  own["peak_requested_bytes"] = static_cast<double>(demand.bytes);
  return own;
}

/// The sizes of both heaps together.
std::map<std::string, double> of_both_heaps(const std::map<std::string, double>& one,
                                            const std::map<std::string, double>& other) {
  std::map<std::string, double> both;
  for (const char* const size : {"buffer_bytes", "metadata_bytes"})
    if (one.contains(size) && other.contains(size)) both[size] = one.at(size) + other.at(size);
  return both;
}

Demand on_threads(Demand demand, unsigned threads) {
  demand.threads = threads;
  return demand;
}

unsigned threads_of(const bench::Case& inputs) {
  return threads_at(inputs.point, inputs.threads);
}

}  // namespace

void free_blocks(AnyAllocator& allocator, const std::vector<Block>& blocks) {
  for (const Block& block : blocks) allocator.free(block.begin, block.bytes);
}

CountingTask::CountingTask() = default;
CountingTask::~CountingTask() = default;

std::map<std::string, double> CountingTask::counters() const {
  return counters_;
}

void CountingTask::count(AnyAllocator& allocator, const std::vector<Block>& live, const Demand& demand) {
  if (!counters_.empty()) return;
  LiveBytes bytes;
  for (const Block& block : live) bytes.add(allocator, block);
  counters_ = with_common_counters(allocator.counters(), bytes, demand);
}

// --- Slots -----------------------------------------------------------------------------------------------------------

template <typename Plan>
ChurnPlan replacements(const bench::Case& inputs) {
  if constexpr (std::derived_from<Plan, ChurnPlan>)
    return Plan(inputs.seed);
  else if constexpr (requires { Plan(inputs.seed, inputs.point); })
    return {Plan(inputs.seed, inputs.point), {}, 0};
  else
    return {Plan(inputs.seed), {}, 0};
}
template ChurnPlan replacements<RandomReplacePlan>(const bench::Case& inputs);
template ChurnPlan replacements<SameSizePlan>(const bench::Case& inputs);
template ChurnPlan replacements<LifetimesPlan>(const bench::Case& inputs);
template ChurnPlan replacements<SizeSweepPlan>(const bench::Case& inputs);
template ChurnPlan replacements<LiveSweepPlan>(const bench::Case& inputs);

SlotTask::SlotTask(const bench::Case& inputs, MakeReplacements plan) : plan_(plan(inputs)), slots_(plan_.fill.size()) {}
SlotTask::~SlotTask() = default;

void SlotTask::fill(AnyAllocator& allocator, Touch touch) {
  for (const Replacement& fill : plan_.fill)
    slots_[fill.slot] =
        touch == Touch::kBlocks ? make_block(allocator, fill.bytes, fill.id) : allocate_block(allocator, fill.bytes);
}

std::uint64_t SlotTask::mark_and_read(AnyAllocator& allocator) const {
  bench::Checksum sum;
  for (const Replacement& fill : plan_.fill) contents(allocator, slots_[fill.slot]).mark(fill.id);
  for (const Block& block : slots_) sum.word(contents(allocator, block).id());
  return sum.value();
}

// --- Buffers and frames ----------------------------------------------------------------------------------------------

GrowingTask::GrowingTask(const bench::Case& inputs) : plan_(inputs.seed), buffers_(GrowingPlan::kLive) {}
GrowingTask::~GrowingTask() = default;

void GrowingTask::fill(AnyAllocator& allocator) {
  bench::Checksum nothing;
  for (const GrowingPlan::Step& step : plan_.fill) apply(allocator, step, nothing);
}

bench::Checksum GrowingTask::read(const AnyAllocator& allocator, bench::Checksum sum) const {
  for (const Block& buffer : buffers_) {
    const unsigned char* const begin = contents(allocator, buffer).begin;
    for (std::size_t at = 0; at < buffer.bytes; at += kLine) sum.word(load(begin + at));
  }
  return sum;
}

FrameTask::FrameTask(const bench::Case& inputs) : plan_(inputs.seed), blocks_(FramePlan::kBlocks) {}
FrameTask::~FrameTask() = default;

bench::Checksum FrameTask::read(const AnyAllocator& allocator, bench::Checksum sum) const {
  for (const Block& block : blocks_) sum.word(contents(allocator, block).id());
  return sum;
}

// --- Fragmentation ---------------------------------------------------------------------------------------------------

WorstCaseTask::WorstCaseTask(const bench::Case& inputs) : plan_(inputs.seed), twice_(Plan::kTwice) {}
WorstCaseTask::~WorstCaseTask() = default;

void WorstCaseTask::fill(AnyAllocator& allocator) {
  for (std::uint32_t i = 0; i < Plan::kBlocks; ++i)
    blocks_.push_back(make_block(allocator, Plan::kBytes, plan_.first_id + i));
}

void WorstCaseTask::begin(AnyAllocator& allocator) {
  std::ranges::sort(blocks_, {}, &Block::begin);
  count(allocator, blocks_, plan_.demand);
}

SumOfIds WorstCaseTask::read_kept(SumOfIds sum) const {
  for (std::size_t i = 1; i < Plan::kBlocks; i += 2) sum.add(blocks_[i].id());
  return sum;
}

LongAndShortTask::LongAndShortTask(const bench::Case& inputs)
    : plan_(inputs.seed), large_(LongAndShortPlan::kPairs), small_(LongAndShortPlan::kPairs) {}
LongAndShortTask::~LongAndShortTask() = default;

void LongAndShortTask::count(AnyAllocator& allocator) {
  if (!counters_.empty()) return;
  std::vector<Block> live = large_;
  live.insert(live.end(), small_.begin(), small_.end());
  CountingTask::count(allocator, live, plan_.demand);
}

LifetimesApartTask::LifetimesApartTask(const bench::Case& inputs)
    : plan_(inputs.seed),
      long_demand_(plan_.long_lived().demand),
      short_demand_(plan_.short_lived().demand),
      slots_(plan_.fill.size()) {}
LifetimesApartTask::~LifetimesApartTask() = default;

void LifetimesApartTask::fill(AnyAllocator& of_long, AnyAllocator& of_short) {
  for (const Replacement& fill : plan_.fill)
    slots_[fill.slot] = make_block(is_long(fill.slot) ? of_long : of_short, fill.bytes, fill.id);
}

void LifetimesApartTask::free_all(AnyAllocator& of_long, AnyAllocator& of_short) const {
  for (std::size_t slot = 0; slot < slots_.size(); ++slot)
    (is_long(slot) ? of_long : of_short).free(slots_[slot].begin, slots_[slot].bytes);
}

void LifetimesApartTask::count(AnyAllocator& of_long, AnyAllocator& of_short) {
  if (!counters_.empty()) return;
  LiveBytes bytes;
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) bytes.add(is_long(slot) ? of_long : of_short, slots_[slot]);
  counters_ = with_common_counters(of_both_heaps(of_long.counters(), of_short.counters()), bytes, plan_.demand);
}

ReplayTask::ReplayTask(Recorded which) : plan_(which), blocks_(plan_.requests.slots) {}
ReplayTask::~ReplayTask() = default;

// --- Threads ---------------------------------------------------------------------------------------------------------

CrossThreadTask::CrossThreadTask(const bench::Case& inputs)
    : plan_(inputs.seed),
      pairs_(std::max(threads_of(inputs) / 2, 1u)),
      demand_{.bytes = 2 * pairs_ * kLivePerThread * CrossThreadPlan::kMaxBytes,
              .blocks = 2 * pairs_ * kLivePerThread,
              .threads = 2 * pairs_},
      queues_(std::make_unique<BlockQueue[]>(pairs_)),
      sums_(pairs_) {}
CrossThreadTask::~CrossThreadTask() = default;

std::uint64_t CrossThreadTask::sum() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t one : sums_) sum += one;
  return sum;
}

// Threads may be at any place of the plan.
LarsonTask::LarsonTask(const bench::Case& inputs)
    : plan_(inputs.seed),
      demand_{.bytes = plan_.fill.size() * LarsonPlan::kMaxBytes,
              .blocks = plan_.demand.blocks,
              .threads = threads_of(inputs)},
      slots_(plan_.fill.size()),
      sums_(LarsonPlan::kParts) {}
LarsonTask::~LarsonTask() = default;

void LarsonTask::fill(AnyAllocator& allocator) {
  for (const Replacement& fill : plan_.fill) slots_[fill.slot] = make_block(allocator, fill.bytes, fill.id);
}

std::uint64_t LarsonTask::sum() const {
  bench::Checksum sum;
  for (const bench::Checksum& one : sums_) sum.word(one.value());
  return sum.value();
}

FrameThreadsTask::FrameThreadsTask(const bench::Case& inputs)
    : plan_(inputs.seed), demand_(on_threads(plan_.demand, threads_of(inputs))), blocks_(FrameThreadsPlan::kBlocks) {}
FrameThreadsTask::~FrameThreadsTask() = default;

bench::Checksum FrameThreadsTask::read(bench::Checksum sum) const {
  for (const Block& block : blocks_) sum.word(block.id());
  return sum;
}

}  // namespace lab::allocator
