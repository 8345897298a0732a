#include "harness/report/atlas_census.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/report/markdown.h"
#include "harness/report/sample_test.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

using results::DriverColumn;

DriverColumn column(const std::string& name, const std::string& driver, const std::string& version) {
  DriverColumn made;
  made.name = name;
  made.probed_at = "2026-01-31T20:00:00Z";
  made.driver.short_name = driver;
  made.driver.version = version;
  made.driver.library = "libvulkan_" + driver + ".so";
  return made;
}

DriverColumn simulated(const std::string& driver, const std::string& version, const std::string& chip) {
  DriverColumn made = column(driver + "-" + version + "-" + chip + "-simulated", driver, version);
  made.driver.simulated = results::SimulatedDevice{chip, "shim", {}};
  return made;
}

DriverColumn kept(DriverColumn made) {
  made.kept = true;
  return made;
}

DriverColumn failed(DriverColumn made) {
  made.failure = results::ProbeFailure{"crash", "SIGSEGV", ""};
  return made;
}

DriverColumn imported(const std::string& name) {
  DriverColumn made;
  made.name = name;
  made.imported = true;
  return made;
}

/// Two drivers of this machine, one of them with two devices; three columns of two simulated chips; one of another
/// machine; one that was imported.
std::vector<DriverColumn> mixed() {
  return {column("lavapipe-22.3.6", "lavapipe", "22.3.6"),
          column("radv-23-a", "radv", "23"),
          column("radv-23-b", "radv", "23"),
          kept(column("lavapipe-25.0.7", "lavapipe", "25.0.7")),
          kept(simulated("anv", "22.3.6", "hd620")),
          kept(simulated("anv", "25.0.7", "hd620")),
          kept(simulated("radv", "25.0.7", "navi10")),
          imported("gtx-imported")};
}

}  // namespace

TEST(Census, counts_drivers_of_this_machine_simulated_chips_and_columns_apart) {
  const AtlasCensus found = census(mixed());
  EXPECT_EQ(found.columns, 8u);
  EXPECT_EQ(found.own, 3u);
  EXPECT_EQ(found.drivers, 2u) << "two devices of one driver";
  EXPECT_EQ(found.others, 1u);
  EXPECT_EQ(found.simulated, 3u);
  EXPECT_EQ(found.simulated_chips, 2u);
  EXPECT_EQ(found.simulated_here, 0u);
  EXPECT_EQ(found.imported, 1u);
}

TEST(Census, has_no_column_of_another_machine_in_a_sentence_about_this_one) {
  EXPECT_EQ(drivers_phrase(mixed()), "2 Vulkan drivers of this machine answered.");
  std::vector<DriverColumn> others{kept(column("lavapipe-25.0.7", "lavapipe", "25.0.7")),
                                   kept(failed(column("nvk-failed", "", ""))), imported("gtx-imported"),
                                   kept(simulated("anv", "22.3.6", "hd620"))};
  EXPECT_EQ(drivers_phrase(others), "No Vulkan driver of this machine has been probed.");
  others.push_back(failed(column("radv-failed", "", "")));
  EXPECT_EQ(drivers_phrase(others), "Of 1 Vulkan driver of this machine, 1 did not answer everything.");
}

TEST(Census, counts_simulated_devices_that_were_asked_here_by_chip_and_column) {
  std::vector<DriverColumn> atlas{column("lavapipe-22.3.6", "lavapipe", "22.3.6"), simulated("anv", "22.3.6", "hd620"),
                                  simulated("anv", "25.0.7", "hd620"), simulated("radv", "25.0.7", "navi10"),
                                  kept(simulated("radv", "25.0.7", "navi21"))};
  EXPECT_EQ(drivers_phrase(atlas),
            "1 Vulkan driver of this machine answered. Asked on simulated devices: 2 chips in 3 columns.");
  atlas[3] = failed(atlas[3]);
  EXPECT_EQ(
      drivers_phrase(atlas),
      "1 Vulkan driver of this machine answered. Asked on simulated devices: 2 chips in 3 columns, of which 1 did "
      "not answer everything.");
}

TEST(Census, says_of_all_columns_whose_they_are) {
  EXPECT_EQ(columns_phrase(mixed()),
            "8 driver columns: 3 of this machine, 1 of other machines, 3 of 2 simulated chips (real driver, simulated "
            "device) and 1 imported, not asked");
  EXPECT_EQ(columns_phrase({}), "0 driver columns");
}

namespace {

/// The rows of a table of the section; 0 without it.
std::size_t rows_of(const Section& section, const std::string& name) {
  for (const Element& element : section.elements)
    if (const auto* table = std::get_if<Table>(&element); table != nullptr && table->name == name)
      return table->rows.size();
  return 0;
}

}  // namespace

TEST(VulkanSection, keeps_devices_of_this_machine_apart_from_those_of_others) {
  std::vector<DriverColumn> atlas = sample::atlas();
  atlas.push_back(kept(atlas[0]));
  atlas.back().name = "lavapipe-25.0.7";
  const Section section = vulkan_section(atlas, sample::background().articles);
  EXPECT_EQ(rows_of(section, "drivers"), 1u);
  EXPECT_EQ(rows_of(section, "drivers-elsewhere"), 1u);
  Document document;
  document.pages[0].sections.push_back(section);
  EXPECT_EQ(to_markdown(document).find("No Vulkan driver of this machine has been probed"), std::string::npos);

  const Section without = vulkan_section(std::vector{atlas[1], atlas[2]}, sample::background().articles);
  EXPECT_EQ(rows_of(without, "drivers"), 0u);
  EXPECT_EQ(rows_of(without, "drivers-elsewhere"), 1u);
  document.pages[0].sections = {without};
  EXPECT_NE(to_markdown(document).find("No Vulkan driver of this machine has been probed"), std::string::npos);
}

TEST(VulkanSection, says_which_tables_a_graph_draws_first) {
  std::vector<DriverColumn> atlas{sample::atlas()[0]};
  for (std::uint64_t i = 1; i <= 6; ++i) {
    atlas.push_back(sample::atlas()[1]);
    atlas.back().name = "radv-" + std::to_string(i) + "-simulated";
    for (results::ImageRow& row : atlas.back().images) row.size += 4096 * i;
  }
  const auto note = [&] {
    Document document;
    document.pages[0].sections.push_back(vulkan_section(atlas, sample::background().articles));
    return charts_of(document)[1]->note;
  };
  EXPECT_NE(note().find("those of drivers of this machine, then the most different"), std::string::npos) << note();
  atlas[0].kept = true;
  EXPECT_NE(note().find("the first of the atlas, then the most different"), std::string::npos) << note();
}

}  // namespace lab::report
