#include "variants/allocator/family/buddy_story.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/exhibits.h"
#include "harness/bench/variant.h"
#include "variants/allocator/family/plans.h"
#include "variants/designs/offsets/recorded_buddy.h"

namespace lab::allocator {

namespace {

using designs::BuddyChange;
using designs::BuddyLayout;

constexpr const char* kTree = "tree";
constexpr const char* kWorstCase = "worst_case_tree";

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kLeafBytes = 16 * kKiB, kTreeBytes = 512 * kKiB;  ///< the article's example

/// A tree whose requests become events, in their order; a step is a microsecond.
class Story {
 public:
  Story() : tree_(BuddyLayout::plan(kTreeBytes, kLeafBytes).layout) {
    events_.push_back(
        {"range", 0, 0, 0, {{"position", 0}, {"bytes", std::int64_t{kTreeBytes}}, {"leaf", std::int64_t{kLeafBytes}}}});
  }

  BuddyLayout::Position allocate(std::size_t bytes) {
    const BuddyLayout::Position block = tree_.allocate(bytes);
    tell_changes();
    tell("allocate", block, bytes, tree_.layout().block_bytes(bytes));
    return block;
  }
  void free(BuddyLayout::Position block, std::size_t bytes) {
    tell("free", block, bytes, tree_.layout().block_bytes(bytes));
    tree_.free(block, bytes);
    tell_changes();
  }
  const std::vector<bench::Event>& events() const { return events_; }

 private:
  static constexpr std::int64_t kStepNs = 1000;

  void tell(const char* what, BuddyLayout::Position begin, std::size_t requested, std::size_t block) {
    events_.push_back({what,
                       0,
                       kStepNs * static_cast<std::int64_t>(events_.size()),
                       0,
                       {{"position", static_cast<std::int64_t>(begin)},
                        {"requested", static_cast<std::int64_t>(requested)},
                        {"bytes", static_cast<std::int64_t>(block)}}});
  }
  void tell_changes() {
    const std::vector<BuddyChange>& changes = tree_.store().changes();
    for (; told_ < changes.size(); ++told_)
      tell(changes[told_].kind == BuddyChange::Kind::kSplit ? "split" : "merge", changes[told_].begin,
           changes[told_].bytes, changes[told_].bytes);
  }

  designs::RecordedBuddy tree_;
  std::vector<bench::Event> events_;
  std::size_t told_ = 0;  ///< changes of the tree
};

/// The article's first request, then some more, and all frees.
std::vector<bench::Event> of_requests() {
  Story story;
  std::vector<std::pair<BuddyLayout::Position, std::size_t>> live;
  const auto allocate = [&](std::size_t kib) { live.emplace_back(story.allocate(kib * kKiB), kib * kKiB); };
  const auto free = [&](std::size_t at) {
    story.free(live[at].first, live[at].second);
    live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
  };
  for (const std::size_t kib : {32, 60, 10, 128}) allocate(kib);
  free(0);
  allocate(16);
  allocate(100);
  while (!live.empty()) free(live.size() / 2);
  return story.events();
}

/// Every leaf is allocated, every other one freed, then the rest.
std::vector<bench::Event> of_worst_case() {
  Story story;
  std::array<BuddyLayout::Position, kTreeBytes / kLeafBytes> leaves{};
  for (BuddyLayout::Position& leaf : leaves) leaf = story.allocate(kLeafBytes);
  std::ranges::sort(leaves);
  for (const std::size_t first : {0, 1})
    for (std::size_t i = first; i < leaves.size(); i += 2) story.free(leaves[i], kLeafBytes);
  return story.events();
}

/// The least level that the article's pseudocode of allocate asks for, from the last level of a tree without a free
/// block. As printed: "if the list of free blocks at level n is empty, allocate a block at level n - 1". Followed until
/// it leaves the tree.
int lowest_level_asked(unsigned levels) {
  const std::vector<int> free_blocks(levels, 0);
  int level = static_cast<int>(levels) - 1;
  while (level >= 0 && free_blocks[static_cast<std::size_t>(level)] == 0) --level;
  return level;
}

/// What a tree hands out after its first leaves were reserved.
double free_bytes(const BuddyLayout& layout) {
  const designs::OffsetBuddy tree(layout);
  double sum = 0;
  tree.for_each_free([&](BuddyLayout::Position, std::size_t bytes) { sum += static_cast<double>(bytes); });
  return sum;
}

std::map<std::string, double> figures() {
  constexpr std::size_t kReservedLeaves = 5;  // 80 K in the article's picture
  const BuddyLayout whole = BuddyLayout::plan(kTreeBytes, kLeafBytes).layout;
  BuddyLayout reserved = whole;
  reserved.reserved_leaves = kReservedLeaves;
  BuddyLayout smaller = BuddyLayout::plan(400 * kKiB, kLeafBytes).layout;
  const BuddyLayout high{.leaf_bytes = 16, .levels = 32};
  const auto bytes = [](std::size_t count) { return static_cast<double>(count); };
  return {{"tree_bytes", bytes(whole.tree_bytes())},
          {"leaf_bytes", bytes(whole.leaf_bytes)},
          {"levels", bytes(whole.levels)},
          {"metadata_bytes", bytes(whole.metadata_bytes())},
          // The bits of a tree without those of splits: one for each inner block, and node 0.
          {"xor_bytes", bytes(std::size_t{1} << (whole.levels - 1)) / 8},
          {"leaves_of_32_levels", bytes(high.tree_bytes() / high.leaf_bytes)},
          {"reserved_bytes", bytes(kTreeBytes) - free_bytes(reserved)},
          {"rounded_reserve_bytes", bytes(whole.block_bytes(kReservedLeaves * kLeafBytes))},
          {"block_of_13k", bytes(whole.block_bytes(13 * kKiB))},
          {"missing_bytes_of_400k", bytes(smaller.tree_bytes()) - free_bytes(smaller)},
          {"lowest_level_asked", lowest_level_asked(whole.levels)}};
}

}  // namespace

bench::Variant& with_story(bench::Variant& variant) {
  const auto workload =
      std::ranges::find(variant.workloads, RandomReplacePlan::describe().name, &bench::Workload::name);
  if (workload == variant.workloads.end()) return variant;
  using enum bench::ExhibitKind;
  workload->exhibits.push_back({kTree, "Requests to a tree of 512 KiB with leaves of 16 KiB, step by step", kEvents});
  workload->exhibits.push_back(
      {kWorstCase, "Every leaf allocated, every other one freed, then the rest, step by step", kEvents});
  workload->exhibit = [others = std::move(workload->exhibit)](const bench::Case& inputs, bench::ExhibitFiles& files) {
    if (others) others(inputs, files);
    files.events(kTree, of_requests(), figures());
    files.events(kWorstCase, of_worst_case());
  };
  return variant;
}

}  // namespace lab::allocator
