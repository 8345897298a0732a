/// For tests of a program on a device (device_program.h): starts it on the pinned lavapipe, and on it wrapped into
/// drivers that differ in one thing (harness/probe/testing/wrapped_icd.cpp). Without a driver such tests are skipped.
#pragma once

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

namespace lab::vulkan {

inline constexpr int kOk = static_cast<int>(ExitStatus::kOk), kFailed = static_cast<int>(ExitStatus::kFailed),
                     kNoDevice = static_cast<int>(ExitStatus::kUnfit), kUsage = static_cast<int>(ExitStatus::kUsage);

template <typename Report>
class DeviceProgramTest : public testing::Test {
 protected:
  explicit DeviceProgramTest(std::string name) : name_(std::move(name)) {}

  // Its exit status. What it prints stays.
  int run(const std::vector<std::string>& arguments, std::vector<std::string> environment = {}) {
    ChildSpec child;
    child.command = {kBuild / name_};
    child.command.insert(child.command.end(), arguments.begin(), arguments.end());
    child.environment = std::move(environment);
    child.environment.emplace_back("VK_LOADER_LAYERS_DISABLE=~implicit~");  // the machine's, with --driver machine
    // A driver's leaks and locks are its own.
    child.environment.emplace_back("ASAN_OPTIONS=detect_leaks=0");
    child.environment.emplace_back("TSAN_OPTIONS=ignore_noninstrumented_modules=1:detect_deadlocks=0");
    child.timeout_seconds = kPatience;
    printed_ = run_child(child);
    EXPECT_EQ(printed_.end, ChildEnd::kExited) << describe_end(child, printed_);
    return printed_.code;
  }

  Report report() const {
    const Expected<json::value> printed = parse_json(printed_.output, "the report");
    EXPECT_TRUE(printed) << printed_.output << printed_.error_tail;
    if (!printed) return {};
    const Expected<Report> found = from_json<Report>(*printed);
    EXPECT_TRUE(found) << found.error().what;
    return found ? *found : Report();
  }

  // A lib folder with these packages alone.
  std::string lib_of(const std::vector<std::string>& packages) const {
    std::filesystem::create_directories(scratch_.path() / "lib");
    for (const std::string& package : packages) {
      const std::filesystem::path real = pinned_package(kLib, package);
      if (!real.empty()) std::filesystem::create_directory_symlink(real, scratch_.path() / "lib" / real.filename());
    }
    return fmt::format("SPM_LIB={}", (scratch_.path() / "lib").string());
  }

  // The environment of lavapipe, wrapped so that it behaves otherwise.
  std::vector<std::string> wrapped(const std::string& behaviour) const {
    const std::filesystem::path library = scratch_.path() / (behaviour + ".so");
    const std::filesystem::path manifest = scratch_.path() / (behaviour + ".json");
    std::filesystem::create_symlink(kBuild / "tests/wrapped_icd.so", library);
    scratch_.write(
        manifest.filename(),
        fmt::format(R"({{"file_format_version": "1.0.0", "ICD": {{"api_version": "1.0.0", "library_path": "{}"}}}})",
                    library.string()));
    std::vector<std::string> environment{
        fmt::format("LAB_WRAPPED_DRIVER={}", (pinned_package(kLib, "lavapipe") / "libvulkan_lvp.so").string())};
    for (const auto& [name, value] : driver_environment({}, manifest, pinned_libraries(kLib), ""))
      environment.push_back(fmt::format("{}={}", name, value));
    return environment;
  }

  void expect_it_says_that_there_is_no_driver() {
    const std::string lib = lib_of({"vulkan-loader"});
    EXPECT_EQ(run({}, {lib}), kNoDevice);
    EXPECT_EQ(printed_.error_tail, fmt::format("{}: error: no Vulkan driver: expected '{}/lavapipe-<version>'\n"
                                               "hint: python3 make.py spm install lavapipe\n",
                                               name_, lib.substr(lib.find('=') + 1)));
    EXPECT_EQ(printed_.output, "");
    EXPECT_EQ(run({"--driver", "machine"}, {lib, "VK_DRIVER_FILES=/none.json", "VK_ICD_FILENAMES=/none.json"}),
              kNoDevice);
    EXPECT_NE(printed_.error_tail.find(name_ + ": error: "), std::string::npos) << printed_.error_tail;
  }

  void expect_it_refuses(const std::vector<std::string>& arguments, const std::string& sentence) {
    EXPECT_EQ(run(arguments), kUsage) << sentence;
    EXPECT_TRUE(printed_.error_tail.starts_with(name_ + ": error: " + sentence + "\nusage: " + name_))
        << printed_.error_tail;
  }

  static inline const std::filesystem::path kBuild = LAB_BUILD_DIR;
  static inline const std::filesystem::path kLib = std::filesystem::path(LAB_SOURCE_DIR) / "lib";
  std::string name_;
  ScratchFolder scratch_;
  ChildOutcome printed_;
};

#define SKIP_WITHOUT_DEVICE(status) \
  if ((status) == static_cast<int>(ExitStatus::kUnfit)) GTEST_SKIP() << printed_.error_tail

}  // namespace lab::vulkan
