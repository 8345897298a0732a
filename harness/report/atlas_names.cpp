#include "harness/report/atlas_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/report/format.h"

namespace lab::report {

namespace {

using results::DriverColumn;

/// Columns of one driver and origin.
struct OneDriver {
  std::string driver;
  std::string_view origin;
  std::vector<std::string> versions, chips;
};

void add_once(std::vector<std::string>& all, const std::string& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

std::vector<OneDriver> by_driver(std::span<const DriverColumn* const> columns) {
  std::vector<OneDriver> all;
  for (const DriverColumn* column : columns) {
    // An imported column has no identity but its name.
    const std::string driver = column->imported ? column->name : column->driver.short_name;
    const std::string_view origin = origin_of(*column);
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const OneDriver& one) { return one.driver == driver && one.origin == origin; });
    if (found == all.end()) found = all.insert(all.end(), {driver, origin, {}, {}});
    if (column->imported) continue;
    add_once(found->versions, column->driver.version);
    add_once(found->chips, chip_of(*column));
  }
  return all;
}

std::string phrase(const OneDriver& one) {
  std::vector<std::string> details;
  if (one.chips.size() == 1 && !one.origin.empty()) details.push_back(one.chips.front());
  if (one.chips.size() > 1)
    details.push_back(fmt::format("{} and {}", one.chips.front(), counted(one.chips.size() - 1, "more chip")));
  if (!one.origin.empty()) details.emplace_back(one.origin);
  std::string text = one.driver;
  if (!one.versions.empty()) text += " " + enumerated(one.versions);
  if (!details.empty()) text += fmt::format(" ({})", fmt::join(details, "; "));
  return text;
}

}  // namespace

std::string chip_of(const DriverColumn& column) {
  std::string chip = column.driver.simulated ? column.driver.simulated->chip : column.driver.device_name;
  for (const auto& [variable, setting] : column.environment) chip += fmt::format(" {}={}", variable, setting);
  return chip;
}

std::string labelled(const DriverColumn& column) {
  const std::string_view origin = origin_of(column);
  return origin.empty() ? column.name : fmt::format("{} ({})", column.name, origin);
}

std::string labelled(std::span<const DriverColumn* const> columns) {
  if (columns.size() == 1) return labelled(*columns.front());
  std::vector<std::string> parts;
  for (const OneDriver& one : by_driver(columns)) parts.push_back(phrase(one));
  return enumerated(parts);
}

}  // namespace lab::report
