#include "harness/report/atlas_names.h"

#include <gtest/gtest.h>

#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

results::DriverColumn simulated(const std::string& version, const std::string& chip) {
  results::DriverColumn column;
  column.name = "anv-" + version + "-" + chip + "-simulated";
  column.driver.short_name = "anv";
  column.driver.version = version;
  column.driver.simulated = results::SimulatedDevice{chip, "intel_noop_drm_shim", {}};
  return column;
}

}  // namespace

TEST(AtlasNames, say_that_a_device_is_simulated_or_a_column_imported) {
  const results::DriverColumn one = simulated("22.3.6", "hd620");
  EXPECT_EQ(labelled(one), "anv-22.3.6-hd620-simulated (real driver, simulated device)");
  results::DriverColumn imported;
  imported.name = "gtx-imported";
  imported.imported = true;
  EXPECT_EQ(labelled(imported), "gtx-imported (imported, not asked)");
  EXPECT_EQ(labelled(sample::atlas()[0]), "lavapipe-22.3.6");
}

TEST(AtlasNames, name_the_settings_of_a_driver) {
  results::DriverColumn one = simulated("22.3.6", "hd620"), other = simulated("25.0.7", "hd620");
  one.environment["INTEL_DEBUG"] = other.environment["INTEL_DEBUG"] = "noccs";
  EXPECT_EQ(labelled(std::vector<const results::DriverColumn*>{&one, &other}),
            "anv 22.3.6 and 25.0.7 (hd620 INTEL_DEBUG=noccs; real driver, simulated device)");
}

TEST(AtlasNames, name_several_columns_by_driver_and_origin) {
  const results::DriverColumn a = simulated("22.3.6", "hd620"), b = simulated("22.3.6", "cml"),
                              c = simulated("25.0.7", "cml"), d = sample::atlas()[0];
  const auto name = [](std::vector<const results::DriverColumn*> columns) { return labelled(columns); };
  EXPECT_EQ(name({&a}), labelled(a));
  EXPECT_EQ(name({&a, &b}), "anv 22.3.6 (hd620 and 1 more chip; real driver, simulated device)");
  EXPECT_EQ(name({&b, &c}), "anv 22.3.6 and 25.0.7 (cml; real driver, simulated device)");
  EXPECT_EQ(name({&d, &a, &b, &c}),
            "lavapipe 22.3.6 and anv 22.3.6 and 25.0.7 (hd620 and 1 more chip; real driver, simulated device)");
}

}  // namespace lab::report
