// gpu_memory_device on the pinned lavapipe, and on it wrapped into drivers that differ in one thing
// (harness/probe/testing/wrapped_icd.cpp). Without a driver these tests are skipped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/base/json_fields.h"
#include "variants/gpu_memory/device/device_run.h"
#include "variants/vulkan/testing/device_program_test.h"

namespace lab::gpu_memory {

namespace {

using vulkan::kFailed, vulkan::kOk;

class OnDevice : public vulkan::DeviceProgramTest<DeviceReport> {
 protected:
  OnDevice() : DeviceProgramTest("gpu_memory_device") {}
};

std::vector<std::string> briefly(const std::string& driver) {
  return {"--live", "10", "--steps", "40", "--driver", driver};
}

}  // namespace

TEST_F(OnDevice, the_streaming_plan_has_the_counts_of_the_simulated_device_and_the_layers_are_silent) {
  const int status = run({});
  SKIP_WITHOUT_DEVICE(status);
  EXPECT_EQ(status, kOk) << printed_.error_tail;
  DeviceReport found = report();
  EXPECT_TRUE(std::exchange(found.device, "").starts_with("llvmpipe")) << printed_.output;
  EXPECT_TRUE(std::exchange(found.driver, "").starts_with("Mesa 22.3.6")) << printed_.output;
  EXPECT_NE(std::exchange(found.caught, "").find("vkBindBufferMemory"), std::string::npos) << printed_.output;
  EXPECT_EQ(json::serialize(to_json(found)),
            R"({"device":"","driver":"","policy":"io7m","table":"lavapipe-22.3.6",)"
            R"("planned":{"resources":1044,"device_allocations":26,"most_allocations":9,"device_bytes":257554432},)"
            R"("counted":{"resources":1044,"device_allocations":26,"most_allocations":9,"device_bytes":257554432},)"
            R"("other_places":{"count":0,"first":""},"other_requirements":{"count":0,"first":""},)"
            R"("images":574,"buffers":470,"compared_bytes":1890879655,"wrong_contents":{"count":0,"first":""},)"
            R"("left_allocations":0,"validated":true,"planted":"a buffer bound at offset 32, with an alignment of 64",)"
            R"("caught":"","validation":{"count":0,"first":""},"agree":true})");
}

TEST_F(OnDevice, every_policy_agrees_on_a_device_of_Vulkan_1_0_with_separate_memory_that_needs_flushes) {
  const std::vector<std::string> environment = wrapped("gpu");
  for (const char* policy : {"io7m", "io7m_shared", "dedicated"}) {
    std::vector<std::string> arguments = briefly("machine");
    arguments.insert(arguments.end(), {"--policy", policy});
    const int status = run(arguments, environment);
    SKIP_WITHOUT_DEVICE(status);
    EXPECT_EQ(status, kOk) << printed_.error_tail;
    EXPECT_EQ(report().policy, policy);
    EXPECT_EQ(report().agree, true);
    EXPECT_EQ(report().validated, true);
    EXPECT_NE(printed_.error_tail.find("No table has what this driver requires."), std::string::npos)
        << printed_.error_tail;
  }
}

TEST_F(OnDevice, other_contents_than_were_written_are_found) {
  const int status = run(briefly("machine"), wrapped("wrong_read"));
  SKIP_WITHOUT_DEVICE(status);
  EXPECT_EQ(status, kFailed);
  const DeviceReport found = report();
  EXPECT_EQ(found.wrong_contents.count, found.images) << printed_.output;
  EXPECT_TRUE(found.wrong_contents.first.ends_with("other contents from byte 0 on")) << printed_.output;
  EXPECT_TRUE(found.agree);
}

TEST_F(OnDevice, a_driver_that_gives_no_more_memory_ends_the_run_in_one_sentence) {
  const int status =
      run({"--driver", "machine", "--policy", "dedicated", "--live", "120", "--steps", "1"}, wrapped("limit_100"));
  SKIP_WITHOUT_DEVICE(status);
  EXPECT_EQ(status, kFailed);
  EXPECT_EQ(printed_.output, "");
  EXPECT_NE(printed_.error_tail.find("gpu_memory_device: error: a"), std::string::npos) << printed_.error_tail;
  EXPECT_NE(printed_.error_tail.find("the policy refused"), std::string::npos) << printed_.error_tail;
}

TEST_F(OnDevice, without_the_validation_layer_it_says_that_nobody_watched) {
  const int status = run(briefly("pinned"), {lib_of({"vulkan-loader", "lavapipe", "runtime"})});
  SKIP_WITHOUT_DEVICE(status);
  EXPECT_EQ(status, kOk) << printed_.error_tail;
  EXPECT_EQ(report().validated, false);
  EXPECT_EQ(report().planted, "");
  EXPECT_TRUE(printed_.error_tail.ends_with("Nobody watched: there is no validation layer.\n")) << printed_.error_tail;
}

TEST_F(OnDevice, without_a_driver_it_says_so_in_one_sentence_with_a_status_of_its_own) {
  expect_it_says_that_there_is_no_driver();
}

TEST_F(OnDevice, a_wrong_command_line_is_refused) {
  expect_it_refuses({"--live"}, "--live: expected a value");
  expect_it_refuses({"--live", "0"}, "--live: expected a number from 1 to 100000, found '0'");
  expect_it_refuses({"--steps", "1x"}, "--steps: expected a number from 1 to 1000000, found '1x'");
  expect_it_refuses({"--driver", "all"}, "--driver: expected one of pinned, machine, found 'all'");
  expect_it_refuses({"--policy", "buddy"}, "--policy: expected one of io7m, io7m_shared, dedicated, found 'buddy'");
  expect_it_refuses({"--quick", "1"}, "there is no flag '--quick'");
}

}  // namespace lab::gpu_memory
