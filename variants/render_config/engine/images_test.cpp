// The shipped configurations, compared with the images in references/. Each test starts this executable again on the
// pinned lavapipe, and is skipped without one. LAB_NEW_REFERENCES=1 writes the references anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

#include "variants/render_config/engine/testing/live_scene.h"

namespace lab::render_config {

namespace {

namespace fs = std::filesystem;

std::optional<bench::Picture> read_png(const fs::path& file) {
  const auto bytes = read_file(file);
  if (!bytes) return std::nullopt;
  int width = 0, height = 0, channels = 0;
  stbi_uc* const pixels = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes->data()),
                                                static_cast<int>(bytes->size()), &width, &height, &channels, 3);
  if (pixels == nullptr) return std::nullopt;
  bench::Picture picture{.width = static_cast<unsigned>(width), .height = static_cast<unsigned>(height), .pixels = {}};
  picture.pixels.assign(pixels, pixels + std::size_t{3} * picture.width * picture.height);
  stbi_image_free(pixels);
  return picture;
}

/// How far two images are apart. Drivers round otherwise, and cover other pixels at edges.
struct Distance {
  double mean = 0;   ///< of a value, of 255
  double share = 0;  ///< of values that differ by more than 16
  bool is_small() const { return mean < 1 && share < 0.01; }
};

Distance distance_of(const bench::Picture& a, const bench::Picture& b) {
  if (a.width != b.width || a.height != b.height) return {255, 1};
  Distance distance;
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
bench::Picture comparison(const bench::Picture& expected, const bench::Picture& found) {
  bench::Picture all{.width = 3 * expected.width, .height = expected.height, .pixels = {}};
  for (std::size_t row = 0; row < expected.height; ++row) {
    const std::size_t begin = row * expected.width * 3, end = begin + std::size_t{3} * expected.width;
    all.pixels.insert(all.pixels.end(), &expected.pixels[begin], &expected.pixels[0] + end);
    all.pixels.insert(all.pixels.end(), &found.pixels[begin], &found.pixels[0] + end);
    for (std::size_t i = begin; i < end; ++i)
      all.pixels.push_back(
          static_cast<std::uint8_t>(std::min(255, 8 * std::abs(int{expected.pixels[i]} - int{found.pixels[i]}))));
  }
  return all;
}

class Images : public LiveScene {
 protected:
  Images() {
    width_ = 192;
    height_ = 108;
  }

  // Of a configuration with settings. `frames`: before it, 1/30 s apart; the number of the last is 7 by modulo 8,
  // because what depends on past frames may depend on their numbers, too.
  bench::Picture image_of(const std::string& config, const std::string& settings, int frames = 0) {
    scratch_.write("shown.json", fmt::format(R"({{"render_config": "{}", "settings": {{{}}}}})", config, settings));
    open("shown.json");
    EXPECT_EQ(problem_in(live_->status()), "");
    const double begin = 2 - frames / 30.0;
    while (frames > 0 && (stage_->frames() + static_cast<std::uint64_t>(frames)) % 8 != 0) frame(begin);
    for (int i = 0; i < frames; ++i) frame(begin + i / 30.0);
    return picture(2);
  }

  void expect_like_reference(const std::string& name, const bench::Picture& found) {
    const fs::path file = fs::path(LAB_SOURCE_DIR) / "variants/render_config/references" / (name + ".png");
    if (std::getenv("LAB_NEW_REFERENCES") != nullptr) {
      fs::create_directories(file.parent_path());
      EXPECT_TRUE(write_file(file, bench::png_of(found)));
    }
    const auto expected = read_png(file);
    ASSERT_TRUE(expected) << file;
    ASSERT_EQ(expected->width, found.width);
    ASSERT_EQ(expected->height, found.height);
    const Distance distance = distance_of(*expected, found);
    if (distance.is_small()) return;
    const fs::path shown = fs::path(LAB_BUILD_DIR) / "images" / (name + ".png");
    fs::create_directories(shown.parent_path());
    EXPECT_TRUE(write_file(shown, bench::png_of(comparison(*expected, found))));
    ADD_FAILURE() << name << ": the image differs from its reference by " << distance.mean << " of 255, and "
                  << 100 * distance.share << " % by more than 16. Expected, found and difference: " << shown;
  }
};

}  // namespace

const std::string kObscurance = "ambient_obscurance/ambient_obscurance.json";
constexpr int kFrames = 60;  // little of what came before them is left

TEST_F(Images, of_each_configuration_are_like_their_references) {
  if (!is_there()) return run_there();
  expect_like_reference("forward", image_of("forward.json", ""));
  expect_like_reference("deferred_without_shadows", image_of("deferred.json", R"("shadows": "none")"));
  expect_like_reference("deferred_cascades_atlas", image_of("deferred.json", R"("shadows": "cascades_atlas")"));
  expect_like_reference("deferred_cascades_apart", image_of("deferred.json", R"("shadows": "cascades_apart")"));
  expect_like_reference("greyscale", image_of("greyscale/greyscale.json", R"("greyscale_amount": 1)"));
  for (const auto& [name, term] : {std::pair{"ambient_obscurance", "image"},
                                   {"ambient_obscurance_alone", "obscurance"},
                                   {"ambient_obscurance_similarity", "similarity"}})
    expect_like_reference(name, image_of(kObscurance, fmt::format(R"("show": "{}")", term), kFrames));
}

TEST_F(Images, that_are_wrong_are_not_like_their_references) {
  if (!is_there()) return run_there();
  const bench::Picture right = image_of("deferred.json", R"("shadows": "cascades_atlas")");
  EXPECT_TRUE(distance_of(right, right).is_small());
  EXPECT_FALSE(distance_of(right, image_of("deferred.json", R"("shadows": "none")")).is_small());
  EXPECT_FALSE(distance_of(right, image_of("deferred.json", R"("exposure": 0.85)")).is_small());
  EXPECT_FALSE(distance_of(right, image_of("greyscale/greyscale.json", R"("greyscale_amount": 0.2)")).is_small());
  // Without past frames, and without one of the reasons not to trust them.
  const bench::Picture obscurance = image_of(kObscurance, R"("show": "obscurance")", kFrames);
  EXPECT_FALSE(
      distance_of(obscurance, image_of(kObscurance, R"("show": "obscurance", "low_velocity_similarity": 0)", kFrames))
          .is_small());
  const bench::Picture similarity = image_of(kObscurance, R"("show": "similarity")", kFrames);
  EXPECT_FALSE(
      distance_of(similarity, image_of(kObscurance, R"("show": "similarity", "moving_scale": 0)", kFrames)).is_small());
  open("settings.json");
  EXPECT_FALSE(distance_of(right, picture(2.2)).is_small()) << "a later frame";
}

}  // namespace lab::render_config
