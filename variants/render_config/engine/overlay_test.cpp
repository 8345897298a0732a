#include "variants/render_config/engine/overlay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "variants/vulkan/staging.h"
#include "variants/vulkan/testing/on_driver.h"

namespace lab::render_config {

namespace {

using vulkan::OnDriver;
using Lines = std::vector<std::string>;

constexpr std::byte kGrey{200}, kDark{80};  // an image, and the box over it

// Right and bottom of the box.
std::array<float, 2> corner_of(const std::vector<Rectangle>& found) {
  return {found.at(0)[2], found.at(0)[3]};
}

bool are_inside(const std::vector<Rectangle>& found) {
  const Rectangle& box = found.front();
  return std::ranges::all_of(found, [&](const Rectangle& each) {
    return each[0] >= box[0] && each[1] >= box[1] && each[2] <= box[2] && each[3] <= box[3] && each[0] < each[2] &&
           each[1] < each[3];
  });
}

}  // namespace

TEST(TextRectangles, are_a_box_and_the_strokes_of_the_letters_in_it) {
  const auto one = text_rectangles(Lines{"l"}, 640, 480), two = text_rectangles(Lines{"l", "l"}, 640, 480);
  ASSERT_GT(one.size(), 1u);
  EXPECT_EQ(two.size(), 2 * one.size() - 1);
  EXPECT_EQ(corner_of(two)[0], corner_of(one)[0]);
  EXPECT_EQ(corner_of(two)[1], corner_of(one)[1] + 12);
  EXPECT_TRUE(are_inside(one));
  EXPECT_TRUE(are_inside(two));
  EXPECT_TRUE(are_inside(text_rectangles(Lines{"AZ{}~#@ 09", "", "gjpqy"}, 640, 480)));
  EXPECT_TRUE(text_rectangles({}, 640, 480).empty());
}

TEST(TextRectangles, are_larger_on_a_larger_image) {
  const auto small = text_rectangles(Lines{"frame 1"}, 640, 480), large = text_rectangles(Lines{"frame 1"}, 1920, 1080);
  ASSERT_EQ(small.size(), large.size());
  for (std::size_t i = 0; i < small.size(); ++i)
    for (std::size_t side = 0; side < 4; ++side) EXPECT_EQ(large[i][side], 3 * small[i][side]);
}

TEST(TextRectangles, wrap_between_words_and_inside_a_long_one) {
  const std::string sentence = "the quick brown fox jumps over the lazy dog";
  const auto wide = text_rectangles(Lines{sentence}, 640, 480), narrow = text_rectangles(Lines{sentence}, 100, 480);
  EXPECT_LE(corner_of(narrow)[0], 100);
  EXPECT_GT(corner_of(narrow)[1], corner_of(wide)[1]);
  // No letter is lost.
  EXPECT_EQ(narrow.size(), wide.size());
  EXPECT_TRUE(are_inside(narrow));
  const std::string word(100, 'x');
  EXPECT_EQ(text_rectangles(Lines{word}, 100, 480).size(), text_rectangles(Lines{word}, 6400, 480).size());
  EXPECT_LE(corner_of(text_rectangles(Lines{word}, 100, 480))[0], 100);
}

TEST(TextRectangles, of_what_has_no_place_are_left_out) {
  const Lines many(1000, "line");
  EXPECT_LE(corner_of(text_rectangles(many, 640, 480))[1], 480);
  EXPECT_TRUE(text_rectangles(many, 640, 10).empty());
  EXPECT_FALSE(text_rectangles(Lines{"ab"}, 1, 480).empty());
  const Lines wide(10, std::string(2000, '#'));
  EXPECT_EQ(text_rectangles(wide, 100'000, 480).size(), Overlay::kMostRectangles);
}

TEST(TextRectangles, have_a_question_mark_for_what_the_font_lacks) {
  EXPECT_EQ(text_rectangles(Lines{"a\x01\xc3\xa4\tb"}, 640, 480), text_rectangles(Lines{"a????b"}, 640, 480));
}

TEST_F(OnDriver, text_is_drawn_over_an_image_and_follows_its_lines_and_its_size) {
  if (!is_there()) return run_there();
  vulkan::Resources resources(device());
  constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const auto overlay = Overlay::create(device(), resources, kLayout, kLayout);
  ASSERT_TRUE(overlay) << overlay.error().what;
  ASSERT_TRUE((*overlay)->set_text(Lines{"before a target"}));

  const auto red_of = [&](std::uint32_t width, std::uint32_t height) {
    std::vector<std::byte> red;
    const auto image = resources.image(
        width, height,
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        VK_FORMAT_R8G8B8A8_UNORM);
    const auto staging = vulkan::Staging::create(device(), width * height * 4);
    EXPECT_TRUE(image && staging);
    std::ranges::fill(staging->bytes(), kGrey);
    EXPECT_TRUE(staging->to(image->image));
    EXPECT_TRUE((*overlay)->set_target(image->view.handle(), width, height));
    EXPECT_TRUE(device().run([&](VkCommandBuffer commands) { (*overlay)->draw(commands); }));
    EXPECT_TRUE(staging->from(image->image));
    for (std::size_t i = 0; i < width * height; ++i) red.push_back(staging->bytes()[4 * i]);
    return red;
  };
  const auto expected = [](const Lines& lines, std::uint32_t width, std::uint32_t height) {
    std::vector<std::byte> red(width * height, kGrey);
    std::byte colour = kDark;
    for (const Rectangle& each : text_rectangles(lines, width, height)) {
      for (auto y = static_cast<std::uint32_t>(each[1]); y < std::min(height, static_cast<std::uint32_t>(each[3])); ++y)
        for (auto x = static_cast<std::uint32_t>(each[0]); x < std::min(width, static_cast<std::uint32_t>(each[2]));
             ++x)
          red[y * width + x] = colour;
      colour = std::byte{255};
    }
    return red;
  };
  EXPECT_EQ(red_of(200, 100), expected(Lines{"before a target"}, 200, 100));
  const Lines lines{"16.7 ms of 33.3, which is wrapped", "", "{deferred}"};
  ASSERT_TRUE((*overlay)->set_text(lines));
  EXPECT_EQ(red_of(200, 100), expected(lines, 200, 100));
  EXPECT_EQ(red_of(131, 600), expected(lines, 131, 600));
  ASSERT_TRUE((*overlay)->set_text({}));
  EXPECT_EQ(red_of(131, 600), expected({}, 131, 600));
}

}  // namespace lab::render_config
