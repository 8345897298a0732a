#include <gtest/gtest.h>

#include "variants/ambient_obscurance/device/device_renderer.h"
#include "variants/ambient_obscurance/family/conformance.h"
#include "variants/ambient_obscurance/family/workloads.h"
#include "variants/vulkan/testing/on_driver.h"

namespace lab::ambient_obscurance {
namespace {

class DeviceRenderers : public vulkan::OnDriver {
 protected:
  DeviceRenderers() : OnDriver({.draws = false, .features = device_features()}) {}

  Maker maker() {
    return {.make = [this](const Work& work) {
      auto made = make_device_renderer(device(), work);
      EXPECT_TRUE(made) << made.error().what;
      return std::move(*made);
    }};
  }
};

TEST_F(DeviceRenderers, render_every_pixel_of_every_scene_like_the_cpu) {
  if (!is_there()) return run_there();
  EXPECT_EQ(difference_from_scalar(maker(), kTolerance), "");
}

TEST_F(DeviceRenderers, begin_without_what_they_rendered_before) {
  if (!is_there()) return run_there();
  const Sequence sequence = make_sequence(Scene::kStanding, 96, 64, 6);
  const Settings settings;
  const std::vector<Pattern> patterns = make_patterns(settings, 96, 64, 1);
  const bench::Case inputs;
  const std::unique_ptr<Renderer> renderer = maker().make({sequence, patterns, settings, inputs, false});
  std::vector<std::vector<float>> results;
  for (int round = 0; round < 2; ++round) {
    bench::PhaseClock clock(1);
    renderer->begin();
    for (std::size_t i = 0; i < sequence.count; ++i) renderer->render(clock);
    results.push_back(renderer->result());
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace lab::ambient_obscurance
