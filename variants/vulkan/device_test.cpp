// What needs a driver is in on_driver_test.cpp, and in the families' runs on a device.
#include "harness/vulkan/device.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/base/scratch_folder.h"

namespace lab::vulkan {

namespace {

Error error_of(const std::string& loader) {
  Validation validation;
  const auto device = Device::open({.loader = loader}, validation);
  EXPECT_FALSE(device);
  EXPECT_FALSE(validation.active());
  return device ? Error() : device.error();
}

}  // namespace

TEST(Device, a_machine_without_a_loader_is_unfit_and_the_sentence_names_it) {
  const ScratchFolder scratch;
  const std::string loader = scratch.path() / "libvulkan.so.1";
  const Error missing = error_of(loader);
  EXPECT_EQ(missing.status, ExitStatus::kUnfit);
  EXPECT_TRUE(missing.what.starts_with("opening the Vulkan loader: " + loader + ": ")) << missing.what;
  scratch.write("libvulkan.so.1", "text");
  EXPECT_EQ(error_of(loader).status, ExitStatus::kUnfit);
  EXPECT_EQ(error_of("libc.so.6").what, "'libc.so.6' is no Vulkan loader");
}

TEST(SuccessOf, names_the_call_and_the_result) {
  EXPECT_TRUE(success_of(VK_SUCCESS, "vkQueueSubmit"));
  EXPECT_EQ(success_of(VK_ERROR_DEVICE_LOST, "vkQueueSubmit").error().what, "vkQueueSubmit: VK_ERROR_DEVICE_LOST");
  EXPECT_EQ(success_of(VK_ERROR_SURFACE_LOST_KHR, "vkQueuePresentKHR").error().what,
            "vkQueuePresentKHR: VK_ERROR_SURFACE_LOST_KHR");
  EXPECT_EQ(success_of(VK_ERROR_FRAGMENTED_POOL, "vkQueueSubmit").error().what,
            "vkQueueSubmit: VK_ERROR_FRAGMENTED_POOL");
}

}  // namespace lab::vulkan
