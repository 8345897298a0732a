#include "harness/probe/manifests.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab::probe {

namespace {

namespace fs = std::filesystem;

class Manifests : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) const { scratch_.write(path, text); }
  void put_icd(const std::string& path, const std::string& library) const {
    put(path, R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" + library + R"("}})");
  }
  // What is found, relative to the root.
  std::vector<std::string> found(const EnvironmentVariables& environment) const {
    std::vector<std::string> files;
    for (const Manifest& m : find_manifests(environment, root_)) files.push_back(m.file.lexically_relative(root_));
    return files;
  }
  std::string at(const std::string& path) const { return root_ / path; }

  ScratchFolder scratch_;
  const fs::path& root_ = scratch_.path();
};

}  // namespace

TEST_F(Manifests, are_searched_in_the_loaders_folders) {
  EXPECT_EQ(manifest_folders({{"HOME", "/home/a"}}),
            (std::vector<fs::path>{"/home/a/.config/vulkan/icd.d", "/etc/xdg/vulkan/icd.d", "/etc/vulkan/icd.d",
                                   "/home/a/.local/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d",
                                   "/usr/share/vulkan/icd.d"}));
  EXPECT_EQ(manifest_folders({{"HOME", "/home/a"},
                              {"XDG_CONFIG_HOME", "/c"},
                              {"XDG_CONFIG_DIRS", "/c1:/c2"},
                              {"XDG_DATA_HOME", "/d"},
                              {"XDG_DATA_DIRS", ":/d1::/d2:"}}),
            (std::vector<fs::path>{"/c/vulkan/icd.d", "/c1/vulkan/icd.d", "/c2/vulkan/icd.d", "/etc/vulkan/icd.d",
                                   "/d/vulkan/icd.d", "/d1/vulkan/icd.d", "/d2/vulkan/icd.d"}));
  EXPECT_EQ(manifest_folders({}).size(), 4u);
}

TEST_F(Manifests, are_in_the_loaders_order_without_duplicates) {
  put_icd("usr/share/vulkan/icd.d/b.json", "libb.so");
  put_icd("usr/share/vulkan/icd.d/a.json", "liba.so");
  put_icd("etc/vulkan/icd.d/z.json", "libz.so");
  put("usr/share/vulkan/icd.d/readme.txt", "");
  fs::create_symlink(at("usr/share/vulkan/icd.d/a.json"), at("usr/share/vulkan/icd.d/link.json"));
  EXPECT_EQ(found({}), (std::vector<std::string>{"etc/vulkan/icd.d/z.json", "usr/share/vulkan/icd.d/a.json",
                                                 "usr/share/vulkan/icd.d/b.json"}));
}

TEST_F(Manifests, of_the_environment_replace_or_extend_the_folders) {
  put_icd("usr/share/vulkan/icd.d/a.json", "liba.so");
  put_icd("x/one.json", "lib1.so");
  put_icd("y/two.json", "lib2.so");
  EXPECT_EQ(found({{"VK_ADD_DRIVER_FILES", at("x/one.json")}}),
            (std::vector<std::string>{"x/one.json", "usr/share/vulkan/icd.d/a.json"}));
  EXPECT_EQ(found({{"VK_DRIVER_FILES", at("x/one.json") + ":" + at("y")},
                   {"VK_ICD_FILENAMES", "/none"},
                   {"VK_ADD_DRIVER_FILES", "/none"}}),
            (std::vector<std::string>{"x/one.json", "y/two.json"}));
  EXPECT_EQ(found({{"VK_ICD_FILENAMES", at("y/two.json")}}), (std::vector<std::string>{"y/two.json"}));
}

TEST_F(Manifests, give_the_library_or_the_reason_why_there_is_none) {
  put_icd("name.json", "libGLX_nvidia.so.0");
  put_icd("sub/relative.json", "../lib/lib.so");
  put_icd("absolute.json", "/usr/lib/lib.so");
  put("garbage.json",
      "\x7f"
      "ELF");
  put("list.json", "[]");
  put("empty.json", R"({"ICD": {"library_path": ""}})");
  put("layer.json", R"({"layer": {"library_path": "lib.so"}})");
  put("old.json", R"({"ICD": {"library_path": "lib.so", "library_arch": "32"}})");
  EXPECT_EQ(read_manifest(at("name.json")).library, "libGLX_nvidia.so.0");
  EXPECT_EQ(read_manifest(at("sub/relative.json")).library, at("lib/lib.so"));
  EXPECT_EQ(read_manifest(at("absolute.json")).library, "/usr/lib/lib.so");
  EXPECT_EQ(read_manifest(at("absolute.json")).problem, "");
  EXPECT_EQ(read_manifest(at("garbage.json")).problem,
            "the manifest: not JSON: byte 0: syntax error before '\x7f"
            "ELF'");
  EXPECT_EQ(read_manifest(at("list.json")).problem, "the document: expected an object, found an array");
  EXPECT_EQ(read_manifest(at("empty.json")).problem, "ICD.library_path: empty");
  EXPECT_EQ(read_manifest(at("layer.json")).problem, "ICD: missing");
  EXPECT_NE(read_manifest(at("missing.json")).problem.find("No such file"), std::string::npos);
  EXPECT_TRUE(read_manifest(at("old.json")).foreign);
}

TEST_F(Manifests, of_the_pinned_driver_have_its_absolute_path) {
  put("lib/lavapipe-22.3.6/libvulkan_lvp.so", "");
  put("lib/runtime-12/libstdc++.so.6", "");
  const auto pinned = pinned_manifests(root_ / "lib", root_ / "build/icd");
  ASSERT_TRUE(pinned);
  ASSERT_EQ(pinned->size(), 1u);
  EXPECT_EQ(read_manifest(pinned->front().file).library, at("lib/lavapipe-22.3.6/libvulkan_lvp.so"));
  EXPECT_EQ(pinned->front().libraries, (std::vector<std::string>{at("lib/lavapipe-22.3.6"), at("lib/runtime-12")}));
  EXPECT_TRUE(pinned_manifests(root_ / "none", root_ / "build/icd")->empty());
}

}  // namespace lab::probe
