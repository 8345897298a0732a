#include "variants/designs/sorts/merge_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace lab::designs {
namespace {

using Random = std::mt19937_64;

bool by_key(const Keyed& a, const Keyed& b) {
  return a.key < b.key;
}

/// Sorted runs of the given lengths. Each value is the entry's place in all runs, so that a comparison finds an
/// unstable order.
std::vector<std::vector<Keyed>> sorted_runs(const std::vector<std::size_t>& lengths, std::uint64_t mask,
                                            Random& random) {
  std::vector<std::vector<Keyed>> runs;
  std::uint64_t place = 0;
  for (const std::size_t length : lengths) {
    std::vector<Keyed>& run = runs.emplace_back(length);
    for (Keyed& entry : run) entry.key = random() & mask;
    std::sort(run.begin(), run.end(), by_key);
    for (Keyed& entry : run) entry.value = place++;
  }
  return runs;
}

void expect_merged(const std::vector<std::vector<Keyed>>& runs) {
  std::vector<Keyed> expected;
  for (const std::vector<Keyed>& run : runs) expected.insert(expected.end(), run.begin(), run.end());
  std::stable_sort(expected.begin(), expected.end(), by_key);

  const std::vector<std::span<const Keyed>> spans(runs.begin(), runs.end());
  std::vector<Keyed> out(expected.size()), scratch(expected.size());
  merge_runs(spans, out, scratch);
  ASSERT_TRUE(out == expected);
}

constexpr std::uint64_t kMasks[] = {~std::uint64_t{0}, 0xff, 1, 0, std::uint64_t{0xf} << 60};

TEST(MergeRuns, agrees_with_stable_sort_on_runs_of_equal_lengths) {
  Random random(1);
  for (const std::size_t runs : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 64, 256})
    for (const std::size_t length : {0, 1, 2, 3, 4, 5, 31, 100})
      for (const std::uint64_t mask : kMasks) {
        SCOPED_TRACE(std::to_string(runs) + " runs of " + std::to_string(length) + ", mask " + std::to_string(mask));
        expect_merged(sorted_runs(std::vector<std::size_t>(runs, length), mask, random));
      }
}

TEST(MergeRuns, agrees_with_stable_sort_on_runs_of_any_lengths) {
  Random random(2);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::size_t> lengths(random() % 20);
    // Lengths of different magnitudes, many of them 0.
    for (std::size_t& length : lengths) length = random() % (std::size_t{1} << random() % 11);
    const std::uint64_t mask = kMasks[random() % std::size(kMasks)];
    SCOPED_TRACE("round " + std::to_string(round));
    expect_merged(sorted_runs(lengths, mask, random));
  }
}

TEST(MergeRuns, merges_large_runs) {
  Random random(3);
  for (const std::size_t runs : {2, 3, 8, 16})
    for (const std::uint64_t mask : kMasks)
      expect_merged(sorted_runs(std::vector<std::size_t>(runs, 50'000 / runs), mask, random));
}

TEST(MergeRuns, merges_runs_whose_keys_do_not_overlap) {
  Random random(4);
  std::vector<std::vector<Keyed>> runs = sorted_runs({300, 1, 700, 20}, 0xffff, random);
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (Keyed& entry : runs[run]) entry.key |= std::uint64_t{run} << 32;
  expect_merged(runs);
  std::swap(runs[0], runs[3]);
  std::swap(runs[1], runs[2]);
  expect_merged(runs);
}

TEST(MergeRuns, leaves_the_end_of_larger_arrays) {
  const std::vector<Keyed> a{{1, 0}, {3, 1}}, b{{1, 2}, {2, 3}};
  const std::span<const Keyed> runs[] = {a, b};
  std::vector<Keyed> out(5, Keyed{7, 7}), scratch(4);
  merge_runs(runs, out, scratch);
  EXPECT_EQ(out, (std::vector<Keyed>{{1, 0}, {1, 2}, {2, 3}, {3, 1}, {7, 7}}));
}

}  // namespace
}  // namespace lab::designs
