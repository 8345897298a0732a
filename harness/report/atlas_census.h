/// How many drivers, chips and columns an atlas has, and whose they are. A sentence about this machine counts what was
/// asked on this machine; simulated chips are counted apart, and columns of other machines never enter it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/results/atlas.h"

namespace lab::report {

struct AtlasCensus {
  std::size_t columns = 0;
  std::size_t own = 0;               ///< columns of devices of this machine
  std::size_t drivers = 0;           ///< of these: two devices of one driver count once
  std::size_t incomplete = 0;        ///< of these drivers: that did not answer everything
  std::size_t others = 0;            ///< columns of devices of other machines (DriverColumn::kept)
  std::size_t simulated = 0;         ///< columns of simulated devices, asked on this machine or kept
  std::size_t simulated_chips = 0;   ///< of these: with several versions and settings of a driver, a chip counts once
  std::size_t simulated_here = 0;    ///< columns of simulated devices that were asked on this machine
  std::size_t simulated_failed = 0;  ///< of these: that did not answer everything
  std::size_t chips_here = 0;        ///< of these
  std::size_t imported = 0;
};

AtlasCensus census(std::span<const results::DriverColumn> atlas);

/// About this machine alone: "2 Vulkan drivers of this machine answered. Asked on simulated devices: 55 chips in 93
/// columns." Without a column of its own devices: "No Vulkan driver of this machine has been probed."
std::string drivers_phrase(std::span<const results::DriverColumn> atlas);

/// All columns by origin: "102 driver columns: 2 of this machine, 2 of other machines and 98 of 55 simulated chips
/// (real driver, simulated device)".
std::string columns_phrase(std::span<const results::DriverColumn> atlas);

/// Whether the column is of a device of this machine.
bool is_of_this_machine(const results::DriverColumn& column);

}  // namespace lab::report
