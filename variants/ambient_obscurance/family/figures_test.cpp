// The tables of README.md, from the metrics of the workloads themselves, and what family.json sets beside them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "variants/ambient_obscurance/family/quality.h"
#include "variants/ambient_obscurance/family/workloads.h"

namespace lab::ambient_obscurance {
namespace {

/// What a process of the reference measures beside times, by workload.
class Measured {
 public:
  Measured() : workloads_(make_workloads(with_exhibits(fastest_maker()))) {}

  std::string operator()(const std::string& workload, const std::string& metric) {
    const auto [at, is_new] = counters_.try_emplace(workload);
    if (is_new) {
      const auto found = std::ranges::find(workloads_, workload, &bench::Workload::name);
      EXPECT_NE(found, workloads_.end()) << workload;
      at->second = found->prepare({.seed = 1})->costly_counters();
    }
    const auto value = at->second.find(metric);
    if (value == at->second.end()) return "";
    return value->second < 1e-4 ? "< 0.0001" : fmt::format("{:.2g}", value->second);
  }

 private:
  std::vector<bench::Workload> workloads_;
  std::map<std::string, std::map<std::string, double>> counters_;
};

using Names = std::vector<std::pair<std::string, std::string>>;  // what is printed, and the workload's or metric's name

/// A row for each workload, a column for each metric.
std::string table(Measured& measured, const std::string& corner, const Names& metrics, const Names& workloads) {
  std::string text = fmt::format("| {} |", corner), line = "|---|";
  for (const auto& [title, metric] : metrics) {
    text += fmt::format(" {} |", title);
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const auto& [title, workload] : workloads) {
    text += fmt::format("| {} |", title);
    for (const auto& [unused, metric] : metrics) text += fmt::format(" {} |", measured(workload, metric));
    text += "\n";
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

  // For all tests: some workloads are in two tables.
  static Measured& measured() {
    static Measured all;
    return all;
  }
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
      sizes += fmt::format(" {} |",
                           measured()(fmt::format(fmt::runtime(name.substr(0, colon)), size), name.substr(colon + 1)));
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
