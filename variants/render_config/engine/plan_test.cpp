#include "variants/render_config/engine/plan.h"

#include <gtest/gtest.h>

#include <string>

#include "variants/render_config/engine/testing/shipped_plan.h"
#include "variants/render_config/engine/without_device.h"

namespace lab::render_config {

TEST(Plan, of_each_shipped_configuration_needs_no_compiler_and_no_device) {
  for (const char* const file : {"forward.json", "deferred.json", "settings.json", "greyscale/settings.json"}) {
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
}

}  // namespace lab::render_config
