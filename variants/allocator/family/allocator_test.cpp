#include "variants/allocator/family/allocator.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <boost/json.hpp>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/random.h"
#include "harness/base/scratch_folder.h"
#include "harness/bench/exhibits.h"
#include "variants/allocator/family/conformance.h"
#include "variants/allocator/family/exhibits.h"
#include "variants/allocator/family/fuzz.h"
#include "variants/allocator/family/locked_heap.h"
#include "variants/allocator/family/minimum_heap.h"
#include "variants/allocator/family/offer.h"
#include "variants/allocator/family/page_workloads.h"
#include "variants/allocator/family/registration.h"
#include "variants/allocator/family/testing/broken_allocators.h"
#include "variants/common/heaps/growth.h"
#include "variants/common/testing/claims_of_article.h"

namespace lab::allocator {
namespace {

namespace json = boost::json;

template <Allocator A>
std::vector<std::string> failed_checks() {
  std::vector<std::string> names;
  for (const bench::ConformanceCheck& check : checks_of(subject_of<A>())) {
    // In a child process, as under --conformance: some of these crash.
    const pid_t child = fork();
    if (child == 0) _exit(check.what_is_wrong().empty() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) names.push_back(check.name);
  }
  return names;
}

// The tasks whose class serves several plans.
template <Allocator A>
struct RandomReplace : PlannedReplace<A> {
  using Plan = RandomReplacePlan;
  explicit RandomReplace(const bench::Case& inputs) : PlannedReplace<A>(inputs, replacements<Plan>) {}
};
template <Allocator A>
struct LifetimesMixed : PlannedReplace<A> {
  using Plan = LifetimesPlan;
  explicit LifetimesMixed(const bench::Case& inputs) : PlannedReplace<A>(inputs, replacements<Plan>) {}
};
template <Allocator A, Recorded kWhich>
struct ReplayOf : Replay<A> {
  using Plan = RecordedPlan<kWhich>;
  explicit ReplayOf(const bench::Case&) : Replay<A>(kWhich) {}
};
template <Allocator A>
using CompileReplay = ReplayOf<A, Recorded::kCompile>;

template <typename Task>
std::uint64_t checksum_of(std::uint64_t seed) {
  bench::PhaseClock clock(Task::Plan::describe().phases.size());
  return Task({.seed = seed}).repeat(clock);
}

template <Allocator A>
std::vector<bench::Workload> workloads() {
  return offer(kExecutions<A>, subject_of<A>(), !ThirdParty<A>);
}

using Names = std::vector<std::string>;

/// Random inputs for fuzz(), as a fuzzer has before it knows the program.
std::vector<std::uint8_t> random_input(Random& random) {
  std::vector<std::uint8_t> input(random.between(0, 300));
  for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random.below(256));
  return input;
}

/// The first thing that fuzz() finds in so many random inputs, "" or "crashed".
template <Allocator A>
std::string found_by_fuzz(int inputs) {
  const pid_t child = fork();
  if (child == 0) {
    Random random(1);
    for (int i = 0; i < inputs; ++i)
      if (!fuzz(subject_of<A>(), random_input(random)).empty()) _exit(1);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? "" : WIFEXITED(status) && WEXITSTATUS(status) == 1 ? "wrong" : "crashed";
}

TEST(AllocatorFuzz, finds_nothing_wrong_with_a_sound_allocator) {
  EXPECT_EQ(found_by_fuzz<Sound>(200), "");
  EXPECT_EQ(found_by_fuzz<Lists>(200), "");
  EXPECT_EQ(found_by_fuzz<ResettingLists>(200), "");
}

TEST(AllocatorFuzz, finds_broken_allocators) {
  EXPECT_NE(found_by_fuzz<Misaligned>(500), "");
  EXPECT_NE(found_by_fuzz<ZeroAlignment>(500), "");
  EXPECT_NE(found_by_fuzz<UnderstatesOccupied>(500), "");
  EXPECT_NE(found_by_fuzz<WrongSizeClass>(500), "");
  EXPECT_NE(found_by_fuzz<Overlapping>(500), "");
}

TEST(AllocatorFuzz, every_input_is_valid) {
  // The shortest, and each operation alone and twice.
  EXPECT_EQ(fuzz(subject_of<Sound>(), {}), "");
  for (int code = 0; code < 256; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    const std::uint8_t inputs[][3] = {{0, byte, byte}, {255, byte, 0}, {63, byte, 255}};
    for (const auto& input : inputs) EXPECT_EQ(fuzz(subject_of<Sound>(), std::span(input)), "") << code;
  }
}

/// The workloads that A supports; of a sweep, one point.
template <Allocator A>
std::vector<bench::Workload> supported() {
  std::vector<bench::Workload> all = workloads<A>();
  std::erase_if(all, [](const bench::Workload& workload) { return !workload.unsupported.empty(); });
  for (bench::Workload& workload : all) {
    if (!workload.axis) continue;
    workload.prepare = [prepare = workload.prepare, second = workload.axis->points[1].at](bench::Case inputs) {
      inputs.point = second;
      return prepare(inputs);
    };
  }
  return all;
}

TEST(AllocatorConformance, finds_nothing_wrong_with_a_sound_allocator) {
  EXPECT_EQ(failed_checks<Sound>(), Names{});
  EXPECT_EQ(failed_checks<Lists>(), Names{});
  EXPECT_EQ(failed_checks<ResettingLists>(), Names{});
}

TEST(AllocatorConformance, finds_the_one_fault_of_each_broken_allocator) {
  EXPECT_EQ(failed_checks<Misaligned>().at(0), "blocks are aligned as promised");
  EXPECT_EQ(failed_checks<MisalignedLater>(), Names{"blocks are aligned as promised"});
  EXPECT_EQ(failed_checks<ZeroAlignment>(), Names{"blocks are aligned as promised"});
  EXPECT_EQ(failed_checks<UnderstatesOccupied>(), Names{"blocks are at least as large as requested"});
  EXPECT_EQ(failed_checks<WrongSizeClass>().at(0), "blocks are at least as large as requested");
  EXPECT_EQ(failed_checks<Overlapping>().at(0), "no two blocks overlap");
  EXPECT_EQ(failed_checks<RefusesSometimes>().at(0), "requests within the demand succeed");
  EXPECT_EQ(failed_checks<MisalignedOnce>().at(0), "blocks are aligned as promised");
  EXPECT_EQ(failed_checks<TooSmallOnce>(), Names{"blocks of every size neither overlap nor change"});
  EXPECT_EQ(failed_checks<ResetKeepsLists>(), Names{"reset frees everything"});
  if (kMemoryIsMeasurable) {
    EXPECT_EQ(failed_checks<NeverFrees>(), Names{"freed memory is reused"});
    EXPECT_EQ(failed_checks<ResetDoesNothing>(), Names{"reset frees everything"});
  }
  EXPECT_EQ(failed_checks<LosesContents>().at(0), "contents are kept");
  EXPECT_EQ(failed_checks<LosesTheLastByte>().at(0), "contents are kept");
  EXPECT_EQ(failed_checks<RefusesZeroBytes>().at(0), "blocks are aligned as promised");
  EXPECT_EQ(failed_checks<RefusesZeroBytes>().at(1), "requests of 0 bytes return distinct blocks");
  EXPECT_EQ(failed_checks<ServesTooLarge>(), Names{"a too large request returns null and changes nothing"});
  EXPECT_EQ(failed_checks<CorruptsOnRefusal>(), Names{"a too large request returns null and changes nothing"});
  EXPECT_EQ(failed_checks<OverstatesLargest>().at(0), "the largest request is as reported");
  EXPECT_EQ(failed_checks<UnderstatesLargest>().at(0), "the largest request is as reported");
  EXPECT_EQ(failed_checks<OverstatesCapacity>().at(0), "the capacity is as reported");
  EXPECT_EQ(failed_checks<CapacityOfTooLarge>(), Names{"the capacity is as reported"});
  EXPECT_EQ(failed_checks<IgnoresTheHeap>().at(0), "the capacity is as reported");
  EXPECT_EQ(failed_checks<CapacityOfNow>(), Names{"freeing everything restores the initial state"});
  EXPECT_EQ(failed_checks<KeepsOneBlock>(), Names{"freeing everything restores the initial state"});
  EXPECT_EQ(failed_checks<LeaksInOneOrder>(), Names{"freeing everything restores the initial state"});
  EXPECT_EQ(failed_checks<Leaking>(), Names{"freeing everything restores the initial state"});
  EXPECT_EQ(failed_checks<FreesLastOnNull>(), Names{"freeing nullptr does nothing"});
  EXPECT_EQ(failed_checks<WrongIdentity>(), Names{"calls reach the wrapped allocator"});
}

TEST(AllocatorWorkloads, have_another_checksum_with_a_broken_allocator) {
  const std::uint64_t random_replace = checksum_of<RandomReplace<Sound>>(1);
  EXPECT_EQ(checksum_of<RandomReplace<Sound>>(1), random_replace);
  EXPECT_NE(checksum_of<RandomReplace<Sound>>(2), random_replace);
  EXPECT_NE(checksum_of<RandomReplace<LosesContents>>(1), random_replace);
  EXPECT_NE(checksum_of<RandomReplace<Overlapping>>(1), random_replace);

  const std::uint64_t untouched = checksum_of<UntouchedReplace<Sound>>(1);
  EXPECT_EQ(checksum_of<UntouchedReplace<Sound>>(1), untouched);
  EXPECT_NE(checksum_of<UntouchedReplace<Sound>>(2), untouched);
  EXPECT_NE(checksum_of<UntouchedReplace<Overlapping>>(1), untouched);

  const std::uint64_t same_size = checksum_of<SameSizeChurn<Sound>>(1);
  EXPECT_EQ(checksum_of<SameSizeChurn<Sound>>(1), same_size);
  EXPECT_NE(checksum_of<SameSizeChurn<Sound>>(2), same_size);
  EXPECT_NE(checksum_of<SameSizeChurn<LosesContents>>(1), same_size);
  EXPECT_NE(checksum_of<SameSizeChurn<Overlapping>>(1), same_size);

  const std::uint64_t growing = checksum_of<GrowingBuffers<Sound>>(1);
  EXPECT_EQ(checksum_of<GrowingBuffers<Sound>>(1), growing);
  EXPECT_NE(checksum_of<GrowingBuffers<Sound>>(2), growing);
  EXPECT_NE(checksum_of<GrowingBuffers<LosesContents>>(1), growing);
  EXPECT_NE(checksum_of<GrowingBuffers<Overlapping>>(1), growing);

  const std::uint64_t worst = checksum_of<WorstCase<Sound>>(1);
  EXPECT_EQ(checksum_of<WorstCase<Sound>>(1), worst);
  EXPECT_EQ(checksum_of<WorstCase<Lists>>(1), worst) << "addresses in another order";
  EXPECT_NE(checksum_of<WorstCase<Sound>>(2), worst);
  EXPECT_NE(checksum_of<WorstCase<LosesContents>>(1), worst);
  EXPECT_NE(checksum_of<WorstCase<Overlapping>>(1), worst);

  const std::uint64_t long_and_short = checksum_of<LongAndShort<Sound>>(1);
  EXPECT_EQ(checksum_of<LongAndShort<Sound>>(1), long_and_short);
  EXPECT_EQ(checksum_of<LongAndShort<Lists>>(1), long_and_short);
  EXPECT_NE(checksum_of<LongAndShort<LosesContents>>(1), long_and_short);
  EXPECT_NE(checksum_of<LongAndShort<Overlapping>>(1), long_and_short);

  const std::uint64_t mixed = checksum_of<LifetimesMixed<Sound>>(1);
  EXPECT_EQ(checksum_of<LifetimesApart<Sound>>(1), mixed) << "the same requests";
  EXPECT_NE(checksum_of<LifetimesMixed<Sound>>(2), mixed);
  EXPECT_NE(checksum_of<LifetimesMixed<LosesContents>>(1), mixed);
  EXPECT_NE(checksum_of<LifetimesMixed<Overlapping>>(1), mixed);
  EXPECT_NE(checksum_of<LifetimesApart<LosesContents>>(1), mixed);

  const std::uint64_t replayed = checksum_of<CompileReplay<Sound>>(1);
  EXPECT_EQ(checksum_of<CompileReplay<Lists>>(2), replayed) << "a recording has no random choice";
  EXPECT_NE(checksum_of<CompileReplay<LosesContents>>(1), replayed);
  EXPECT_NE(checksum_of<CompileReplay<Overlapping>>(1), replayed);

  const std::uint64_t frame = checksum_of<FrameScratch<Sound>>(1);
  EXPECT_EQ(checksum_of<FrameScratch<Sound>>(1), frame);
  EXPECT_NE(checksum_of<FrameScratch<LosesContents>>(1), frame);
  EXPECT_NE(checksum_of<FrameScratch<Overlapping>>(1), frame);
}

TEST(AllocatorWorkloads, have_the_same_checksum_in_every_repetition) {
  for (const bench::Workload& workload : supported<Sound>()) {
    const auto task = workload.prepare({.seed = 3, .threads = 1});
    std::set<std::uint64_t> checksums;
    for (int i = 0; i < 3; ++i) {
      bench::PhaseClock clock(workload.phases.size());
      checksums.insert(task->repeat(clock));
      for (const double nanoseconds : clock.nanoseconds()) EXPECT_GT(nanoseconds, 0) << workload.name;
    }
    EXPECT_EQ(checksums.size(), 1u) << workload.name;
  }
}

TEST(Sweeps, replace_the_blocks_of_their_point) {
  const bench::Workload sizes = SizeSweepPlan::describe();
  for (const bench::AxisPoint& point : sizes.axis->points) {
    const SizeSweepPlan plan(1, point.at);
    EXPECT_EQ(plan.operations.size(), sizes.operations);
    for (const Replacement& operation : plan.operations) {
      ASSERT_GE(operation.bytes, point.at / 2);
      ASSERT_LE(operation.bytes, point.at);
    }
  }
  const bench::Workload numbers = LiveSweepPlan::describe();
  for (const bench::AxisPoint& point : numbers.axis->points) {
    const LiveSweepPlan plan(1, point.at);
    EXPECT_EQ(static_cast<double>(plan.fill.size()), point.at);
    EXPECT_EQ(plan.operations.size(), numbers.operations);
  }
}

// --- Threads -------------------------------------------------------------------------------------------------------

/// Remembers how many threads the last one was told of.
template <Allocator A>
class Locked : public LockedHeap<A> {
 public:
  explicit Locked(const Demand& demand) : LockedHeap<A>(demand) { threads = demand.threads; }

  static inline unsigned threads = 0;
};

std::vector<bench::Workload> on_threads_of(const std::vector<bench::Workload>& all) {
  std::vector<bench::Workload> parallel;
  std::ranges::copy_if(all, std::back_inserter(parallel), &bench::Workload::parallel);
  return parallel;
}

TEST(ThreadedWorkloads, have_one_checksum_for_any_number_of_threads_and_any_allocator) {
  const std::vector<bench::Workload> locked = on_threads_of(workloads<Locked<Sound>>()),
                                     lists = on_threads_of(workloads<Locked<Lists>>());
  ASSERT_EQ(locked.size(), 3u);
  for (std::size_t i = 0; i < locked.size(); ++i) {
    std::set<std::uint64_t> checksums;
    for (const bench::Workload& workload : {locked[i], lists[i]})
      for (const unsigned cores : {1u, 3u})
        for (const bench::AxisPoint& point : workload.axis->points) {
          const auto task = workload.prepare({.seed = 3, .threads = cores, .point = point.at});
          for (int repetition = 0; repetition < 2; ++repetition) {
            bench::PhaseClock clock(workload.phases.size());
            checksums.insert(task->repeat(clock));
            for (const double nanoseconds : clock.nanoseconds()) EXPECT_GT(nanoseconds, 0) << workload.name;
          }
        }
    EXPECT_EQ(checksums.size(), 1u) << locked[i].name;
    const double point = locked[i].axis->points[0].at;
    bench::PhaseClock clock(locked[i].phases.size());
    const std::uint64_t other = locked[i].prepare({.seed = 4, .threads = 2, .point = point})->repeat(clock);
    // Of the others, the seed decides the sizes alone.
    EXPECT_EQ(checksums.contains(other), locked[i].name != "larson") << locked[i].name;
  }
}

TEST(ThreadedWorkloads, run_on_as_many_threads_as_the_point_says) {
  EXPECT_EQ(threads_at(0.5, 1), 1u);
  EXPECT_EQ(threads_at(0.5, 2), 1u);
  EXPECT_EQ(threads_at(2, 2), 4u);
  EXPECT_EQ(threads_at(2, 1000), kMostThreads);
  for (const auto& [cores, point, threads] : {std::tuple{3u, 1.0, 3u}, {2u, 2.0, 4u}, {2u, 0.5, 1u}}) {
    Larson<Locked<Sound>>({.seed = 1, .threads = cores, .point = point});
    EXPECT_EQ(Locked<Sound>::threads, threads);
  }
  CrossThreadFree<Locked<Sound>>({.seed = 1, .threads = 1, .point = 1});
  EXPECT_EQ(Locked<Sound>::threads, 2u) << "one that allocates and one that frees";
}

TEST(ThreadedWorkloads, find_a_broken_allocator) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "needs a build without the thread sanitizer, which finds it first: one block for two threads";
#endif
  const auto checksum = [](bench::Task&& task) {
    bench::PhaseClock clock(2);
    return task.repeat(clock);
  };
  const bench::Case two{.seed = 1, .threads = 2, .point = 1};
  EXPECT_NE(checksum(Larson<Locked<LosesContents>>(two)), checksum(Larson<Locked<Sound>>(two)));
  EXPECT_NE(checksum(CrossThreadFree<Locked<LosesContents>>(two)), checksum(CrossThreadFree<Locked<Sound>>(two)));
  EXPECT_NE(checksum(FrameThreads<Locked<LosesContents>>(two)), checksum(FrameThreads<Locked<Sound>>(two)));
}

/// Linear, with a lock: it frees everything at once, and nothing else.
class LockedLinear {
 public:
  static constexpr bool kThreadSafe = true;
  static inline std::size_t resets = 0;

  explicit LockedLinear(const Demand& demand) : buffer_(demand.bytes + 16 * demand.blocks) {}
  void* allocate(std::size_t bytes) {
    const std::size_t begin = used_.fetch_add((bytes + 15) / 16 * 16);
    return begin + bytes > buffer_.bytes() ? nullptr : static_cast<std::byte*>(buffer_.begin()) + begin;
  }
  void reset() {
    ++resets;
    used_ = 0;
  }
  std::size_t alignment(std::size_t) const { return 16; }
  std::size_t occupied(const void*, std::size_t bytes) const { return bytes; }

 private:
  Buffer buffer_;
  std::atomic<std::size_t> used_ = 0;
};

class NumberedLinear : public LockedLinear {
 public:
  static constexpr bool kNumbersThreads = true;
  using LockedLinear::LockedLinear;
};

TEST(ThreadsTrait, says_how_many_threads_may_call_it_at_once) {
  EXPECT_STREQ(traits_of<Sound>().threads, "one at a time");
  EXPECT_STREQ(traits_of<LockedLinear>().threads, "any");
  EXPECT_STREQ(traits_of<NumberedLinear>().threads, "as many as announced");
}

TEST(ThreadedWorkloads, of_frames_serve_an_allocator_that_frees_everything_at_once) {
  const std::vector<bench::Workload> all = on_threads_of(workloads<LockedLinear>());
  EXPECT_EQ(all[0].unsupported, kFreesNoBlocks);
  EXPECT_EQ(all[1].unsupported, kFreesNoBlocks);
  ASSERT_EQ(all[2].unsupported, "");
  bench::PhaseClock clock(2);
  const std::uint64_t checksum = all[2].prepare({.seed = 1, .threads = 2, .point = 1})->repeat(clock);
  const bench::Case three{.seed = 1, .threads = 3, .point = 1};
  EXPECT_EQ(checksum, FrameThreads<Locked<Sound>>(three).repeat(clock));
  EXPECT_EQ(LockedLinear::resets, FramePlan::kFrames);
}

template <Allocator A>
void expect_the_same_capabilities_behind_a_lock() {
  Capabilities expected = capabilities_of<A>();
  EXPECT_FALSE(std::exchange(expected.thread_safe, true));
  EXPECT_EQ(capabilities_of<LockedHeap<A>>(), expected);
  EXPECT_EQ(FreesByPointer<LockedHeap<A>>, FreesByPointer<A>);
  EXPECT_EQ(FreesBySize<LockedHeap<A>>, FreesBySize<A>);
  EXPECT_EQ(Counts<LockedHeap<A>>, Counts<A>);
}

TEST(LockedHeap, can_do_what_it_locks_can_do_and_serves_threads) {
  expect_the_same_capabilities_behind_a_lock<Sound>();
  expect_the_same_capabilities_behind_a_lock<ResettingLists>();
  expect_the_same_capabilities_behind_a_lock<WithTable>();
}

TEST(LockedHeap, reports_what_it_locks_reports) {
  const auto alone = subject_of<WithTable>().make({.bytes = 1000, .blocks = 10}),
             locked = subject_of<LockedHeap<WithTable>>().make({.bytes = 1000, .blocks = 10});
  for (const auto& allocator : {alone.get(), locked.get()}) allocator->allocate(100);
  std::map<std::string, double> counters = alone->counters();
  counters.at("metadata_bytes") += sizeof(LockedHeap<WithTable>) - sizeof(WithTable);
  EXPECT_EQ(locked->counters(), counters);
  EXPECT_EQ(locked->outside().now, sizeof(LockedHeap<WithTable>) + 16);
  EXPECT_EQ(locked->external_fragmentation(), alone->external_fragmentation());
  EXPECT_EQ(locked->alignment(100), alone->alignment(100));
  EXPECT_EQ(failed_checks<LockedHeap<Sound>>(), Names{});
  EXPECT_EQ(failed_checks<LockedHeap<OverstatesCapacity>>(), failed_checks<OverstatesCapacity>());
}

TEST(ThreadedWorkloads, are_not_for_an_allocator_of_one_thread) {
  for (const bench::Workload& workload : on_threads_of(workloads<Sound>()))
    EXPECT_EQ(workload.unsupported, kServesOneThread) << workload.name;
}

TEST(AllocatorWorkloads, make_only_the_requests_of_their_operations) {
  // Further frees or allocations would change the cost of the next repetition.
  for (const bench::Workload& workload : supported<Counting>()) {
    const auto task = workload.prepare({.seed = 3, .threads = 1});
    for (int i = 0; i < 2; ++i) {
      Counting::allocated = Counting::freed = 0;
      bench::PhaseClock clock(workload.phases.size());
      task->repeat(clock);
      EXPECT_EQ(Counting::allocated, workload.operations) << workload.name;
      EXPECT_EQ(Counting::freed, workload.operations) << workload.name;
    }
  }
}

TEST(AllocatorWorkloads, divide_each_phase_by_its_own_operations) {
  for (const bench::Workload& workload : supported<Sound>()) {
    if (workload.phase_operations.empty()) continue;  // every operation takes part in every phase
    std::uint64_t sum = 0;
    for (const std::string& phase : workload.phases) sum += workload.phase_operations.at(phase);
    EXPECT_EQ(sum, workload.operations) << workload.name;
  }
  const std::map<std::string, std::uint64_t> same_size{
      {"fifo", SameSizePlan::kPairs}, {"lifo", SameSizePlan::kPairs}, {"random", SameSizePlan::kPairs}};
  EXPECT_EQ(SameSizePlan::describe().phase_operations, same_size);
}

TEST(AllocatorWorkloads, without_touch_access_no_block) {
  bench::PhaseClock clock(1);
  PlannedReplace<Unmapped, Touch::kNothing>({.seed = 1}, replacements<RandomReplacePlan>).repeat(clock);
}

TEST(AllocatorWorkloads, have_the_same_counters_after_any_number_of_repetitions) {
  for (const bench::Workload& workload : supported<Sound>()) {
    std::set<std::map<std::string, double>> counters;
    for (const int repetitions : {1, 3}) {
      const auto task = workload.prepare({.seed = 3, .threads = 1});
      bench::PhaseClock clock(workload.phases.size());
      for (int i = 0; i < repetitions; ++i) task->repeat(clock);
      counters.insert(task->counters());
    }
    ASSERT_EQ(counters.size(), 1u) << workload.name;
    EXPECT_GE(counters.begin()->at("internal_fragmentation"), 1.0);
  }
}

template <typename A = Sound, typename Plan>
std::optional<std::size_t> minimum_heap_of(const Plan& plan, std::uint64_t most_steps = kMostSteps) {
  const std::optional<HeapBytes> heap = minimum_heap(subject_of<A>(), plan.trace(), plan.demand, most_steps);
  return heap ? std::optional(heap->bytes()) : std::nullopt;
}

TEST(MinimumHeap, agrees_with_a_calculation_by_hand) {
  // Blocks of one leaf do not fragment. 10,000 and a burst of 64 take 10,064 leaves; a tree of 2^14 leaves has 2^15
  // bits, which are 64 leaves more.
  EXPECT_EQ(minimum_heap_of(SameSizePlan(1)), 10'128u * 64 + sizeof(Sound));
  // 2,000 blocks of 100 bytes take two leaves each, and the 2^13 bits of a tree of 2^12 leaves 16.
  FramePlan plan(1);
  plan.bytes.assign(plan.bytes.size(), 100);
  plan.demand.bytes = 2000 * 100;
  EXPECT_EQ(minimum_heap_of(plan), 4'016u * 64 + sizeof(Sound));
}

TEST(MinimumHeap, counts_in_what_is_outside_of_the_buffer_at_its_most) {
  const SameSizePlan plan(1);
  const std::size_t peak = SameSizePlan::kLive + *std::ranges::max_element(plan.bursts);
  const auto counters = minimum_heap_counters(subject_of<WithTable>(), plan.trace(), plan.demand);
  const std::size_t outside = sizeof(WithTable) + peak * 16;
  EXPECT_EQ(counters, (std::map<std::string, double>{{"minimum_heap_bytes", (peak + 64) * 64 + outside},
                                                     {"outside_bytes", outside},
                                                     {"peak_block_bytes", peak * 64}}));
}

TEST(MinimumHeap, comes_with_the_most_bytes_that_its_blocks_take_at_once) {
  // Two leaves for each of the 2,000 blocks of a frame, which are freed all at once.
  FramePlan plan(1);
  plan.bytes.assign(plan.bytes.size(), 100);
  plan.demand.bytes = 2000 * 100;
  const std::optional<HeapBytes> heap = minimum_heap(subject_of<Sound>(), plan.trace(), plan.demand);
  ASSERT_TRUE(heap);
  EXPECT_EQ(heap->peak_block_bytes, 2'000u * 128);
  EXPECT_LT(heap->peak_block_bytes, heap->bytes());
}

TEST(Metadata, of_one_buffer_are_those_inside_the_object_and_what_it_allocated) {
  WithTable allocator({.bytes = 100'000, .blocks = 1000});
  std::map<std::string, double> own = allocator.counters();
  for (int i = 0; i < 10; ++i) allocator.allocate(1);
  EXPECT_EQ(outside_bytes(allocator).now, sizeof(WithTable) + 160);
  EXPECT_EQ(own_counters(allocator).at("metadata_bytes"), own.at("metadata_bytes") + sizeof(WithTable) + 160);
  EXPECT_EQ(subject_of<WithTable>().make({.bytes = 4096, .blocks = 1})->outside().most, sizeof(WithTable));
}

/// Divides its buffer into pages.
class OfPages : public Sound {
 public:
  using Sound::Sound;
  std::size_t leaf_bytes() const { return kPageBytes; }
};

TEST(MinimumHeap, is_in_leaves_as_the_allocator_states_them) {
  EXPECT_EQ(heap_step(subject_of<Sound>()), 64u);
  EXPECT_EQ(heap_step(subject_of<Lists>()), 16u) << "the alignment of the smallest block";
  // 10,128 leaves of 64 bytes, as above, are not whole pages.
  EXPECT_EQ(minimum_heap_of<OfPages>(SameSizePlan(1)), 10'176u * 64 + sizeof(OfPages));
}

TEST(MinimumHeap, is_none_where_no_heap_is_enough) {
  EXPECT_EQ(minimum_heap_of<AlwaysRefuses>(FramePlan(1)), std::nullopt);
}

/// Passes a million free blocks in each request, as it says.
class Passing : public Sound {
 public:
  using Sound::allocate;
  using Sound::Sound;
  void* allocate(std::size_t bytes, std::uint64_t& passed) {
    passed += 1'000'000;
    return Sound::allocate(bytes);
  }
};

TEST(MinimumHeap, is_none_where_the_search_takes_too_many_steps_on_any_machine) {
  const FramePlan plan(1);
  EXPECT_EQ(minimum_heap_of(plan, 0), std::nullopt);
  EXPECT_EQ(minimum_heap_of<Passing>(plan), std::nullopt);
  const Buffer buffer(4 * plan.demand.bytes);
  std::uint64_t steps = 0, passing = 0;
  const std::uint64_t requests = FramePlan::kFrames * FramePlan::kBlocks;
  EXPECT_TRUE(fits(subject_of<Sound>(), plan.trace(), plan.demand, buffer, buffer.bytes(), steps));
  EXPECT_EQ(steps, 2 * requests * kStepsOfRequest);
  EXPECT_TRUE(fits(subject_of<Passing>(), plan.trace(), plan.demand, buffer, buffer.bytes(), passing));
  EXPECT_EQ(passing, steps + requests * 1'000'000);
}

TEST(MinimumHeap, of_a_buddy_allocator_is_right_although_fitting_is_not_monotonic) {
  const GrowingPlan plan(2);
  const Subject subject = subject_of<Sound>();
  const std::size_t step = heap_step(subject);
  const std::size_t least = (minimum_heap_of(plan).value() - sizeof(Sound)) / step;
  EXPECT_EQ(step, 64u);
  const Buffer buffer(2 * least * step);
  std::uint64_t taken = 0;
  const auto fits_in = [&, trace = plan.trace()](std::size_t steps) {
    return fits(subject, trace, plan.demand, buffer, steps * step, taken).has_value();
  };
  EXPECT_FALSE(fits_in(least - 1));
  for (const std::size_t steps : scanned_units(least, 2 * least)) EXPECT_TRUE(fits_in(steps)) << steps;
  bool smaller_fits = false;
  for (std::size_t pages = 1; pages < 20; ++pages) smaller_fits = smaller_fits || fits_in(least - pages * 64);
  EXPECT_TRUE(smaller_fits) << "this plan does not show what the scan is for";
}

template <typename Task>
bench::Workload alone() {
  const Execution one = execution<Task>();
  return offer({&one, 1}, subject_of<Counting>(), true).front();
}

/// Counts the requests that a workload makes in its first repetition, set-up included.
TEST(AllocatorPlans, have_the_requests_of_their_workloads_as_traces) {
  const auto expect_requests = [](const bench::Workload& workload, const Trace& trace) {
    Counting::allocated = Counting::freed = 0;
    const auto task = workload.prepare({.seed = 3, .threads = 1});
    bench::PhaseClock clock(workload.phases.size());
    task->repeat(clock);
    const std::size_t allocated = Counting::allocated, freed = Counting::freed;
    Counting::allocated = Counting::freed = 0;
    const auto allocator = subject_of<Counting>().make({.bytes = std::size_t{64} << 20, .blocks = 20'000});
    EXPECT_TRUE(replay(trace, *allocator)) << workload.name;
    EXPECT_EQ(Counting::allocated, allocated) << workload.name;
    EXPECT_EQ(Counting::freed, freed) << workload.name;
  };
  expect_requests(alone<RandomReplace<Counting>>(), RandomReplacePlan(3).trace());
  expect_requests(alone<SameSizeChurn<Counting>>(), SameSizePlan(3).trace());
  expect_requests(alone<GrowingBuffers<Counting>>(), GrowingPlan(3).trace());
  expect_requests(alone<FrameScratch<Counting>>(), FramePlan(3).trace());
  expect_requests(alone<LifetimesMixed<Counting>>(), LifetimesPlan(3).trace());
  expect_requests(alone<ReplayOf<Counting, Recorded::kHarness>>(), ReplayPlan(Recorded::kHarness).trace());
}

// --- Shares of a full arena ----------------------------------------------------------------------------------------

using Counters = std::map<std::string, double>;

TEST(WorstCase, loses_the_freed_half_of_a_buddy_allocators_arena) {
  // 2^14 leaves, of which 64 hold the 2^15 bits: every second one of the others is free and is no part of two.
  EXPECT_EQ(WorstCasePlan(1).arena_counters(subject_of<Sound>()),
            (Counters{{"lost_share", (16'384 - 64) / 2 / 16'384.0}, {"lost_share_of_freed", 1}}));
}

TEST(WorstCase, loses_nothing_where_nothing_was_served) {
  EXPECT_EQ(WorstCasePlan(1).arena_counters(subject_of<AlwaysRefuses>()), (Counters{{"lost_share", 0}}));
}

/// Serves large requests from one end of the buffer and small ones from the other.
class SmallApart {
 public:
  explicit SmallApart(const Demand& demand)
      : buffer_(demand, 4 * demand.bytes), large_(half(0)), small_(half(buffer_.bytes() / 2)) {}
  void* allocate(std::size_t bytes) { return (bytes > 1024 ? large_ : small_).allocate(bytes); }
  void free(void* block, std::size_t bytes) { (bytes > 1024 ? large_ : small_).free(block); }
  std::size_t alignment(std::size_t bytes) const { return large_.alignment(bytes); }
  std::size_t occupied(const void* block, std::size_t bytes) const { return large_.occupied(block, bytes); }
  std::size_t largest_request() const { return large_.largest_request(); }

 private:
  Demand half(std::size_t offset) const {
    return {.bytes = 0,
            .blocks = 0,
            .heap = static_cast<std::byte*>(buffer_.begin()) + offset,
            .heap_bytes = buffer_.bytes() / 2};
  }

  Buffer buffer_;
  Sound large_, small_;
};

TEST(LongAndShort, have_no_shares_of_an_arena_that_serves_nothing) {
  EXPECT_EQ(LongAndShortPlan(1).arena_counters(subject_of<AlwaysRefuses>()), Counters{});
}

TEST(LongAndShort, show_whether_the_freed_memory_is_in_one_piece) {
  const Counters mixed = LongAndShortPlan(1).arena_counters(subject_of<Sound>()),
                 apart = LongAndShortPlan(1).arena_counters(subject_of<SmallApart>());
  EXPECT_EQ(mixed.at("large_request_served"), 0);
  EXPECT_EQ(apart.at("large_request_served"), 1);
  // 8,192 bytes is the largest block that a small one follows; half of the small ones' arena is not in the larger half.
  EXPECT_LT(mixed.at("largest_request_share"), 0.1);
  EXPECT_GT(apart.at("largest_request_share"), 0.6);
}

TEST(Lifetimes, apart_have_the_minimum_heaps_of_both) {
  const LifetimesApartPlan plan(1);
  double sum = 0, blocks = 0;
  for (const ReplacementPlan& part : {plan.long_lived(), plan.short_lived()}) {
    const HeapBytes heap = minimum_heap(subject_of<Sound>(), part.trace(), part.demand).value();
    sum += static_cast<double>(heap.bytes());
    blocks += static_cast<double>(heap.peak_block_bytes);
  }
  EXPECT_EQ(
      plan.arena_counters(subject_of<Sound>()),
      (Counters{{"minimum_heap_bytes", sum}, {"outside_bytes", 2 * sizeof(Sound)}, {"peak_block_bytes", blocks}}));
}

TEST(MinimumHeap, does_not_change_the_measured_task) {
  for (const bench::Workload& workload : supported<Sound>()) {
    const auto task = workload.prepare({.seed = 3, .threads = 1});
    bench::PhaseClock clock(workload.phases.size());
    const std::uint64_t checksum = task->repeat(clock);
    const auto counters = task->costly_counters();
    static const std::set<std::string> without{"random_replace_untouched", "worst_case", "long_and_short",
                                               "replace_by_size", "replace_by_live"};
    EXPECT_NE(counters.contains("minimum_heap_bytes"), without.contains(workload.name)) << workload.name;
    for (const auto& [name, bytes] : counters)
      EXPECT_LE(bytes, task->counters().at("buffer_bytes")) << workload.name << " " << name;
    EXPECT_EQ(task->repeat(clock), checksum) << workload.name;
  }
}

TEST(AllocatorMetrics, include_every_counter) {
  std::set<std::string> declared;
  for (const bench::Metric& metric : family_metrics()) declared.insert(metric.name);
  for (const bench::Workload& workload : supported<Sound>()) {
    EXPECT_EQ(workload.metrics.size(), declared.size()) << workload.name;
    const auto task = workload.prepare({.seed = 3, .threads = 1});
    bench::PhaseClock clock(workload.phases.size());
    task->repeat(clock);
    for (const auto& [name, value] : task->counters()) EXPECT_TRUE(declared.contains(name)) << name;
  }
}

TEST(Claims, are_about_variants_workloads_and_metrics_that_exist) {
  std::vector<bench::Workload> all = workloads<Sound>();
  add_page_workloads(subject_of<Sound>(), true, all);
  EXPECT_EQ(unknown_in_articles("allocator", all), std::vector<std::string>{});
}

// --- Exhibits ------------------------------------------------------------------------------------------------------

/// Remembers the sizes of its requests.
class Remembering : public Sound {
 public:
  using Sound::Sound;
  static inline std::vector<std::size_t> sizes;
  void* allocate(std::size_t bytes) {
    sizes.push_back(bytes);
    return Sound::allocate(bytes);
  }
};

template <Allocator A>
bench::Workload exhibiting() {
  std::vector<bench::Workload> all = workloads<A>();
  add_exhibits(subject_of<A>(), all);
  return all.front();
}

std::vector<std::string> exhibits_of(const bench::Workload& workload) {
  std::vector<std::string> names;
  for (const bench::ExhibitInfo& exhibit : workload.exhibits) names.push_back(exhibit.name);
  return names;
}

template <Allocator A>
std::string problem_of_exhibits(const ScratchFolder& folder, std::uint64_t seed = 1) {
  const bench::Workload workload = exhibiting<A>();
  bench::ExhibitFiles files(folder.path(), workload.exhibits);
  workload.exhibit({.seed = seed, .threads = 1}, files);
  const Expected<void> written = files.finish();
  return written ? "" : written.error().what;
}

std::vector<double> line_of(const ScratchFolder& folder, const char* file) {
  const json::value series = json::parse(*read_file(folder.path() / file));
  return json::value_to<std::vector<double>>(series.at("lines").at(0).at("y"));
}

TEST(AllocatorExhibits, are_all_written_with_plausible_values) {
  const ScratchFolder folder;
  EXPECT_EQ(problem_of_exhibits<Sound>(folder), "");
  EXPECT_EQ(exhibits_of(exhibiting<Sound>()), (Names{"pair", "rounding", "resident", "free_memory"}));
  EXPECT_EQ(read_file(folder.path() / "pair.u32")->size(), RandomReplacePlan::kOperations * sizeof(std::uint32_t));
  const std::vector<double> rounding = line_of(folder, "rounding.json"), free = line_of(folder, "free_memory.json");
  EXPECT_EQ(rounding.size(), 200u);
  EXPECT_EQ(free.size(), 200u);
  const std::vector<double> resident = line_of(folder, "resident.json");
  EXPECT_EQ(resident.size(), 40u);
  if (kMemoryIsMeasurable) {
    for (const double value : resident) EXPECT_GT(value, 0.5);
  }
  // Rounding uniform sizes up to powers of two takes a third more.
  for (const double value : rounding) EXPECT_NEAR(value, 4.0 / 3, 0.1);
  for (const double value : free) EXPECT_TRUE(value >= 0 && value < 1) << value;
}

TEST(AllocatorExhibits, have_no_free_memory_where_the_allocator_does_not_report_it) {
  const ScratchFolder folder;
  EXPECT_EQ(problem_of_exhibits<Lists>(folder), "");
  EXPECT_EQ(exhibits_of(exhibiting<Lists>()), (Names{"pair", "rounding", "resident"}));
}

TEST(AllocatorExhibits, replay_the_same_requests_for_the_same_seed) {
  const ScratchFolder folder;
  const auto requests = [&folder](std::uint64_t seed) {
    Remembering::sizes.clear();
    EXPECT_EQ(problem_of_exhibits<Remembering>(folder, seed), "");
    return Remembering::sizes;
  };
  const std::vector<std::size_t> first = requests(1);
  EXPECT_TRUE(first == requests(1));
  EXPECT_FALSE(first == requests(2));
  // The latencies are those of one repetition after another; each series begins with an empty heap.
  EXPECT_EQ(first.size(), 3 * RandomReplacePlan::kLive + 4 * RandomReplacePlan::kOperations);
}

// --- The executables -----------------------------------------------------------------------------------------------

struct Output {
  int status;
  std::string text;
  bool too_slow = false;  ///< ended by its limit of CPU time
};

Output run(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {-1, ""};
  std::string text;
  char part[4096];
  for (std::size_t got; (got = fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, got);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text, WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU};
}

struct Executable {
  std::string variant, path;
  bool reference;
};

std::vector<Executable> executables() {
  std::ifstream file(LAB_BUILD_DIR "/variants.json");
  std::stringstream text;
  text << file.rdbuf();
  std::vector<Executable> found;
  const json::value list = json::parse(text.str());
  for (const json::value& entry : list.as_array())
    if (entry.at("family").as_string() == "allocator")
      found.push_back({entry.at("variant").as_string().c_str(),
                       LAB_BUILD_DIR "/" + std::string(entry.at("executable").as_string()),
                       entry.at("reference").as_bool()});
  return found;
}

json::value description_of(const Executable& executable) {
  return json::parse(run(executable.path + " --describe").text);
}

/// The description that the executable prints; "" if none.
std::string trait(const json::value& description, const char* name) {
  const json::value* const found = description.at("traits").as_object().if_contains(name);
  return found == nullptr ? "" : found->as_string().c_str();
}

TEST(AllocatorExecutables, have_one_reference) {
  const std::vector<Executable> all = executables();
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Executable& one) { return one.reference; }), 1);
}

TEST(AllocatorExecutables, describe_themselves_in_four_lines_and_name_the_wrapped_version) {
  for (const Executable& executable : executables()) {
    const json::value description = description_of(executable);
    for (const char* line : {"idea", "cost", "source", "weakness"})
      EXPECT_FALSE(description.at(line).as_string().empty()) << executable.variant << " " << line;
    if (const std::string version = trait(description, "version"); !version.empty()) {
      EXPECT_TRUE(std::any_of(version.begin(), version.end(), [](unsigned char at) { return std::isdigit(at); }))
          << executable.variant << " " << version;
    }
  }
}

TEST(AllocatorExecutables, exhibit_random_replace_if_they_support_it) {
  for (const Executable& executable : executables()) {
    const json::value description = description_of(executable);
    for (const json::value& workload : description.at("workloads").as_array())
      EXPECT_EQ(workload.at("exhibits").as_array().empty(),
                workload.at("name").as_string() != "random_replace" || !workload.at("unsupported").is_null())
          << executable.variant << " " << workload.at("name");
  }
}

TEST(AllocatorExecutables, that_are_linear_count_the_same_rounding) {
  std::map<double, std::set<std::string>> by_rounding;
  for (const Executable& executable : executables()) {
    if (trait(description_of(executable), "frees") != "everything at once") continue;
    const json::value measured = json::parse(run(executable.path + " --run frame_scratch --seconds 0").text);
    by_rounding[measured.at("counters").at("internal_fragmentation").to_number<double>()].insert(executable.variant);
  }
  ASSERT_EQ(by_rounding.size(), 2u);
  for (const char* variant : {"linear", "linear_atomic", "linear_thread_local", "pmr_monotonic"})
    EXPECT_TRUE(by_rounding.begin()->second.contains(variant)) << variant;
  EXPECT_TRUE(by_rounding.rbegin()->second.contains("linear_rounded64"));
}

TEST(AllocatorExecutables, find_a_minimum_heap_on_request_if_they_have_a_fixed_capacity) {
  std::set<std::string> one_buffer, with_one;
  for (const Executable& executable : executables()) {
    const json::value description = description_of(executable);
    if (trait(description, "capacity") == "one buffer") one_buffer.insert(executable.variant);
    const std::string command = executable.path + " --run frame_scratch --seconds 0";
    const json::value asked = json::parse(run("LAB_EXACT=1 " + command).text);
    const json::object& counters = asked.at("counters").as_object();
    if (counters.contains("minimum_heap_bytes")) with_one.insert(executable.variant);
    if (!trait(description, "version").empty()) {
      EXPECT_FALSE(counters.contains("instructions")) << executable.variant;
    }
    EXPECT_FALSE(json::parse(run(command).text).at("counters").as_object().contains("minimum_heap_bytes"));
  }
  EXPECT_EQ(with_one, one_buffer);
}

/// The checksum of a process, or those of all points of its sweep.
std::string checksum_in(const json::value& measured) {
  const json::object& fields = measured.as_object();
  if (!fields.contains("points")) return fields.at("checksum").as_string().c_str();
  std::string all;
  for (const json::value& point : fields.at("points").as_array()) all += point.at("checksum").as_string().c_str();
  return all;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr int kMostCpuSeconds = kSanitized ? 120 : 5;

TEST(AllocatorExecutables, have_the_same_checksum_in_every_workload_they_support) {
  std::map<std::string, std::map<std::string, std::string>> checksums;  // by workload, then by variant
  std::set<std::vector<std::string>> lists;
  for (const Executable& executable : executables()) {
    const json::value description = description_of(executable);
    std::vector<std::string> names;
    std::size_t supported = 0;
    for (const json::value& workload : description.at("workloads").as_array()) {
      const std::string& name = names.emplace_back(workload.at("name").as_string().c_str());
      if (!workload.at("unsupported").is_null()) {
        if (workload.at("unsupported").as_string() == kFreesNoBlocks) {
          EXPECT_EQ(trait(description, "frees"), "everything at once") << executable.variant << " " << name;
        } else if (workload.at("unsupported").as_string() == kSearchesTooLong) {
          EXPECT_EQ(trait(description, "capacity"), "one buffer") << executable.variant << " " << name;
        } else if (workload.at("unsupported").as_string() == kWaitsTooLong) {
          EXPECT_EQ(name, "cross_thread_free") << executable.variant;
        } else if (workload.at("unsupported").as_string() == kMovesBlocks) {
          EXPECT_EQ(name, "worst_case") << executable.variant;
        } else if (workload.at("unsupported").as_string() == kKeepsAddresses) {
          EXPECT_EQ(trait(description, "capacity"), "one buffer") << executable.variant << " " << name;
        } else {
          const bool one_heap = workload.at("unsupported").as_string() == kHasOneHeap;
          EXPECT_TRUE(one_heap || workload.at("unsupported").as_string() == kServesOneThread) << executable.variant;
          EXPECT_EQ(trait(description, one_heap ? "capacity" : "threads"), one_heap ? "grows" : "one at a time")
              << executable.variant << " " << name;
        }
        EXPECT_EQ(run(executable.path + " --run " + name + " 2>&1").status, 2);
        continue;
      }
      // Each session compares the answers to seed 1. CPU time, not elapsed time: a slow allocator is not wrong, but it
      // would take minutes for a workload.
      // The larger points of these have more bytes, but no other requests: they would be most of this test's time.
      const std::string points = name == "large_reads" ? " --points 2" : name == "large_scan" ? " --points 3" : "";
      const Output output = run("ulimit -c 0; ulimit -S -t " + std::to_string(kMostCpuSeconds) + "; exec " +
                                executable.path + " --run " + name + " --seconds 0 --seed 77" + points);
      if (output.too_slow && !executable.reference) continue;
      ++supported;
      ASSERT_EQ(output.status, 0) << executable.variant << " " << name;
      checksums[name][executable.variant] = checksum_in(json::parse(output.text));
    }
    EXPECT_GT(supported, 0u) << executable.variant;
    lists.insert(names);
  }
  EXPECT_EQ(lists.size(), 1u) << "one family, one list of workloads";
  for (const auto& [workload, by_variant] : checksums)
    for (const auto& [variant, checksum] : by_variant)
      EXPECT_EQ(checksum, by_variant.begin()->second)
          << variant << " and " << by_variant.begin()->first << ", " << workload;
  for (const std::string& name : *lists.begin())
    EXPECT_GE(checksums[name].size(), 2u) << name << " has nothing to be compared with";
}

}  // namespace
}  // namespace lab::allocator
