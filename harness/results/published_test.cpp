#include "harness/results/published.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab::results {

namespace {

namespace fs = std::filesystem;

fs::path committed() {
  return fs::path(LAB_SOURCE_DIR) / "results/published";
}

/// A copy of the committed files with one of them replaced.
fs::path with(const std::string& file, const std::string& content) {
  static const ScratchFolder scratch;
  const fs::path folder = scratch.path() / "published";
  fs::remove_all(folder);
  fs::copy(committed(), folder);
  EXPECT_TRUE(write_file(folder / file, content));
  return folder;
}

}  // namespace

TEST(Published, holds_what_the_articles_state) {
  const Expected<Published> published = load_published(committed());
  ASSERT_TRUE(published) << published.error().what;
  EXPECT_EQ(published->buckets.versions.size(), 9u) << "seven versions, two of them with two orders of freeing";
  EXPECT_EQ(published->buckets.claims.size(), 14u) << "eight claims, six of them about such a version";
  EXPECT_EQ(published->vulkan.platforms.size(), 4u);
  EXPECT_EQ(published->errata.size(), 8u);
  EXPECT_EQ(published->buckets.benchmark(published->buckets.version(2, ""), "frame"),
            "command_bucket/v2_st_linear/frame");
  EXPECT_EQ(published->buckets.version(3, "submission").variant, "v3_mt_new");
  EXPECT_EQ(published->buckets.version(3, "allocation").variant, "v3_mt_new_fifo");
  EXPECT_EQ(published->buckets.version(4, "allocation").variant, "v4_mt_linear_atomic");
}

TEST(Published, ratios_follow_from_the_article_s_table) {
  const CommandBuckets buckets = load_published(committed())->buckets;
  // The article has one time for each version, so the order of freeing does not matter.
  const std::vector<double> expected{1.462, 1.462, 3.595, 3.595, 1.076, 1.076, 1.042,
                                     0.778, 1.276, 1.276, 1.48,  1.48,  5.32,  5.32};
  ASSERT_EQ(buckets.claims.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(buckets.from_table(buckets.claims[i]), expected[i], 0.0005);
}

TEST(Published, errata_s_arithmetic_is_right) {
  EXPECT_NEAR(6.65 / 1.85, 3.59, 0.005);
  for (const int levels : {6, 12, 20}) {  // one bit a block over the tree's bytes, leaves of 128 bytes
    const double blocks = static_cast<double>(1 << levels), bytes = 128.0 * (1 << (levels - 1));
    EXPECT_NEAR(blocks / 8 / bytes, 1 / (4 * 128.0), 1e-12);
    EXPECT_NEAR(blocks / 8 / bytes, 0.00195, 0.000005);
  }
  EXPECT_EQ(512 - 400, 112);
  EXPECT_EQ(4096 + 4096 + 24, 8216);
  EXPECT_EQ(8'000'000'000 / 62, 129'032'258);
  EXPECT_EQ((std::int64_t{8} << 30) / 62, 138'547'332);
  EXPECT_EQ(8'000'000'000 / 60, 133'333'333);
  EXPECT_EQ(4096 * 4096 * 4, 67'108'864);
}

TEST(Published, that_cannot_be_read_names_the_file) {
  for (const auto& [content, reason] :
       {std::pair{"{", "truncated: the JSON does not end"}, std::pair{"[]", "expected an object, found an array"},
        std::pair{"{}", "source: missing"}}) {
    const Expected<Published> published = load_published(with("vulkan_memory.json", content));
    ASSERT_FALSE(published) << reason;
    EXPECT_NE(published.error().what.find("vulkan_memory.json"), std::string::npos) << published.error().what;
    EXPECT_NE(published.error().what.find(reason), std::string::npos) << published.error().what;
    EXPECT_EQ(published.error().status, ExitStatus::kUsage);
  }
}

TEST(Published, checks_and_sources_of_figures_need_the_fields_of_their_kind) {
  const struct {
    const char *from, *to, *reason;
  } rows[]{
      {R"("bytes": [4096])", R"("octets": [4096])", "claims[0].check.bytes: missing"},
      {R"("kind": "image alignments")", R"("kind": "colours")", "claims[0].check.kind: unknown"},
      {R"("image": [16, 4096])", R"("image": [16])",
       "claims[4].check.image: expected an array of 2 elements, found an array"},
      {R"("kind": "heap share")", R"("kind": "heaps")", "errata[2].measured.kind: unknown"},
      {R"("parts": 62)", R"("piece": 62)", "errata[2].measured.parts: missing"},
      {R"("platform": "LinuxIntelMesa")", R"("platform": "BeOS")", "unknown platform 'BeOS'"},
  };
  for (const auto& [from, to, reason] : rows) {
    std::string text = *read_file(committed() / "vulkan_memory.json");
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), std::string_view(from).size(), to);
    const Expected<Published> published = load_published(with("vulkan_memory.json", text));
    ASSERT_FALSE(published) << to;
    EXPECT_NE(published.error().what.find(reason), std::string::npos) << published.error().what;
  }
}

TEST(Published, claims_about_versions_that_the_table_lacks_are_refused) {
  std::string text = *read_file(committed() / "command_buckets.json");
  const std::string from = "\"to\": 7, \"phase\": \"add\", \"stated\": 5.32";
  ASSERT_NE(text.find(from), std::string::npos);
  text.replace(text.find(from), from.size(), "\"to\": 8, \"phase\": \"add\", \"stated\": 5.32");
  const Expected<Published> published = load_published(with("command_buckets.json", text));
  ASSERT_FALSE(published);
  EXPECT_NE(published.error().what.find("needs version 8 with phase 'add'"), std::string::npos)
      << published.error().what;
}

TEST(Published, claims_about_an_order_of_freeing_that_one_version_lacks_are_refused) {
  std::string text = *read_file(committed() / "command_buckets.json");
  const std::string listed = "\"variant\": \"v3_mt_new_fifo\", \"freed\": \"allocation\"";
  ASSERT_NE(text.find(listed), std::string::npos);
  text.replace(text.find(listed), listed.size(), "\"variant\": \"v3_mt_new_fifo\", \"freed\": \"chance\"");
  const Expected<Published> published = load_published(with("command_buckets.json", text));
  ASSERT_FALSE(published);
  EXPECT_NE(
      published.error().what.find("needs version 3 with phase 'add' and packets freed in the order of allocation"),
      std::string::npos)
      << published.error().what;
}

}  // namespace lab::results
