#include "variants/gpu_memory/family/movable.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "variants/gpu_memory/family/conformance.h"
#include "variants/gpu_memory/family/figures.h"
#include "variants/gpu_memory/family/registration.h"
#include "variants/gpu_memory/family/workloads.h"

namespace lab::gpu_memory {
namespace {

using Unmoved = Pools<designs::BestFit, kByAlignment>;

/// The first check that fails, and why: "name: reason", or "".
template <GpuMemory A>
std::string first_failure() {
  for (const bench::ConformanceCheck& check : checks_of(subject_of<A>()))
    if (const std::string problem = check.what_is_wrong(); !problem.empty()) return check.name + ": " + problem;
  return "";
}

std::vector<std::string> names_of(const std::vector<bench::ConformanceCheck>& checks) {
  std::vector<std::string> names;
  for (const bench::ConformanceCheck& check : checks) names.push_back(check.name);
  return names;
}

TEST(Movable, passes_every_check_and_has_more_of_them_the_more_it_promises) {
  EXPECT_EQ(first_failure<BoundedPasses>(), "");
  EXPECT_EQ(first_failure<WholeCompaction>(), "");
  const auto bounded = names_of(checks_of(subject_of<BoundedPasses>()));
  const auto whole = names_of(checks_of(subject_of<WholeCompaction>()));
  const auto unmoved = names_of(checks_of(subject_of<Unmoved>()));
  EXPECT_EQ(bounded.size(), whole.size() + 1);
  EXPECT_EQ(whole.size(), unmoved.size() + 1);
}

struct ExceedsItsBound : BoundedPasses {
  using BoundedPasses::BoundedPasses;
  std::span<const HandledMove> begin_pass(std::uint64_t most_bytes, std::size_t most_moves) {
    return BoundedPasses::begin_pass(most_bytes / 2 * 3, most_moves);
  }
};
struct ForgetsThatItMoved : BoundedPasses {
  using BoundedPasses::BoundedPasses;
  designs::MemoryPlace place(const MemoryBlock& block) const { return block.place; }
};
struct MovesWhatWasDropped : BoundedPasses {
  using BoundedPasses::BoundedPasses;
  void drop(const MemoryBlock&) {}
};
struct SaysAnotherDestination : BoundedPasses {
  using BoundedPasses::BoundedPasses;
  std::span<const HandledMove> begin_pass(std::uint64_t most_bytes, std::size_t most_moves) {
    const std::span<const HandledMove> begun = BoundedPasses::begin_pass(most_bytes, most_moves);
    moves.assign(begun.begin(), begun.end());
    if (moves.size() > 1) std::swap(moves.front().to, moves.back().to);
    return moves;
  }
  std::vector<HandledMove> moves;
};
struct EndsTooEarly : BoundedPasses {
  using BoundedPasses::BoundedPasses;
  std::span<const HandledMove> begin_pass(std::uint64_t most_bytes, std::size_t most_moves) {
    const std::span<const HandledMove> begun = BoundedPasses::begin_pass(most_bytes, most_moves);
    moves.assign(begun.begin(), begun.end());
    BoundedPasses::end_pass();
    return moves;
  }
  void end_pass() {}
  std::vector<HandledMove> moves;
};
struct CopiesInAnotherOrder : WholeCompaction {
  using WholeCompaction::WholeCompaction;
  std::span<const HandledMove> begin_pass(std::uint64_t most_bytes, std::size_t most_moves) {
    const std::span<const HandledMove> begun = WholeCompaction::begin_pass(most_bytes, most_moves);
    moves.assign(begun.rbegin(), begun.rend());
    return moves;
  }
  std::vector<HandledMove> moves;
};
struct KeepsAnEmptyAllocation : WholeCompaction {
  using WholeCompaction::WholeCompaction;
  void end_pass() {
    WholeCompaction::end_pass();
    const PlacedMemory made = allocate({1, 1 << 20, 0, ResourceKind::kLinearImage});  // of a group of its own
    if (made.refusal == designs::MemoryRefusal::kNone) free(made.block);
  }
};

TEST(Movable, is_checked_by_checks_that_find_each_fault) {
  const std::map<std::string, std::string> found{{"ExceedsItsBound", first_failure<ExceedsItsBound>()},
                                                 {"ForgetsThatItMoved", first_failure<ForgetsThatItMoved>()},
                                                 {"MovesWhatWasDropped", first_failure<MovesWhatWasDropped>()},
                                                 {"SaysAnotherDestination", first_failure<SaysAnotherDestination>()},
                                                 {"EndsTooEarly", first_failure<EndsTooEarly>()},
                                                 {"CopiesInAnotherOrder", first_failure<CopiesInAnotherOrder>()},
                                                 {"KeepsAnEmptyAllocation", first_failure<KeepsAnEmptyAllocation>()}};
  const std::map<std::string, std::string> reasons{{"ExceedsItsBound", "a pass of at most"},
                                                   {"ForgetsThatItMoved", "is elsewhere than the moves say"},
                                                   {"MovesWhatWasDropped", "is elsewhere than the moves say"},
                                                   {"SaysAnotherDestination", "a resource of"},
                                                   {"EndsTooEarly", "is in no live allocation"},
                                                   {"CopiesInAnotherOrder", "a pass moves"},
                                                   {"KeepsAnEmptyAllocation", "is empty and was not returned"}};
  for (const auto& [fault, reason] : reasons)
    EXPECT_NE(found.at(fault).find(reason), std::string::npos) << fault << ": " << found.at(fault);
}

TEST(Fragmented, leaves_two_fifths_of_the_resources_in_nearly_all_allocations) {
  for (const DeviceTable& table : device_tables()) {
    const ResourcePlan plan = fragmented(1, table);
    EXPECT_TRUE(plan.steps.empty());
    std::vector<std::uint32_t> last(plan.slots, Step::kNothing);
    for (const Step& step : plan.fill) last[step.slot] = step.resource;
    EXPECT_EQ(plan.slots - static_cast<std::size_t>(std::ranges::count(last, Step::kNothing)), 324u);
    EXPECT_EQ(plan.slots, 808u);
  }
}

std::map<std::string, bench::Workload> defragment_workloads(std::vector<bench::Workload> workloads) {
  std::map<std::string, bench::Workload> found;
  for (bench::Workload& workload : workloads)
    if (workload.name.starts_with("defragment_")) found[workload.name] = std::move(workload);
  return found;
}

TEST(Defragment, gives_memory_back_in_bounded_passes_and_does_the_same_each_time) {
  const auto bounded = defragment_workloads(offer(tasks_of<BoundedPasses>()));
  const auto whole = defragment_workloads(offer(tasks_of<WholeCompaction>()));
  EXPECT_EQ(bounded.size(), device_tables().size());
  for (const auto& [name, workload] : bounded) {
    const auto passes = workload.prepare({}), compaction = whole.at(name).prepare({});
    bench::PhaseClock clock(1);
    const std::uint64_t checksum = passes->repeat(clock);
    EXPECT_EQ(passes->repeat(clock), checksum);
    EXPECT_EQ(compaction->repeat(clock), checksum);
    auto of_passes = passes->counters(), of_compaction = compaction->counters();
    EXPECT_EQ(passes->counters(), of_passes);
    ASSERT_EQ(of_passes.size(), workload.metrics.size());
    for (const bench::Metric& metric : workload.metrics) EXPECT_TRUE(of_passes.contains(metric.name)) << metric.name;
    EXPECT_LE(of_passes["most_pass_bytes"], static_cast<double>(kPassBytes));
    EXPECT_LE(of_passes["moved_bytes"], of_passes["passes"] * static_cast<double>(kPassBytes));
    EXPECT_GT(of_passes["returned_bytes"], 0);
    EXPECT_EQ(of_compaction["passes"], 1);
    EXPECT_EQ(of_compaction["most_pass_bytes"], of_compaction["moved_bytes"]);
    EXPECT_GE(of_compaction["returned_bytes"], of_passes["returned_bytes"]);
    // A pass can move the largest texture, so it gives back as much, and moves less.
    EXPECT_EQ(of_compaction["left_bytes"], of_passes["left_bytes"]);
    EXPECT_LT(of_passes["moved_bytes"], of_compaction["moved_bytes"]);
  }
}

/// The row of README's table that begins with this table and variant.
std::string readme_row(const char* variant, const Subject& subject, const DeviceTable& table) {
  auto of = defragmented(subject, fragmented(1, table));
  return fmt::format("| {} | `{}` | {:.1f} MB | {} | {:.1f} MB | {:.1f} MB | {:.2f} | {:.2f} |\n", table.name, variant,
                     of["moved_bytes"] / 1e6, of["passes"], of["most_pass_bytes"] / 1e6, of["returned_bytes"] / 1e6,
                     of["left_bytes"], of["largest_free_share"]);
}

TEST(Readme, has_what_defragmentation_moves_and_gives_back) {
  std::ifstream file("variants/gpu_memory/README.md");
  std::stringstream readme;
  readme << file.rdbuf();
  for (const DeviceTable& table : device_tables())
    for (const std::string& row : {readme_row("io7m_passes", subject_of<BoundedPasses>(), table),
                                   readme_row("io7m_compaction", subject_of<WholeCompaction>(), table)})
      EXPECT_NE(readme.str().find(row), std::string::npos) << row;
}

TEST(Defragment, is_a_trait) {
  const auto moves = [](const Traits& traits, Subject subject) {
    return complete("", {}, traits, subject, {}).traits["moves"];
  };
  EXPECT_EQ(moves(traits_of<BoundedPasses>(), subject_of<BoundedPasses>()), "in bounded passes");
  EXPECT_EQ(moves(traits_of<WholeCompaction>(), subject_of<WholeCompaction>()), "all at once");
  EXPECT_EQ(moves(traits_of<Unmoved>(), subject_of<Unmoved>()), "");
}

TEST(Defragment, is_unsupported_where_resources_stay) {
  for (const auto& [name, workload] : defragment_workloads(offer(tasks_of<Unmoved>()))) {
    EXPECT_EQ(workload.unsupported, kNeverMoves) << name;
    EXPECT_FALSE(workload.prepare) << name;
  }
}

}  // namespace
}  // namespace lab::gpu_memory
