#include "harness/judge/detector_memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace lab::judge {

namespace {

using stats::WatchedFrom;

/// A step up, back and up again: it has alarms with and without a ratio.
std::vector<double> stepped(double level = 4) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0, 0.01);
  std::vector<double> values;
  for (std::size_t i = 0; i < 120; ++i) values.push_back(level + (i / 30 % 2 == 0 ? 0 : 0.1) + normal(random));
  return values;
}

std::vector<WatchedFrom> watched(double sigma = 0.02) {
  const stats::SharedNoise shared{0.1, sigma, 50, {-1.2, 0.1, 1.3}};
  return {{16, {30, std::nullopt}}, {40, {31, shared}}, {100, {32, shared}}};
}

}  // namespace

TEST(DetectorMemory, night_after_night_gives_the_change_points_of_a_replay) {
  for (const double level : {4.0, -0.05}) {
    const std::vector<double> values = stepped(level);
    std::string memory;
    for (std::size_t count = 1; count <= values.size(); ++count) {
      const std::span<const double> known = std::span(values).first(count);
      EXPECT_EQ(remembered(known, watched(), memory).size(),
                count <= stats::ChangePointDetector::kEnough ? 0 : count - 1);
      EXPECT_EQ(find_change_points(known, watched(), memory), stats::find_change_points(known, watched()));
    }
    EXPECT_EQ(stats::find_change_points(values, watched()).size(), 3U);
  }
}

TEST(DetectorMemory, counts_only_for_the_values_and_contexts_that_it_has_seen) {
  std::vector<double> values = stepped();
  values.resize(90);
  const std::vector<WatchedFrom> contexts = watched();
  std::string memory;
  find_change_points(values, contexts, memory);
  const auto seen = [&](std::span<const double> now, std::span<const WatchedFrom> in, std::string_view known) {
    std::string left(known);
    EXPECT_EQ(find_change_points(now, in, left), stats::find_change_points(now, in));
    return remembered(now, in, known).size();
  };
  std::vector<double> more = stepped(), late = stepped();
  EXPECT_EQ(seen(values, contexts, memory), 90U);
  EXPECT_EQ(seen(more, contexts, memory), 90U);
  late.insert(late.begin() + 50, late[49]);
  EXPECT_EQ(seen(late, contexts, memory), 0U) << "a night came late";
  EXPECT_EQ(seen(std::span(values).first(89), contexts, memory), 0U) << "a night is gone";
  EXPECT_EQ(seen(more, std::span(contexts).first(2), memory), 90U) << "a context that it has not seen is another";
  EXPECT_EQ(seen(more, std::span(contexts).first(1), memory), 0U);
  EXPECT_EQ(seen(more, watched(0.021), memory), 0U);
  std::vector<WatchedFrom> moved = watched();
  ++moved[1].index;
  EXPECT_EQ(seen(more, moved, memory), 0U);
  EXPECT_EQ(seen(more, contexts, ""), 0U);
  EXPECT_EQ(seen(more, contexts, memory.substr(0, memory.size() - 2)), 0U);
  for (const char digit : {'1', '7'}) {
    std::string damaged = memory;
    damaged[damaged.find(' ') + 4] = digit;
    EXPECT_EQ(seen(more, contexts, damaged), damaged == memory ? 90U : 0U);
  }
}

TEST(SharedNoise, is_learned_once_and_again_where_a_series_has_changed) {
  std::vector<std::vector<double>> medians;
  for (int i = 0; i < 12; ++i) {
    std::vector<double>& of_series = medians.emplace_back();
    for (const double value : stepped()) of_series.push_back(std::exp(value / (40 + i)));
  }
  const std::vector<std::span<const double>> all(medians.begin(), medians.end());
  const auto noise = [&](const Memories& known, std::size_t fewest = 10) {
    Memories left;
    const std::optional<stats::SharedNoise> found = shared_noise(all, fewest, known, left);
    EXPECT_EQ(left.size(), 1U);
    return std::pair(found, left);
  };
  const auto [found, left] = noise({});
  ASSERT_TRUE(found);
  EXPECT_EQ(noise(left), std::pair(found, left));
  Memories other = left;
  other.begin()->second = "0.5 1 2 1 3 ";
  EXPECT_EQ(noise(other).first, (stats::SharedNoise{0.5, 1, 2, {3}})) << "what is known is not learned again";
  other.begin()->second = "damaged";
  EXPECT_EQ(noise(other), std::pair(found, left));
  medians[3][7] += 0.1;
  EXPECT_NE(noise(other).second.begin()->first, left.begin()->first);
  const auto [none, of_few] = noise({}, 13);
  EXPECT_FALSE(none);
  EXPECT_EQ(noise(of_few, 13), std::pair(none, of_few));
}

TEST(DetectorMemory, is_text_that_reads_back_bit_for_bit) {
  for (const double level : {4.0, -0.05}) {
    stats::ChangePointDetector detector;
    for (const double value : stepped(level)) {
      detector.add(value);
      ASSERT_EQ(parse_state(state_text(detector.state())), detector.state());
    }
    ASSERT_FALSE(detector.change_points().empty());
    EXPECT_EQ(detector.change_points().front().ratio.has_value(), level > 0);
  }
  const std::string text = state_text({});
  for (const std::string& bad : {std::string(), std::string("1"), text + "1 ", text.substr(1), "x" + text,
                                 text.substr(0, text.size() - 2), std::string("-1 ") + text.substr(2)})
    EXPECT_FALSE(parse_state(bad)) << bad;
}

}  // namespace lab::judge
