#include "harness/base/vulkan_driver.h"

#include <gtest/gtest.h>

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
  ASSERT_TRUE(write_driver_manifest(scratch.path() / "d.json", "/lib/d.so"));
  EXPECT_EQ(*read_file(scratch.path() / "d.json"),
            R"({"file_format_version":"1.0.0","ICD":{"library_path":"/lib/d.so","api_version":"1.3.0"}})"
            "\n");
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
