/// Compares pictures with reference images, and shows how they differ. For one file of a test executable that links
/// bench and lab_stb. LAB_NEW_REFERENCES=1 in the environment writes the references anew.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

#include "harness/base/files.h"
#include "harness/bench/exhibits.h"

namespace lab {

/// With `channels` of it.
inline std::optional<bench::Picture> read_png(const std::filesystem::path& file, unsigned channels) {
  const auto bytes = read_file(file);
  if (!bytes) return std::nullopt;
  int width = 0, height = 0, found = 0;
  stbi_uc* const pixels =
      stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes->data()), static_cast<int>(bytes->size()), &width,
                            &height, &found, static_cast<int>(channels));
  if (pixels == nullptr) return std::nullopt;
  bench::Picture picture{static_cast<unsigned>(width), static_cast<unsigned>(height), channels, {}};
  picture.pixels.assign(pixels, pixels + std::size_t{channels} * picture.width * picture.height);
  stbi_image_free(pixels);
  return picture;
}

/// How far two images are apart. Drivers and compilers round otherwise, and drivers cover other pixels at edges.
struct ImageDistance {
  double mean = 0;   ///< of a value, of 255
  double share = 0;  ///< of values that differ by more than 16
  bool is_small() const { return mean < 1 && share < 0.01; }
};

inline ImageDistance image_distance(const bench::Picture& a, const bench::Picture& b) {
  if (a.width != b.width || a.height != b.height || a.pixels.size() != b.pixels.size()) return {255, 1};
  ImageDistance distance;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    const int by = std::abs(int{a.pixels[i]} - int{b.pixels[i]});
    distance.mean += by;
    distance.share += by > 16 ? 1 : 0;
  }
  distance.mean /= static_cast<double>(a.pixels.size());
  distance.share /= static_cast<double>(a.pixels.size());
  return distance;
}

/// Expected, found, and eight times their difference, side by side.
inline bench::Picture image_comparison(const bench::Picture& expected, const bench::Picture& found) {
  bench::Picture all{3 * expected.width, expected.height, expected.channels, {}};
  const std::size_t row_bytes = std::size_t{expected.channels} * expected.width;
  for (std::size_t begin = 0; begin < expected.pixels.size(); begin += row_bytes) {
    for (const bench::Picture* picture : {&expected, &found})
      all.pixels.insert(all.pixels.end(), picture->pixels.data() + begin, picture->pixels.data() + begin + row_bytes);
    for (std::size_t i = begin; i < begin + row_bytes; ++i)
      all.pixels.push_back(
          static_cast<std::uint8_t>(std::min(255, 8 * std::abs(int{expected.pixels[i]} - int{found.pixels[i]}))));
  }
  return all;
}

/// A failure of the test unless `found` is like `references`/`name`.png in the source tree.
inline void expect_like_reference(const std::filesystem::path& references, const std::string& name,
                                  const bench::Picture& found) {
  const std::filesystem::path file = std::filesystem::path(LAB_SOURCE_DIR) / references / (name + ".png");
  if (std::getenv("LAB_NEW_REFERENCES") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    EXPECT_TRUE(write_file(file, bench::png_of(found)));
  }
  const auto expected = read_png(file, found.channels);
  ASSERT_TRUE(expected) << file;
  ASSERT_EQ(expected->width, found.width);
  ASSERT_EQ(expected->height, found.height);
  const ImageDistance distance = image_distance(*expected, found);
  if (distance.is_small()) return;
  const std::filesystem::path shown = std::filesystem::path(LAB_BUILD_DIR) / "images" / (name + ".png");
  std::filesystem::create_directories(shown.parent_path());
  EXPECT_TRUE(write_file(shown, bench::png_of(image_comparison(*expected, found))));
  ADD_FAILURE() << name << ": the image differs from its reference by " << distance.mean << " of 255, and "
                << 100 * distance.share << " % by more than 16. Expected, found and difference: " << shown;
}

}  // namespace lab
