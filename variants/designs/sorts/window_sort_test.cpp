#include "variants/designs/sorts/window_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace lab::designs {
namespace {

using Random = std::mt19937_64;

/// How keys of one kind are drawn: the `i`th of `count`.
struct Layout {
  std::string name;
  std::uint64_t (*key)(Random& random, std::size_t i, std::size_t count);
};

std::uint64_t depth(Random& random) {
  return std::bit_cast<std::uint32_t>(std::uniform_real_distribution<float>(0.1f, 1000.0f)(random));
}

/// `groups` different values in the high 33 bits, and random bits below.
std::uint64_t grouped(Random& random, std::size_t groups) {
  const std::uint64_t group = random() % std::max<std::size_t>(1, groups) + 1;
  return group * 0x9e37'79b9'7f4a'7c15u >> 31 << 31 | random() >> 33;
}

const std::vector<Layout> kLayouts{
    {"random", [](Random& random, std::size_t, std::size_t) { return random(); }},
    {"by depth",
     [](Random& random, std::size_t i, std::size_t) {
       return (random() & 3) << 62 | depth(random) << 30 | random() % 200 << 16 | (i & 0xffff);
     }},
    {"by material",
     [](Random& random, std::size_t i, std::size_t) {
       return (random() & 3) << 62 | random() % 200 << 48 | depth(random) << 16 | (i & 0xffff);
     }},
    {"depth of 24 bits",
     [](Random& random, std::size_t i, std::size_t) {
       return (random() & 0xff'ffff) << 30 | random() % 200 << 16 | (i & 0xffff);
     }},
    {"high bits equal in all but a few",
     [](Random& random, std::size_t i, std::size_t) {
       return (i % 1000 == 7 ? random() >> 31 << 31 : 0) | random() >> 33;
     }},
    {"highest bit different in one, others in the lowest byte",
     [](Random& random, std::size_t i, std::size_t) { return std::uint64_t{i == 3} << 63 | (random() & 0xff); }},
    {"groups of 2", [](Random& random, std::size_t, std::size_t count) { return grouped(random, count / 2); }},
    {"groups of 20", [](Random& random, std::size_t, std::size_t count) { return grouped(random, count / 20); }},
    {"groups of 100", [](Random& random, std::size_t, std::size_t count) { return grouped(random, count / 100); }},
    {"groups of 1,000", [](Random& random, std::size_t, std::size_t count) { return grouped(random, count / 1000); }},
    {"groups of 10,000",
     [](Random& random, std::size_t, std::size_t count) { return grouped(random, count / 10'000); }},
    {"groups within groups",
     [](Random& random, std::size_t, std::size_t) {
       const std::uint64_t bits = random();
       // Of 64 bits, every ninth: few values however the digits are cut.
       return bits & 0x8040'2010'0804'0201u;
     }},
    {"numbers", [](Random&, std::size_t i, std::size_t count) { return std::uint64_t{i * 7919 % count}; }},
    {"repeated numbers", [](Random& random, std::size_t, std::size_t count) { return random() % (count / 4 + 1); }},
    {"two keys", [](Random& random, std::size_t, std::size_t) { return random() % 2 == 0 ? 0 : ~std::uint64_t{0}; }},
    {"all equal", [](Random&, std::size_t, std::size_t) { return std::uint64_t{42}; }},
    {"rising", [](Random&, std::size_t i, std::size_t) { return (i + 1) * 0x1234'5678'9abcu; }},
    {"falling", [](Random&, std::size_t i, std::size_t count) { return (count - i) * 0x1234'5678'9abcu; }},
};

/// Keys of the layout. Each value is the entry's number, so that a comparison finds an unstable order.
std::vector<Keyed> draw(const Layout& layout, std::size_t count, Random& random) {
  std::vector<Keyed> entries(count);
  for (std::size_t i = 0; i < count; ++i) entries[i] = {layout.key(random, i, count), i};
  return entries;
}

std::vector<Keyed> stably_sorted(std::vector<Keyed> entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  return entries;
}

/// Copies the entries to runs of their own, each of up to `longest` entries; some are empty.
std::vector<std::vector<Keyed>> cut(const std::vector<Keyed>& entries, std::size_t longest, Random& random) {
  std::vector<std::vector<Keyed>> runs;
  for (auto from = entries.begin(); from != entries.end();) {
    const auto left = static_cast<std::size_t>(entries.end() - from);
    const auto size = static_cast<std::ptrdiff_t>(std::min<std::size_t>(left, random() % (longest + 1)));
    runs.emplace_back(from, from + size);
    from += size;
  }
  runs.emplace_back();
  return runs;
}

void expect_sorted(const std::vector<Keyed>& entries, Random& random, const std::string& name) {
  SCOPED_TRACE(name + ", " + std::to_string(entries.size()) + " entries");
  const std::vector<Keyed> expected = stably_sorted(entries);
  const std::size_t count = entries.size();

  for (const std::size_t longest : {count + 1, count / 7 + 2}) {
    const std::vector<std::vector<Keyed>> pages = cut(entries, longest, random);
    const std::vector<std::span<const Keyed>> runs(pages.begin(), pages.end());
    std::vector<Keyed> out(count), scratch(count);
    window_sort(runs, out, scratch);
    ASSERT_TRUE(out == expected);
  }
  std::vector<Keyed> in_place = entries, scratch(count);
  window_sort(in_place, scratch);
  ASSERT_TRUE(in_place == expected);
}

TEST(WindowSort, agrees_with_stable_sort_on_every_layout_and_size) {
  Random random(1);
  for (const Layout& layout : kLayouts)
    for (const std::size_t count : {0,  1,   2,   3,   4,   5,    7,    8,    9,    31,     32,     33,     34,    63,
                                    64, 100, 255, 256, 257, 1000, 2047, 2048, 5000, 10'000, 32'767, 32'768, 50'000})
      expect_sorted(draw(layout, count, random), random, layout.name);
}

TEST(WindowSort, agrees_with_stable_sort_on_any_bits) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = random() % 3000;
    const std::uint64_t differing = random() & random() & (round % 2 == 0 ? random() : ~std::uint64_t{0});
    const std::uint64_t equal = random();
    std::vector<Keyed> entries(count);
    for (std::size_t i = 0; i < count; ++i) entries[i] = {(random() & differing) | (equal & ~differing), i};
    expect_sorted(entries, random, "differing bits " + std::to_string(differing));
  }
}

TEST(WindowSort, agrees_with_stable_sort_where_only_a_few_neighbouring_bits_differ) {
  Random random(3);
  for (int shift = 0; shift < 64; ++shift)
    for (const unsigned width : {1u, 10u, 11u, 12u, 33u}) {
      std::vector<Keyed> entries(2500);
      const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << shift;
      for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {random() & mask, i};
      expect_sorted(entries, random, std::to_string(width) + " bits from " + std::to_string(shift));
    }
}

TEST(WindowSort, sorts_no_runs) {
  window_sort(std::span<const std::span<const Keyed>>{}, {}, {});
  window_sort(std::span<Keyed>{}, {});
}

TEST(WindowSort, leaves_the_end_of_larger_arrays) {
  const std::vector<Keyed> run{{3, 0}, {1, 1}, {2, 2}, {1, 3}};
  const std::span<const Keyed> runs[] = {run};
  std::vector<Keyed> out(6, Keyed{7, 7}), scratch(5, Keyed{8, 8});
  window_sort(runs, out, scratch);
  EXPECT_EQ(out, (std::vector<Keyed>{{1, 1}, {1, 3}, {2, 2}, {3, 0}, {7, 7}, {7, 7}}));
  EXPECT_EQ(scratch.back(), (Keyed{8, 8}));
}

TEST(WindowSort, leaves_the_runs) {
  Random random(4);
  const std::vector<Keyed> entries = draw(kLayouts[0], 5000, random);
  const std::vector<std::vector<Keyed>> pages = cut(entries, 1000, random);
  const std::vector<std::vector<Keyed>> before = pages;
  const std::vector<std::span<const Keyed>> runs(pages.begin(), pages.end());
  std::vector<Keyed> out(5000), scratch(5000);
  window_sort(runs, out, scratch);
  EXPECT_TRUE(pages == before);
}

}  // namespace
}  // namespace lab::designs
