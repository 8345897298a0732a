#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/judge/compare.h"

namespace lab::judge {

namespace {

results::DriverColumn column(const std::string& name, std::uint64_t size) {
  results::DriverColumn column;
  column.name = name;
  column.driver.short_name = "lavapipe";
  column.images = {{1, 1, 64, 16, 7}, {64, 64, size, 16, 7}};
  column.buffers = {{100, 112, 16}};
  return column;
}

}  // namespace

TEST(Atlases, are_compared_exactly) {
  const Comparison comparison = *compare_atlases({column("lavapipe-1", 4096)}, {column("lavapipe-1", 8192)});
  ASSERT_EQ(comparison.exact.size(), 1u);
  EXPECT_EQ(comparison.exact[0].metric, "image 64x64 size");
  EXPECT_TRUE(comparison.exact[0].worse);
  EXPECT_TRUE(comparison.exact_only);
  EXPECT_EQ(exit_status(comparison), ExitStatus::kRegression);
  EXPECT_EQ(exit_status(*compare_atlases({column("a", 1)}, {column("a", 1)})), ExitStatus::kOk);
}

TEST(Atlases, compares_every_sweep_and_the_environment) {
  const auto with_sweep = [](std::uint64_t size, std::vector<std::string> refusals) {
    results::DriverColumn c = column("a", 1);
    results::SweepAnswers& wide = c.sweeps.emplace_back();
    wide.name = "wide";
    wide.refusals = std::move(refusals);
    const std::uint16_t refusal = wide.refusals.size() > 1 ? 1 : 0;
    const results::ImageTable table{{"R8_UNORM", "2d", "optimal", "sampled", "", 1, 1, 1},
                                    {{4, 4, 1, {size, 16, 1, refusal}}}};
    wide.images = {table, table};  // the same query twice
    return c;
  };
  results::DriverColumn head = with_sweep(0, {"", "at most 2x2"});
  head.environment = {{"RADV_DEBUG", "nodcc"}};
  const Comparison comparison = *compare_atlases({with_sweep(64, {""})}, {head});
  std::vector<std::string> found;
  for (const ExactChange& c : comparison.exact)
    found.push_back(c.metric + ": '" + c.base + "' '" + c.head + "'" + (c.worse ? " worse" : ""));
  const std::vector<std::string> once{"wide: 4x4 R8_UNORM, optimal, sampled size: '64' '0' worse",
                                      "wide: 4x4 R8_UNORM, optimal, sampled refused: '' 'at most 2x2'"};
  EXPECT_EQ(found,
            (std::vector<std::string>{once[0], once[1], once[0], once[1], "environment RADV_DEBUG: '' 'nodcc'"}));
  EXPECT_EQ(compare_atlases({head}, {head})->exact.size(), 0u);
}

TEST(Atlases, pair_a_driver_with_its_next_version) {
  const Comparison comparison = *compare_atlases({column("lavapipe-1", 4096)}, {column("lavapipe-2", 2048)});
  ASSERT_EQ(comparison.exact.size(), 1u);
  EXPECT_EQ(comparison.exact[0].benchmark, "lavapipe-1 -> lavapipe-2");
  EXPECT_FALSE(comparison.exact[0].worse);
  results::DriverColumn other = column("radv-1", 1);
  other.driver.short_name = "radv";
  EXPECT_EQ(compare_atlases({column("lavapipe-1", 1)}, {other}).error().status, ExitStatus::kUsage);
}

}  // namespace lab::judge
