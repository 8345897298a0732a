/// How a bucket's entries are sorted by key. Each is a type with sort(): of keys and values in two arrays, or of runs
/// of pairs, one or more of each thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "variants/designs/sorts/keyed.h"
#include "variants/designs/sorts/merge_runs.h"
#include "variants/designs/sorts/radix_sort.h"
#include "variants/designs/sorts/window_sort.h"

namespace lab::command_bucket {

using designs::Keyed;
using Runs = std::span<const std::span<const Keyed>>;

// --- Of two arrays: sort(entries, scratch, count). The first `count` entries are sorted; the two may be swapped.
// -------

/// Radix sort, 8 bits at a time.
struct RadixSort {
  template <typename Entries>
  static void sort(Entries& entries, Entries& scratch, std::size_t count) {
    designs::radix_sort(entries, scratch, count);
  }
};

/// Copies the entries to pairs, sorts these by `kSort`, and copies them back. Scratch has room for twice as many.
template <void (*kSort)(std::span<Keyed> pairs, std::span<Keyed> scratch)>
struct SortOfPairs {
  template <typename Entries>
  static void sort(Entries& entries, Entries& /*scratch*/, std::size_t count) {
    // Kept, so that only a thread's first frame allocates.
    static thread_local std::vector<Keyed> kept_pairs, kept_scratch;
    if (kept_pairs.size() < count) {
      kept_pairs.resize(count);
      kept_scratch.resize(2 * count);
    }
    using Value = std::remove_cvref_t<decltype(entries.values[0])>;
    static_assert(sizeof(Value) <= sizeof(std::uint64_t));
    for (std::size_t i = 0; i < count; ++i) {
      kept_pairs[i] = {entries.keys[i], 0};
      std::memcpy(&kept_pairs[i].value, &entries.values[i], sizeof(Value));
    }
    kSort(std::span(kept_pairs).first(count), std::span(kept_scratch).first(2 * count));
    for (std::size_t i = 0; i < count; ++i) {
      entries.keys[i] = kept_pairs[i].key;
      std::memcpy(&entries.values[i], &kept_pairs[i].value, sizeof(Value));
    }
  }
};

/// By key. An object, because a function would be passed as a pointer, and std::sort would call it for each comparison.
inline constexpr auto less_key = [](const Keyed& a, const Keyed& b) { return a.key < b.key; };

void std_sort(std::span<Keyed> pairs, std::span<Keyed> scratch);
/// Cuts them into 16 runs, sorts each by std::sort, and merges them.
void merge_sort(std::span<Keyed> pairs, std::span<Keyed> scratch);

/// The sort of thread runs, of one array.
void window_sort_pairs(std::span<Keyed> pairs, std::span<Keyed> scratch);

using StdSort = SortOfPairs<std_sort>;
using WindowSort = SortOfPairs<window_sort_pairs>;
using MergeSort = SortOfPairs<merge_sort>;

// --- Of runs: sort(runs, out, scratch). `out` and `scratch` have room for all entries together.
// -----------------------

/// Radix sort whose first pass reads the runs.
struct SortFromRuns {
  static constexpr std::size_t kScratch = 1;
  static void sort(Runs runs, std::span<Keyed> out, std::span<Keyed> scratch);
};

/// Sorts each run by itself, and merges them; more than kMaxMergedRuns are sorted together, which is faster.
struct MergeSortedRuns {
  static constexpr std::size_t kScratch = 2;
  static void sort(Runs runs, std::span<Keyed> out, std::span<Keyed> scratch);
};

}  // namespace lab::command_bucket
