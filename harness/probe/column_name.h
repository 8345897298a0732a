/// The names of driver columns: "lavapipe-22.3.6" for a CPU driver, "radv-22.3.6-navi10" for hardware,
/// "anv-22.3.6-hd620-simulated" for a simulated device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "harness/results/atlas.h"

namespace lab::probe {

/// The short name of a driver by its VkDriverId; "driver<id>" for an id not in the table.
std::string driver_short_name(std::int64_t driver_id);

/// The same from the name of its library ("libvulkan_radeon.so"), before it is queried; "" if the name is unknown.
std::string expected_driver(std::string_view library);

/// Whether this driver's VkDriverId is also another driver's, so that only its library tells them apart.
bool shares_driver_id(std::string_view library);

/// The version for readers: from driverInfo ("Mesa 22.3.6 (LLVM 15.0.6)") without a distribution's revision, otherwise
/// decoded as the vendor encodes it.
std::string driver_version(std::string_view driver_info, std::uint32_t driver_version, std::uint32_t vendor_id);

/// The chip from the device's name, in lower case and without vendor names: "navi10", "hd620", "gtx1660ti", "h200". If
/// nothing remains, its PCI ids.
std::string chip_name(std::string_view device_name, std::uint32_t vendor_id, std::uint32_t device_id);

/// The end of a simulated device's column name.
inline constexpr std::string_view kSimulatedSuffix = "-simulated";

/// Short name, version, the chip unless the device is the CPU, and the values of the variables that change layouts:
/// "anv-22.3.6-hd620-noccs". So a column that was asked with other settings does not replace the usual one.
std::string column_name(const results::DriverIdentity& driver,
                        const std::map<std::string, std::string>& environment = {});

/// The column name of a driver that failed before it reported its identity: "radv-failed", otherwise from its manifest;
/// for a simulated device, its column's name and "-failed".
std::string failed_column_name(const results::DriverIdentity& driver);

}  // namespace lab::probe
