// Idea: stable passes over two or three digits, taken from the highest bits that differ between keys. They decide the
//   order of most entries. Groups whose digits are all equal are sorted afterwards by the bits below.
// Cost: one pass finds the bits that differ, one counts the digits, two or three move the entries (the first straight
//   from the runs), one finds the groups. A group is sorted in the same way, so all of it is O(n).
// Source: M. D. MacLaren, "Internal Sorting by Radix Plus Sifting", Journal of the ACM 13 (1966).
// Weakness: high bits that differ but seldom decide. If all entries lie in groups of 20 to 50, sorting takes three to
//   four times as long as without groups.
#include "variants/designs/sorts/window_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace lab::designs {
namespace {

using Runs = std::span<const std::span<const Keyed>>;

constexpr std::size_t kMaxDigits = 3;
constexpr unsigned kMaxDigitBits = 12;
constexpr std::size_t kSmallGroup = 32;  // sorted by comparing all pairs

using Counts = std::array<std::array<std::uint32_t, std::size_t{1} << kMaxDigitBits>, kMaxDigits>;

/// Counters must fit the first-level cache, and must not outnumber the entries: each is cleared and summed.
unsigned digit_bits(std::size_t entries) {
  const unsigned limit = entries < 32'768 ? kMaxDigitBits - 1 : kMaxDigitBits;
  return std::min(static_cast<unsigned>(std::bit_width(entries)) - 1, limit);
}

std::uint64_t bits_below(std::uint64_t bits, unsigned position) {
  assert(position < 64);
  return bits & ((std::uint64_t{1} << position) - 1);
}

struct Digit {
  unsigned shift;
  std::uint32_t mask;

  std::uint32_t of(std::uint64_t key) const { return static_cast<std::uint32_t>(key >> shift) & mask; }
  std::size_t values() const { return std::size_t{mask} + 1; }
};

struct Window {
  std::array<Digit, kMaxDigits> digits;  // from the highest; each begins with a bit that differs
  std::size_t count = 0;

  unsigned lowest_bit() const { return digits[count - 1].shift; }
};

Window choose_window(std::uint64_t differing, unsigned bits) {
  Window window{};
  while (differing != 0 && window.count < kMaxDigits) {
    const auto top = static_cast<unsigned>(std::bit_width(differing));
    const unsigned width = std::min(bits, top);
    window.digits[window.count++] = {.shift = top - width, .mask = (1u << width) - 1};
    differing = bits_below(differing, top - width);
  }
  return window;
}

std::uint64_t differing_bits(Runs runs) {
  // Two of each: one alone is a chain of operations that wait for each other.
  std::array<std::uint64_t, 2> any{};
  std::array<std::uint64_t, 2> all{~std::uint64_t{0}, ~std::uint64_t{0}};
  const auto add = [&](std::size_t half, const Keyed& entry) {
    any[half] |= entry.key;
    all[half] &= entry.key;
  };
  for (const std::span<const Keyed> run : runs) {
    for (std::size_t i = 1; i < run.size(); i += 2) {
      add(0, run[i - 1]);
      add(1, run[i]);
    }
    if (run.size() % 2 == 1) add(0, run.back());
  }
  return (any[0] | any[1]) & ~(all[0] & all[1]);
}

template <std::size_t kDigits>
void count_digits(Runs runs, const Window& window, Counts& counts) {
  for (std::size_t d = 0; d < kDigits; ++d) std::fill_n(counts[d].begin(), window.digits[d].values(), 0u);
  const std::array<Digit, kMaxDigits> digits = window.digits;
  const auto count = [&](const Keyed& entry) {
    ++counts[0][digits[0].of(entry.key)];
    if constexpr (kDigits > 1) ++counts[1][digits[1].of(entry.key)];
    if constexpr (kDigits > 2) ++counts[2][digits[2].of(entry.key)];
  };
  for (const std::span<const Keyed> run : runs) {
    // From two places in turn: neighbours often share a digit, and would wait for each other's counter.
    const std::size_t half = run.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      count(run[i]);
      count(run[half + i]);
    }
    if (run.size() % 2 == 1) count(run.back());
  }
}

/// How many other entries share an entry's two highest digits, on average and if the digits are independent.
double expected_equals(const Window& window, const Counts& counts, std::size_t entries) {
  const auto n = static_cast<double>(entries);
  double expected = n;
  for (std::size_t d = 0; d < 2; ++d) {
    const auto end = counts[d].begin() + static_cast<std::ptrdiff_t>(window.digits[d].values());
    std::uint64_t squares = 0;
    for (auto at = counts[d].begin(); at != end; ++at) squares += std::uint64_t{*at} * *at;
    expected *= static_cast<double>(squares) / (n * n);
  }
  return expected;
}

/// The digits to sort by, and how often each of their values occurs.
Window count_window(Runs runs, std::size_t entries, Counts& counts) {
  const std::uint64_t differing = differing_bits(runs);
  if (differing == 0) return {};
  Window window = choose_window(differing, digit_bits(entries));
  if (window.count == 1) count_digits<1>(runs, window, counts);
  if (window.count == 2) count_digits<2>(runs, window, counts);
  if (window.count == 3) {
    count_digits<3>(runs, window, counts);
    // A third pass takes as long as finding and sorting a pair for every sixteenth entry.
    if (expected_equals(window, counts, entries) < 1.0 / 8) window.count = 2;
  }
  return window;
}

/// Moves the entries to the places of their digits. Stable. `counts` becomes the places.
void scatter(Runs runs, Keyed* to, std::span<std::uint32_t> counts, Digit digit) {
  std::uint32_t sum = 0;
  for (std::uint32_t& count : counts) sum += std::exchange(count, sum);
  std::uint32_t* const places = counts.data();
  for (const std::span<const Keyed> run : runs) {
    constexpr std::size_t kTogether = 8;  // their places are found before the first is written
    const Keyed* from = run.data();
    const Keyed* const end = from + run.size();
    for (; end - from >= static_cast<std::ptrdiff_t>(kTogether); from += kTogether) {
      std::array<std::uint32_t, kTogether> place;
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kTogether; ++i) place[i] = places[digit.of(from[i].key)]++;
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kTogether; ++i) to[place[i]] = from[i];
    }
    for (; from != end; ++from) to[places[digit.of(from->key)]++] = *from;
  }
}

/// No branch depends on a key.
void sort_pair(std::span<Keyed> pair) {
  const Keyed first = pair[0];
  const Keyed second = pair[1];
  const std::size_t swapped = second.key < first.key;
  pair[swapped] = first;
  pair[1 - swapped] = second;
}

/// Counts for each entry how many come before it, O(n^2). No branch depends on a key.
void sort_small(std::span<Keyed> entries, Keyed* scratch) {
  std::copy(entries.begin(), entries.end(), scratch);
  const std::size_t count = entries.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t key = scratch[i].key;
    std::size_t place = 0;
#pragma GCC unroll 4
    for (std::size_t j = 0; j < i; ++j) place += scratch[j].key <= key;
#pragma GCC unroll 4
    for (std::size_t j = i + 1; j < count; ++j) place += scratch[j].key < key;
    entries[place] = scratch[i];
  }
}

void sort_groups(std::span<Keyed> entries, unsigned lowest_bit, Keyed* scratch, Counts& counts);

/// Sorts by the digits of a window that are already counted. The first pass must not write to where the runs lie: it
/// fills `scratch` if the number of digits is even, `out` if it is odd.
void sort_counted(const Window& window, Runs runs, std::span<Keyed> out, Keyed* scratch, Counts& counts) {
  std::array<Keyed*, 2> targets{scratch, out.data()};
  std::span<const Keyed> moved;
  for (std::size_t d = window.count; d-- > 0;) {
    Keyed* const to = targets[d % 2 == 0];  // the last pass fills `out`
    scatter(runs, to, std::span(counts[d]).first(window.digits[d].values()), window.digits[d]);
    moved = {to, out.size()};
    runs = {&moved, 1};
  }
  if (window.lowest_bit() != 0) sort_groups(out, window.lowest_bit(), scratch, counts);
}

void sort_in_place(std::span<Keyed> entries, Keyed* scratch, Counts& counts) {
  std::span<const Keyed> run = entries;
  const Window window = count_window({&run, 1}, entries.size(), counts);
  if (window.count == 0) return;
  if (window.count % 2 == 1) {
    std::copy(entries.begin(), entries.end(), scratch);
    run = {scratch, entries.size()};
  }
  sort_counted(window, {&run, 1}, entries, scratch, counts);
}

/// Sorts each group whose keys are equal from `lowest_bit` upwards. The entries are sorted by these bits.
void sort_groups(std::span<Keyed> entries, unsigned lowest_bit, Keyed* scratch, Counts& counts) {
  const auto begins_group = [&](std::size_t i) { return (entries[i - 1].key ^ entries[i].key) >> lowest_bit != 0; };
  const std::size_t count = entries.size();
  for (std::size_t i = 1; i < count; ++i) {
    // Four at a time, because most groups are single entries.
    while (i + 4 <= count && (begins_group(i) & begins_group(i + 1) & begins_group(i + 2) & begins_group(i + 3)) != 0)
      i += 4;
    if (i == count) break;
    if (begins_group(i)) continue;
    const std::size_t first = i - 1;
    do ++i;
    while (i < count && !begins_group(i));
    const std::span<Keyed> group = entries.subspan(first, i - first);
    if (group.size() == 2)
      sort_pair(group);
    else if (group.size() <= kSmallGroup)
      sort_small(group, scratch);
    else
      sort_in_place(group, scratch, counts);
  }
}

}  // namespace

void window_sort(Runs runs, std::span<Keyed> out, std::span<Keyed> scratch) {
  const std::size_t entries = std::accumulate(runs.begin(), runs.end(), std::size_t{0},
                                              [](std::size_t sum, auto run) { return sum + run.size(); });
  assert(entries <= out.size() && entries <= scratch.size() && entries <= std::numeric_limits<std::uint32_t>::max());
  Counts counts;
  const Window window = count_window(runs, entries, counts);
  if (window.count != 0) return sort_counted(window, runs, out.first(entries), scratch.data(), counts);
  for (Keyed* to = out.data(); const std::span<const Keyed> run : runs) to = std::copy(run.begin(), run.end(), to);
}

void window_sort(std::span<Keyed> entries, std::span<Keyed> scratch) {
  assert(entries.size() <= scratch.size() && entries.size() <= std::numeric_limits<std::uint32_t>::max());
  Counts counts;
  sort_in_place(entries, scratch.data(), counts);
}

}  // namespace lab::designs
