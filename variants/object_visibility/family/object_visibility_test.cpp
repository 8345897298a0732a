#include "variants/object_visibility/family/object_visibility.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "variants/object_visibility/family/blended.h"
#include "variants/object_visibility/family/conformance.h"
#include "variants/object_visibility/family/counting.h"
#include "variants/object_visibility/family/prompt.h"
#include "variants/object_visibility/family/scene_images.h"

namespace lab::object_visibility {
namespace {

/// A wrong counter of each kind, which the checks must find.
class Wrong final : public Counter {
 public:
  enum class Slip { kNone, kFirstPixel, kLastPixel, kRowEnds, kUnknown, kLargest };
  explicit Wrong(Slip slip) : slip_(slip) {}
  bool count(std::span<std::uint32_t> counts) override {
    std::ranges::fill(counts, 0);
    const auto& ids = image().ids;
    bool known = true;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (slip_ == Slip::kFirstPixel && i == 0 && ids.size() > 1000) continue;
      if (slip_ == Slip::kLastPixel && i + 1 == ids.size()) continue;
      if (slip_ == Slip::kRowEnds && i % image().width == 0 && i > 0 && ids[i] != ids[i - 1]) continue;
      if (slip_ == Slip::kLargest && ids[i] + 1 == counts.size()) continue;
      if (ids[i] < counts.size())
        ++counts[ids[i]];
      else if (slip_ != Slip::kUnknown || ids[i] < 0x8000'0000u)
        known = false;
    }
    return known;
  }

 private:
  Slip slip_;
};

template <Wrong::Slip kSlip>
std::vector<std::string> failures() {
  std::vector<std::string> names;
  for (const bench::ConformanceCheck& check :
       make_checks([](const Setup&) -> std::unique_ptr<Counter> { return std::make_unique<Wrong>(kSlip); }, {}))
    if (!check.what_is_wrong().empty()) names.push_back(check.name);
  return names;
}

const std::string kScenes = "the pixels of each object are counted in 1,000 random scenes",
                  kBodies = "the pixels of each body are counted where bodies hide each other",
                  kEdges = "runs end at the ends of rows or go on, from 0 to the largest id",
                  kUnknownIds = "an id beyond the table is an error that names the first such pixel";
using Names = std::vector<std::string>;

/// A wall, and a pane of glass in front of half of it.
VisibleScene behind_a_pane(bool with_pane) {
  VisibleScene scene{{{BodyShape::kBox, {0, 0, -5}, {4, 4, 0.5}}}, {}};
  if (with_pane) scene.bodies.push_back({BodyShape::kBox, {-2, 0, -3}, {2, 4, 0.1}});
  return scene;
}

}  // namespace

TEST(Conformance, finds_each_slip_of_a_wrong_counter) {
  using enum Wrong::Slip;
  EXPECT_EQ(failures<kNone>(), Names());
  // The first pixel of the bodies' images is background.
  EXPECT_EQ(failures<kFirstPixel>(), (Names{kScenes, kEdges, kUnknownIds}));
  EXPECT_EQ(failures<kLastPixel>(), (Names{kScenes, kBodies, kEdges, kUnknownIds}));
  EXPECT_EQ(failures<kRowEnds>(), (Names{kScenes, kBodies, kEdges, kUnknownIds}));
  EXPECT_EQ(failures<Wrong::Slip::kUnknown>(), Names{kUnknownIds});
  EXPECT_EQ(failures<kLargest>(), (Names{kScenes, kBodies, kEdges, kUnknownIds}));
}

TEST(Counting, adds_up_the_same_by_bands_of_any_number) {
  const OwnedImage image = runs_image(123, 67, 9, 40, 3);
  const Counts expected = simple_counts(image.view(), 40);
  for (const unsigned workers : {1u, 2u, 3u, 7u}) {
    designs::WorkerPool pool(workers);
    for (const CountInto function : {count_split, count_runs_by_vectors}) {
      if (function == count_runs_by_vectors && !no_vectors().empty()) continue;
      const std::unique_ptr<Counter> counter = make_banded_counter(function, pool);
      const Expected<Counts> counts = count_pixels(*counter, image.view(), 40);
      ASSERT_TRUE(counts) << counts.error().what;
      EXPECT_EQ(*counts, expected) << workers;
    }
    std::uint32_t sum = 0;
    for (const std::uint32_t id : image.ids) sum += id;
    EXPECT_EQ(plain_read(image.ids, image.width, pool), sum);
  }
}

TEST(Counting, counts_ids_that_no_object_has_if_they_are_below_the_largest) {
  const std::vector<std::uint32_t> ids{0, 3, 3, 5};
  const Expected<Counts> counts = count_pixels(*fastest_counter(), {4, 1, ids}, 5);
  ASSERT_TRUE(counts) << counts.error().what;
  EXPECT_EQ(*counts, (Counts{0, 0, 0, 2, 0, 1}));
}

TEST(Counting, refuses_a_table_that_is_too_large) {
  const std::vector<std::uint32_t> ids{0};
  const Expected<Counts> counts = count_pixels(*fastest_counter(), {1, 1, ids}, kMostId + 1);
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().what, "expected ids of at most 1048575, found an object with 1048576");
}

TEST(RunsImage, has_runs_of_the_length_that_was_asked_for) {
  for (const double run : {1.0, 8.0, 64.0}) {
    const OwnedImage image = runs_image(1000, 300, run, 63, 5);
    std::size_t runs = 1;
    for (std::size_t i = 1; i < image.ids.size(); ++i) runs += image.ids[i] != image.ids[i - 1] ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(image.ids.size()) / static_cast<double>(runs), run, run * 0.05);
    EXPECT_EQ(*std::ranges::max_element(image.ids), 63u);
    EXPECT_EQ(runs_image(1000, 300, run, 63, 5).ids, image.ids);
  }
}

TEST(Scenes, hide_bodies_wholly_and_in_part) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const VisibleScene scene = make_scene(32, seed);
    const Counts counts = simple_counts(id_image(scene, 160, 90).view(), 32);
    const auto hidden = std::ranges::count(counts.begin() + 1, counts.end(), 0u);
    const std::size_t visible = visible_ids(counts, 160 * 90).size();
    EXPECT_GT(hidden, 0) << seed;
    EXPECT_GT(visible, 5u) << seed;
    EXPECT_LT(visible + static_cast<std::size_t>(hidden), 32u) << seed;  // some are below the threshold
  }
}

TEST(Translucent, objects_hide_what_is_behind_them_or_are_left_out) {
  const OwnedImage with = id_image(behind_a_pane(true), 64, 64), without = id_image(behind_a_pane(false), 64, 64);
  const Counts behind = simple_counts(with.view(), 2), alone = simple_counts(without.view(), 2);
  EXPECT_EQ(alone, (Counts{0, 4096, 0}));
  // One id a pixel: where the pane is, the wall behind the glass is not counted.
  EXPECT_EQ(behind, (Counts{0, 2048, 2048}));
}

TEST(Scenes, tell_bodies_that_others_hide_from_those_that_are_nowhere_seen) {
  // A wall, a ball behind it, one beside the picture whose box reaches into the frustum's planes, one below the
  // threshold, and one behind the wall that would be below it alone.
  const VisibleScene scene{{{BodyShape::kBox, {0, 0, -4}, {1, 1, 0.1}},
                            {BodyShape::kSphere, {0, 0, -8}, {0.5, 0, 0}},
                            {BodyShape::kSphere, {4.9, 4.9, -8}, {1, 0, 0}},
                            {BodyShape::kSphere, {1.5, 0, -4}, {0.04, 0, 0}},
                            {BodyShape::kSphere, {0, 0.5, -8}, {0.2, 0, 0}}},
                           {}};
  const Counts counts = simple_counts(id_image(scene, 100, 100).view(), 5);
  ASSERT_EQ(counts[2] + counts[3] + counts[5], 0u);
  ASSERT_GT(counts[4], 0u);
  const Listed listed = listed_by_frustum(scene, counts, 100, 100);
  EXPECT_EQ(listed.hidden, 3u);
  EXPECT_EQ(listed.below_threshold, 1u);
  EXPECT_EQ(occluded(scene, counts, 100, 100), 1u) << "the ball behind the wall";
}

TEST(Scenes, tell_bodies_of_which_others_leave_a_few_pixels_from_small_ones) {
  // A wall, a box behind it whose rim is seen beside the wall, one that is seen in full, and a small ball.
  const VisibleScene scene{{{BodyShape::kBox, {0, 0, -4}, {1, 1, 0.1}},
                            {BodyShape::kBox, {0.09, 0, -4.3}, {1.05, 0.5, 0.1}},
                            {BodyShape::kBox, {-1.6, 0, -4}, {0.2, 0.2, 0.1}},
                            {BodyShape::kSphere, {1.5, 1, -4}, {0.04, 0, 0}}},
                           {}};
  const Counts counts = simple_counts(id_image(scene, 100, 100).view(), 4);
  const auto visible = visible_ids(counts, 100 * 100);
  ASSERT_TRUE(counts[2] > 0 && !visible.contains(2)) << counts[2];
  ASSERT_TRUE(counts[4] > 0 && !visible.contains(4)) << counts[4];
  ASSERT_TRUE(visible.contains(3));
  EXPECT_EQ(nearly_occluded(scene, counts, 100, 100), 1u) << "the box behind the wall";
  const VisibleScene without{{scene.bodies.begin() + 1, scene.bodies.end()}, {}};
  EXPECT_EQ(nearly_occluded(without, simple_counts(id_image(without, 100, 100).view(), 3), 100, 100), 0u);
}

TEST(Scenes, have_bodies_whose_origins_are_in_another_order_than_what_is_seen_of_them) {
  const Body ball{BodyShape::kSphere, {0, 0, -5}, {0.5, 0, 0}};
  for (const auto& [half_length, pairs] : {std::pair{9.0, 1u}, std::pair{0.5, 0u}}) {
    const VisibleScene scene{{ball, {BodyShape::kBox, {-2, 0, -10}, {1, 1, half_length}}}, {}};
    const Counts counts = simple_counts(id_image(scene, 100, 100).view(), 2);
    ASSERT_EQ(visible_ids(counts, 100 * 100).size(), 2u);
    EXPECT_EQ(misordered(scene, counts, 100, 100), pairs) << half_length;
  }
}

TEST(Scenes, tell_bodies_that_are_nearly_hidden_from_those_of_which_half_is_seen) {
  // Alone, the box is above the threshold; the wall leaves about half of it, which is below.
  const VisibleScene scene{
      {{BodyShape::kBox, {0, 0, -4}, {1, 1, 0.1}}, {BodyShape::kBox, {1.1, 0, -4.3}, {0.14, 0.21, 0.1}}}, {}};
  const Counts counts = simple_counts(id_image(scene, 200, 200).view(), 2);
  ASSERT_TRUE(counts[2] > 0 && !visible_ids(counts, 200 * 200).contains(2)) << counts[2];
  const VisibleScene alone{{scene.bodies[1]}, {}};
  ASSERT_TRUE(visible_ids(simple_counts(id_image(alone, 200, 200).view(), 1), 200 * 200).contains(1));
  EXPECT_EQ(nearly_occluded(scene, counts, 200, 200), 0u);
}

TEST(Scenes, that_are_close_show_all_of_their_bodies) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const VisibleScene scene = make_close_scene(seed);
    const Counts counts = simple_counts(id_image(scene, 480, 270).view(), 4);
    EXPECT_EQ(visible_ids(counts, 480 * 270).size(), 4u) << seed;
  }
}

TEST(Frustum, lists_every_body_that_has_a_pixel_and_bodies_that_have_none) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const VisibleScene scene = make_scene(40, seed);
    const Counts counts = simple_counts(id_image(scene, 96, 54).view(), 40);
    std::uint64_t listed = 0;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      const bool in = in_frustum(scene.camera, scene.bodies[i], 96.0 / 54);
      listed += in ? 1 : 0;
      EXPECT_TRUE(in || counts[i + 1] == 0) << i;
    }
    const Listed by_frustum = listed_by_frustum(scene, counts, 96, 54);
    EXPECT_EQ(by_frustum.listed, listed);
    EXPECT_GT(by_frustum.hidden + by_frustum.below_threshold, 0u) << seed;
    EXPECT_LT(listed, 40u);
  }
  // Behind the camera, and to its left.
  EXPECT_FALSE(in_frustum({}, {BodyShape::kSphere, {0, 0, 2}, {1, 1, 1}}, 1));
  EXPECT_FALSE(in_frustum({}, {BodyShape::kBox, {-5, 0, -5}, {1, 1, 1}}, 1));
  EXPECT_TRUE(in_frustum({}, {BodyShape::kBox, {-3, 0, -5}, {1, 1, 1}}, 1));
}

TEST(Blended, pixels_are_means_of_ids_which_neither_way_gives_back) {
  const BlendedImage image = blended_image(make_scene(32, 1), 96, 54);
  std::size_t between = 0;
  for (std::size_t i = 0; i < image.values.size(); ++i) between += image.values[i] != std::trunc(image.values[i]);
  for (const ToWhole way : {ToWhole::kTruncated, ToWhole::kRounded}) {
    std::vector<std::uint32_t> ids(image.values.size());
    ASSERT_EQ(whole_ids(image.values, way, ids), ids.size());
    const WrongPixels wrong = wrong_pixels(image, ids, 32);
    EXPECT_GT(wrong.blended, 0u);
    EXPECT_LE(between, wrong.blended);
    EXPECT_LE(wrong.wrong, wrong.blended);
    EXPECT_GT(wrong.wrong, 0u);
    EXPECT_LE(wrong.of_other_objects, wrong.wrong);
    EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(wrong.is_wrong, true)), wrong.wrong);
    // Fast and slow agree.
    const auto slow = whole_ids(image.values.size(), 96, way, [&](std::size_t i) { return image.values[i]; });
    ASSERT_TRUE(slow);
    EXPECT_EQ(*slow, ids);
  }
}

TEST(Blended, a_value_between_two_neighbours_becomes_a_third_object) {
  // A quarter of 8 and the rest 4 is 5; half of 2 and of 3 is one of both.
  const std::vector<float> values{5.0f, 2.5f, 2.75f, 3.5f, 0.75f};
  std::vector<std::uint32_t> ids(values.size());
  EXPECT_EQ(whole_ids(values, ToWhole::kTruncated, ids), values.size());
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{5, 2, 2, 3, 0}));
  EXPECT_EQ(whole_ids(values, ToWhole::kRounded, ids), values.size());
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{5, 2, 3, 4, 1}));
}

TEST(Blended, a_value_that_is_no_id_is_refused) {
  const float infinite = std::numeric_limits<float>::infinity();
  for (const float value : {-1.0f, -infinite, infinite, std::numeric_limits<float>::quiet_NaN(), 4294967296.0f}) {
    std::vector<std::uint32_t> ids(3);
    const std::vector<float> values{1, value, 2};
    for (const ToWhole way : {ToWhole::kTruncated, ToWhole::kRounded}) {
      EXPECT_EQ(whole_ids(values, way, ids), 1u) << value;
      EXPECT_FALSE(whole_ids(3, 3, way, [&](std::size_t i) { return values[i]; })) << value;
    }
  }
  // What is above -1 is truncated to 0, and what is below -0.5 is rounded to -1.
  EXPECT_TRUE(is_id(-0.75, ToWhole::kTruncated));
  EXPECT_FALSE(is_id(-0.75, ToWhole::kRounded));
  EXPECT_TRUE(is_id(-0.5, ToWhole::kRounded));
}

TEST(Pictures, mark_pixels_in_white) {
  const std::vector<std::uint32_t> ids{0, 1, 2};
  const bench::Picture plain = picture_of({3, 1, ids}), marked = picture_of({3, 1, ids}, {false, true, false});
  EXPECT_EQ(plain.pixels.size(), 9u);
  EXPECT_EQ(std::vector<std::uint8_t>(plain.pixels.begin(), plain.pixels.begin() + 3),
            (std::vector<std::uint8_t>{0, 0, 0}));
  EXPECT_EQ(std::vector<std::uint8_t>(marked.pixels.begin() + 3, marked.pixels.begin() + 6),
            (std::vector<std::uint8_t>{255, 255, 255}));
  EXPECT_EQ(marked.pixels[6], plain.pixels[6] / 3);
}

}  // namespace lab::object_visibility
