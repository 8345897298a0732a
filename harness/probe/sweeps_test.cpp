#include "harness/probe/sweeps.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan_core.h>

#include <set>

#include "harness/base/files.h"
#include "harness/probe/query_list.h"

namespace lab::probe {

namespace {

const std::string kFolder = std::string(LAB_SOURCE_DIR) + "/harness/probe/sweeps/";

std::string article() {
  return *read_file(kFolder + "article.json");
}

std::string error_of(const std::string& text) {
  const Expected<Sweep> sweep = parse_sweep(text);
  return sweep ? "" : sweep.error().what + (sweep.error().hint.empty() ? "" : " | " + sweep.error().hint);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST(Sweeps, of_the_article_include_sizes_of_width_one) {
  const Expected<Sweep> sweep = parse_sweep(article());
  ASSERT_TRUE(sweep) << sweep.error().what;
  std::vector<Extent> sizes;
  for (std::uint32_t width = 1; width <= 4096; width *= 2)
    for (std::uint32_t height = 1; height <= 4096; height *= 2) sizes.push_back({width, height, 1});
  ASSERT_EQ(sweep->images.size(), 1u);
  EXPECT_EQ(sweep->images[0].sizes, sizes);
  EXPECT_EQ(sweep->image_count(), 169u);
  std::set<std::uint64_t> lengths;
  for (std::uint64_t power = 1; power <= 100'000'000; power *= 10)
    for (const std::uint64_t factor : {1, 2, 4, 8}) lengths.insert(factor * power);
  ASSERT_EQ(sweep->buffers.size(), 1u);
  EXPECT_EQ(sweep->buffers[0].lengths, std::vector<std::uint64_t>(lengths.begin(), lengths.end()));
  EXPECT_EQ(sweep->buffer_count(), 36u);
  ASSERT_EQ(sweep->images[0].kinds.size(), 1u);
  const ImageKind& kind = sweep->images[0].kinds[0];
  EXPECT_EQ(kind.format, VK_FORMAT_R8G8B8A8_UNORM);
  EXPECT_EQ(kind.type, VK_IMAGE_TYPE_2D);
  EXPECT_EQ(kind.tiling, VK_IMAGE_TILING_OPTIMAL);
  EXPECT_EQ(kind.usage, VK_IMAGE_USAGE_SAMPLED_BIT);
  EXPECT_EQ(kind.flags, 0u);
  EXPECT_EQ(kind.mip_levels, 1u);
  EXPECT_EQ(sweep->buffers[0].kinds.at(0).usage, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
}

TEST(Sweeps, ask_every_combination_of_a_block_in_order) {
  const Expected<Sweep> sweep = parse_sweep(R"({"schema": 2,
      "images": [{"formats": ["r8 unorm", "VK_FORMAT_BC7_UNORM_BLOCK"], "type": "VK_IMAGE_TYPE_3D",
                  "tilings": ["linear"], "usages": [["VK_IMAGE_USAGE_SAMPLED_BIT", "transfer dst"]],
                  "flags": [[], ["sparse binding", "mutable format"]], "mip_levels": [1, "full"], "array_layers": [6],
                  "samples": [4], "sizes": [[641, 479], [3, 5, 7]]}],
      "buffers": [{"usages": [["vertex buffer", "index buffer"]], "flags": [["sparse binding"], []],
                   "lengths": [18446744073709551615]}]})");
  ASSERT_TRUE(sweep) << sweep.error().what;
  const QueryList list = query_list(std::span(&*sweep, 1));
  std::vector<std::string> words;
  for (std::size_t i = 0; i < list.count; ++i) words.push_back(describe(list, i));
  EXPECT_EQ(list.count, sweep->image_count() + sweep->buffer_count());
  EXPECT_EQ(words.size(), 2u * 2 * 2 * 2 + 2);
  EXPECT_EQ(words[0], "641x479 R8_UNORM, linear, transfer dst+sampled, 3d, 6 layers, 4 samples");
  EXPECT_EQ(words[3], "3x5x7 R8_UNORM, linear, transfer dst+sampled, 3d, all mip levels, 6 layers, 4 samples");
  EXPECT_EQ(words[15],
            "3x5x7 BC7_UNORM_BLOCK, linear, transfer dst+sampled, 3d, sparse binding+mutable format, all mip levels, "
            "6 layers, 4 samples");
  EXPECT_EQ(words[16], "18446744073709551615 bytes, index buffer+vertex buffer, sparse binding");
  EXPECT_EQ(words[17], "18446744073709551615 bytes, index buffer+vertex buffer");
}

TEST(Sweeps, number_the_queries_of_several_files_one_after_the_other) {
  const Sweep article = *load_sweep(kFolder + "article.json"), wide = *load_sweep(kFolder + "wide.json");
  const std::vector<Sweep> both{article, wide};
  const QueryList list = query_list(both);
  EXPECT_EQ(list.images[0].sweep, 0u);
  EXPECT_EQ(list.images[1].sweep, 1u);
  EXPECT_EQ(list.images[1].first, 169u + 36u);
  EXPECT_EQ(describe(list, 0), "1x1 R8G8B8A8_UNORM, optimal, sampled");
  EXPECT_EQ(describe(list, 169), "1 bytes, storage buffer");
  EXPECT_EQ(describe(list, list.count), "");
  std::set<std::string> different;
  for (std::size_t i = 169 + 36; i < list.count; ++i) different.insert(describe(list, i));
  EXPECT_EQ(different.size(), list.count - 169 - 36);
}

TEST(Sweeps, know_the_full_mip_chain) {
  EXPECT_EQ(full_chain({1, 1, 1}), 1u);
  EXPECT_EQ(full_chain({4, 2, 1}), 3u);
  EXPECT_EQ(full_chain({3, 1000, 1}), 10u);
  EXPECT_EQ(full_chain({1, 1, 4096}), 13u);
}

TEST(Sweeps, report_the_first_error_in_one_sentence) {
  const std::string good = article();
  EXPECT_EQ(error_of(good), "");
  EXPECT_EQ(error_of(""), "sweep: empty");
  EXPECT_EQ(error_of("[]"), "the document: expected an object, found an array");
  EXPECT_EQ(error_of(R"({"schema": 2})"), "sweep: expected a block of images or buffers, found none");
  EXPECT_EQ(error_of(replaced(good, "\"schema\": 2", "\"schema\": 1")), "schema 1, this build reads 2");
  EXPECT_EQ(error_of(replaced(good, "\"images\"", "\"image\"")),
            "sweep: unknown field 'image' | did you mean 'images'?");
  EXPECT_EQ(error_of(replaced(good, "\"tilings\"", "\"tiling\"")),
            "images[0]: unknown field 'tiling' | did you mean 'tilings'?");
  EXPECT_EQ(error_of(replaced(good, "R8G8B8A8_UNORM", "R8G8B8A8_UNROM")),
            "images[0].formats: expected one of VK_FORMAT_UNDEFINED..., found \"VK_FORMAT_R8G8B8A8_UNROM\" | "
            "did you mean 'VK_FORMAT_R8G8B8A8_UNORM'?");
  EXPECT_EQ(error_of(replaced(good, "[\"sampled\"]", "[]")),
            "images[0].usages: expected a list of usages in each element, found []");
  EXPECT_EQ(error_of(replaced(good, "[[\"sampled\"]]", "[]")), "images[0].usages: expected a list, found []");
  const auto with = [&](const std::string& field) {
    return error_of(replaced(good, "\"tilings\"", field + ", \"tilings\""));
  };
  EXPECT_EQ(with("\"samples\": [3]"), "images[0].samples: expected powers of two up to 64, found 3");
  EXPECT_EQ(with("\"mip_levels\": [0]"),
            "images[0].mip_levels: expected whole numbers from 1 to 32 or \"full\", found 0");
  EXPECT_EQ(with("\"mip_levels\": [\"half\"]"),
            "images[0].mip_levels: expected whole numbers from 1 to 32 or \"full\", found \"half\"");
  EXPECT_EQ(with("\"array_layers\": [0]"), "images[0].array_layers: expected numbers above 0, found 0");
  EXPECT_EQ(with("\"flags\": [[\"sparse\"]]").substr(0, 60),
            "images[0].flags: expected one of VK_IMAGE_CREATE_SPARSE_BIND");
  EXPECT_EQ(with("\"sizes\": [[1, 1]]"), "images[0].sizes: expected widths and heights or sizes, found both");
  EXPECT_EQ(error_of(replaced(good, "\"widths\": [1", "\"widths\": [-1")),
            "images[0].widths[0]: expected a whole number from 0, found -1");
  EXPECT_EQ(error_of(replaced(good, "\"widths\": [1", "\"widths\": [0")),
            "images[0].widths: expected numbers above 0, found 0");
  EXPECT_EQ(error_of(replaced(good, "\"lengths\": [1,", "\"lengths\": [18446744073709551616,")),
            "buffers[0].lengths[0]: expected a whole number from 0, found 1.8446744073709552E19");
  const std::string sizes = R"({"schema": 2, "images": [{"formats": ["VK_FORMAT_R8_UNORM"], "tilings": ["optimal"],)"
                            R"( "usages": [["sampled"]], "sizes": [[2, 2], [1]]}]})";
  EXPECT_EQ(error_of(sizes), "images[0].sizes: expected [width, height] or [width, height, depth] above 0, found [1]");
}

TEST(Sweeps, refuse_more_queries_than_anybody_reads) {
  std::string numbers = "1";
  for (int i = 2; i <= 2001; ++i) numbers += "," + std::to_string(i);
  EXPECT_EQ(error_of(R"({"schema": 2, "images": [{"formats": ["VK_FORMAT_R8_UNORM"], "tilings": ["optimal"],)"
                     R"( "usages": [["sampled"]], "widths": [)" +
                     numbers + R"(], "heights": [)" + numbers + "]}]}"),
            "expected at most 4000000 combinations, found more");
}

}  // namespace lab::probe
