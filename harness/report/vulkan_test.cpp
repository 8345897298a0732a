#include "harness/report/vulkan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "harness/report/markdown.h"
#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

namespace json = boost::json;

const std::vector<results::Article>& articles() {
  return sample::background().articles;
}

std::string text_of(const Section& section) {
  Document document;
  document.sections.push_back(section);
  return to_markdown(document);
}

}  // namespace

TEST(VulkanSection, has_both_graphs_of_the_article_with_every_driver_and_size) {
  const std::vector<results::DriverColumn> atlas = sample::atlas();
  Document document;
  document.sections.push_back(vulkan_section(atlas, articles()));
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

TEST(VulkanSection, draws_drivers_with_equal_answers_as_one_line) {
  std::vector<results::DriverColumn> atlas = sample::atlas();
  atlas[1] = atlas[0];
  atlas[1].name = "twin-1";
  Document document;
  document.sections.push_back(vulkan_section(atlas, articles()));
  const json::array& rows = charts_of(document)[0]->data.at("rows").as_array();
  EXPECT_EQ(rows.size(), 169u);
  EXPECT_EQ(rows[0].at("driver").as_string(), "lavapipe-22.3.6 and twin-1");
}

TEST(VulkanSection, reports_that_no_driver_was_probed) {
  const std::string text = text_of(vulkan_section({}, articles()));
  EXPECT_NE(text.find("No Vulkan driver has been probed"), std::string::npos) << text;
  EXPECT_EQ(text.find("!["), std::string::npos) << text;
}

TEST(VulkanSection, names_a_driver_that_failed_and_draws_no_empty_graph) {
  results::DriverColumn broken;
  broken.name = "radv-failed";
  broken.failure = results::ProbeFailure{"crash", "SIGSEGV while in vkCreateInstance", ""};
  const std::string text = text_of(vulkan_section(std::vector{broken}, articles()));
  EXPECT_NE(text.find("radv-failed did not answer everything (crash): SIGSEGV while in vkCreateInstance"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("No driver answered for any image, so there is no graph of images."), std::string::npos) << text;
  EXPECT_EQ(text.find("!["), std::string::npos) << text;
}

TEST(VulkanSection, omits_refused_sizes_from_graphs_and_names_them) {
  std::vector<results::DriverColumn> atlas{sample::atlas()[0]};
  results::ImageRow& last = atlas[0].images.back();
  last.size = last.alignment = 0;
  atlas[0].refused = {{"image 4096x4096", "VK_ERROR_OUT_OF_DEVICE_MEMORY"}};
  const Section section = vulkan_section(atlas, articles());
  Document document;
  document.sections.push_back(section);
  EXPECT_EQ(charts_of(document)[0]->data.at("rows").as_array().size(), 168u);
  EXPECT_NE(text_of(section).find("refused 1 size: image 4096x4096 (VK\\_ERROR\\_OUT\\_OF\\_DEVICE\\_MEMORY)"),
            std::string::npos);
}

}  // namespace lab::report
