// The tables of README.md, from the metrics of the workloads themselves, and what family.json sets beside them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "variants/ambient_obscurance/family/quality.h"
#include "variants/ambient_obscurance/family/workloads.h"

namespace lab::ambient_obscurance {
namespace {

/// What a process of the reference measures beside times, by workload. Of the metrics that need hundreds of frames,
/// only those that a table prints are made.
class Measured {
 public:
  Measured() : workloads_(make_workloads(maker())) {}

  /// The figures of these metrics, as README prints them; "" where the workload has none.
  std::vector<std::string> operator()(const std::string& workload, const std::vector<std::string>& metrics) {
    wanted_ = metrics;
    const std::map<std::string, double> counters = counters_of(workload);
    std::vector<std::string> figures;
    for (const std::string& metric : metrics) {
      const auto value = counters.find(metric);
      figures.push_back(value == counters.end() ? ""
                        : value->second < 1e-4  ? "< 0.0001"
                                                : fmt::format("{:.2g}", value->second));
    }
    return figures;
  }

 private:
  Maker maker() {
    Maker made = with_exhibits(fastest_maker());
    made.wants = [this](std::string_view metric) { return std::ranges::find(wanted_, metric) != wanted_.end(); };
    return made;
  }
  std::map<std::string, double> counters_of(const std::string& workload) const {
    const auto found = std::ranges::find(workloads_, workload, &bench::Workload::name);
    EXPECT_NE(found, workloads_.end()) << workload;
    return found->prepare({.seed = 1})->costly_counters();
  }

  std::vector<std::string> wanted_;
  std::vector<bench::Workload> workloads_;
};

using Names = std::vector<std::pair<std::string, std::string>>;  // what is printed, and the workload's or metric's name

/// A row for each workload, a column for each metric.
std::string table(Measured& measured, const std::string& corner, const Names& metrics, const Names& workloads) {
  std::string text = fmt::format("| {} |", corner), line = "|---|";
  std::vector<std::string> names;
  for (const auto& [title, metric] : metrics) {
    text += fmt::format(" {} |", title);
    line += "---|";
    names.push_back(metric);
  }
  text += "\n" + line + "\n";
  for (const auto& [title, workload] : workloads) {
    text += fmt::format("| {} | {} |\n", title, fmt::join(measured(workload, names), " | "));
  }
  return text;
}

std::string family_file(const std::string& name) {
  const Expected<std::string> text = read_file(LAB_SOURCE_DIR "/variants/ambient_obscurance/" + name);
  EXPECT_TRUE(text);
  return text ? *text : "";
}
std::string readme() {
  return family_file("README.md");
}

/// Hundreds of frames for each table: a build that checks assertions has the same figures.
class Readme : public testing::Test {
 protected:
  void SetUp() override {
#ifndef NDEBUG
    GTEST_SKIP() << "the release build compares the figures";
#endif
  }

  Measured& measured() {
    return measured_;
  }

 private:
  Measured measured_;
};

// A budget of a console is one of its images.
TEST(Charts, have_marks_of_another_machine_only_beside_images_of_full_hd) {
  const boost::json::value family = boost::json::parse(family_file("family.json"));
  for (const boost::json::value& chart : family.at("trade_offs").as_array()) {
    if (!chart.as_object().contains("marks")) continue;
    for (const boost::json::value& workload : chart.at("workloads").as_array()) {
      EXPECT_EQ(workload.as_string(), "full_hd") << chart.at("name");
    }
  }
}

TEST_F(Readme, says_what_each_term_leaves_of_the_ghosts) {
  EXPECT_THAT(readme(),
              testing::HasSubstr(
                  table(measured(), "terms",
                        {{"ghosting", "ghosting"}, {"noise there", "ghosting_noise"}, {"error", "error_to_converged"}},
                        {{"none", "object_no_terms"},
                         {"disocclusion", "object_disocclusion"},
                         {"velocity", "object_velocity"},
                         {"dangerous samples, as meant", "object_dangerous"},
                         {"dangerous samples, of this frame alone", "object_dangerous_current"},
                         {"dangerous samples, without the bit in coarser levels", "object_dangerous_level_0"},
                         {"dangerous samples, as printed", "object_dangerous_printed"},
                         {"disocclusion and velocity", "object_others"},
                         {"all", "object_all"},
                         {"all as printed", "object_printed"},
                         {"disocclusion and velocity, over the floor", "standing_others"},
                         {"all, over the floor", "standing_all"}})));
}

TEST_F(Readme, says_what_three_samples_leave) {
  EXPECT_THAT(readme(),
              testing::HasSubstr(table(measured(), "dangerous samples, of 3", {{"ghosting left", "ghosting_left"}},
                                       {{"as meant", "object_3_dangerous"},
                                        {"of this frame alone", "object_3_dangerous_current"},
                                        {"as printed", "object_3_dangerous_printed"}})));
}

TEST_F(Readme, says_what_sizes_turn_round) {
  const Names metrics{{"banding left: still", "dither_still_{}:banding_left"},
                      {"camera", "dither_camera_{}:banding_left"},
                      {"ghosting left: before a wall", "ghosts_hanging_{}:ghosting_left"},
                      {"over the floor", "ghosts_standing_{}:ghosting_left"}};
  std::string sizes = "| pixels |", line = "|---|";
  for (const auto& [title, unused] : metrics) {
    sizes += fmt::format(" {} |", title);
    line += "---|";
  }
  sizes += "\n" + line + "\n";
  for (const std::string size : {"128x72", "192x108", "256x144", "320x180", "480x270"}) {
    sizes += fmt::format("| {} |", size);
    for (const auto& [unused, name] : metrics) {
      const std::size_t colon = name.find(':');
      const std::string workload = fmt::format(fmt::runtime(name.substr(0, colon)), size);
      sizes += fmt::format(" {} |", measured()(workload, {name.substr(colon + 1)}).front());
    }
    sizes += "\n";
  }
  EXPECT_THAT(readme(), testing::HasSubstr(sizes));
}

TEST_F(Readme, says_what_motion_costs) {
  EXPECT_THAT(readme(), testing::HasSubstr(table(measured(), "what moves, and the terms",
                                                 {{"weight of history there", "history_moved"},
                                                  {"where it stands still", "history_still"},
                                                  {"where the shelf was", "history_uncovered"}},
                                                 {{"camera, none", "camera_no_terms"},
                                                  {"camera, velocity", "camera_velocity"},
                                                  {"camera, all", "camera_all"},
                                                  {"shelf, none", "object_no_terms"},
                                                  {"shelf, velocity", "object_velocity"},
                                                  {"shelf, disocclusion", "object_disocclusion"},
                                                  {"shelf, all", "object_all"}})));
}

using CostlyMetrics = Readme;

TEST_F(CostlyMetrics, are_all_those_that_a_workload_declares_whether_a_table_prints_them_or_not) {
  std::size_t made = 0;
  for (const bench::Workload& workload : make_workloads(with_exhibits(fastest_maker()))) {
    // One of each kind, and of the smallest size.
    const bool tried = workload.name == "object_3_dangerous" || workload.name == "camera_all" ||
                       workload.name == "placement_halton" || workload.name == "dither_still_128x72";
    if (!tried) continue;
    std::set<std::string> declared, found;
    for (const bench::Metric& metric : workload.metrics)
      if (metric.costly) declared.insert(metric.name);
    for (const auto& [name, value] : workload.prepare({.seed = 1})->costly_counters()) found.insert(name);
    EXPECT_EQ(found, declared) << workload.name;
    ++made;
  }
  EXPECT_EQ(made, 4u);
}

TEST_F(Readme, says_what_placements_are_worth) {
  EXPECT_THAT(readme(), testing::HasSubstr(
                            table(measured(), "placement",
                                  {{"error", "error_to_converged"},
                                   {"banding", "banding"},
                                   {"error by that of random turns", "error_by_random"}},
                                  {{"the same in each frame", "placement_fixed"},
                                   {"8 turns of the Halton sequence", "placement_halton"},
                                   {"the same and a Bayer matrix", "placement_halton_bayer"},
                                   {"9 even turns and a Bayer matrix", "placement_nine_even"},
                                   {"golden ratio and a Bayer matrix", "placement_golden_ratio"},
                                   {"R2", "placement_r2"},
                                   {"interleaved gradient noise and a Bayer matrix", "placement_gradient_noise"}})));
}

}  // namespace
}  // namespace lab::ambient_obscurance
