/// What driver columns are called in a report. No name hides that a device is simulated or a column imported.
#pragma once

#include <span>
#include <string>

#include "harness/results/atlas.h"

namespace lab::report {

/// The chip, short: "navi10"; for a device of a machine, what it calls itself. With settings that can change layouts:
/// "hd620 INTEL_DEBUG=noccs".
std::string chip_of(const results::DriverColumn& column);

/// "radv-22.3.6-navi10-simulated (real driver, simulated device)"
std::string labelled(const results::DriverColumn& column);

/// One name for several columns, by driver and origin: "lavapipe 22.3.6 and anv 22.3.6 and 25.0.7 (cml and 8 more
/// chips; real driver, simulated device)". A group of one column has that column's name.
std::string labelled(std::span<const results::DriverColumn* const> columns);

}  // namespace lab::report
