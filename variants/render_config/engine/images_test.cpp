// The shipped configurations, compared with the images in references/. Each test starts this executable again on the
// pinned lavapipe, and is skipped without one. LAB_NEW_REFERENCES=1 writes the references anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "variants/common/testing/reference_image.h"
#include "variants/render_config/engine/testing/live_scene.h"

namespace lab::render_config {

namespace {

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

  static bench::Picture reference(const std::string& name) {
    auto found =
        read_png(std::filesystem::path(LAB_SOURCE_DIR) / "variants/render_config/references" / (name + ".png"), 3);
    EXPECT_TRUE(found) << name;
    return found ? std::move(*found) : bench::Picture{};
  }

  static void expect_like_reference(const std::string& name, const bench::Picture& found) {
    lab::expect_like_reference("variants/render_config/references", name, found);
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
  const bench::Picture right = reference("deferred_cascades_atlas");
  EXPECT_TRUE(image_distance(right, right).is_small());
  EXPECT_FALSE(image_distance(right, image_of("deferred.json", R"("shadows": "none")")).is_small());
  EXPECT_FALSE(image_distance(right, image_of("deferred.json", R"("exposure": 0.85)")).is_small());
  EXPECT_FALSE(image_distance(right, image_of("greyscale/greyscale.json", R"("greyscale_amount": 0.2)")).is_small());
  // Without past frames, and without one of the reasons not to trust them.
  const bench::Picture obscurance = reference("ambient_obscurance_alone");
  EXPECT_FALSE(image_distance(obscurance,
                              image_of(kObscurance, R"("show": "obscurance", "low_velocity_similarity": 0)", kFrames))
                   .is_small());
  const bench::Picture similarity = reference("ambient_obscurance_similarity");
  EXPECT_FALSE(image_distance(similarity, image_of(kObscurance, R"("show": "similarity", "moving_scale": 0)", kFrames))
                   .is_small());
  open("settings.json");
  EXPECT_FALSE(image_distance(right, picture(2.2)).is_small()) << "a later frame";
}

}  // namespace lab::render_config
