#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/files.h"
#include "harness/report/markdown.h"
#include "harness/report/sample_test.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

namespace fs = std::filesystem;
using results::DriverColumn;

std::string text_of(std::span<const DriverColumn> atlas) {
  Document document;
  document.pages[0].sections.push_back(driver_claims_section(sample::article("vulkan_memory"), atlas));
  return to_markdown(document);
}

/// Three columns of the article's Intel chip (another version, another setting), one of its AMD card, three of a driver
/// on other chips, lavapipe, and a driver that answered nothing.
std::vector<DriverColumn> wide_atlas() {
  using Requirement = std::pair<std::uint64_t, std::uint64_t>;
  std::vector<DriverColumn> atlas{sample::hd620("anv-22.3.6-hd620-simulated", true),
                                  sample::hd620("anv-22.3.6-hd620-simulated-noccs", false),
                                  sample::hd620("anv-25.0.7-hd620-simulated", true, 16)};
  for (DriverColumn& column : sample::atlas()) atlas.push_back(std::move(column));
  for (const std::uint64_t alignment : {512, 1024, 131072})
    atlas.push_back(sample::column(
        fmt::format("nvk-25.0.7-align{}-simulated", alignment),
        [=](std::uint64_t width, std::uint64_t height) {
          return Requirement{(width * height * 4 + alignment - 1) / alignment * alignment, alignment};
        },
        16));
  atlas.emplace_back().name = "radv-failed";
  return atlas;
}

}  // namespace

TEST(DriverClaimsSection, is_this_text) {
  const fs::path golden = fs::path(LAB_SOURCE_DIR) / "harness/report/testdata/driver_claims.md";
  const std::string text = text_of(wide_atlas());
  const fs::path found = fs::path(testing::TempDir()) / "driver_claims.md";
  ASSERT_TRUE(write_file(found, text));
  const Expected<std::string> expected = read_file(golden);
  ASSERT_TRUE(expected) << "copy " << found;
  EXPECT_EQ(text, *expected) << "where the change is meant: cp " << found << " " << golden;
}

TEST(DriverClaimsSection, without_the_articles_platforms_has_one_line_about_them) {
  const std::vector<DriverColumn> atlas{sample::atlas()[0]};
  const std::string text = text_of(atlas);
  EXPECT_EQ(text.find("on the platforms that the article surveyed:"), std::string::npos) << text;
  EXPECT_NE(
      text.find("21 claims about LinuxAMDRADV, LinuxIntelMesa, WindowsAMDProp and WindowsNVIDIAProp, and their "
                "part in 15 claims about the surveyed platforms: no column of these drivers. python3 make.py probe "
                "--import accepts the article's raw data."),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("real driver, simulated device"), std::string::npos) << text;
}

TEST(DriverClaimsSection, with_every_platform_has_no_such_line) {
  std::vector<DriverColumn> atlas = wide_atlas();
  for (const char* name : {"WindowsAMDProp-imported", "windowsnvidiaprop-imported"}) {
    atlas.push_back(sample::atlas()[0]);
    atlas.back().name = name;
  }
  const std::string text = text_of(atlas);
  EXPECT_EQ(text.find("no column of these drivers"), std::string::npos) << text;
  EXPECT_NE(text.find("windowsnvidiaprop-imported"), std::string::npos) << text;
}

TEST(DriverClaimsSection, of_sixty_columns_has_one_row_for_each_claim) {
  std::vector<DriverColumn> atlas = wide_atlas();
  const auto rows = [&] {
    std::size_t count = 0;
    for (const Element& element : driver_claims_section(sample::article("vulkan_memory"), atlas).elements)
      if (const auto* table = std::get_if<Table>(&element)) count += table->rows.size();
    return count;
  };
  const std::size_t few = rows();
  while (atlas.size() < 60) {
    atlas.push_back(sample::atlas()[0]);
    atlas.back().name = fmt::format("lavapipe-{}", atlas.size());
  }
  EXPECT_EQ(rows(), few);
}

}  // namespace lab::report
