#include "harness/stats/layout_effect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/base/random.h"

namespace lab::stats {
namespace {

/// Sums of twelve uniform numbers: nearly normal.
double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
  return sum;
}

struct Session {
  double links = 0;  ///< standard deviations
  double noise = 0.01;
  double change = 0;  ///< of head
  int blocks = 16;
  int layouts = 4;
};

struct Data {
  std::vector<Datum> base, head;
};

/// Blocks with a process of each arm, in which links take turns.
Data draw(Random& random, const Session& session) {
  Data data;
  for (auto* side : {&data.base, &data.head}) {
    std::vector<double> levels;
    for (int i = 0; i < session.layouts; ++i) levels.push_back(session.links * normal(random));
    for (int block = 0; block < session.blocks; ++block) {
      const int link = block % session.layouts;
      const double change = side == &data.head ? session.change : 0;
      side->push_back({block / 4,
                       std::exp(levels[static_cast<std::size_t>(link)] + change + session.noise * normal(random)),
                       link + 1});
    }
  }
  return data;
}

/// The share of tests with p below 0.05, with and without the layouts.
std::pair<double, double> found(const Session& session, int rounds, std::uint64_t seed) {
  Random random(seed);
  int with = 0, without = 0;
  for (int i = 0; i < rounds; ++i) {
    const Data data = draw(random, session);
    const ShiftedArms arms(BlockedArms(data.base, data.head), layout_effect(data.base, data.head).shift);
    with += arms.p_value() < 0.05;
    without += arms.arms().p_value() < 0.05;
  }
  return {static_cast<double>(with) / rounds, static_cast<double>(without) / rounds};
}

TEST(LayoutEffect, WithoutSeveralLinksIsUnknown) {
  Random random(1);
  const Data data = draw(random, {.layouts = 1});
  const LayoutEffect effect = layout_effect(data.base, data.head);
  EXPECT_TRUE(effect.shift.empty());
  const ShiftedArms arms(BlockedArms(data.base, data.head), effect.shift);
  EXPECT_EQ(arms.p_value(), arms.arms().p_value());
  EXPECT_EQ(arms.interval(0.05), arms.arms().interval(0.05));
}

TEST(LayoutEffect, IsTheMoreTheMoreLinksDiffer) {
  Random random(2);
  double last = 0;
  for (const double links : {0.0, 0.01, 0.03, 0.1}) {
    double sum = 0, share = 0;
    for (int i = 0; i < 20; ++i) {
      const Data data = draw(random, {.links = links, .noise = 0.005});
      const LayoutEffect effect = layout_effect(data.base, data.head);
      sum += effect.sigma / 20;
      share += effect.share / 20;
    }
    EXPECT_GT(sum, last);
    if (links > 0) {
      EXPECT_NEAR(sum / links, 1, 0.35) << links;
    }
    if (links > 0.05) {
      EXPECT_GT(share, 0.95);
    }
    last = sum;
  }
}

TEST(LayoutEffect, MovesWithTheUnitAndNotWithTheLevel) {
  Random random(3);
  Data data = draw(random, {.links = 0.02});
  const LayoutEffect before = layout_effect(data.base, data.head);
  for (Datum& datum : data.base) datum.value *= 1e6;
  for (Datum& datum : data.head) datum.value *= 3e6;
  const LayoutEffect after = layout_effect(data.base, data.head);
  EXPECT_NEAR(after.sigma, before.sigma, 1e-9);
  EXPECT_NEAR(after.share, before.share, 1e-9);
}

TEST(LayoutEffect, OneDisturbedProcessIsNoDifferenceOfLinks) {
  Random random(4);
  Data data = draw(random, {.noise = 0.01, .blocks = 24});
  const double before = layout_effect(data.base, data.head).sigma;
  data.head[5].value *= 3;
  EXPECT_LT(layout_effect(data.base, data.head).sigma, 2 * before + 0.005);
}

TEST(LayoutEffect, SaysWhetherTheProcessesShowThatLinksDiffer) {
  Random random(10);
  const auto measured = [&](const Session& session) {
    int count = 0;
    for (int i = 0; i < 100; ++i) {
      const Data data = draw(random, session);
      count += layout_effect(data.base, data.head).measured;
    }
    return count;
  };
  EXPECT_LE(measured({.links = 0, .noise = 0.01}), 12);
  EXPECT_GE(measured({.links = 0.02, .noise = 0.005}), 95);
}

TEST(LayoutEffect, IsNoFigureOfTheGridAlone) {
  // The median of the posterior distribution between its points: 100 sessions hardly have two equal ones.
  Random random(11);
  std::vector<double> found;
  for (int i = 0; i < 100; ++i) {
    const Data data = draw(random, {.links = 0, .noise = 0.01});
    found.push_back(layout_effect(data.base, data.head).sigma);
  }
  std::ranges::sort(found);
  EXPECT_GT(std::ranges::unique(found).begin() - found.begin(), 95);
}

TEST(LayoutEffect, OfConstantsIsNothing) {
  std::vector<Datum> base, head;
  for (int i = 0; i < 8; ++i) {
    base.push_back({0, 5, i % 4 + 1});
    head.push_back({0, 5, i % 4 + 1});
  }
  EXPECT_TRUE(layout_effect(base, head).shift.empty());
}

TEST(LayoutEffect, OfOneArmHasItsLinksAlone) {
  Random random(5);
  const Data data = draw(random, {.links = 0.05, .noise = 0.005});
  const LayoutEffect effect = layout_effect(data.base, {});
  EXPECT_NEAR(std::accumulate(effect.shift.begin(), effect.shift.end(), 0.0,
                              [](double sum, const NormalPart& part) { return sum + part.weight; }),
              1, 1e-4);
  EXPECT_GT(effect.sigma, 0.02);
}

TEST(ShiftedArms, FindsNoMoreThanAlphaWhereOnlyTheLinksDiffer) {
  const auto [with, without] = found({.links = 0.02, .noise = 0.005}, 300, 6);
  EXPECT_LT(with, 0.1);
  EXPECT_GT(without, 0.15);  // the difference of two sets of links is real, but none of the code's
}

TEST(ShiftedArms, FindsWhatIsLargerThanTheLinks) {
  EXPECT_GT(found({.links = 0.005, .noise = 0.005, .change = 0.03}, 100, 7).first, 0.95);
  EXPECT_GT(found({.links = 0, .noise = 0.005, .change = 0.02}, 100, 8).first, 0.95);
}

TEST(ShiftedArms, IntervalIsTheRatiosOfLargerP) {
  Random random(9);
  for (int i = 0; i < 20; ++i) {
    const Data data = draw(random, {.links = 0.01, .change = 0.01});
    const ShiftedArms arms(BlockedArms(data.base, data.head), layout_effect(data.base, data.head).shift);
    const auto interval = arms.interval(0.05), plain = arms.arms().interval(0.05);
    ASSERT_TRUE(interval && plain);
    EXPECT_LE(interval->low, plain->low);
    EXPECT_GE(interval->high, plain->high);
    EXPECT_GT(arms.p_value(interval->low * 1.001), 0.05);
    EXPECT_GT(arms.p_value(interval->high * 0.999), 0.05);
    EXPECT_LT(arms.p_value(interval->low * 0.999), 0.05);
    EXPECT_LT(arms.p_value(interval->high * 1.001), 0.05);
  }
}

}  // namespace
}  // namespace lab::stats
