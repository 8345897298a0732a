// Frames in C++ and frames from files, on a device. Each test starts this executable again on the pinned lavapipe, and
// is skipped without one.
#include "variants/render_config/coded/coded_frames.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "variants/render_config/engine/testing/live_scene.h"

namespace lab::render_config {

class CodedFrames : public LiveScene {};

TEST_F(CodedFrames, have_the_same_pixels_as_frames_from_files) {
  if (!is_there()) return run_there();
  constexpr std::array<std::pair<CodedFrame, const char*>, 3> kFrames{
      {{CodedFrame::kForward, "forward.json"},
       {CodedFrame::kDeferred, "deferred.json"},
       {CodedFrame::kGreyscale, "greyscale/settings.json"}}};
  for (const auto& [which, file] : kFrames) {
    DeviceObjects objects(device(), stage_->layouts());
    const auto coded = make_coded(which, objects, width_, height_);
    ASSERT_TRUE(coded) << coded.error().what;
    open(file);
    for (const double seconds : {0.0, 3.0, 41.5}) {
      ASSERT_TRUE(stage_->prepare(**coded, seconds) && stage_->record(**coded) && stage_->execute());
      const auto expected = stage_->picture((*coded)->output());
      ASSERT_TRUE(expected);
      EXPECT_EQ(expected->pixels, picture(seconds).pixels) << file << " after " << seconds << " s";
    }
  }
}

}  // namespace lab::render_config
