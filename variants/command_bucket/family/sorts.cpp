#include "variants/command_bucket/family/sorts.h"

#include <array>

namespace lab::command_bucket {

namespace {

constexpr std::size_t kRunsOfMergeSort = 16;

}  // namespace

void std_sort(std::span<Keyed> pairs, std::span<Keyed>) {
  std::sort(pairs.begin(), pairs.end(), less_key);
}

void merge_sort(std::span<Keyed> pairs, std::span<Keyed> scratch) {
  std::array<std::span<const Keyed>, kRunsOfMergeSort> runs;
  std::ranges::copy(pairs, scratch.begin());
  const std::size_t most = (pairs.size() + runs.size() - 1) / runs.size();
  for (std::size_t run = 0, at = 0; run < runs.size(); ++run) {
    const std::size_t count = std::min(most, pairs.size() - at);
    const std::span<Keyed> entries = scratch.subspan(at, count);
    std::sort(entries.begin(), entries.end(), less_key);
    runs[run] = entries;
    at += count;
  }
  designs::merge_runs(runs, pairs, scratch.subspan(pairs.size()));
}

void window_sort_pairs(std::span<Keyed> pairs, std::span<Keyed> scratch) {
  designs::window_sort(pairs, scratch);
}

void SortFromRuns::sort(Runs runs, std::span<Keyed> out, std::span<Keyed> scratch) {
  designs::window_sort(runs, out, scratch);
}

void MergeSortedRuns::sort(Runs runs, std::span<Keyed> out, std::span<Keyed> scratch) {
  if (runs.size() > designs::kMaxMergedRuns) return designs::window_sort(runs, out, scratch.first(out.size()));
  std::array<std::span<const Keyed>, designs::kMaxMergedRuns> sorted;
  std::size_t at = 0, count = 0;
  for (const std::span<const Keyed>& run : runs) {
    const std::span<Keyed> to = scratch.subspan(out.size() + at, run.size());
    designs::window_sort(std::span(&run, 1), to, out.subspan(at, run.size()));
    sorted[count++] = to;
    at += run.size();
  }
  designs::merge_runs(std::span(sorted).first(count), out, scratch.first(out.size()));
}

}  // namespace lab::command_bucket
