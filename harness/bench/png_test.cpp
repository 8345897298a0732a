#include "harness/bench/png.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "harness/base/random.h"

// An independent decoder.
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb/stb_image.h>

namespace lab::bench {

namespace {

Picture decoded(const std::string& png) {
  int width = 0, height = 0, channels = 0;
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(png.data()), static_cast<int>(png.size()), &width, &height,
                            &channels, 0),
      &stbi_image_free);
  if (pixels == nullptr) return {};
  const auto bytes = static_cast<std::size_t>(width * height * channels);
  return {static_cast<unsigned>(width), static_cast<unsigned>(height), static_cast<unsigned>(channels),
          std::vector<std::uint8_t>(pixels.get(), pixels.get() + bytes)};
}

/// Pixels from a function of x, y and the channel.
template <typename Value>
Picture made(unsigned width, unsigned height, unsigned channels, Value value) {
  Picture picture{width, height, channels, {}};
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < width; ++x)
      for (unsigned channel = 0; channel < channels; ++channel)
        picture.pixels.push_back(static_cast<std::uint8_t>(value(x, y, channel)));
  return picture;
}

}  // namespace

TEST(Png, begins_and_ends_as_the_standard_says) {
  // Written by hand from ISO/IEC 15948: signature, IHDR, IEND; the checksums by zlib.
  const std::string png = png_of({1, 1, 1, {0x80}});
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(8, 25), std::string("\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0\x3a\x7e\x9b\x55", 25));
  EXPECT_EQ(png.substr(png.size() - 12), std::string("\0\0\0\0IEND\xae\x42\x60\x82", 12));
}

TEST(Png, is_what_another_decoder_reads) {
  Random random(7);
  const Picture pictures[]{
      {1, 1, 1, {0x80}},
      {2, 1, 3, {255, 0, 0, 0, 0, 255}},
      made(37, 23, 3, [&](auto, auto, auto) { return random.below(256); }),
      made(61, 50, 1, [](unsigned x, unsigned y, auto) { return x * 3 + y; }),
      made(64, 64, 3, [](unsigned x, unsigned y, unsigned channel) { return x * y * (channel + 1); }),
      made(1, 300, 1, [](auto, unsigned y, auto) { return y; }),
      made(1024, 1024, 1, [&](unsigned x, unsigned y, auto) { return (x + y) / 8 + random.below(4); }),
  };
  for (const Picture& picture : pictures) {
    const std::string png = png_of(picture);
    const Picture found = decoded(png);
    EXPECT_EQ(found.width, picture.width);
    EXPECT_EQ(found.height, picture.height);
    EXPECT_EQ(found.channels, picture.channels);
    EXPECT_TRUE(found.pixels == picture.pixels) << picture.width << " x " << picture.height;
    EXPECT_EQ(png_of(picture), png) << "the same bytes again";
  }
}

TEST(Png, is_small_where_the_picture_has_little) {
  const auto share = [](const Picture& picture) {
    return static_cast<double>(png_of(picture).size()) / static_cast<double>(picture.pixels.size());
  };
  EXPECT_LT(share(made(512, 512, 3, [](auto, auto, auto) { return 200; })), 0.005);
  EXPECT_LT(share(made(512, 512, 1, [](unsigned x, unsigned y, auto) { return (2 * x + y) / 8; })), 0.02);
  // Two bits of noise in each pixel: the pixel left or above has as much, so that three bits are the least.
  Random random(3);
  EXPECT_LT(share(made(512, 512, 1, [&](unsigned x, auto, auto) { return x / 4 + random.below(4); })), 0.42);
  EXPECT_LT(share(made(256, 256, 3, [&](auto, auto, auto) { return random.below(256); })), 1.005);
}

}  // namespace lab::bench
