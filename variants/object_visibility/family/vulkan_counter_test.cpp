#include "variants/object_visibility/family/vulkan_counter.h"

#include <gtest/gtest.h>

#include "variants/object_visibility/family/conformance.h"
#include "variants/object_visibility/family/scene_images.h"
#include "variants/vulkan/testing/on_driver.h"

namespace lab::object_visibility {

using vulkan::OnDriver;

TEST_F(OnDriver, images_of_any_size_are_counted_and_the_layers_are_silent) {
  if (!is_there()) return run_there();
  const std::unique_ptr<Counter> counter = make_vulkan_counter(device());
  // Smaller and larger ones after each other, and tables that a group can and cannot hold.
  for (const std::uint32_t largest : {63u, 4094u, 4095u, 70'000u, 1u})
    for (const auto& [width, height] : {std::pair{1u, 1u}, {257u, 63u}, {1000u, 400u}, {3u, 5u}}) {
      OwnedImage image = runs_image(width, height, 5, largest, width);
      const Expected<Counts> counts = count_pixels(*counter, image.view(), largest);
      ASSERT_TRUE(counts) << counts.error().what;
      EXPECT_EQ(*counts, simple_counts(image.view(), largest)) << width << ", " << largest;
      image.ids.back() = largest + 1;
      EXPECT_FALSE(count_pixels(*counter, image.view(), largest)) << width << ", " << largest;
    }
  EXPECT_EQ(counter->device_ns() >= 0, device().timestamp_bits() > 0);
  EXPECT_EQ(counter->device_is_cpu(), device().is_cpu());
}

}  // namespace lab::object_visibility
