#include "harness/probe/sweeps.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan_core.h>

#include <boost/json.hpp>
#include <set>

#include "harness/base/files.h"

namespace lab::probe {

namespace {

std::string article() {
  return *read_file(std::string(LAB_SOURCE_DIR) + "/harness/probe/sweeps.json");
}

std::string error_of(const std::string& text) {
  const Expected<Sweeps> sweeps = parse_sweeps(text);
  return sweeps ? "" : sweeps.error().what + (sweeps.error().hint.empty() ? "" : " | " + sweeps.error().hint);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST(Sweeps, of_the_article_include_sizes_of_width_one) {
  const Expected<Sweeps> sweeps = parse_sweeps(article());
  ASSERT_TRUE(sweeps) << sweeps.error().what;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes;
  for (std::uint32_t width = 1; width <= 4096; width *= 2)
    for (std::uint32_t height = 1; height <= 4096; height *= 2) sizes.emplace_back(width, height);
  EXPECT_EQ(sweeps->images.sizes, sizes);
  EXPECT_EQ(sizes.size(), 169u);
  std::set<std::uint64_t> lengths;
  for (std::uint64_t power = 1; power <= 100'000'000; power *= 10)
    for (const std::uint64_t factor : {1, 2, 4, 8}) lengths.insert(factor * power);
  EXPECT_EQ(sweeps->buffers.lengths, std::vector<std::uint64_t>(lengths.begin(), lengths.end()));
  EXPECT_EQ(lengths.size(), 36u);
  EXPECT_EQ(sweeps->images.format, VK_FORMAT_R8G8B8A8_UNORM);
  EXPECT_EQ(sweeps->images.type, VK_IMAGE_TYPE_2D);
  EXPECT_EQ(sweeps->images.tiling, VK_IMAGE_TILING_OPTIMAL);
  EXPECT_EQ(sweeps->images.usage, VK_IMAGE_USAGE_SAMPLED_BIT);
  EXPECT_EQ(sweeps->buffers.usage, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  EXPECT_EQ(boost::json::serialize(sweeps->parameters),
            R"({"images":{"format":"VK_FORMAT_R8G8B8A8_UNORM","type":"2d","tiling":"optimal","usage":["sampled"],)"
            R"("mip_levels":1,"array_layers":1,"samples":1},"buffers":{"usage":["storage buffer"]}})");
}

TEST(Sweeps, accept_listed_sizes_and_both_spellings_of_names) {
  const Expected<Sweeps> sweeps = parse_sweeps(R"({"schema": 1,
      "images": {"format": "r8 unorm", "type": "VK_IMAGE_TYPE_2D", "tiling": "linear", "mip_levels": 3,
                 "usage": ["VK_IMAGE_USAGE_SAMPLED_BIT", "transfer dst"], "array_layers": 2, "samples": 4,
                 "sizes": [[641, 479], [3, 5]]},
      "buffers": {"usage": ["vertex buffer", "index buffer"], "lengths": [18446744073709551615]}})");
  ASSERT_TRUE(sweeps) << sweeps.error().what;
  EXPECT_EQ(sweeps->images.format, VK_FORMAT_R8_UNORM);
  EXPECT_EQ(sweeps->images.usage, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  EXPECT_EQ(sweeps->images.samples, 4u);
  EXPECT_EQ(sweeps->images.sizes, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{641, 479}, {3, 5}}));
  EXPECT_EQ(sweeps->buffers.lengths, std::vector<std::uint64_t>{UINT64_MAX});
}

TEST(Sweeps, report_the_first_error_in_one_sentence) {
  const std::string good = article();
  EXPECT_EQ(error_of(good), "");
  EXPECT_EQ(error_of(""), "sweeps: empty");
  EXPECT_EQ(error_of("[]"), "the document: expected an object, found an array");
  EXPECT_EQ(error_of(replaced(good, "\"schema\": 1", "\"schema\": 2")), "schema 2, this build reads 1");
  EXPECT_EQ(error_of(replaced(good, "\"images\"", "\"image\"")),
            "sweeps: unknown field 'image' | did you mean 'images'?");
  EXPECT_EQ(error_of(replaced(good, "\"mip_levels\"", "\"mip_level\"")),
            "images: unknown field 'mip_level' | did you mean 'mip_levels'?");
  EXPECT_EQ(error_of(replaced(good, "R8G8B8A8_UNORM", "R8G8B8A8_UNROM")),
            "images.format: expected one of VK_FORMAT_UNDEFINED..., found \"VK_FORMAT_R8G8B8A8_UNROM\" | "
            "did you mean 'VK_FORMAT_R8G8B8A8_UNORM'?");
  EXPECT_EQ(error_of(replaced(good, "[\"sampled\"]", "[]")), "images.usage: expected a list of usages, found []");
  EXPECT_EQ(error_of(replaced(good, "\"samples\": 1", "\"samples\": 3")),
            "images.samples: expected a power of two, found 3");
  EXPECT_EQ(error_of(replaced(good, "\"mip_levels\": 1", "\"mip_levels\": 0")),
            "images.mip_levels: expected a whole number from 1 to 32, found 0");
  EXPECT_EQ(error_of(replaced(good, "\"widths\": [1", "\"widths\": [-1")),
            "images.widths[0]: expected a whole number from 0, found -1");
  EXPECT_EQ(error_of(replaced(good, "\"widths\": [1", "\"widths\": [1.5")),
            "images.widths[0]: expected a whole number from 0, found 1.5E0");
  EXPECT_EQ(error_of(replaced(good, "\"widths\": [1", "\"widths\": [0")),
            "images.widths: expected numbers above 0, found 0");
  EXPECT_EQ(error_of(replaced(good, "\"widths\"", "\"sizes\": [[1, 1]], \"widths\"")),
            "images: expected widths and heights or sizes, found both");
  EXPECT_EQ(error_of(replaced(good, "\"widths\"", "\"sizes\": [[1]], \"widths\"")),
            "images.sizes[0]: expected an array of 2 elements, found an array");
  EXPECT_EQ(error_of(replaced(good, "\"lengths\": [1,", "\"lengths\": [18446744073709551616,")),
            "buffers.lengths[0]: expected a whole number from 0, found 1.8446744073709552E19");
}

}  // namespace lab::probe
