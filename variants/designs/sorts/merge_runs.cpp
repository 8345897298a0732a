// Idea: neighbouring runs are merged in pairs until one is left. A binary search cuts each merge into four parts, which
//   advance in turn, because one merge alone waits for its own last comparison.
// Cost: one comparison and one move per entry and level, without a branch that depends on a key.
// Source: the cut is the merge path of Odeh, Green, Mwassi, Shmueli and Birk (2012), which gives a part to each thread.
// Weakness: every level moves all entries, so runs of very different lengths cost as much as equal ones.
#include "variants/designs/sorts/merge_runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>

#include "variants/designs/sorts/window_sort.h"

namespace lab::designs {
namespace {

using Run = std::span<const Keyed>;

constexpr std::size_t kParts = 4;

/// A merge of two runs that is under way.
struct Merge {
  Run first;
  Run second;
  Keyed* to;

  std::size_t steps_before_one_is_empty() const { return std::min(first.size(), second.size()); }
};

/// Advances all merges by the same number of entries, until one of their runs is empty.
template <std::size_t kCount>
void advance(std::span<Merge, kCount> merges) {
  for (;;) {
    std::size_t steps = std::numeric_limits<std::size_t>::max();
    for (const Merge& merge : merges) steps = std::min(steps, merge.steps_before_one_is_empty());
    if (steps == 0) return;

    std::array<const Keyed*, kCount> first, second;
    std::array<Keyed*, kCount> to;
    for (std::size_t i = 0; i < kCount; ++i) {
      first[i] = merges[i].first.data();
      second[i] = merges[i].second.data();
      to[i] = merges[i].to;
    }
    for (std::size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 4
      for (std::size_t i = 0; i < kCount; ++i) {
        const bool take_second = second[i]->key < first[i]->key;
        to[i][step] = *(take_second ? second[i] : first[i]);
        second[i] += take_second;
        first[i] += !take_second;
      }
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      merges[i].first = {first[i], merges[i].first.data() + merges[i].first.size()};
      merges[i].second = {second[i], merges[i].second.data() + merges[i].second.size()};
      merges[i].to += steps;
    }
  }
}

void finish(Merge merge) {
  advance(std::span<Merge, 1>(&merge, 1));
  Keyed* const to = std::copy(merge.first.begin(), merge.first.end(), merge.to);
  std::copy(merge.second.begin(), merge.second.end(), to);
}

/// How many of the first `count` entries of the merged runs come from `first`.
std::size_t taken_from_first(Run first, Run second, std::size_t count) {
  std::size_t low = count - std::min(count, second.size());
  std::size_t high = std::min(count, first.size());
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (second[count - middle - 1].key < first[middle].key)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

void merge_pair(Run first, Run second, Keyed* to) {
  const std::size_t count = first.size() + second.size();
  std::array<Merge, kParts> parts;
  std::size_t begin = 0, first_begin = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::size_t end = count * (part + 1) / kParts;
    const std::size_t first_end = taken_from_first(first, second, end);
    parts[part] = {.first = first.subspan(first_begin, first_end - first_begin),
                   .second = second.subspan(begin - first_begin, (end - first_end) - (begin - first_begin)),
                   .to = to + begin};
    begin = end;
    first_begin = first_end;
  }
  advance(std::span(parts));
  std::for_each(parts.begin(), parts.end(), finish);
}

}  // namespace

void merge_runs(std::span<const Run> runs, std::span<Keyed> out, std::span<Keyed> scratch) {
  std::array<Run, kMaxMergedRuns> left;
  std::size_t count = 0;
  for (const Run run : runs) {
    if (run.empty()) continue;
    if (count == left.size()) return window_sort(runs, out, scratch);
    left[count++] = run;
  }
  if (count == 0) return;
  if (count == 1) {
    assert(left[0].size() <= out.size());
    std::copy(left[0].begin(), left[0].end(), out.begin());
    return;
  }

  for (auto level = static_cast<unsigned>(std::bit_width(count - 1)); level-- > 0;) {
    const std::span<Keyed> target = level % 2 == 0 ? out : scratch;  // the last level fills `out`
    std::size_t filled = 0;
    for (std::size_t i = 0; i < count; i += 2) {
      const Run first = left[i];
      const Run second = i + 1 < count ? left[i + 1] : Run();
      assert(filled + first.size() + second.size() <= target.size());
      merge_pair(first, second, target.data() + filled);
      left[i / 2] = target.subspan(filled, first.size() + second.size());
      filled += first.size() + second.size();
    }
    count = (count + 1) / 2;
  }
}

}  // namespace lab::designs
