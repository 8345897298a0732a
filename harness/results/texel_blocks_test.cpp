#include "harness/results/texel_blocks.h"

#include <gtest/gtest.h>

namespace lab::results {

namespace {

ImageKind kind(std::string format, std::uint32_t mips = 1, std::uint32_t layers = 1, std::uint32_t samples = 1) {
  return {std::move(format), "2d", "optimal", "sampled", "", mips, layers, samples};
}

}  // namespace

TEST(TexelBlocks, are_those_of_the_registry) {
  struct Case {
    const char* format;
    std::uint32_t bytes, width, height;
  };
  for (const Case& expected :
       {Case{"R8_UNORM", 1, 1, 1}, Case{"R8G8B8A8_SRGB", 4, 1, 1}, Case{"R32G32B32_SFLOAT", 12, 1, 1},
        Case{"D24_UNORM_S8_UINT", 4, 1, 1}, Case{"D32_SFLOAT_S8_UINT", 5, 1, 1}, Case{"BC1_RGB_UNORM_BLOCK", 8, 4, 4},
        Case{"BC7_SRGB_BLOCK", 16, 4, 4}, Case{"EAC_R11_UNORM_BLOCK", 8, 4, 4},
        Case{"ASTC_10x8_SRGB_BLOCK", 16, 10, 8}}) {
    const std::optional<TexelBlock> found = texel_block(expected.format);
    ASSERT_TRUE(found) << expected.format;
    EXPECT_EQ(found->bytes, expected.bytes) << expected.format;
    EXPECT_EQ(found->width, expected.width) << expected.format;
    EXPECT_EQ(found->height, expected.height) << expected.format;
  }
  EXPECT_FALSE(texel_block("G8_B8R8_2PLANE_420_UNORM"));
  EXPECT_FALSE(texel_block("R8G8B8A8"));
  EXPECT_FALSE(texel_block(""));
}

TEST(PackedBytes, count_levels_layers_and_samples) {
  EXPECT_EQ(packed_bytes(kind("R8G8B8A8_UNORM"), 128, 16), 8192u);
  EXPECT_EQ(packed_bytes(kind("R8G8B8A8_UNORM"), 4096, 4096), 67108864u);
  EXPECT_EQ(packed_bytes(kind("R8_UNORM", 0), 4, 2), 8u + 2 + 1);
  EXPECT_EQ(packed_bytes(kind("R8_UNORM", 2), 5, 3), 15u + 2);
  EXPECT_EQ(packed_bytes(kind("R8_UNORM", 1, 6, 4), 10, 10), 2400u);
  EXPECT_EQ(packed_bytes(kind("R8_UNORM"), 3, 4, 5), 60u);
  // A block at the edge counts whole.
  EXPECT_EQ(packed_bytes(kind("BC1_RGB_UNORM_BLOCK"), 5, 1), 16u);
  EXPECT_EQ(packed_bytes(kind("BC1_RGB_UNORM_BLOCK", 0), 4, 4), 24u);
  EXPECT_EQ(packed_bytes(kind("G8_B8R8_2PLANE_420_UNORM"), 4, 4), std::nullopt);
}

}  // namespace lab::results
