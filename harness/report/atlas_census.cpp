#include "harness/report/atlas_census.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "harness/report/format.h"

namespace lab::report {

namespace {

using results::DriverColumn;

/// One library of one version, whatever its devices. A driver that failed before it gave its name has its manifest.
std::string identity(const DriverColumn& column) {
  const results::DriverIdentity& driver = column.driver;
  const bool unnamed = driver.short_name.empty() && driver.manifest.empty();
  return fmt::format("{}|{}|{}|{}", driver.manifest, driver.library, unnamed ? column.name : driver.short_name,
                     driver.version);
}

}  // namespace

bool is_of_this_machine(const DriverColumn& column) {
  return !column.kept && results::origin_of(column).empty();
}

AtlasCensus census(std::span<const DriverColumn> atlas) {
  AtlasCensus found{.columns = atlas.size()};
  std::map<std::string, bool> drivers;  // whether one of its columns is incomplete
  std::set<std::string> chips, chips_here;
  for (const DriverColumn& column : atlas) {
    if (column.imported) {
      ++found.imported;
    } else if (column.driver.simulated) {
      ++found.simulated;
      chips.insert(column.driver.simulated->chip);
      if (column.kept) continue;
      ++found.simulated_here;
      found.simulated_failed += column.failure.has_value();
      chips_here.insert(column.driver.simulated->chip);
    } else if (column.kept) {
      ++found.others;
    } else {
      ++found.own;
      drivers[identity(column)] |= column.failure.has_value();
    }
  }
  found.drivers = drivers.size();
  for (const auto& [driver, incomplete] : drivers) found.incomplete += incomplete;
  found.simulated_chips = chips.size();
  found.chips_here = chips_here.size();
  return found;
}

std::string drivers_phrase(std::span<const DriverColumn> atlas) {
  const AtlasCensus found = census(atlas);
  const std::string drivers = counted(found.drivers, "Vulkan driver");
  std::string text = found.drivers == 0      ? "No Vulkan driver of this machine has been probed."
                     : found.incomplete == 0 ? fmt::format("{} of this machine answered.", drivers)
                                             : fmt::format("Of {} of this machine, {} did not answer everything.",
                                                           drivers, found.incomplete);
  if (found.simulated_here != 0)
    text += fmt::format(" Asked on simulated devices: {} in {}{}.", counted(found.chips_here, "chip"),
                        counted(found.simulated_here, "column"),
                        found.simulated_failed == 0
                            ? ""
                            : fmt::format(", of which {} did not answer everything", found.simulated_failed));
  return text;
}

std::string columns_phrase(std::span<const DriverColumn> atlas) {
  const AtlasCensus found = census(atlas);
  std::vector<std::string> parts;
  if (found.own != 0) parts.push_back(fmt::format("{} of this machine", found.own));
  if (found.others != 0) parts.push_back(fmt::format("{} of other machines", found.others));
  if (found.simulated != 0)
    parts.push_back(fmt::format("{} of {} ({})", found.simulated, counted(found.simulated_chips, "simulated chip"),
                                results::kSimulatedPhrase));
  if (found.imported != 0) parts.push_back(fmt::format("{} {}", found.imported, results::kImportedPhrase));
  return fmt::format("{}{}{}", counted(found.columns, "driver column"), parts.empty() ? "" : ": ", enumerated(parts));
}

}  // namespace lab::report
