/// The least buffer in which a workload's allocations succeed: what rounding and fragmentation cost, in bytes.
#pragma once

#include <optional>
#include <utility>

#include "harness/bench/variant.h"
#include "variants/allocator/allocator.h"

namespace lab::allocator {

/// A without its end of the process where it has no block left: that is an exception, after which nothing is freed.
template <FixedCapacity A>
class Bounded : public A {
 public:
  struct Full {};

  using A::A;

  void* allocate(std::size_t bytes) {
    void* const block = A::allocate(bytes);
    if (block != nullptr) return block;
    full_ = true;
    throw Full();
  }
  void free(void* block)
  requires FreesByPointer<A>
  {
    if (!full_) A::free(block);
  }
  void free(void* block, std::size_t bytes)
  requires FreesBySize<A>
  {
    if (!full_) A::free(block, bytes);
  }

 private:
  bool full_ = false;
};

/// Whether a Task on a Bounded allocator can be filled and repeated once in the first `bytes` of a buffer.
template <typename Task>
bool fits(typename Task::Plan plan, const Buffer& buffer, std::size_t bytes) {
  plan.demand.heap = buffer.begin();
  plan.demand.heap_bytes = bytes;
  try {
    bench::PhaseClock clock(Task::Plan::describe().phases.size());
    Task(std::move(plan)).repeat(clock);
  } catch (const typename Task::Heap::Full&) {
    return false;
  }
  return true;
}

/// In whole pages, which is what a buffer is made of. Found by bisection: it and all larger ones that were tried
/// succeed, the next smaller one does not. (A buddy allocator need not be monotonic: another size is another tree, and
/// so another order of its blocks.) None where four times what is requested is too little.
template <typename Task>
std::optional<std::size_t> minimum_heap_bytes(const typename Task::Plan& plan) {
  const std::size_t requested = (plan.demand.bytes + kPageBytes - 1) / kPageBytes;  // pages: fewer cannot do
  const Buffer buffer(4 * requested * kPageBytes);  // one, so that its pages are touched for the first time once
  std::size_t too_few = requested - 1, enough = requested;
  while (!fits<Task>(plan, buffer, enough * kPageBytes)) {
    if (enough == 4 * requested) return std::nullopt;
    too_few = std::exchange(enough, 2 * enough);
  }
  while (enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (fits<Task>(plan, buffer, middle * kPageBytes) ? enough : too_few) = middle;
  }
  return enough * kPageBytes;
}

}  // namespace lab::allocator
