// Real allocations with the pinned lavapipe, and with it wrapped into drivers that differ in one thing
// (testing/wrapped_icd.cpp).
#include "harness/probe/allocate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"

namespace lab::probe {

namespace {

namespace fs = std::filesystem;
using results::DriverColumn;
using results::MemoryFindings;
using results::MemoryPart;
using results::MemoryTiming;

const fs::path kBuild = LAB_BUILD_DIR;
const fs::path kSource = LAB_SOURCE_DIR;

class Allocate : public testing::Test {
 protected:
  void SetUp() override {
    probe_.lib = kSource / "lib";
    probe_.generated = dir_ / "generated";
    probe_.environment = {{"PATH", "/usr/bin:/bin"},
                          // Under the sanitizers a child must still die of its signal.
                          {"ASAN_OPTIONS", "handle_segv=0:detect_leaks=0"},
                          {"TSAN_OPTIONS", "handle_segv=0"}};
    probe_.root = dir_;
    probe_.silence = std::chrono::seconds(static_cast<int>(kPatience));
    spec_ = {.child = kBuild / "vulkan_memory_child", .quick = true, .layers = true};
  }

  // The column of the pinned lavapipe, as far as it is needed.
  DriverColumn pinned() {
    const auto manifests = pinned_manifests(probe_.lib, probe_.generated / "drivers");
    EXPECT_TRUE(manifests && manifests->size() == 1);
    return column("lavapipe-22.3.6", "cpu", recorded_path(manifests->front().file, kSource));
  }

  // The column of lavapipe, wrapped so that it behaves otherwise.
  DriverColumn wrapped(const std::string& behaviour) {
    const fs::path lavapipe = pinned_package(kSource / "lib", "lavapipe");
    probe_.environment["LAB_WRAPPED_DRIVER"] = lavapipe / "libvulkan_lvp.so";
    probe_.environment["LD_LIBRARY_PATH"] =
        fmt::format("{}:{}", lavapipe.string(), pinned_package(kSource / "lib", "runtime").string());
    fs::create_directories(dir_ / "etc/vulkan/icd.d");
    const fs::path library = dir_ / (behaviour + ".so");
    fs::create_symlink(kBuild / "tests/wrapped_icd.so", library);
    const fs::path manifest = dir_ / "etc/vulkan/icd.d" / (behaviour + ".json");
    std::ofstream(manifest) << fmt::format(
        R"({{"file_format_version": "1.0.0", "ICD": {{"api_version": "{}", "library_path": "{}"}}}})",
        behaviour == "gpu" ? "1.0.0" : "1.3.0", library.string());
    return column(behaviour, "discrete gpu", recorded_path(manifest, probe_.lib.parent_path()));
  }

  static DriverColumn column(const std::string& name, const std::string& type, const std::string& manifest) {
    DriverColumn column;
    column.name = name;
    column.driver.device_name = "llvmpipe";
    column.driver.device_type = type;
    column.driver.manifest = manifest;
    return column;
  }

  MemoryFindings run(const DriverColumn& column) {
    Expected<MemoryFindings> found = allocate(probe_, spec_, column);
    EXPECT_TRUE(found) << found.error().what;
    return found ? std::move(*found) : MemoryFindings();
  }

  ScratchFolder scratch_;
  const fs::path& dir_ = scratch_.path();
  ProbeSpec probe_;
  AllocateSpec spec_;
};

// "part: note" of every part.
std::vector<std::string> notes(const MemoryFindings& found) {
  std::vector<std::string> all;
  for (const MemoryPart& part : found.parts)
    for (const std::string& note : part.notes) all.push_back(part.name + ": " + note);
  return all;
}

// What was timed: "what, memory type, what it includes".
std::set<std::string> timed(const MemoryFindings& found) {
  std::set<std::string> all;
  for (const MemoryTiming& timing : found.timings) {
    EXPECT_EQ(timing.samples_ns.size(), 3u) << timing.what;
    EXPECT_GT(results::summary(timing).median_ns, 0) << timing.what;
    all.insert(fmt::format("{}, {}{}", timing.what,
                           timing.memory_type ? fmt::format("type {}", *timing.memory_type) : "host",
                           timing.includes.empty() ? "" : ", with " + timing.includes));
  }
  return all;
}

// "tiling, memory type" of every texture that was sampled.
std::set<std::string> sampled(const MemoryFindings& found) {
  std::set<std::string> all;
  for (const results::SampledTexture& texture : found.textures)
    all.insert(texture.refused.empty() ? fmt::format("{}, type {}", texture.tiling, texture.memory_type.value_or(99))
                                       : fmt::format("{}: {}", texture.tiling, texture.refused));
  return all;
}

const MemoryPart* part_of(const MemoryFindings& found, std::string_view name) {
  const auto part = std::ranges::find(found.parts, name, &MemoryPart::name);
  return part == found.parts.end() ? nullptr : &*part;
}

}  // namespace

TEST_F(Allocate, every_part_succeeds_on_the_pinned_lavapipe_with_silent_layers) {
  const MemoryFindings found = run(pinned());
  EXPECT_EQ(results::complaints(found), std::vector<std::string>());
  EXPECT_EQ(notes(found), std::vector<std::string>());
  EXPECT_EQ(found.parts.size(), 5u);
  ASSERT_TRUE(found.policy && found.limit);
  EXPECT_TRUE(found.policy->layers);
  EXPECT_NE(found.policy->planted.message.find("vkBindBufferMemory"), std::string::npos)
      << found.policy->planted.message;
  EXPECT_EQ(found.policy->images, 2u * 13u);
  EXPECT_EQ(found.policy->buffers, 2u * 8u);
  EXPECT_EQ(found.policy->most_resources, 13u + 8u + (13u + 8u) / 2);
  EXPECT_LE(found.policy->device_allocations, 4u);  // the kinds of resources, each with one alignment or two
  EXPECT_GE(found.policy->most_allocation_bytes, found.policy->most_resource_bytes);
  EXPECT_EQ(*found.limit, (results::AllocationCount{.reported = 4294967295,
                                                    .tried = false,
                                                    .allocation_bytes = 1,
                                                    .succeeded = 80,
                                                    .result = "",
                                                    .stopped = "a limit above 65536 is not tried"}));
  EXPECT_EQ(sampled(found), (std::set<std::string>{"linear, type 0", "optimal, type 0"}));
  EXPECT_EQ(timed(found), (std::set<std::string>{"copy from staging by the device, type 0",
                                                 "direct write to device-local memory, type 0",
                                                 "fill, host",
                                                 "fill, type 0",
                                                 "first write to every page, type 0",
                                                 "frame, host-visible linear tiling, type 0",
                                                 "frame, staged to optimal tiling, type 0",
                                                 "free a sub-allocation, type 0",
                                                 "read, host",
                                                 "read, type 0",
                                                 "sample linear tiling by columns, type 0",
                                                 "sample linear tiling by tiles, type 0",
                                                 "sample optimal tiling by columns, type 0",
                                                 "sample optimal tiling by tiles, type 0",
                                                 "second write to every page, type 0",
                                                 "staged write to device-local memory, type 0",
                                                 "strided read, host",
                                                 "strided read, type 0",
                                                 "sub-allocate, type 0",
                                                 "vkAllocateMemory, type 0",
                                                 "vkFreeMemory, type 0",
                                                 "vkMapMemory and vkUnmapMemory, type 0",
                                                 "write, host",
                                                 "write, type 0"}));
  EXPECT_EQ(results::timing_label(found), "a CPU driver: this is the CPU's memory");
}

TEST_F(Allocate, works_on_a_device_of_Vulkan_1_0_with_separate_memory_that_needs_flushes) {
  const MemoryFindings found = run(wrapped("gpu"));
  EXPECT_EQ(results::complaints(found), std::vector<std::string>());
  EXPECT_EQ(notes(found),
            std::vector<std::string>{"access: no memory type is device local and host visible: no direct write"});
  ASSERT_TRUE(found.policy);
  EXPECT_EQ(found.policy->images, 2u * 13u);
  EXPECT_EQ(sampled(found), (std::set<std::string>{"linear, type 1", "optimal, type 0"}));
  const std::set<std::string> times = timed(found);
  for (const char* row :
       {"write, type 1, with vkFlushMappedMemoryRanges", "strided read, type 1, with vkInvalidateMappedMemoryRanges",
        "staged write to device-local memory, type 0, with vkFlushMappedMemoryRanges",
        "frame, host-visible linear tiling, type 1, with vkFlushMappedMemoryRanges",
        "frame, staged to optimal tiling, type 0, with vkFlushMappedMemoryRanges", "vkAllocateMemory, type 0",
        "vkAllocateMemory, type 1"})
    EXPECT_TRUE(times.contains(row)) << row << "\nnot among\n" << fmt::format("{}", fmt::join(times, "\n"));
  EXPECT_FALSE(times.contains("write, type 0"));
  EXPECT_EQ(results::timing_label(found), "");
}

TEST_F(Allocate, reports_at_which_allocation_a_driver_failed) {
  spec_.layers = false;
  const MemoryFindings found = run(wrapped("limit_100"));
  EXPECT_EQ(*found.limit, (results::AllocationCount{.reported = 4096,
                                                    .tried = true,
                                                    .allocation_bytes = 1,
                                                    .succeeded = 100,
                                                    .result = "VK_ERROR_TOO_MANY_OBJECTS",
                                                    .stopped = ""}));
  EXPECT_EQ(results::complaints(found), std::vector<std::string>());
}

TEST_F(Allocate, complains_about_fewer_allocations_than_the_specification_guarantees) {
  spec_.layers = false;
  EXPECT_EQ(results::complaints(run(wrapped("limit_79"))),
            std::vector<std::string>{"limit: expected 80 allocations of 1 bytes at once, found 79 and then "
                                     "VK_ERROR_TOO_MANY_OBJECTS"});
}

TEST_F(Allocate, finds_other_contents_than_it_wrote) {
  spec_.layers = false;
  const MemoryFindings found = run(wrapped("wrong_read"));
  ASSERT_TRUE(found.policy);
  // Every image at its first comparison, and those that stay at the second, too; no buffer.
  EXPECT_GE(found.policy->wrong.size(), 2u * 13u);
  EXPECT_TRUE(
      found.policy->wrong[0].starts_with("image 1x1, 1 mip levels, 1 layers, r8g8b8a8 unorm, optimal: byte 0: "
                                         "expected "))
      << found.policy->wrong[0];
  EXPECT_EQ(results::complaints(found).size(), found.policy->wrong.size());
}

TEST_F(Allocate, a_tiling_that_cannot_be_sampled_is_a_finding) {
  spec_.layers = false;
  const MemoryFindings found = run(wrapped("no_linear"));
  EXPECT_EQ(results::complaints(found), std::vector<std::string>());
  EXPECT_EQ(sampled(found),
            (std::set<std::string>{"linear: the format's features lack VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT",
                                   "optimal, type 0"}));
  EXPECT_TRUE(timed(found).contains("frame, staged to optimal tiling, type 0"));
  EXPECT_FALSE(timed(found).contains("frame, host-visible linear tiling, type 0"));
}

TEST_F(Allocate, a_crash_costs_only_its_part) {
  spec_.layers = false;
  const MemoryFindings found = run(wrapped("crash_allocate"));
  ASSERT_EQ(found.parts.size(), 5u);
  const MemoryPart* limit = part_of(found, "limit");
  ASSERT_TRUE(limit && limit->failure);
  EXPECT_EQ(limit->failure->kind, "crash");
  EXPECT_EQ(limit->failure->detail, "SIGSEGV in vkAllocateMemory of 1 bytes, from allocation 1 on");
  EXPECT_NE(limit->failure->output_tail.find("wrapped driver: about to crash"), std::string::npos);
  EXPECT_FALSE(found.limit);
  // The part before it crashed, too, but not before it had timed something.
  EXPECT_TRUE(timed(found).contains("read, host"));
}

TEST_F(Allocate, a_hang_costs_only_its_part) {
  spec_.layers = false;
  const DriverColumn column = wrapped("hang_allocate");
  EXPECT_TRUE(succeeds_given_time(0.5, [&](double seconds) {
    probe_.silence = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
    const MemoryFindings found = run(column);
    const MemoryPart* limit = part_of(found, "limit");
    return limit && limit->failure && timed(found).contains("read, host") &&
           limit->failure->detail ==
               fmt::format("no answer for {:g} s in vkAllocateMemory of 1 bytes, from allocation 1 on", seconds);
  }));
}

TEST_F(Allocate, says_when_nobody_watches) {
  // A lib folder without the validation layers.
  fs::create_directories(dir_ / "lib");
  for (const char* package : {"vulkan-loader", "lavapipe", "runtime"}) {
    const fs::path real = pinned_package(kSource / "lib", package);
    fs::create_directory_symlink(real, dir_ / "lib" / real.filename());
  }
  probe_.lib = dir_ / "lib";
  const DriverColumn column = wrapped("same");
  spec_.layers = false;
  const MemoryFindings found = run(column);
  ASSERT_TRUE(found.policy);
  EXPECT_FALSE(found.policy->layers);
  EXPECT_EQ(notes(found),
            std::vector<std::string>{"policy: no validation layers: vkCreateInstance: VK_ERROR_LAYER_NOT_PRESENT"});
  EXPECT_EQ(results::complaints(found), std::vector<std::string>());
}

TEST_F(Allocate, reports_in_one_sentence_what_is_missing) {
  const auto error_of = [&](const DriverColumn& column) {
    const auto found = allocate(probe_, spec_, column);
    return found ? "" : found.error().what;
  };
  EXPECT_EQ(error_of(column("radv-1", "discrete gpu", "/etc/none.json")),
            "no driver of 'radv-1': expected the manifest '/etc/none.json'");
  spec_.child = dir_ / "child";
  EXPECT_NE(error_of(pinned()).find((dir_ / "child").string()), std::string::npos) << error_of(pinned());
}

TEST(IsAllocatable, only_a_driver_that_answered_on_this_machine) {
  results::DriverColumn column;
  column.driver.device_name = "llvmpipe";
  column.driver.manifest = "/etc/vulkan/icd.d/lvp.json";
  EXPECT_TRUE(is_allocatable(column));
  column.imported = true;
  EXPECT_FALSE(is_allocatable(column));
  column.imported = false;
  column.driver.simulated.emplace();
  EXPECT_FALSE(is_allocatable(column));
  column.driver.simulated.reset();
  column.failure = results::ProbeFailure{"crash", "SIGSEGV", ""};
  EXPECT_FALSE(is_allocatable(column));
}

}  // namespace lab::probe
