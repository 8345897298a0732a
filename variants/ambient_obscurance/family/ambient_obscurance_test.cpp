#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "harness/base/error.h"
#include "harness/base/random.h"
#include "variants/ambient_obscurance/family/conformance.h"
#include "variants/ambient_obscurance/family/cpu_renderer.h"
#include "variants/ambient_obscurance/family/quality.h"
#include "variants/ambient_obscurance/family/steps.h"
#include "variants/common/testing/reference_image.h"

namespace lab::ambient_obscurance {
namespace {

constexpr std::uint32_t kWidth = 256, kHeight = 144;
constexpr std::size_t kFrames = 24;
constexpr Terms kNoTerms{false, false, Dangerous::kOff};

TEST(Pattern, has_the_turns_that_the_article_prints) {
  const std::array<double, 8> printed{1 / 3., 2 / 3., 1 / 9., 4 / 9., 7 / 9., 2 / 9., 5 / 9., 8 / 9.};
  for (std::size_t i = 0; i < printed.size(); ++i) EXPECT_DOUBLE_EQ(halton_turns()[i], printed[i]);
}

TEST(Pattern, the_articles_turns_leave_a_double_gap_that_nine_even_ones_fill) {
  std::array<double, 8> turns = halton_turns();
  std::ranges::sort(turns);
  for (std::size_t i = 1; i < turns.size(); ++i) EXPECT_NEAR(turns[i] - turns[i - 1], 1 / 9., 1e-12);
  EXPECT_NEAR(turns.front() + 1 - turns.back(), 2 / 9., 1e-12);
  const auto patterns = make_patterns({.placement = Placement::kNineEven}, 64, 64, 1);
  ASSERT_EQ(patterns.size(), 9u);
  for (std::size_t i = 0; i < patterns.size(); ++i)
    EXPECT_NEAR(patterns[i].kinds[0].cosine, std::cos(2 * std::numbers::pi * static_cast<double>(i) / 9), 1e-6);
}

TEST(Pattern, no_two_samples_of_a_spiral_have_one_direction) {
  for (std::uint32_t samples = 1; samples <= kMostSamples; ++samples) {
    std::set<double> turns;
    for (std::uint32_t i = 0; i < samples; ++i) turns.insert(std::round(spiral_turn(i, samples) * 1e6));
    EXPECT_EQ(turns.size(), samples);
  }
}

TEST(Pattern, a_bayer_matrix_shifts_the_radii_of_sixteen_neighbours_evenly) {
  const auto patterns = make_patterns({.placement = Placement::kHaltonBayer}, 64, 64, 1);
  std::set<float> shifts;
  for (std::uint32_t y = 5; y < 9; ++y)
    for (std::uint32_t x = 7; x < 11; ++x) shifts.insert(patterns[0].kinds[patterns[0].kind_of[y * 64 + x]].shift);
  std::set<float> even;
  for (int i = 0; i < 16; ++i) even.insert((static_cast<float>(i) + 0.5f) / 16);
  EXPECT_EQ(shifts, even);
}

TEST(Pattern, of_every_placement_has_kinds_and_turns_that_exist) {
  for (std::size_t i = 0; i < kPlacements.size(); ++i)
    for (const Pattern& pattern : make_patterns({.samples = 7, .placement = static_cast<Placement>(i)}, 70, 65, 3)) {
      EXPECT_EQ(pattern.spiral.size(), 7u);
      ASSERT_EQ(pattern.kind_of.size(), 70u * 65);
      for (const std::uint8_t kind : pattern.kind_of) {
        ASSERT_LT(kind, kMostKinds);
        EXPECT_NEAR(std::hypot(pattern.kinds[kind].cosine, pattern.kinds[kind].sine), 1, 1e-5);
        EXPECT_GE(pattern.kinds[kind].shift, 0);
        EXPECT_LT(pattern.kinds[kind].shift, 1);
      }
    }
}

TEST(Frames, nothing_moves_in_the_still_scene_and_only_the_shelf_where_it_moves) {
  const Sequence still = make_sequence(Scene::kStill, kWidth, kHeight, 3);
  EXPECT_EQ(still.frames.size(), 1u);
  EXPECT_EQ(std::ranges::count(still.frame(2).moving, 1), 0);
  EXPECT_EQ(std::ranges::count(still.frame(2).motion_x, 0.f), kWidth * kHeight);
  for (const Scene scene : {Scene::kObject, Scene::kStanding}) {
    const Sequence object = make_sequence(scene, kWidth, kHeight, 3);
    for (const Frame& frame : object.frames)
      for (std::size_t i = 0; i < frame.depth.size(); ++i) {
        ASSERT_EQ(frame.moving[i] != 0, frame.motion_x[i] != 0);
        ASSERT_NEAR(frame.motion_y[i], 0, 1e-4);
      }
    EXPECT_GT(std::ranges::count(object.frame(0).moving, 1), 500);
  }
}

TEST(Frames, motion_leads_to_what_was_there) {
  const Sequence camera = make_sequence(Scene::kCamera, kWidth, kHeight, 3);
  const Frame &now = camera.frame(2), &before = camera.frame(1);
  std::size_t alike = 0, all = 0;
  for (std::uint32_t y = 8; y < kHeight - 8; ++y)
    for (std::uint32_t x = 8; x < kWidth - 8; ++x, ++all) {
      const std::size_t i = std::size_t{y} * kWidth + x;
      EXPECT_NE(now.motion_x[i], 0);
      const auto was_x = static_cast<std::size_t>(std::lround(static_cast<float>(x) - now.motion_x[i]));
      const auto was_y = static_cast<std::size_t>(std::lround(static_cast<float>(y) - now.motion_y[i]));
      if (std::abs(before.depth[was_y * kWidth + was_x] / now.depth[i] - 1) < 0.02) ++alike;
    }
  EXPECT_GT(alike, all * 97 / 100) << "the rest is hidden or seen for the first time";
}

TEST(Frames, the_shelf_leaves_a_band_of_sixteen_pixels) {
  for (const auto& [width, height] : {std::pair{256u, 144u}, std::pair{480u, 270u}}) {
    const Sequence sequence = make_sequence(Scene::kObject, width, height, kFrames);
    std::vector<unsigned> in_row(height);
    for (const std::size_t pixel : left_band(sequence, 8)) ++in_row[pixel / width];
    EXPECT_NEAR(*std::ranges::max_element(in_row), 8 * kObjectPixels, 1);
  }
}

// Of what makes a frame, without a renderer.
struct Made {
  explicit Made(const Frame& frame, const Lens& lens, std::int32_t levels = kLevels, bool forwards_movers = true) {
    job.width = static_cast<std::int32_t>(lens.width);
    job.height = static_cast<std::int32_t>(lens.height);
    job.chain = chain_of(lens.width, lens.height);
    job.near = lens.near;
    job.x_first = lens.x_first;
    job.y_first = lens.y_first;
    job.step = lens.step;
    job.pixels_by_depth = pixels_by_depth(lens);
    job.depth = frame.depth.data();
    job.moving = frame.moving.data();
    job.levels = levels;
    job.forwards_movers = forwards_movers;
    z.resize(job.chain.texels);
    obscured.resize(lens.pixels());
    touching.resize(lens.pixels());
    job.z = z.data();
    job.obscured = obscured.data();
    job.touching = touching.data();
    scalar_steps().linearise(job, 0, job.height);
    for (std::int32_t level = 1; level < levels; ++level)
      scalar_steps().halve(job, level, 0, job.chain.height[static_cast<std::size_t>(level)]);
  }
  float texel(std::size_t level, std::int32_t x, std::int32_t y) const {
    return z[static_cast<std::size_t>(job.chain.first[level] + y * job.chain.width[level] + x)];
  }

  Job job{};
  std::vector<float> z, obscured, touching;
};

TEST(Steps, one_moving_pixel_moves_every_coarser_texel_that_contains_it) {
  Random random(1);
  const Lens lens{96, 64, 0.1f, -0.5f, -0.3f, 0.01f};
  for (int round = 0; round < 50; ++round) {
    Frame frame{std::vector<float>(lens.pixels()), {}, {}, std::vector<std::uint8_t>(lens.pixels())};
    for (float& depth : frame.depth) depth = static_cast<float>(random.below(1000)) / 1000;
    const auto x = static_cast<std::int32_t>(random.below(96)), y = static_cast<std::int32_t>(random.below(64));
    frame.moving[static_cast<std::size_t>(y * 96 + x)] = 1;
    const Made made(frame, lens);
    for (std::size_t level = 0; level < kLevels; ++level)
      for (std::int32_t row = 0; row < made.job.chain.height[level]; ++row)
        for (std::int32_t column = 0; column < made.job.chain.width[level]; ++column)
          ASSERT_EQ(made.texel(level, column, row) < 0, column == x >> level && row == y >> level)
              << level << ": " << column << ", " << row;
  }
}

TEST(Steps, mark_no_coarser_texel_where_the_bit_is_not_forwarded_and_none_at_all_where_nobody_asks) {
  const Sequence sequence = make_sequence(Scene::kObject, 96, 64, 1);
  Frame frame = sequence.frame(0);
  std::ranges::fill(frame.moving, std::uint8_t{1});
  const Made kept(frame, sequence.lens, kLevels, false);
  for (std::size_t level = 0; level < kLevels; ++level) EXPECT_EQ(kept.texel(level, 0, 0) < 0, level == 0) << level;
  for (const Dangerous dangerous : {Dangerous::kOff, Dangerous::kMeant}) {
    const Settings settings{.terms = {true, true, dangerous}};
    EXPECT_EQ(settings.counts_movers(), dangerous != Dangerous::kOff);
  }
  EXPECT_FALSE(Settings{.reprojected = false}.counts_movers());
}

TEST(Steps, a_coarser_texel_has_a_depth_of_its_four) {
  const Sequence sequence = make_sequence(Scene::kObject, 96, 64, 1);
  const Made made(sequence.frame(0), sequence.lens);
  for (std::size_t level = 1; level < kLevels; ++level)
    for (std::int32_t y = 0; y < made.job.chain.height[level]; ++y)
      for (std::int32_t x = 0; x < made.job.chain.width[level]; ++x) {
        std::set<float> four;
        for (const std::int32_t dy : {0, 1})
          for (const std::int32_t dx : {0, 1}) four.insert(std::abs(made.texel(level - 1, 2 * x + dx, 2 * y + dy)));
        EXPECT_TRUE(four.contains(std::abs(made.texel(level, x, y))));
      }
}

// The estimator of the paper in double precision, written from its formula: one pixel, one level.
double obscurance_of(const Frame& frame, const Lens& lens, const Pattern& pattern, int x, int y) {
  const auto depth_at = [&](int column, int row) {
    const double d = frame.depth[static_cast<std::size_t>(row) * lens.width + static_cast<std::size_t>(column)];
    return d > 0 ? lens.near / d : kNothing;
  };
  const auto point_at = [&](int column, int row) {
    const double z = depth_at(column, row);
    return Vector3{(lens.x_first + column * double{lens.step}) * z, (lens.y_first + row * double{lens.step}) * z, z};
  };
  const Vector3 middle = point_at(x, y);
  const auto slope = [&](int dx, int dy) {
    const Vector3 after = point_at(x + dx, y + dy) - middle, before = middle - point_at(x - dx, y - dy);
    return std::abs(after.z) <= std::abs(before.z) ? after : before;
  };
  Vector3 normal = cross(slope(0, 1), slope(1, 0));
  normal = normal * (1 / std::sqrt(dot(normal, normal)));
  const auto samples = static_cast<int>(pattern.spiral.size());
  const PixelKind& kind =
      pattern.kinds[pattern.kind_of[static_cast<std::size_t>(y) * lens.width + static_cast<std::size_t>(x)]];
  double sum = 0;
  for (int i = 0; i < samples; ++i) {
    const double angle =
        2 * std::numbers::pi * spiral_turn(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(samples)) +
        std::atan2(kind.sine, kind.cosine);
    const double reach = (i + double{kind.shift}) / samples * kRadius / (double{lens.step} * middle.z);
    const int column = std::clamp(x + static_cast<int>(std::floor(std::cos(angle) * reach + 0.5)), 0,
                                  static_cast<int>(lens.width) - 1);
    const int row = std::clamp(y + static_cast<int>(std::floor(std::sin(angle) * reach + 0.5)), 0,
                               static_cast<int>(lens.height) - 1);
    const Vector3 to = point_at(column, row) - middle;
    const double falloff = std::max(double{kRadius} * kRadius - dot(to, to), 0.0);
    sum += std::pow(falloff, 3) * std::max((dot(to, normal) - kBias) / (kEpsilon + dot(to, to)), 0.0);
  }
  return std::max(0.0, 1 - sum * 5 * kIntensity / (std::pow(double{kRadius}, 6) * samples));
}

TEST(Steps, obscure_as_the_paper_says) {
  const Sequence sequence = make_sequence(Scene::kObject, kWidth, kHeight, 1);
  const Settings settings{.samples = 24};
  const auto patterns = make_patterns(settings, kWidth, kHeight, 1);
  Made made(sequence.frame(0), sequence.lens, 1);
  made.job.samples = 24;
  made.job.spiral = patterns[3].spiral.data();
  made.job.kinds = patterns[3].kinds.data();
  made.job.kind_of = patterns[3].kind_of.data();
  scalar_steps().obscure(made.job, 0, made.job.height);
  Random random(1);
  int far = 0;
  constexpr int kTried = 3000;
  for (int i = 0; i < kTried; ++i) {
    const auto x = static_cast<int>(random.between(1, kWidth - 2)),
               y = static_cast<int>(random.between(1, kHeight - 2));
    const double expected = obscurance_of(sequence.frame(0), sequence.lens, patterns[3], x, y);
    // A sample on the border of two texels may fall into either.
    if (std::abs(made.obscured[static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x)] - expected) > 1e-3)
      ++far;
  }
  EXPECT_LT(far, kTried / 100);
}

TEST(Steps, nothing_obscures_a_wall_and_a_corner_is_darker) {
  const Sequence sequence = make_sequence(Scene::kStill, kWidth, kHeight, 1);
  const std::vector<float> image = converged(sequence.lens, sequence.frame(0), 256);
  EXPECT_EQ(image[60 * kWidth + 128], 1) << "the middle of the wall";
  // From the middle of the wall down to the floor it gets darker, and then lighter.
  float darkest = 1;
  for (std::size_t y = 60; y < kHeight; ++y) darkest = std::min(darkest, image[y * kWidth + 140]);
  EXPECT_LT(darkest, 0.8f);
}

TEST(Steps, the_reference_has_converged) {
  for (const Scene scene : {Scene::kStill, Scene::kStanding}) {
    const Sequence sequence = make_sequence(scene, kWidth, kHeight, 1);
    EXPECT_LT(root_mean_square(converged(sequence.lens, sequence.frame(0), kConvergedSamples),
                               converged(sequence.lens, sequence.frame(0), 3 * kConvergedSamples)),
              0.005);
  }
}

TEST(Renderers, of_all_lanes_and_threads_give_the_same_bits) {
  EXPECT_EQ(difference_from_scalar(cpu_maker(&scalar_steps(), true), 0), "");
  if (avx2_steps() == nullptr) GTEST_SKIP() << "needs AVX2";
  EXPECT_EQ(difference_from_scalar(cpu_maker(avx2_steps(), false), 0), "");
  EXPECT_EQ(difference_from_scalar(cpu_maker(avx2_steps(), true), 0), "");
}

// One pixel of one frame differs, or what it passes on to the next does.
class Broken final : public Renderer {
 public:
  Broken(std::unique_ptr<Renderer> right, float by) : right_(std::move(right)), by_(by) {}
  void begin() override { right_->begin(); }
  void render(bench::PhaseClock& clock) override {
    right_->render(clock);
    ++frames_;
  }
  std::vector<float> result() override {
    std::vector<float> result = right_->result();
    if (frames_ == 5) result.back() += by_;
    return result;
  }
  std::vector<float> weight() override { return right_->weight(); }

 private:
  std::unique_ptr<Renderer> right_;
  float by_;
  int frames_ = 0;
};

TEST(Renderers, that_differ_in_one_pixel_do_not_conform) {
  const auto broken = [](float by) {
    return Maker{.make = [by](const Work& work) {
      return std::make_unique<Broken>(cpu_maker(&scalar_steps(), false).make(work), by);
    }};
  };
  EXPECT_EQ(difference_from_scalar(broken(0), 0), "");
  EXPECT_EQ(difference_from_scalar(broken(1e-4f), 1e-3), "");
  EXPECT_THAT(difference_from_scalar(broken(2e-3f), 1e-3),
              testing::HasSubstr("96 x 64, 6 samples placed by halton_bayer, frame 4: pixel 95, 63"));
}

// The issue of the article: few samples with history against many without.
TEST(Quality, of_six_samples_with_history_comes_within_a_tenth_of_twenty_four_without) {
  const Sequence sequence = make_sequence(Scene::kStill, kWidth, kHeight, kFrames);
  const std::vector<float> reference = converged(sequence.lens, sequence.frame(0), kConvergedSamples);
  const double many = root_mean_square(last_result(sequence, {.samples = 24, .reprojected = false}, 1), reference);
  EXPECT_LT(root_mean_square(last_result(sequence, {}, 1), reference), 1.1 * many);
  EXPECT_GT(root_mean_square(last_result(sequence, {.reprojected = false}, 1), reference), 1.5 * many);
}

double ghosts(const Sequence& sequence, const Settings& settings) {
  Settings plain = settings;
  plain.reprojected = false;
  return history_effect(last_results(sequence, settings, 1), last_results(sequence, plain, 1), left_band(sequence, 8))
      .ghosts;
}

TEST(Quality, the_term_of_dangerous_samples_removes_most_ghosts_also_over_a_floor_that_has_noise) {
  for (const Scene scene : {Scene::kObject, Scene::kStanding}) {
    const Sequence sequence = make_sequence(scene, kWidth, kHeight, kFrames);
    for (const bool others : {false, true}) {
      const double without = ghosts(sequence, {.terms = {others, others, Dangerous::kOff}});
      EXPECT_GT(without, 1);
      EXPECT_LT(ghosts(sequence, {.terms = {others, others, Dangerous::kMeant}}), 0.2 * without);
      EXPECT_LT(ghosts(sequence, {.terms = {others, others, Dangerous::kPrinted}}), 0.5 * without);
    }
  }
  const Sequence sequence = make_sequence(Scene::kObject, kWidth, kHeight, kFrames);
  EXPECT_LT(ghosts(sequence, {.terms = {true, false, Dangerous::kOff}}), ghosts(sequence, {.terms = kNoTerms}))
      << "what was hidden is further away";
}

TEST(Quality, noise_that_history_does_not_touch_is_no_ghost) {
  // Two phases of opposite noise around what is expected without history, and the same around something darker.
  const Phases without{{0.5f, 0.75f}, {1, 0.75f}}, same{{1, 0.75f}, {0.5f, 0.75f}},
      darker{{0.75f, 0.5f}, {0.25f, 0.5f}};
  const std::vector<std::size_t> pixels{0, 1};
  EXPECT_EQ(mean_of(without), (std::vector<float>{0.75f, 0.75f}));
  EXPECT_EQ(history_effect(same, without, pixels).ghosts, 0);
  EXPECT_EQ(history_effect(same, without, pixels).noise, 0.0625);
  EXPECT_EQ(history_effect(darker, without, pixels).ghosts, 0.0625 + 0.0625);
  EXPECT_EQ(history_effect(darker, without, pixels).noise, 0.0625);
  EXPECT_DOUBLE_EQ(root_mean_square(without, std::vector<float>{0.75f, 0.25f}, pixels),
                   std::sqrt((2 * 0.0625 + 2 * 0.25) / 4));
}

TEST(Quality, of_a_still_scene_is_the_same_in_every_phase_once_history_is_old) {
  const Sequence sequence = make_sequence(Scene::kStill, 96, 64, 40);
  const Phases phases = last_results(sequence, {}, 1);
  ASSERT_EQ(phases.size(), 8u);
  std::vector<std::size_t> all(sequence.lens.pixels());
  std::iota(all.begin(), all.end(), std::size_t{0});
  // The turns of one cycle, whatever the frame that began it: history changes no mean where nothing moves.
  const HistoryEffect effect = history_effect(phases, last_results(sequence, {.reprojected = false}, 1), all);
  EXPECT_LT(effect.ghosts / static_cast<double>(all.size()), 1e-6);
  EXPECT_GT(effect.noise, 0);
  EXPECT_NE(phases[0], phases[1]);
}

TEST(Frames, of_a_scene_that_stands_still_show_the_last_one_without_motion) {
  const Sequence object = make_sequence(Scene::kObject, 96, 64, 5), still = standing_still(object);
  EXPECT_EQ(still.count, 5u);
  EXPECT_EQ(still.frame(0).depth, object.frame(4).depth);
  EXPECT_EQ(still.frame(4).depth, object.frame(4).depth);
  EXPECT_TRUE(moved_pixels(still.frame(4), true).empty());
  const auto moved = moved_pixels(object.frame(4), true), others = moved_pixels(object.frame(4), false);
  EXPECT_EQ(std::ssize(moved), std::ranges::count(object.frame(4).moving, 1));
  EXPECT_EQ(moved.size() + others.size(), object.lens.pixels());
}

TEST(Quality, banding_is_what_a_mean_of_four_by_four_leaves) {
  std::vector<float> reference(16 * 16), bands(16 * 16), dither(16 * 16);
  for (std::size_t i = 0; i < bands.size(); ++i) {
    bands[i] = i / 16 % 8 < 4 ? 0.1f : -0.1f;
    dither[i] = (i + i / 16) % 2 == 0 ? 0.1f : -0.1f;
  }
  EXPECT_NEAR(root_mean_square(bands, reference), 0.1, 1e-6);
  EXPECT_NEAR(root_mean_square(dither, reference), 0.1, 1e-6);
  EXPECT_NEAR(banding(bands, reference, 16, 16), 0.1, 1e-6);
  EXPECT_NEAR(banding(dither, reference, 16, 16), 0, 1e-6);
}

bench::Picture picture_of(const std::vector<float>& values) {
  bench::Picture picture{kWidth, kHeight, 1, {}};
  for (const float value : values) picture.pixels.push_back(static_cast<std::uint8_t>(std::lround(value * 255)));
  return picture;
}

TEST(Images, are_like_their_references) {
  for (const auto& [name, scene] : {std::pair{"still", Scene::kStill}, std::pair{"camera", Scene::kCamera},
                                    std::pair{"object", Scene::kObject}, std::pair{"standing", Scene::kStanding}})
    expect_like_reference("variants/ambient_obscurance/references", name,
                          picture_of(last_result(make_sequence(scene, kWidth, kHeight, kFrames), {}, 1)));
}

TEST(Images, of_other_settings_are_not_like_their_references) {
  const Sequence sequence = make_sequence(Scene::kObject, kWidth, kHeight, kFrames);
  const bench::Picture right = picture_of(last_result(sequence, {}, 1));
  for (const Settings& wrong : {Settings{.samples = 5}, Settings{.placement = Placement::kFixed},
                                Settings{.reprojected = false}, Settings{.terms = kNoTerms}})
    EXPECT_FALSE(image_distance(right, picture_of(last_result(sequence, wrong, 1))).is_small());
}

}  // namespace
}  // namespace lab::ambient_obscurance
