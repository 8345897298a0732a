#include "harness/base/vulkan_driver.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab {

namespace {

namespace fs = std::filesystem;

TEST(VulkanDriver, the_pinned_loader_is_preferred_to_the_machines) {
  const ScratchFolder scratch;
  const fs::path lib = scratch.path() / "lib";
  EXPECT_EQ(loader_library(lib), "libvulkan.so.1");
  scratch.write("lib/vulkan-loader-1.3.239/libvulkan.so.1", "");
  EXPECT_EQ(loader_library(lib), (lib / "vulkan-loader-1.3.239/libvulkan.so.1").string());
}

TEST(VulkanDriver, missing_validation_layers_are_reported_in_one_sentence) {
  const ScratchFolder scratch;
  const fs::path lib = scratch.path() / "lib";
  const auto none = validation_layers(lib, scratch.path() / "layers");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what,
            "no validation layers: expected '" + (lib / "vulkan-validationlayers-<version>").string() + "'");
}

TEST(VulkanDriver, a_manifest_has_the_absolute_path_of_the_library) {
  const ScratchFolder scratch;
  for (const char* library : {"/no-folder/d.so", "d.so"}) {  // a name is left to the dynamic linker
    ASSERT_TRUE(write_driver_manifest(scratch.path() / "d.json", library));
    EXPECT_EQ(*read_file(scratch.path() / "d.json"),
              fmt::format(R"({{"file_format_version":"1.0.0","ICD":{{"library_path":"{}","api_version":"1.3.0"}}}})"
                          "\n",
                          library));
  }
}

// Processes with other lib folders write one file.
TEST(VulkanDriver, a_manifest_is_the_same_from_all_lib_folders_of_one_store) {
  const ScratchFolder scratch;
  fs::create_directory(scratch.path() / "store");
  std::set<std::string> written;
  for (const char* lib : {"ours", "theirs"}) {
    fs::create_directory_symlink(scratch.path() / "store", scratch.path() / lib);
    ASSERT_TRUE(write_driver_manifest(scratch.path() / "d.json", scratch.path() / lib / "d.so"));
    written.insert(*read_file(scratch.path() / "d.json"));
  }
  EXPECT_EQ(written.size(), 1u);
}

TEST(VulkanDriver, a_process_finds_one_driver_and_the_layers_that_it_was_given) {
  const EnvironmentVariables inherited{{"HOME", "/home/a"},
                                       {"LD_LIBRARY_PATH", "/user"},
                                       {"VK_INSTANCE_LAYERS", "overlay"},
                                       {"VK_ADD_DRIVER_FILES", "/more.json"},
                                       {"VK_LOADER_DEBUG", "all"}};
  EnvironmentVariables expected{{"HOME", "/home/a"},
                                {"LD_LIBRARY_PATH", "/user"},
                                {"MESA_SHADER_CACHE_DISABLE", "true"},
                                {"VK_DRIVER_FILES", "/d.json"},
                                {"VK_ICD_FILENAMES", "/d.json"},
                                {"VK_LAYER_PATH", "/no-layers"},
                                {"VK_LOADER_DEBUG", "all"},
                                {"VK_LOADER_DISABLE_SELECT", "1"},
                                {"VK_LOADER_LAYERS_DISABLE", "~implicit~"}};
  EXPECT_EQ(driver_environment(inherited, "/d.json", {}, ""), expected);
  expected["LD_LIBRARY_PATH"] = "/lib/lavapipe:/lib/runtime";
  expected["VK_LAYER_PATH"] = "/layers";
  EXPECT_EQ(driver_environment(inherited, "/d.json", {"/lib/lavapipe", "/lib/runtime"}, "/layers"), expected);
}

TEST(DriverEnvironment, keeps_compiled_shaders_only_in_a_folder_that_is_named) {
  const EnvironmentVariables kept = driver_environment({{"LAB_SHADER_CACHE", "/shaders"}}, "/d.json", {}, "");
  EXPECT_EQ(kept.at("MESA_SHADER_CACHE_DISABLE"), "false");
  EXPECT_EQ(kept.at("MESA_SHADER_CACHE_DIR"), "/shaders");
}

}  // namespace

}  // namespace lab
