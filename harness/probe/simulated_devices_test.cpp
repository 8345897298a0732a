#include "harness/probe/simulated_devices.h"

#include <gtest/gtest.h>

#include "harness/base/scratch_folder.h"
#include "harness/probe/driver_query.h"

namespace lab::probe {

namespace {

namespace fs = std::filesystem;

class SimulatedDevices : public testing::Test {
 protected:
  void SetUp() override {
    put("devices.json", R"({"schema": 1, "drivers": [
        {"package": "old", "library": "libvulkan_intel.so", "shim": "intel_shim", "devices": [
          {"chip": "hd620", "environment": {"ID": "0x5916"}}, {"chip": "hd630", "environment": {"ID": "0x5912"}}]},
        {"package": "new", "library": "libvulkan_radeon.so", "shim": "amd_shim", "devices": [
          {"chip": "navi10", "environment": {"GPU": "navi10"}}]},
        {"package": "new", "library": "libvulkan_lvp.so"}]})");
  }

  void put(const std::string& path, const std::string& text) const { scratch_.write(path, text); }
  std::string at(const std::string& path) const { return root_ / path; }
  void install() const {
    put("lib/old-1.0/libvulkan_intel.so", "");
    put("lib/new-2.0/libvulkan_radeon.so", "");
    put("lib/new-2.0/ld-linux-x86-64.so.2", "");
    put("lib/lavapipe-1/libvulkan_lvp.so", "");
    put("lib/runtime-1/libstdc++.so.6", "");
  }

  std::vector<Manifest> found() {
    Expected<std::vector<Manifest>> manifests =
        simulated_manifests({.devices_file = root_ / "devices.json",
                             .lib = root_ / "lib",
                             .shims = root_ / "shims",
                             .generated = root_ / "generated",
                             .on_progress = [this](const std::string& line) { progress_ += line; }});
    error_ = manifests ? "" : manifests.error().what;
    return manifests ? std::move(*manifests) : std::vector<Manifest>();
  }

  ScratchFolder scratch_;
  const fs::path& root_ = scratch_.path();
  std::string progress_, error_;
};

}  // namespace

TEST_F(SimulatedDevices, are_none_without_their_packages) {
  EXPECT_TRUE(found().empty());
  EXPECT_EQ(error_ + progress_, "");
}

TEST_F(SimulatedDevices, wait_for_their_shims) {
  install();
  const std::vector<Manifest> manifests = found();
  ASSERT_EQ(manifests.size(), 1u) << error_;
  EXPECT_EQ(manifests[0].library, at("lib/new-2.0/libvulkan_lvp.so"));
  EXPECT_FALSE(manifests[0].simulated);
  EXPECT_EQ(progress_, "the simulated devices are installed but not built: python3 make.py build");
}

TEST_F(SimulatedDevices, are_one_manifest_each) {
  install();
  put("shims/built", "");
  const std::vector<Manifest> manifests = found();
  ASSERT_EQ(manifests.size(), 4u) << error_;
  EXPECT_EQ(progress_, "");
  const Manifest& second = manifests[1];
  EXPECT_EQ(second.simulated, (results::SimulatedDevice{"hd630", "intel_shim", {{"ID", "0x5912"}}}));
  EXPECT_EQ(second.version, "1.0");
  EXPECT_TRUE(second.pinned);
  EXPECT_EQ(read_manifest(second.file).library, at("lib/old-1.0/libvulkan_intel.so"));
  EXPECT_FALSE(manifests[3].simulated);
}

TEST_F(SimulatedDevices, use_the_c_library_of_their_package_if_it_has_one) {
  install();
  put("shims/built", "");
  const std::vector<Manifest> manifests = found();
  ASSERT_EQ(manifests.size(), 4u) << error_;
  const Manifest &with_the_machines = manifests[0], &with_its_own = manifests[2];
  EXPECT_EQ(with_the_machines.starter, std::vector<std::string>());
  EXPECT_EQ(with_the_machines.loader, "");
  EXPECT_EQ(with_its_own.starter, (std::vector<std::string>{at("lib/new-2.0/ld-linux-x86-64.so.2"), "--inhibit-cache",
                                                            "--library-path", at("lib/new-2.0") + ":" + at("shims")}));
  EXPECT_EQ(with_its_own.loader, at("lib/new-2.0/libvulkan.so.1"));

  const EnvironmentVariables old = child_environment(with_the_machines, {});
  EXPECT_EQ(old.at("LD_LIBRARY_PATH"),
            at("lib/old-1.0") + ":" + at("shims") + ":" + at("lib/lavapipe-1") + ":" + at("lib/runtime-1"));
  EXPECT_EQ(old.at("LD_PRELOAD"), "libintel_shim.so");
  EXPECT_EQ(old.at("ID"), "0x5916");
  const EnvironmentVariables own = child_environment(with_its_own, {});
  EXPECT_FALSE(own.contains("LD_LIBRARY_PATH"));
  EXPECT_EQ(own.at("LD_PRELOAD"), "libamd_shim.so");
  EXPECT_FALSE(child_environment(manifests[3], {}).contains("LD_PRELOAD"));
}

TEST_F(SimulatedDevices, report_a_bad_list_in_one_sentence) {
  put("devices.json", R"({"schema": 2, "drivers": []})");
  found();
  EXPECT_EQ(error_, "'" + at("devices.json") + "': schema 2, this build reads 1");
  put("devices.json", R"({"schema": 1, "drivers": [{"library": "x"}]})");
  found();
  EXPECT_EQ(error_, "'" + at("devices.json") + "': drivers[0].package: missing");
}

}  // namespace lab::probe
