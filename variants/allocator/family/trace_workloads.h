/// Workloads that replay what real programs asked of malloc: trace_compile, trace_python, trace_harness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/task.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/tasks.h"

namespace lab::allocator {

/// Makes the requests of a trace, which begins and ends with nothing live, and touches each block as the other
/// workloads do.
template <Allocator A>
class Replay : public ReplayTask {
 public:
  explicit Replay(Recorded which) : ReplayTask(which), heap_(plan_.demand) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    const std::vector<Request>& requests = plan_.requests.requests;
    const auto half = requests.begin() + static_cast<std::ptrdiff_t>(requests.size() / 2);
    bench::Checksum sum;
    next_id_ = 0;
    clock.time(0, [&] { apply(requests.begin(), half, sum); });
    count(heap_);
    clock.time(0, [&] { apply(half, requests.end(), sum); });
    return sum.value();
  }

 private:
  template <typename Iterator>
  [[gnu::always_inline]] void apply(Iterator first, Iterator last, bench::Checksum& sum) {
    std::uint32_t id = next_id_;
    for (Iterator at = first; at != last; ++at) {
      Block& block = blocks_[at->slot];
      if (at->what == Request::What::kAllocate) {
        block = allocate_block(heap_.allocator(), at->bytes);
        contents(heap_.allocator(), block).mark(id++);
      } else {
        sum.word(contents(heap_.allocator(), block).id());
        free_block(heap_.allocator(), block.begin, block.bytes);
        block = {};
      }
    }
    next_id_ = id;
  }

  Erased<A> heap_;
};

}  // namespace lab::allocator
