/// Drivers of the optional package group simulated-devices: other releases than the pinned driver's, asked about
/// devices that this machine does not have. A shim (Mesa's, built by make.py) is loaded into the driver's process
/// before all else and answers the driver's system calls as the kernel would with that device. Nothing but the device
/// is simulated.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/probe/manifests.h"

namespace lab::probe {

struct SimulatedDevicesSpec {
  std::filesystem::path devices_file;  ///< simulated_devices.json: which driver is asked about which devices
  std::filesystem::path lib;           ///< spm's folder
  std::filesystem::path shims;         ///< where make.py puts the shims; complete if it has a file `built`
  std::filesystem::path generated;     ///< where the drivers' manifests are written
  std::function<void(const std::string&)> on_progress;  ///< receives a line if the shims are not built
};

/// One manifest for each device of `devices_file` whose driver's package is installed, in the file's order; without a
/// shim, one for the driver. Without the packages: none. Devices whose shims are not built are left out.
///
/// A package that has a dynamic linker is self-contained: the child runs with its C library and its Vulkan loader.
/// Otherwise the driver uses the machine's C library and the pinned packages' other libraries.
Expected<std::vector<Manifest>> simulated_manifests(const SimulatedDevicesSpec& spec);

}  // namespace lab::probe
