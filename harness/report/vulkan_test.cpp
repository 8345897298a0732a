#include "harness/report/vulkan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "harness/report/markdown.h"
#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

namespace json = boost::json;

const VulkanMemory& vulkan() {
  static const Published published = *load_published(std::string(LAB_SOURCE_DIR) + "/results/published");
  return published.vulkan;
}

std::string check(std::string_view text, const results::DriverColumn& column) {
  const CheckOutcome checked = check_claim(json::parse(text).as_object(), column, vulkan());
  return fmt::format("{} | {} | {}", checked.stated, checked.found,
                     checked.holds ? (*checked.holds ? "holds" : "does not") : "not measured");
}

std::string text_of(const Section& section) {
  Document document;
  document.sections.push_back(section);
  return to_markdown(document);
}

}  // namespace

TEST(VulkanClaims, are_checked_on_a_column) {
  const results::DriverColumn rows = sample::atlas()[0], tiles = sample::atlas()[1];
  EXPECT_EQ(check(R"({"kind": "image alignments", "bytes": [4096, 65536]})", tiles),
            "4,096 and 65,536 | 4,096 and 65,536 | holds");
  EXPECT_EQ(check(R"({"kind": "image alignments", "bytes": [4096]})", tiles), "4,096 | 4,096 and 65,536 | does not");
  EXPECT_EQ(check(R"({"kind": "smallest image alignment", "bytes": [64]})", rows), "64 | 64 | holds");
  EXPECT_EQ(check(R"({"kind": "smallest image storage", "bytes": [4096]})", tiles), "4,096 | 4,096 | holds");
  // 1x1 takes 64 bytes there, but the article's sweep begins at 2x2.
  EXPECT_EQ(check(R"({"kind": "smallest image storage", "bytes": [128]})", rows), "128 | 128 | holds");
  EXPECT_EQ(check(R"({"kind": "image storage", "image": [128, 16], "bytes": [20504, 16384, 8192]})", rows),
            "20,504 or 16,384 or 8,192 | 8,192 | holds");
  EXPECT_EQ(check(R"({"kind": "image alignment", "image": [128, 128], "bytes": [4096]})", tiles),
            "4,096 | 65,536 | does not");
  EXPECT_EQ(check(R"({"kind": "same image storage", "images": [[2, 4096], [4, 4096]]})", tiles),
            "equal | 524,288 and 524,288 | holds");
  EXPECT_EQ(check(R"({"kind": "least image storage"})", tiles),
            "more than its texels | 4,096 for 2x2, 16 of texels | holds");
  EXPECT_EQ(check(R"({"kind": "few image alignments", "most": 3, "low": 256, "high": 65536})", rows),
            "up to 3, from 256 to 65,536 | 64 | does not");
  EXPECT_EQ(check(R"({"kind": "one buffer alignment"})", rows), "one | 16 | holds");
  EXPECT_EQ(check(R"({"kind": "small buffer storage", "below": 16, "bytes": [16]})", tiles), "16 | 16 | holds");
  EXPECT_EQ(check(R"({"kind": "small buffer storage", "below": 16, "bytes": [16]})", rows),
            "16 | 1 and 2 and 4 and 8 and 10 | does not");
  EXPECT_EQ(check(R"({"kind": "buffer extra", "above": 32, "most": 8})", tiles),
            "up to 8 more | up to 12 more, at 100 | does not");
  EXPECT_EQ(check(R"({"kind": "buffer extra", "above": 1000, "most": 0})", rows),
            "nothing more | nothing more | holds");
}

TEST(VulkanClaims, of_the_published_file_can_all_be_checked) {
  const results::DriverColumn column = sample::atlas()[1];
  ASSERT_FALSE(vulkan().claims.empty());
  for (const VulkanClaim& claim : vulkan().claims) {
    const CheckOutcome checked = check_claim(claim.check, column, vulkan());
    EXPECT_TRUE(checked.holds.has_value()) << claim.claim;
    EXPECT_NE(checked.stated, "") << claim.claim;
    EXPECT_FALSE(check_claim(claim.check, results::DriverColumn{}, vulkan()).holds.has_value()) << claim.claim;
  }
}

TEST(VulkanSection, has_both_graphs_of_the_article_with_every_driver_and_size) {
  const std::vector<results::DriverColumn> atlas = sample::atlas();
  Document document;
  document.sections.push_back(vulkan_section(atlas, vulkan()));
  std::vector<std::string> names;
  for (const Chart* chart : charts_of(document)) names.push_back(chart->name);
  // Rows of bytes have one alignment: a grid of it would show nothing.
  const std::vector<std::string> expected{"image-storage",
                                          "image-alignment",
                                          "image-overhead-lavapipe-22.3.6",
                                          "image-overhead-radv-22.3.6-navi10-simulated",
                                          "image-alignment-radv-22.3.6-navi10-simulated",
                                          "buffer-storage"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(charts_of(document)[0]->data.at("rows").as_array().size(), 2u * 169);
  EXPECT_EQ(charts_of(document)[1]->data.at("rows").as_array().size(), 2u * 169);
}

TEST(VulkanSection, draws_drivers_that_answer_alike_as_one_line) {
  std::vector<results::DriverColumn> atlas = sample::atlas();
  atlas[1] = atlas[0];
  atlas[1].name = "twin-1";
  Document document;
  document.sections.push_back(vulkan_section(atlas, vulkan()));
  const json::array& rows = charts_of(document)[0]->data.at("rows").as_array();
  EXPECT_EQ(rows.size(), 169u);
  EXPECT_EQ(rows[0].at("driver").as_string(), "lavapipe-22.3.6 and twin-1");
}

TEST(VulkanSection, says_so_where_nothing_was_probed) {
  const std::string text = text_of(vulkan_section({}, vulkan()));
  EXPECT_NE(text.find("No Vulkan driver has been probed"), std::string::npos) << text;
  EXPECT_EQ(text.find("!["), std::string::npos) << text;
}

TEST(VulkanSection, names_a_driver_that_failed_and_draws_no_empty_graph) {
  results::DriverColumn broken;
  broken.name = "radv-failed";
  broken.failure = results::ProbeFailure{"crash", "SIGSEGV while in vkCreateInstance", ""};
  const std::string text = text_of(vulkan_section(std::vector{broken}, vulkan()));
  EXPECT_NE(text.find("radv-failed did not answer everything (crash): SIGSEGV while in vkCreateInstance"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("No driver answered for a single image, so there is no graph."), std::string::npos) << text;
  EXPECT_EQ(text.find("!["), std::string::npos) << text;
}

TEST(VulkanSection, leaves_refused_sizes_out_of_graphs_and_names_them) {
  std::vector<results::DriverColumn> atlas{sample::atlas()[0]};
  results::ImageRow& last = atlas[0].images.back();
  last.size = last.alignment = 0;
  atlas[0].refused = {{"image 4096x4096", "VK_ERROR_OUT_OF_DEVICE_MEMORY"}};
  const Section section = vulkan_section(atlas, vulkan());
  Document document;
  document.sections.push_back(section);
  EXPECT_EQ(charts_of(document)[0]->data.at("rows").as_array().size(), 168u);
  EXPECT_NE(text_of(section).find("refused 1 size: image 4096x4096 (VK\\_ERROR\\_OUT\\_OF\\_DEVICE\\_MEMORY)"),
            std::string::npos);
}

}  // namespace lab::report
