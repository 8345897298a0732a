#include "harness/judge/atlas_waste.h"

#include <gtest/gtest.h>

#include <limits>

#include "harness/base/error.h"
#include "harness/judge/article_sample_test.h"

namespace lab::judge {

namespace {

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

results::DriverColumn intel(const std::string& name, const std::string& version, std::uint64_t metadata,
                            const std::string& debug) {
  results::DriverColumn made = sample::column(
      name,
      [&](std::uint64_t width, std::uint64_t height) {
        return std::pair<std::uint64_t, std::uint64_t>{width * height * 4 + (width > 1 ? metadata : 0), 64};
      },
      1);
  made.driver.version = version;
  made.driver.simulated = results::SimulatedDevice{"hd620", "intel_noop_drm_shim", {}};
  if (!debug.empty()) made.environment["INTEL_DEBUG"] = debug;
  return made;
}

}  // namespace

TEST(AtlasWaste, counts_texels_storage_and_what_is_lost_to_the_alignment) {
  results::DriverColumn column;
  column.images = {{1, 1, 100, 64, 1}, {2, 2, 128, 64, 1}, {4, 4, 0, 0, 0}, {1024, 1024, 4194304, 4096, 1}};
  const results::ImageSweep sweep;
  const ImageBytes small = image_bytes(column, sweep, 65536);
  EXPECT_EQ(small.images, 2u);
  EXPECT_EQ(small.texels, 4u + 16);
  EXPECT_EQ(small.storage, 228u);
  EXPECT_EQ(small.rounding, 28u);
  EXPECT_NEAR(small.waste(), 1 - 20.0 / 228, 1e-12);
  EXPECT_EQ(image_bytes(column, sweep, kAll).images, 3u);
  EXPECT_EQ(image_bytes(column, sweep, 0).waste(), 0);
}

TEST(AtlasWaste, compares_a_column_with_the_same_one_without_compression) {
  const std::vector<results::DriverColumn> atlas{
      intel("anv-a", "22.3.6", 4096, ""), intel("anv-b", "22.3.6", 0, "noccs"), intel("anv-c", "25.0.7", 4112, ""),
      intel("anv-d", "22.3.6", 0, "bat")};
  const std::vector<CompressionPair> pairs = compression_pairs(atlas);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].with, &atlas[0]);
  EXPECT_EQ(pairs[0].without, &atlas[1]);
  EXPECT_EQ(pairs[0].setting, "INTEL_DEBUG=noccs");
  const CompressionBytes found = compression_bytes(pairs[0]);
  EXPECT_EQ(found.images, 169u);
  EXPECT_EQ(found.changed, 156u);
  EXPECT_EQ(found.bytes, 156 * 4096);
  EXPECT_EQ(found.least, 4096);
  EXPECT_EQ(found.most, 4096);
}

TEST(AtlasWaste, pairs_successive_versions_of_one_chip_with_the_same_settings) {
  const std::vector<results::DriverColumn> atlas{intel("anv-a", "25.0.7", 0, ""), intel("anv-b", "9.1", 0, ""),
                                                 intel("anv-c", "22.3.6", 0, ""), intel("anv-d", "22.3.6", 0, "noccs"),
                                                 sample::atlas()[0]};
  const std::vector<VersionPair> pairs = version_pairs(atlas);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].from, &atlas[1]);
  EXPECT_EQ(pairs[0].to, &atlas[2]);
  EXPECT_EQ(pairs[1].to, &atlas[0]);
}

}  // namespace lab::judge
