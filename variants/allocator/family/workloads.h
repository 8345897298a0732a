/// The workloads of the allocator family. A plan holds every random choice and is made before the first repetition. A
/// task executes the plan with one allocator and checks the contents of the blocks.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/allocator/family/buffer_workloads.h"
#include "variants/allocator/family/capabilities.h"
#include "variants/allocator/family/execution.h"
#include "variants/allocator/family/fragmentation_workloads.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/slot_workloads.h"
#include "variants/allocator/family/threaded_workloads.h"
#include "variants/allocator/family/trace_workloads.h"

namespace lab::allocator {

/// How an allocator executes a workload that frees single blocks.
template <template <typename> typename Task, typename Plan, Allocator A>
Execution freeing_blocks() {
  if constexpr (!FreesBlocks<A>)
    return cannot<Plan>(kFreesNoBlocks);
  else if constexpr (SearchesEveryFreeBlock<A> && requires { Plan::kMixesThousands; })
    return cannot<Plan>(kSearchesTooLong);
  else
    return execution<Task<A>>();
}

/// How an allocator executes a sweep of random_replace.
template <typename Plan, Allocator A>
Execution sweep() {
  if constexpr (!FreesBlocks<A>)
    return cannot<Plan>(kFreesNoBlocks);
  else if constexpr (SearchesEveryFreeBlock<A> && requires { Plan::kMixesThousands; })
    return cannot<Plan>(kSearchesTooLong);
  else
    return swept_execution<PlannedReplace<A>, Plan>();
}

/// How an allocator executes a workload on several threads.
template <template <typename> typename Task, typename Plan, Allocator A>
Execution on_threads() {
  if constexpr (!FreesBlocks<A>)
    return cannot<Plan>(kFreesNoBlocks);
  else if constexpr (!ThreadSafe<A>)
    return cannot<Plan>(kServesOneThread);
  else if constexpr (requires { requires A::kFreesOfOthersTakeLong && Plan::kFreesOfOthers; })
    return cannot<Plan>(kWaitsTooLong);
  else
    return threaded_execution<Task<A>>();
}

/// Also without freeing single blocks.
template <Allocator A>
Execution frames_on_threads() {
  if constexpr (!ThreadSafe<A>)
    return cannot<FrameThreadsPlan>(kServesOneThread);
  else
    return threaded_execution<FrameThreads<A>>();
}

template <Allocator A>
Execution with_two_heaps() {
  if constexpr (!FreesBlocks<A>)
    return cannot<LifetimesApartPlan>(kFreesNoBlocks);
  else if constexpr (!FixedCapacity<A>)
    return cannot<LifetimesApartPlan>(kHasOneHeap);
  else if constexpr (SearchesEveryFreeBlock<A>)
    return cannot<LifetimesApartPlan>(kSearchesTooLong);
  else
    return execution<LifetimesApart<A>>();
}

template <Allocator A>
Execution in_order_of_addresses() {
  if constexpr (Relocates<A>)
    return cannot<WorstCasePlan>(kMovesBlocks);
  else
    return freeing_blocks<WorstCase, WorstCasePlan, A>();
}

template <Allocator A>
using TouchedReplace = RandomReplace<A, Touch::kBlocks>;

/// All workloads of the family, in the order of `list`.
template <Allocator A>
std::vector<bench::Workload> workloads() {
  // jemalloc seeds its random choices from addresses, mimalloc reads the clock, and each machine has its own C library.
  constexpr bool kRepeatable = !ThirdParty<A>;
  return offer(
      {freeing_blocks<TouchedReplace, RandomReplacePlan, A>(),
       freeing_blocks<UntouchedReplace, UntouchedReplacePlan, A>(), freeing_blocks<GrowingBuffers, GrowingPlan, A>(),
       freeing_blocks<SameSizeChurn, SameSizePlan, A>(), execution<FrameScratch<A>>(), in_order_of_addresses<A>(),
       freeing_blocks<LongAndShort, LongAndShortPlan, A>(), freeing_blocks<LifetimesMixed, LifetimesPlan, A>(),
       with_two_heaps<A>(), freeing_blocks<CompileReplay, RecordedPlan<Recorded::kCompile>, A>(),
       freeing_blocks<PythonReplay, RecordedPlan<Recorded::kPython>, A>(),
       freeing_blocks<HarnessReplay, RecordedPlan<Recorded::kHarness>, A>(),
       on_threads<CrossThreadFree, CrossThreadPlan, A>(), on_threads<Larson, LarsonPlan, A>(), frames_on_threads<A>(),
       sweep<SizeSweepPlan, A>(), sweep<LiveSweepPlan, A>()},
      subject_of<A>(), kRepeatable);
}

}  // namespace lab::allocator
