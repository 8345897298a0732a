/// For tests of what needs a driver. Each test starts its executable again, for itself alone, in the environment of the
/// pinned lavapipe, and is skipped without one:
///
///     TEST_F(OnDriver, draws) {
///       if (!is_there()) return run_there();
///       ...
///     }
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "harness/base/layout.h"
#include "harness/base/vulkan_driver.h"
#include "harness/vulkan/device.h"
#include "harness/vulkan/memory.h"
#include "variants/vulkan/driver_process.h"

namespace lab::vulkan {

/// A device, watched: the validation layer catches a planted violation, and is silent later.
class OnDriver : public testing::Test {
 protected:
  explicit OnDriver(DeviceSpec spec = {.draws = true}) : spec_(std::move(spec)) {}

  static bool is_there() { return std::getenv(kThere) != nullptr; }

  // In the first process, instead of the test.
  static void run_there() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    ::setenv(kThere, "1", 1);
    // A driver's leaks and locks are its own.
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
    ::setenv("TSAN_OPTIONS", "ignore_noninstrumented_modules=1:detect_deadlocks=0", 0);
    const Expected<int> status =
        run_on_driver("pinned", {fmt::format("--gtest_filter={}.{}", test.test_suite_name(), test.name()),
                                 "--gtest_color=no", "--gtest_brief=1"});
    ::unsetenv(kThere);
    if (!status && status.error().status == ExitStatus::kUnfit) GTEST_SKIP() << status.error().what;
    ASSERT_TRUE(status) << status.error().what;
    EXPECT_EQ(*status, 0);
  }

  void SetUp() override {
    if (!is_there()) return;
    spec_.loader = loader_library(lib_dir());
    auto opened = Device::open(spec_, validation_);
    ASSERT_TRUE(opened) << opened.error().what;
    device_ = std::move(*opened);
    if (!validation_.active()) return;
    const auto planted = plant_violation(*device_);
    ASSERT_TRUE(planted) << planted.error().what;
    EXPECT_NE(planted->caught, "");
  }
  void TearDown() override {
    device_.reset();
    EXPECT_TRUE(validation_.messages().empty()) << validation_.messages().front();
  }
  Device& device() { return *device_; }

 private:
  static constexpr const char* kThere = "LAB_ON_DRIVER";  // set in the environment of the second process

  DeviceSpec spec_;
  Validation validation_;
  std::unique_ptr<Device> device_;
};

}  // namespace lab::vulkan
