/// The workloads of the allocator family. A plan holds every random choice and is made before the first repetition. A
/// task executes the plan with one allocator and checks the contents of the blocks. A variant compiles its timed loops;
/// the rest of the tasks is compiled once (tasks.h).
#pragma once

#include <memory>

#include "harness/bench/task.h"
#include "variants/allocator/family/buffer_workloads.h"
#include "variants/allocator/family/capabilities.h"
#include "variants/allocator/family/execution.h"
#include "variants/allocator/family/fragmentation_workloads.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/recorded_traces.h"
#include "variants/allocator/family/slot_workloads.h"
#include "variants/allocator/family/threaded_workloads.h"
#include "variants/allocator/family/trace_workloads.h"

namespace lab::allocator {

/// Why an allocator cannot execute a workload that frees single blocks; null if it can.
template <typename Plan, Allocator A>
constexpr const char* why_not_freeing() {
  if constexpr (!FreesBlocks<A>)
    return kFreesNoBlocks;
  else if constexpr (SearchesEveryFreeBlock<A> && requires { Plan::kMixesThousands; })
    return kSearchesTooLong;
  else
    return nullptr;
}

template <template <typename> typename Task, typename Plan, Allocator A>
constexpr Execution freeing_blocks() {
  if constexpr (constexpr const char* kWhyNot = why_not_freeing<Plan, A>(); kWhyNot != nullptr)
    return cannot<Plan>(kWhyNot);
  else
    return execution<Task<A>>();
}

/// How an allocator executes the replacements of a plan, with one class of task for all such plans.
template <typename Plan, Allocator A>
constexpr Execution replacing() {
  if constexpr (constexpr const char* kWhyNot = why_not_freeing<Plan, A>(); kWhyNot != nullptr)
    return cannot<Plan>(kWhyNot);
  else
    return {Plan::describe, [](const bench::Case& inputs) {
              return std::unique_ptr<bench::Task>(new PlannedReplace<A>(inputs, replacements<Plan>));
            }};
}

template <Recorded kWhich, Allocator A>
constexpr Execution replaying() {
  using Plan = RecordedPlan<kWhich>;
  if constexpr (constexpr const char* kWhyNot = why_not_freeing<Plan, A>(); kWhyNot != nullptr)
    return cannot<Plan>(kWhyNot);
  else
    return {Plan::describe, [](const bench::Case&) { return std::unique_ptr<bench::Task>(new Replay<A>(kWhich)); }};
}

/// How an allocator executes a workload on several threads.
template <template <typename> typename Task, typename Plan, Allocator A>
constexpr Execution on_threads() {
  if constexpr (!FreesBlocks<A>)
    return cannot<Plan>(kFreesNoBlocks);
  else if constexpr (!ThreadSafe<A>)
    return cannot<Plan>(kServesOneThread);
  else if constexpr (requires { requires A::kFreesOfOthersTakeLong && Plan::kFreesOfOthers; })
    return cannot<Plan>(kWaitsTooLong);
  else
    return execution<Task<A>>();
}

/// Also without freeing single blocks.
template <Allocator A>
constexpr Execution frames_on_threads() {
  if constexpr (!ThreadSafe<A>)
    return cannot<FrameThreadsPlan>(kServesOneThread);
  else
    return execution<FrameThreads<A>>();
}

template <Allocator A>
constexpr Execution with_two_heaps() {
  if constexpr (FreesBlocks<A> && !FixedCapacity<A>)
    return cannot<LifetimesApartPlan>(kHasOneHeap);
  else
    return freeing_blocks<LifetimesApart, LifetimesApartPlan, A>();
}

template <Allocator A>
constexpr Execution in_order_of_addresses() {
  if constexpr (Relocates<A>)
    return cannot<WorstCasePlan>(kMovesBlocks);
  else
    return freeing_blocks<WorstCase, WorstCasePlan, A>();
}

/// All workloads of the family, in the order of `list`.
template <Allocator A>
inline constexpr Execution kExecutions[] = {replacing<RandomReplacePlan, A>(),
                                            freeing_blocks<UntouchedReplace, UntouchedReplacePlan, A>(),
                                            freeing_blocks<GrowingBuffers, GrowingPlan, A>(),
                                            freeing_blocks<SameSizeChurn, SameSizePlan, A>(),
                                            execution<FrameScratch<A>>(),
                                            in_order_of_addresses<A>(),
                                            freeing_blocks<LongAndShort, LongAndShortPlan, A>(),
                                            replacing<LifetimesPlan, A>(),
                                            with_two_heaps<A>(),
                                            replaying<Recorded::kCompile, A>(),
                                            replaying<Recorded::kPython, A>(),
                                            replaying<Recorded::kHarness, A>(),
                                            on_threads<CrossThreadFree, CrossThreadPlan, A>(),
                                            on_threads<Larson, LarsonPlan, A>(),
                                            frames_on_threads<A>(),
                                            replacing<SizeSweepPlan, A>(),
                                            replacing<LiveSweepPlan, A>()};

}  // namespace lab::allocator
