#include "harness/probe/column_name.h"

#include <gtest/gtest.h>

namespace lab::probe {

TEST(ColumnName, is_driver_version_and_chip) {
  struct Row {
    std::int64_t id;
    const char* info;
    std::uint32_t version, vendor, device;
    const char *device_name, *type, *column;
  };
  const std::uint32_t mesa = 22u << 22 | 3u << 12 | 6u;
  const Row table[] = {
      {13, "Mesa 22.3.6 (LLVM 15.0.6)", 1, 0x10005, 0, "llvmpipe (LLVM 15.0.6, 256 bits)", "cpu", "lavapipe-22.3.6"},
      {3, "Mesa 22.3.6", mesa, 0x1002, 0x731f, "AMD Radeon RX 5700 (RADV NAVI10)", "discrete gpu",
       "radv-22.3.6-navi10"},
      {3, "Mesa 20.0.1", mesa, 0x1002, 0x731f, "AMD RADV NAVI10 (LLVM 9.0.1)", "discrete gpu",
       "radv-20.0.1-radvnavi10"},
      {6, "Mesa 22.3.6", mesa, 0x8086, 0x5916, "Intel(R) HD Graphics 620 (KBL GT2)", "integrated gpu",
       "anv-22.3.6-hd620"},
      {6, "Mesa 25.0.7-2+deb13u1", mesa, 0x8086, 0x5916, "Intel(R) HD Graphics 620 (KBL GT2)", "integrated gpu",
       "anv-25.0.7-hd620"},
      {6, "Mesa 23.1.0-devel (git-0123abc)", mesa, 0x8086, 0x9a49, "Intel(R) Xe Graphics (TGL GT2)", "integrated gpu",
       "anv-23.1.0-devel-xe"},
      {4, "535.104.05", 535u << 22 | 104u << 14 | 5u << 6, 0x10de, 0x2182, "NVIDIA GeForce GTX 1660 Ti", "discrete gpu",
       "nvidia-535.104.05-gtx1660ti"},
      {4, "", 535u << 22 | 104u << 14 | 5u << 6, 0x10de, 0x2335, "NVIDIA H200", "discrete gpu",
       "nvidia-535.104.5.0-h200"},
      {4, "550.54.15", 0, 0x10de, 0x20b2, "NVIDIA A100-SXM4-80GB", "discrete gpu", "nvidia-550.54.15-a100-sxm4-80gb"},
      {18, "Mesa 23.0.0", mesa, 0x5143, 0x6010800, "Turnip Adreno (TM) 618", "integrated gpu",
       "turnip-23.0.0-adreno618"},
      {19, "Mesa 22.3.6", mesa, 0x14e4, 0, "V3D 4.2", "integrated gpu", "v3dv-22.3.6-v3d4.2"},
      {10, "", 5u << 22, 0x1ae0, 0xc0de, "SwiftShader Device (LLVM 10.0.0)", "cpu", "swiftshader-5.0.0"},
      {6, "Mesa 22.3.6", mesa, 0x8086, 0x5916, "Intel(R) Graphics", "integrated gpu", "anv-22.3.6-8086.5916"},
      {999, "", mesa, 0x1234, 0x1, "../../etc/passwd", "other", "driver999-22.3.6-etcpasswd"},
  };
  for (const Row& row : table) {
    results::DriverIdentity driver;
    driver.short_name = driver_short_name(row.id);
    driver.version = driver_version(row.info, row.version, row.vendor);
    driver.vendor_id = row.vendor;
    driver.device_id = row.device;
    driver.device_name = row.device_name;
    driver.device_type = row.type;
    EXPECT_EQ(column_name(driver), row.column);
  }
}

TEST(ColumnName, of_a_failed_driver_comes_from_its_library_or_manifest) {
  const auto name = [](const char* library, const char* manifest) {
    results::DriverIdentity driver;
    driver.library = library;
    driver.manifest = manifest;
    return failed_column_name(driver);
  };
  EXPECT_EQ(name("/usr/lib/x86_64-linux-gnu/libvulkan_radeon.so", "/x/radeon_icd.x86_64.json"), "radv-failed");
  EXPECT_EQ(name("libGLX_nvidia.so.0", "/etc/vulkan/icd.d/nvidia_icd.json"), "nvidia-failed");
  EXPECT_EQ(name("/opt/libnew.so", "/x/New Driver_icd.x86_64.json"), "newdrivericd-failed");
  EXPECT_EQ(name("", "/x/..json"), "driver-failed");
}

TEST(ColumnName, of_a_simulated_device_says_so) {
  results::DriverIdentity driver;
  driver.library = "lib/mesa-drivers-bookworm-22.3.6/libvulkan_intel.so";
  driver.version = "22.3.6";
  driver.simulated = results::SimulatedDevice{"hd620", "shim", {}};
  EXPECT_EQ(failed_column_name(driver), "anv-22.3.6-hd620-simulated-failed");
  driver.short_name = "anv";
  driver.device_name = "Intel(R) Graphics";
  EXPECT_EQ(column_name(driver), "anv-22.3.6-hd620-simulated");
}

TEST(ColumnName, distinguishes_intels_two_drivers_by_their_libraries) {
  EXPECT_EQ(driver_short_name(6), "anv");
  EXPECT_EQ(expected_driver("/x/libvulkan_intel.so"), "anv");
  EXPECT_EQ(expected_driver("/x/libvulkan_intel_hasvk.so"), "hasvk");
  EXPECT_TRUE(shares_driver_id("/x/libvulkan_intel_hasvk.so"));
  EXPECT_FALSE(shares_driver_id("/x/libvulkan_intel.so") || shares_driver_id("/x/unknown.so"));
}

TEST(ColumnName, has_the_values_of_variables_that_change_layouts) {
  results::DriverIdentity d;
  d.short_name = "radv";
  d.version = "25.0.7";
  d.device_type = "discrete gpu";
  d.device_name = "AMD Radeon RX 5700 (RADV NAVI10)";
  EXPECT_EQ(column_name(d, {}), "radv-25.0.7-navi10");
  EXPECT_EQ(column_name(d, {{"MESA_X", "1"}, {"RADV_DEBUG", "nodcc,noHIZ /x"}}), "radv-25.0.7-navi10-1-nodcc-nohiz--x");
  d.simulated = results::SimulatedDevice{"navi10", "amdgpu_noop_drm_shim", {}};
  EXPECT_EQ(column_name(d, {{"RADV_DEBUG", "nodcc"}}), "radv-25.0.7-navi10-nodcc-simulated");
}

}  // namespace lab::probe
