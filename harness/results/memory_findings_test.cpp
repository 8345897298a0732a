#include "harness/results/memory_findings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab::results {

namespace {

// All is well.
MemoryFindings findings() {
  MemoryFindings f;
  f.column = "radv-22.3.6-navi10";
  f.measured_at = "2026-01-31T23:59:59Z";
  f.device_type = "discrete gpu";
  f.memory_types = {{0, {"device local"}}, {1, {"host visible"}}};
  f.parts = {{"policy", 0.5, std::nullopt, {"no memory type for x"}, {}}, {"limit", 0.25, std::nullopt, {}, {}}};
  f.policy = PolicyCheck{.layers = true,
                         .planted = {"a buffer bound at offset 8", "VUID-x"},
                         .images = 3,
                         .buffers = 2,
                         .compared_bytes = 1000,
                         .wrong = {},
                         .device_allocations = 2,
                         .most_resources = 5,
                         .most_resource_bytes = 900,
                         .most_allocation_bytes = 4096,
                         .left_allocations = 0};
  f.limit = AllocationCount{.reported = 4096,
                            .tried = true,
                            .allocation_bytes = 16,
                            .succeeded = 4096,
                            .result = "VK_ERROR_TOO_MANY_OBJECTS"};
  f.textures = {{"optimal", 0, 64, 64, 7, 7, ""}, {"linear", std::nullopt, 64, 64, 0, 0, "VK_ERROR_X"}};
  f.timings = {{"access", "write", 1, 8000, "vkFlushMappedMemoryRanges", {1000, 4000, 2000, 3000, 1500.5}},
               {"access", "write", std::nullopt, 8000, "", {}}};
  return f;
}

class Memory : public testing::Test {
 protected:
  std::string complaint() const {
    const auto loaded = load_memory(dir_);
    return loaded ? "" : loaded.error().what.substr(loaded.error().what.rfind('/') + 1);
  }

  ScratchFolder scratch_;
  const std::filesystem::path& dir_ = scratch_.path();
};

}  // namespace

TEST_F(Memory, is_read_as_it_was_written) {
  ASSERT_TRUE(save_memory(findings(), dir_));
  const auto loaded = load_memory(dir_);
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(*loaded, findings());
  // A part that gave nothing.
  MemoryFindings crashed = findings();
  crashed.policy.reset();
  crashed.limit.reset();
  crashed.parts[0].failure = ProbeFailure{"crash", "SIGSEGV in vkAllocateMemory", "boom\n"};
  ASSERT_TRUE(save_memory(crashed, dir_));
  EXPECT_EQ(*load_memory(dir_).value(), crashed);
}

TEST_F(Memory, has_a_line_for_each_element_of_a_list) {
  ASSERT_TRUE(save_memory(findings(), dir_));
  const std::string text = *read_file(dir_ / "memory.json");
  EXPECT_TRUE(text.starts_with("{\n  \"schema\": 1,\n  \"column\": \"radv-22.3.6-navi10\",\n")) << text;
  EXPECT_NE(text.find("\n    {\"tiling\":\"optimal\",\"memory_type\":0,"), std::string::npos) << text;
}

TEST_F(Memory, may_be_missing_but_not_unreadable) {
  EXPECT_EQ(*load_memory(dir_), std::nullopt);
  std::ofstream(dir_ / "memory.json") << "{";
  EXPECT_NE(complaint(), "");
  std::ofstream(dir_ / "memory.json") << R"({"schema": 2})";
  EXPECT_EQ(complaint(), "memory.json': schema 2, this build reads 1");
  ASSERT_TRUE(save_memory(findings(), dir_));
  std::string text = *read_file(dir_ / "memory.json");
  text.replace(text.find("\"reported\":4096"), 15, "\"reported\":true");
  std::ofstream(dir_ / "memory.json") << text;
  EXPECT_EQ(complaint(), "memory.json': limit.reported: expected a whole number from 0, found a truth value");
  EXPECT_EQ(load_memory(dir_).error().hint, "python3 make.py probe --allocate writes it again");
}

TEST(MemoryTiming, has_a_median_quartiles_and_a_rate) {
  const MemoryTiming timing = findings().timings[0];
  EXPECT_EQ(summary(timing).median_ns, 2000);
  EXPECT_EQ(summary(timing).low_ns, 1500.5);
  EXPECT_EQ(summary(timing).high_ns, 3000);
  EXPECT_EQ(gigabytes_per_second(timing), 4.0);
  EXPECT_EQ(summary(findings().timings[1]).median_ns, 0);
  EXPECT_EQ(gigabytes_per_second(findings().timings[1]), std::nullopt);
}

TEST(MemoryFindings, a_CPU_driver_is_labelled) {
  MemoryFindings f = findings();
  EXPECT_EQ(timing_label(f), "");
  f.device_type = "cpu";
  EXPECT_EQ(timing_label(f), "a CPU driver: this is the CPU's memory");
}

TEST(MemoryFindings, name_everything_that_is_wrong) {
  EXPECT_EQ(complaints(findings()), std::vector<std::string>());
  MemoryFindings f = findings();
  f.parts[0].failure = ProbeFailure{"timeout", "no answer for 30 s in vkMapMemory", ""};
  f.parts[1].validation = {"VUID-y"};
  f.policy->wrong = {"image 1x1: byte 0: expected 1, found 2"};
  f.policy->planted.message = "";
  f.policy->left_allocations = 1;
  f.limit->succeeded = 79;
  f.textures[0].checksum = 8;
  EXPECT_EQ(complaints(f),
            (std::vector<std::string>{
                "policy: timeout: no answer for 30 s in vkMapMemory", "limit: the validation layers: VUID-y",
                "policy: wrong contents: image 1x1: byte 0: expected 1, found 2",
                "policy: the validation layers see nothing: they missed a buffer bound at offset 8",
                "policy: expected no device allocation at the end, found 1",
                "limit: expected 80 allocations of 16 bytes at once, found 79 and then VK_ERROR_TOO_MANY_OBJECTS",
                "textures: optimal tiling: expected the checksum 7, found 8"}));
  // Without the layers nothing is planted, and that is no fault of the device.
  f = findings();
  f.policy->layers = false;
  f.policy->planted = {};
  EXPECT_EQ(complaints(f), std::vector<std::string>());
}

}  // namespace lab::results
