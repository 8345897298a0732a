#include "variants/render_config/engine/plan.h"

#include <gtest/gtest.h>

#include <string>

#include "variants/render_config/engine/testing/shipped_plan.h"
#include "variants/render_config/engine/without_device.h"

namespace lab::render_config {

TEST(Plan, of_each_shipped_configuration_needs_no_compiler_and_no_device) {
  for (const char* const file : {"forward.json", "deferred.json", "settings.json", "greyscale/settings.json",
                                 "ambient_obscurance/settings.json"}) {
    NumberedObjects objects;
    const auto plan = shipped_plan(file, objects, 640, 360);
    ASSERT_TRUE(plan) << file << ": " << plan.error().what;
    EXPECT_EQ((*plan)->output().width, 640u);
    EXPECT_GE((*plan)->steps().size(), 3u);
  }
}

TEST(Plan, draws_each_cascade_into_its_tile) {
  NumberedObjects objects;
  const auto plan = shipped_plan("deferred.json", objects, 640, 360);
  ASSERT_TRUE(plan) << plan.error().what;
  for (std::size_t i = 0; i < 4; ++i) {
    const Step& step = (*plan)->steps()[i];
    EXPECT_EQ(step.begin.renderArea.extent.width, 1024u);
    EXPECT_EQ(step.scissor.extent.width, 512u);
    EXPECT_EQ(step.scissor.offset.x, i % 2 == 0 ? 0 : 512);
    EXPECT_EQ(step.scissor.offset.y, i < 2 ? 0 : 512);
    EXPECT_EQ(step.viewport.x, static_cast<float>(step.scissor.offset.x));
    // The first clears the whole image, and the others keep it.
    EXPECT_EQ(step.begin.renderPass == (*plan)->steps()[0].begin.renderPass, i == 0);
    EXPECT_EQ(step.begin.framebuffer == (*plan)->steps()[1].begin.framebuffer, i > 0);
  }
}

TEST(Plan, reads_the_image_of_a_history_that_the_last_frame_drew) {
  NumberedObjects objects;
  const auto plan = shipped_plan("ambient_obscurance/settings.json", objects, 640, 360);
  ASSERT_TRUE(plan) << plan.error().what;
  const std::vector<Step>&even = (*plan)->steps(6), &odd = (*plan)->steps(7);
  ASSERT_EQ(even.size(), odd.size());
  std::size_t other_targets = 0, other_inputs = 0;
  for (std::size_t i = 0; i < even.size(); ++i) {
    other_targets += even[i].begin.framebuffer != odd[i].begin.framebuffer ? 1 : 0;
    other_inputs += even[i].inputs != odd[i].inputs ? 1 : 0;
    EXPECT_EQ(even[i].begin.renderPass, odd[i].begin.renderPass);
    EXPECT_EQ(even[i].pipeline, odd[i].pipeline);
  }
  EXPECT_EQ(other_targets, 1u) << "the pass that draws it";
  EXPECT_EQ(other_inputs, 2u) << "that pass, which reads the last frame's, and one that reads this frame's";
  const auto without = shipped_plan("deferred.json", objects, 640, 360);
  ASSERT_TRUE(without) << without.error().what;
  EXPECT_EQ(&(*without)->steps(6), &(*without)->steps(7));
}

TEST(Plan, clears_a_history_unless_the_last_frame_drew_it) {
  Scene scene(1, 32);
  NumberedObjects objects;
  const auto plan = shipped_plan("ambient_obscurance/settings.json", objects, 640, 360);
  ASSERT_TRUE(plan) << plan.error().what;
  const auto cleared_in = [&](FrameNumber number) {
    (*plan)->record({CommandDigest::begin(), VK_NULL_HANDLE, NumberedObjects::binding(), scene, number});
    return CommandDigest::counts().passes - (*plan)->steps().size();
  };
  EXPECT_EQ(cleared_in(0), 1u);
  EXPECT_EQ(cleared_in(1), 0u);
  EXPECT_EQ(cleared_in(2), 0u);
  EXPECT_EQ(cleared_in(2), 0u) << "recorded again";
  EXPECT_EQ(cleared_in(3), 0u);
  EXPECT_EQ(cleared_in(5), 1u) << "another renderer had frame 4";
  EXPECT_EQ(cleared_in(6), 0u);
  EXPECT_EQ(cleared_in(1), 1u) << "numbers of another stage";
}

TEST(Plan, with_more_bytes_of_images_than_allowed_is_refused) {
  NumberedObjects objects;
  const auto plan = shipped_plan("deferred.json", objects, 16'384, 16'384);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().what.find("expected at most 2000000000 bytes of images, found "), std::string::npos)
      << plan.error().what;
  EXPECT_NE(plan.error().what.find(".json:"), std::string::npos) << plan.error().what;
}

TEST(Plan, equal_frames_have_equal_commands_and_others_have_not) {
  Scene scene(1, 32);
  scene.set_time(1, 16.0 / 9);
  const auto digest_of = [&](const char* file, std::uint32_t width) {
    NumberedObjects objects;
    const auto plan = shipped_plan(file, objects, width, 90);
    EXPECT_TRUE(plan) << plan.error().what;
    (*plan)->record({CommandDigest::begin(), VK_NULL_HANDLE, NumberedObjects::binding(), scene});
    return CommandDigest::value();
  };
  EXPECT_EQ(digest_of("deferred.json", 160), digest_of("deferred.json", 160));
  EXPECT_EQ(digest_of("deferred.json", 160), digest_of("settings.json", 160));
  EXPECT_NE(digest_of("deferred.json", 160), digest_of("deferred.json", 161));
  EXPECT_NE(digest_of("deferred.json", 160), digest_of("forward.json", 160));
  EXPECT_NE(digest_of("deferred.json", 160), digest_of("greyscale/settings.json", 160));
  EXPECT_NE(digest_of("deferred.json", 160), digest_of("ambient_obscurance/settings.json", 160));
}

}  // namespace lab::render_config
