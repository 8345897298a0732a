/// Workloads whose blocks have an order of their own: growing_buffers, frame_scratch.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/variant.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/plans.h"

namespace lab::allocator {

template <Allocator A>
class GrowingBuffers : public bench::Task {
 public:
  using Plan = GrowingPlan;
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
      for (std::size_t at = 0; at < buffer.bytes; at += kLine) sum.word(load(contents(allocator_, buffer).begin + at));
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
    unsigned char* const at_grown = contents(allocator_, grown).begin;
    if (buffer.bytes > 0) {
      std::memcpy(at_grown, contents(allocator_, buffer).begin, buffer.bytes);
      free_block(allocator_, buffer.begin, buffer.bytes);
    }
    // One word per cache line stands for the appended data: it costs the memory traffic and little else.
    for (std::size_t at = buffer.bytes; at < bytes; at += kLine) {
      const std::uint64_t word = stamp << 32 | at;
      std::memcpy(at_grown + at, &word, sizeof word);
    }
    buffer = grown;
  }

  // Reads the last word that each growth step appended: a copy that is too short loses it. The rest is read outside of
  // the timed phase.
  void retire(Block& buffer, bench::Checksum& sum) {
    for (std::size_t end = Plan::kMinBytes; end <= buffer.bytes; end *= 2)
      sum.word(load(contents(allocator_, buffer).begin + end - kLine));
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
  explicit FrameScratch(Plan plan) : plan_(std::move(plan)), allocator_(plan_.demand), blocks_(Plan::kBlocks) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    for (std::size_t frame = 0; frame < Plan::kFrames; ++frame) {
      const std::uint32_t* const bytes = plan_.bytes.data() + frame * Plan::kBlocks;
      const std::uint32_t first_id = static_cast<std::uint32_t>(frame * Plan::kBlocks);
      clock.time(0, [&] {
        for (std::uint32_t i = 0; i < Plan::kBlocks; ++i) {
          blocks_[i] = allocate_block(allocator_, bytes[i]);
          contents(allocator_, blocks_[i]).mark(first_id + i);
        }
      });
      for (const Block& block : blocks_) sum.word(contents(allocator_, block).id());
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

}  // namespace lab::allocator
