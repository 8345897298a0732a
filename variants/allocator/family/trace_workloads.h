/// Workloads that replay what real programs asked of malloc: trace_compile, trace_python, trace_harness.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/variant.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/recorded_traces.h"

namespace lab::allocator {

/// Makes the requests of a trace, which begins and ends with nothing live, and touches each block as the other
/// workloads do.
template <Allocator A>
class Replay : public bench::Task {
 public:
  explicit Replay(ReplayPlan plan) : plan_(std::move(plan)), allocator_(plan_.demand), blocks_(plan_.requests.slots) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    const std::vector<Request>& requests = plan_.requests.requests;
    const auto half = requests.begin() + static_cast<std::ptrdiff_t>(requests.size() / 2);
    bench::Checksum sum;
    next_id_ = 0;
    clock.time(0, [&] { apply(requests.begin(), half, sum); });
    if (counters_.empty()) count();
    clock.time(0, [&] { apply(half, requests.end(), sum); });
    return sum.value();
  }
  std::map<std::string, double> counters() const override { return counters_; }

 private:
  template <typename Iterator>
  void apply(Iterator first, Iterator last, bench::Checksum& sum) {
    std::uint32_t id = next_id_;
    for (Iterator at = first; at != last; ++at) {
      Block& block = blocks_[at->slot];
      if (at->what == Request::What::kAllocate) {
        block = allocate_block(allocator_, at->bytes);
        contents(allocator_, block).mark(id++);
      } else {
        sum.word(contents(allocator_, block).id());
        free_block(allocator_, block.begin, block.bytes);
        block = {};
      }
    }
    next_id_ = id;
  }
  [[gnu::noinline]] void count() { counters_ = first_repetition_counters(allocator_, blocks_, plan_.demand); }

  const ReplayPlan plan_;
  A allocator_;
  std::vector<Block> blocks_;
  std::uint32_t next_id_ = 0;
  std::map<std::string, double> counters_;
};

template <Allocator A, Recorded kWhich>
class ReplayOf : public Replay<A> {
 public:
  using Plan = RecordedPlan<kWhich>;
  using Replay<A>::Replay;
};

template <Allocator A>
using CompileReplay = ReplayOf<A, Recorded::kCompile>;
template <Allocator A>
using PythonReplay = ReplayOf<A, Recorded::kPython>;
template <Allocator A>
using HarnessReplay = ReplayOf<A, Recorded::kHarness>;

}  // namespace lab::allocator
