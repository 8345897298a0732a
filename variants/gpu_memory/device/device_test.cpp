// gpu_memory_device on the pinned lavapipe, and on it wrapped into drivers that differ in one thing
// (harness/probe/testing/wrapped_icd.cpp). Without a driver these tests are skipped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/json_fields.h"
#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/vulkan_driver.h"
#include "variants/gpu_memory/device/device_run.h"

namespace lab::gpu_memory {

namespace {

namespace fs = std::filesystem;

const fs::path kBuild = LAB_BUILD_DIR;
const fs::path kLib = fs::path(LAB_SOURCE_DIR) / "lib";

class OnDevice : public testing::Test {
 protected:
  // Its exit status. What it prints stays.
  int run(std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
    ChildSpec child;
    child.command = {kBuild / "gpu_memory_device"};
    child.command.insert(child.command.end(), arguments.begin(), arguments.end());
    child.environment = std::move(environment);
    child.environment.emplace_back("ASAN_OPTIONS=detect_leaks=0");  // a driver's leaks are its own
    child.timeout_seconds = kPatience;
    printed_ = run_child(child);
    EXPECT_EQ(printed_.end, ChildEnd::kExited) << describe_end(child, printed_);
    return printed_.code;
  }

  json::object report() const {
    const Expected<json::value> value = parse_json(printed_.output, "the report");
    EXPECT_TRUE(value && value->is_object()) << printed_.output << printed_.error_tail;
    return value && value->is_object() ? value->get_object() : json::object();
  }

  // The environment of lavapipe, wrapped so that it behaves otherwise.
  std::vector<std::string> wrapped(const std::string& behaviour) {
    const fs::path lavapipe = pinned_package(kLib, "lavapipe");
    const fs::path library = scratch_.path() / (behaviour + ".so");
    fs::create_symlink(kBuild / "tests/wrapped_icd.so", library);
    scratch_.write(behaviour + ".json",
                   fmt::format(R"({{"file_format_version": "1.0.0", "ICD": {{"api_version": "1.0.0", )"
                               R"("library_path": "{}"}}}})",
                               library.string()));
    std::vector<std::string> environment{
        fmt::format("LAB_WRAPPED_DRIVER={}", (lavapipe / "libvulkan_lvp.so").string())};
    for (const auto& [name, value] :
         driver_environment({}, scratch_.path() / (behaviour + ".json"), pinned_libraries(kLib), ""))
      environment.push_back(fmt::format("{}={}", name, value));
    return environment;
  }

  // A lib folder with these packages alone.
  std::string lib_of(const std::vector<std::string>& packages) const {
    fs::create_directories(scratch_.path() / "lib");
    for (const std::string& package : packages) {
      const fs::path real = pinned_package(kLib, package);
      if (!real.empty()) fs::create_directory_symlink(real, scratch_.path() / "lib" / real.filename());
    }
    return fmt::format("SPM_LIB={}", (scratch_.path() / "lib").string());
  }

  ScratchFolder scratch_;
  ChildOutcome printed_;
};

constexpr int kOk = static_cast<int>(ExitStatus::kOk), kFailed = static_cast<int>(ExitStatus::kFailed),
              kNoDevice = static_cast<int>(ExitStatus::kUnfit), kUsage = static_cast<int>(ExitStatus::kUsage);

#define SKIP_WITHOUT_DEVICE(status) \
  if ((status) == kNoDevice) GTEST_SKIP() << printed_.error_tail

std::vector<std::string> briefly(const std::string& driver) {
  return {"--live", "10", "--steps", "40", "--driver", driver};
}

}  // namespace

TEST_F(OnDevice, the_streaming_plan_has_the_counts_of_the_simulated_device_and_the_layers_are_silent) {
  const int status = run({});
  SKIP_WITHOUT_DEVICE(status);
  EXPECT_EQ(status, kOk) << printed_.error_tail;
  const Expected<json::value> printed = parse_json(printed_.output, "the report");
  ASSERT_TRUE(printed) << printed_.output;
  Expected<DeviceReport> found = from_json<DeviceReport>(*printed);
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(std::exchange(found->device, "").starts_with("llvmpipe")) << printed_.output;
  EXPECT_TRUE(std::exchange(found->driver, "").starts_with("Mesa 22.3.6")) << printed_.output;
  EXPECT_NE(std::exchange(found->caught, "").find("vkBindBufferMemory"), std::string::npos) << printed_.output;
  EXPECT_EQ(json::serialize(to_json(*found)),
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
    EXPECT_EQ(report()["policy"], policy);
    EXPECT_EQ(report()["agree"], true);
    EXPECT_EQ(report()["validated"], true);
    EXPECT_NE(printed_.error_tail.find("No table has what this driver requires."), std::string::npos)
        << printed_.error_tail;
  }
}

TEST_F(OnDevice, other_contents_than_were_written_are_found) {
  const int status = run(briefly("machine"), wrapped("wrong_read"));
  SKIP_WITHOUT_DEVICE(status);
  EXPECT_EQ(status, kFailed);
  const json::object found = report();
  EXPECT_EQ(found.at("wrong_contents").at("count"), found.at("images")) << printed_.output;
  EXPECT_TRUE(
      std::string(found.at("wrong_contents").at("first").as_string()).ends_with("other contents from byte 0 on"))
      << printed_.output;
  EXPECT_EQ(found.at("agree"), true);
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
  EXPECT_EQ(report()["validated"], false);
  EXPECT_EQ(report()["planted"], "");
  EXPECT_TRUE(printed_.error_tail.ends_with("Nobody watched: there is no validation layer.\n")) << printed_.error_tail;
}

TEST_F(OnDevice, without_a_driver_it_says_so_in_one_sentence_with_a_status_of_its_own) {
  const std::string lib = lib_of({"vulkan-loader"});
  EXPECT_EQ(run({}, {lib}), kNoDevice);
  EXPECT_EQ(printed_.error_tail,
            fmt::format("gpu_memory_device: error: no Vulkan driver: expected '{}/lavapipe-<version>'\n"
                        "hint: python3 make.py spm install lavapipe\n",
                        lib.substr(lib.find('=') + 1)));
  EXPECT_EQ(printed_.output, "");
  EXPECT_EQ(run({"--driver", "machine"}, {lib, "VK_DRIVER_FILES=/none.json", "VK_ICD_FILENAMES=/none.json"}),
            kNoDevice);
  EXPECT_NE(printed_.error_tail.find("gpu_memory_device: error: "), std::string::npos) << printed_.error_tail;
}

TEST_F(OnDevice, a_wrong_command_line_is_refused) {
  for (const auto& [arguments, sentence] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--live"}, "--live: expected a value"},
           {{"--live", "0"}, "--live: expected a number from 1, found '0'"},
           {{"--steps", "1x"}, "--steps: expected a number, found '1x'"},
           {{"--driver", "all"}, "--driver: expected one of pinned, machine, found 'all'"},
           {{"--policy", "buddy"}, "--policy: there is no 'buddy'"},
           {{"--quick", "1"}, "there is no flag '--quick'"}}) {
    EXPECT_EQ(run(arguments), kUsage) << sentence;
    EXPECT_TRUE(printed_.error_tail.starts_with("gpu_memory_device: error: " + sentence + "\nusage: "))
        << printed_.error_tail;
  }
}

}  // namespace lab::gpu_memory
